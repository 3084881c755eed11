// Logins to private docker registries, in the form in which NodeManagers accept them. Pure.
#pragma once

#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/rpc/token.h"

namespace howdah::backend::yarn::client {

// Returns one token per login in docker's config.json, which a NodeManager turns into a config.json of its own
// (DockerClientConfigHandler). application: the id of the job. Returns kUsage, with the remedy, if the text is not such
// a file, or if it has no login, as when docker keeps the logins in a credential helper.
Result<hadoop::rpc::Credentials> DockerLogins(std::string_view config_json, const std::string& application);

}  // namespace howdah::backend::yarn::client
