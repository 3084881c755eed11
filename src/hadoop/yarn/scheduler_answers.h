// What the ResourceManager's answers to application masters mean.
#pragma once

#include <string>
#include <string_view>

#include "howdah/base/result.h"

namespace howdah::hadoop::yarn {

// Whether it is this one of YARN's exceptions ("ApplicationMasterNotRegisteredException").
inline bool Is(const Error& error, std::string_view exception) {
  constexpr std::string_view kPackage = "org.apache.hadoop.yarn.exceptions.";
  return error.remote_class.size() == kPackage.size() + exception.size() && error.remote_class.starts_with(kPackage) &&
         error.remote_class.ends_with(exception);
}

// It does not know the attempt, and never will again.
inline bool IsForgotten(const Error& error) {
  return Is(error, "ApplicationAttemptNotFoundException") ||
         error.remote_class == "org.apache.hadoop.security.token.SecretManager$InvalidToken" ||
         error.remote_class == "org.apache.hadoop.security.AccessControlException" ||
         error.remote_class == "org.apache.hadoop.security.authorize.AuthorizationException";
}

// It has registered this attempt before: the answer got lost.
inline bool IsRegisteredAlready(const Error& error) {
  return Is(error, "InvalidApplicationMasterRequestException") &&
         error.message.find("already registered") != std::string::npos;
}

// It has started again, and this attempt was registered with it: by a process that died before it could note that down.
// (AMRMClientUtils.assembleInvalidResponseIdExceptionMessage; Hadoop reads the number out of it, too.)
inline bool IsRegisteredAnew(const Error& error) {
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
