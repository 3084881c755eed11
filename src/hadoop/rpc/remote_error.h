// Converts exceptions of Java servers to Error.
#pragma once

#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/messages/rpc.pb.h"

namespace howdah::hadoop::rpc {

// Returns the lines of an exception's text that are meant for users. Removes the class name at the beginning (added by
// org.apache.hadoop.util.StringUtils.stringifyException) and the stack trace.
std::string FirstLines(std::string_view java_class, std::string_view text);

// Converts a header with the status ERROR or FATAL. Returns kFailed, with the class name of the Java exception in
// remote_class.
Error RemoteError(const ::hadoop::common::RpcResponseHeaderProto& header);

}  // namespace howdah::hadoop::rpc
