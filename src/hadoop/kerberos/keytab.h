// Keytabs: checks of the file, and logins with its keys.
#pragma once

#include <krb5.h>

#include <string>
#include <vector>

#include "explain.h"
#include "handles.h"
#include "howdah/base/result.h"

namespace howdah::hadoop::kerberos {

// Checks that the file is a keytab that only its owner and group can access. `name` is a path, with or without
// "FILE:". Returns the path. An error is kUsage and contains path, mode and owner.
Result<std::string> CheckKeytabFile(const std::string& name);

// The keys of a keytab, which CheckKeytabFile has accepted. Returns kUsage if the file is damaged.
Result<std::vector<KeytabKey>> KeysOf(krb5_context context, const std::string& path);

}  // namespace howdah::hadoop::kerberos
