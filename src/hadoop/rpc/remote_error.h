// Java exceptions as Error.
#pragma once

#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/messages/rpc.pb.h"

namespace howdah::hadoop::rpc {

// The lines of an exception's text for people: without the class name in front
// (org.apache.hadoop.util.StringUtils.stringifyException adds it) and without the stack trace.
std::string FirstLines(std::string_view java_class, std::string_view text);

// kFailed, with the class in remote_class. For a header with status ERROR or FATAL.
Error RemoteError(const ::hadoop::common::RpcResponseHeaderProto& header);

}  // namespace howdah::hadoop::rpc
