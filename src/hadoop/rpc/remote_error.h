// Converts Java exceptions to Error.
#pragma once

#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/messages/rpc.pb.h"

namespace howdah::hadoop::rpc {

// Removes the class name in front of an exception's text (org.apache.hadoop.util.StringUtils.stringifyException adds
// it) and the stack trace. The remaining lines are for people.
std::string FirstLines(std::string_view java_class, std::string_view text);

// Returns kFailed, with the class name of the Java exception in remote_class. Use it for a header with status ERROR or
// FATAL.
Error RemoteError(const ::hadoop::common::RpcResponseHeaderProto& header);

}  // namespace howdah::hadoop::rpc
