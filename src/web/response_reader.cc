#include "response_reader.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <string_view>
#include <utility>

#include "howdah/base/number.h"
#include "howdah/base/text.h"

namespace howdah::web {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view kStart = "HTTP/1.";

}  // namespace

class ResponseReader::Parser : public http::response_parser<http::empty_body> {};

ResponseReader::ResponseReader(size_t limit_bytes) : limit_(limit_bytes), parser_(std::make_unique<Parser>()) {
  parser_->header_limit(static_cast<uint32_t>(limit_bytes));
  parser_->body_limit(boost::none);
  parser_->eager(false);
}

ResponseReader::~ResponseReader() = default;

ResponseReader::State ResponseReader::Fail(std::string defect) {
  defect_ = std::move(defect);
  return State::kFailed;
}

ResponseReader::State ResponseReader::Feed(std::string& input) {
  if (!defect_.empty()) return State::kFailed;
  // The parser looks at the first line only when the header is complete, for which some servers would let it wait.
  const std::string_view start = kStart.substr(0, std::min(kStart.size(), input.size()));
  if (used_ == 0 && !input.starts_with(start)) return Fail("it is not valid HTTP/1.1: it has no status line");
  size_t used = 0;
  boost::system::error_code failed;
  while (!failed && used < input.size() && !parser_->is_header_done()) {
    used += parser_->put(boost::asio::buffer(input.data() + used, input.size() - used), failed);
  }
  input.erase(0, used);
  used_ += used;
  const std::string too_long = "its header is longer than " + std::to_string(limit_) + " bytes";
  if (failed == http::error::header_limit) return Fail(too_long);
  if (failed && failed != http::error::need_more) return Fail("it is not valid HTTP/1.1: " + failed.message());
  if (parser_->is_header_done()) return TakeHead();
  // The parser's own limit does not count the lines that it has consumed.
  return used_ + input.size() > limit_ ? Fail(too_long) : State::kMore;
}

ResponseReader::State ResponseReader::TakeHead() {
  const auto& message = parser_->get();
  head_.status = static_cast<int>(message.result_int());
  head_.reason = std::string(message.reason());
  for (const auto& field : message) {
    head_.headers.Add(std::string_view(field.name_string().data(), field.name_string().size()),
                      std::string_view(field.value().data(), field.value().size()));
  }
  return State::kHead;
}

Result<BodyFraming> FramingOf(const ResponseHead& head, const std::string& method) {
  using Kind = BodyFraming::Kind;
  const Headers& headers = head.headers;
  if (head.status < 200 || head.status == 204 || head.status == 304 || method == "HEAD") return BodyFraming{};
  if (headers.Has("Transfer-Encoding")) {
    if (headers.Has("Content-Length")) return Failed("it has both Content-Length and Transfer-Encoding");
    if (headers.Count("Transfer-Encoding") > 1 || LowerCase(headers.Get("Transfer-Encoding")) != "chunked")
      return Failed("its Transfer-Encoding is not `chunked`");
    return BodyFraming{.kind = Kind::kChunked};
  }
  if (!headers.Has("Content-Length")) return BodyFraming{.kind = Kind::kUntilEnd};
  const auto size = ParseNumber<uint64_t>(headers.Get("Content-Length"));
  if (headers.Count("Content-Length") > 1 || !size) return Failed("its Content-Length is not one number");
  return BodyFraming{.kind = Kind::kSized, .size = *size};
}

}  // namespace howdah::web
