// Interprets the ResourceManager's answers to application masters.
#pragma once

#include <string>
#include <string_view>

#include "howdah/base/result.h"

namespace howdah::hadoop::yarn {

// Whether the error is the exception of YARN with this name, such as "ApplicationMasterNotRegisteredException".
inline bool Is(const Error& error, std::string_view exception) {
  constexpr std::string_view kPackage = "org.apache.hadoop.yarn.exceptions.";
  return error.remote_class.size() == kPackage.size() + exception.size() && error.remote_class.starts_with(kPackage) &&
         error.remote_class.ends_with(exception);
}

// Whether the ResourceManager rejects the attempt permanently.
inline bool IsAttemptRejected(const Error& error) {
  return Is(error, "ApplicationAttemptNotFoundException") ||
         error.remote_class == "org.apache.hadoop.security.token.SecretManager$InvalidToken" ||
         error.remote_class == "org.apache.hadoop.security.AccessControlException" ||
         error.remote_class == "org.apache.hadoop.security.authorize.AuthorizationException";
}

// Whether the ResourceManager has already registered this attempt. Its answer to the earlier call was lost.
inline bool IsRegisteredAlready(const Error& error) {
  return Is(error, "InvalidApplicationMasterRequestException") &&
         error.message.find("already registered") != std::string::npos;
}

// Whether the attempt has registered again with a restarted ResourceManager already. An earlier process of the attempt
// did so, and died before it could record the registration. (The text is from
// AMRMClientUtils.assembleInvalidResponseIdExceptionMessage. Hadoop itself parses the number in this text, too.)
inline bool IsRegisteredAgain(const Error& error) {
  return Is(error, "InvalidApplicationMasterRequestException") &&
         error.message.find("expect responseId to be 0 ") != std::string::npos;
}

template <typename Response>
Result<Response> Read(std::string_view method, const Result<std::string>& bytes) {
  if (!bytes) return bytes.error();
  Response response;
  if (!response.ParsePartialFromString(*bytes)) {
    return Failed("the ResourceManager's answer to " + std::string(method) + " is unreadable");
  }
  return response;
}

}  // namespace howdah::hadoop::yarn
