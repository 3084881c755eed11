#include "docker_logins.h"

#include <nlohmann/json.hpp>

#include "howdah/backend/yarn/job_credentials.h"

namespace howdah::backend::yarn::client {
namespace {

// Appends a string field of a protobuf message.
void AppendField(std::string& message, int number, const std::string& value) {
  message += static_cast<char>(number << 3 | 2);  // wire type 2: length-delimited
  size_t length = value.size();
  for (; length >= 0x80; length >>= 7) message += static_cast<char>(length | 0x80);
  message += static_cast<char>(length);
  message += value;
}

}  // namespace

Result<hadoop::rpc::Credentials> DockerLogins(std::string_view config_json, const std::string& application) {
  const auto config = nlohmann::json::parse(config_json, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object()) {
    return Error{ErrorCode::kUsage, "docker.client_config is not a JSON object; name docker's config.json"};
  }
  hadoop::rpc::Credentials logins;
  const auto auths = config.find("auths");
  if (auths != config.end() && auths->is_object()) {
    for (const auto& [registry, entry] : auths->items()) {
      if (!entry.is_object() || !entry.contains("auth") || !entry["auth"].is_string()) continue;
      // DockerCredentialTokenIdentifierProto: registryUrl = 1, applicationId = 2.
      std::string identifier;
      AppendField(identifier, 1, registry);
      AppendField(identifier, 2, application);
      logins.tokens[registry + "-" + application] = {identifier, entry["auth"].get<std::string>(), kDockerToken,
                                                     registry};
    }
  }
  if (!logins.tokens.empty()) return logins;
  return Error{ErrorCode::kUsage,
               "docker.client_config has no login; its logins may be in a credential helper (credsStore): remove that "
               "key from the file, and run `docker login` again"};
}

}  // namespace howdah::backend::yarn::client
