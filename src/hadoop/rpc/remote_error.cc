#include "remote_error.h"

namespace howdah::hadoop::rpc {
namespace {

bool BeginsTrace(std::string_view line) {
  return line.starts_with("\tat ") || line.starts_with("Caused by: ") || line.starts_with("\t... ");
}

}  // namespace

std::string FirstLines(std::string_view java_class, std::string_view text) {
  if (!java_class.empty() && text.starts_with(java_class)) {
    std::string_view rest = text.substr(java_class.size());
    if (rest.empty() || rest.starts_with("\n")) {
      text = rest;
    } else if (rest.starts_with(": ")) {
      text = rest.substr(2);
    }
  }
  std::string lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (BeginsTrace(line)) break;
    if (!line.empty()) lines.append(lines.empty() ? "" : "\n").append(line);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines.empty() ? std::string(java_class) : lines;
}

Error RemoteError(const ::hadoop::common::RpcResponseHeaderProto& header) {
  Error error = Failed(FirstLines(header.exceptionclassname(), header.errormsg()));
  error.remote_class = header.exceptionclassname();
  if (error.message.empty()) error.message = "the server refused the call without a reason";
  return error;
}

}  // namespace howdah::hadoop::rpc
