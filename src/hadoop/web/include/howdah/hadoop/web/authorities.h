// The certificate authorities of a Hadoop cluster.
#pragma once

#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/os/http/trust.h"

namespace howdah::hadoop::web {

// The first of these sources that is given: the PEM file $HOWDAH_CA; the trust store of ssl-client.xml
// (ssl.client.truststore.location, .password; JKS or PKCS#12); the bundle of this machine. Returns kUsage if it cannot
// be used; the message names the file and the key.
Result<std::shared_ptr<const os::http::Trust>> AuthoritiesOf(const conf::Configuration& configuration);

// The same authorities as PEM, for a process on another machine. Empty: they are those of the bundle.
Result<std::string> ConfiguredAuthorities(const conf::Configuration& configuration);

}  // namespace howdah::hadoop::web
