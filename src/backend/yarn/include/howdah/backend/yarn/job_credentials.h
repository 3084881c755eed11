// Howdah's additions to the Hadoop credentials of a job's containers: the identities of AM and executors, and small
// files. Credentials reach a container without a download, and only the container's owner can read them.
#pragma once

#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/rpc/token.h"
#include "howdah/rpc/identity.h"

namespace howdah::backend::yarn {

// Secrets with this prefix are only for the AM and are not passed on to tasks.
inline constexpr std::string_view kAmSecretPrefix = "howdah.am.";

// The kind of the tokens that contain logins to docker registries (DockerCredentialTokenIdentifier). NodeManagers use
// them, and tasks do not get them.
inline constexpr char kDockerToken[] = "DOCKER_CLIENT_CREDENTIAL_TOKEN";

// The credentials without the secrets that Howdah adds. Programs of the user get these, and so does a job that such a
// program submits.
hadoop::rpc::Credentials WithoutOwnSecrets(hadoop::rpc::Credentials credentials);

// Adds an identity as the secrets "howdah.ca", "howdah.NAME.pem" and "howdah.NAME.key". name: "am", "executor".
void AddIdentity(hadoop::rpc::Credentials& credentials, const std::string& name, const rpc::Identity& identity);
// Returns kFailed with the name of the missing secret.
Result<rpc::Identity> FindIdentity(const hadoop::rpc::Credentials& credentials, const std::string& name);

std::string EncodeIdentity(const rpc::Identity& identity);  // JSON
Result<rpc::Identity> DecodeIdentity(const std::string& json);

enum class EmbedFor { kAm, kAll };

// The largest size of an embedded file. Larger files are localized by YARN. The limit exists because the
// ResourceManager keeps the AM's credentials in its state store, in which a record may have at most 1 MiB.
inline constexpr size_t kMaxEmbeddedSize = size_t{64} << 10;

// Embeds a file in the credentials. name: the file's path below the container's working directory. A container with
// embedded files starts faster: localizing a file that the node has not cached takes a second or more, because a secure
// cluster starts a JVM for it.
void EmbedFile(hadoop::rpc::Credentials& credentials, EmbedFor recipient, const std::string& name,
               std::string_view bytes);

// Writes the embedded files below the current directory, readable by their owner only.
Status ExtractEmbeddedFiles(const hadoop::rpc::Credentials& credentials);

}  // namespace howdah::backend::yarn
