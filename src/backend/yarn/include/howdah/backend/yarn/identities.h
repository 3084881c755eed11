// The certificates of a job, as they travel: the AM's and the executors' in the credentials of their containers, the
// clients' in the job's directory.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/rpc/token.h"
#include "howdah/rpc/identity.h"

namespace howdah::backend::yarn {

// Adds an identity as three secrets: "howdah.ca", "howdah.NAME.pem", "howdah.NAME.key". name: "am", "executor".
void AddIdentity(hadoop::rpc::Credentials& credentials, const std::string& name, const rpc::Identity& identity);
// kFailed: one of them is missing, and which.
Result<rpc::Identity> FindIdentity(const hadoop::rpc::Credentials& credentials, const std::string& name);

std::string EncodeIdentity(const rpc::Identity& identity);  // JSON
Result<rpc::Identity> DecodeIdentity(const std::string& json);

}  // namespace howdah::backend::yarn
