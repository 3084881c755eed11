#include "request_reader.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <utility>

#include "header_list.h"
#include "howdah/base/text.h"
#include "target.h"

namespace howdah::web {
namespace {

namespace http = boost::beast::http;

// "example.com", "localhost:8190", "[::1]:8190"
bool IsHost(std::string_view host) {
  return std::all_of(host.begin(), host.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '-' || c == '_' || c == ':' ||
           c == '[' || c == ']';
  });
}

}  // namespace

// Parses only headers. Boost 1.81 aborts in an assertion if the last chunk of a body arrives in pieces.
class RequestReader::Parser : public http::request_parser<http::empty_body> {};

RequestReader::RequestReader(const Limits& limits) : limits_(limits), parser_(std::make_unique<Parser>()) {
  parser_->header_limit(static_cast<uint32_t>(limits.header_bytes));
  parser_->body_limit(boost::none);
  parser_->eager(false);
}

RequestReader::~RequestReader() = default;

RequestReader::State RequestReader::Fail(Problem problem) {
  problem_ = std::move(problem);
  keep_alive_ = false;
  return State::kFailed;
}

RequestReader::State RequestReader::Feed(std::string& input) {
  begun_ = begun_ || !input.empty();
  if (unfit_) return Fail(std::move(*std::exchange(unfit_, std::nullopt)));
  return head_done_ ? FeedBody(input) : FeedHead(input);
}

RequestReader::State RequestReader::FeedHead(std::string& input) {
  size_t used = 0;
  boost::system::error_code failed;
  while (!failed && used < input.size() && !parser_->is_header_done()) {
    used += parser_->put(boost::asio::buffer(input.data() + used, input.size() - used), failed);
  }
  input.erase(0, used);
  header_used_ += used;
  if (failed && failed != http::error::need_more) return FailParse(failed.value(), failed.message());
  if (parser_->is_header_done()) {
    head_done_ = true;
    return TakeHead();
  }
  // The parser's own limit does not count the lines that it has consumed.
  if (header_used_ + input.size() <= limits_.header_bytes) return State::kMore;
  return FailParse(static_cast<int>(http::error::header_limit), "");
}

RequestReader::State RequestReader::FeedBody(std::string& input) {
  if (!chunks_) {
    const auto size = static_cast<size_t>(std::min<uint64_t>(body_left_, input.size()));
    request_.body.append(input, 0, size);
    input.erase(0, size);
    body_left_ -= size;
    return body_left_ == 0 ? State::kWhole : State::kMore;
  }
  switch (chunks_->Feed(input, request_.body)) {
    case ChunkDecoder::State::kMore:
      return State::kMore;
    case ChunkDecoder::State::kWhole:
      return State::kWhole;
    case ChunkDecoder::State::kBodyTooLong:
      return Fail(BodyTooLong(limits_));
    case ChunkDecoder::State::kMalformed:
      break;
  }
  return Fail({400, "the body of the request is not correctly divided into chunks", "send the header Content-Length"});
}

Problem RequestReader::BodyTooLong(const Limits& limits) {
  return {413, "the body of the request is longer than " + std::to_string(limits.body_bytes) + " bytes",
          "send a shorter body"};
}

RequestReader::State RequestReader::FailParse(int code, const std::string& text) {
  switch (static_cast<http::error>(code)) {
    case http::error::header_limit:
      return Fail({431, "the header of the request is longer than " + std::to_string(limits_.header_bytes) + " bytes",
                   "send fewer or shorter cookies and parameters"});
    case http::error::bad_version:
      return Fail({505, "the request is not HTTP/1.1", "use HTTP/1.1"});
    default:
      return Fail({400, "the request is not valid HTTP/1.1: " + text, ""});
  }
}

RequestReader::State RequestReader::TakeHead() {
  const auto& message = parser_->get();
  http_1_0_ = message.version() < 11;
  request_.method = std::string(message.method_string());
  for (const auto& field : message) {
    request_.headers.Add(std::string_view(field.name_string().data(), field.name_string().size()),
                         std::string_view(field.value().data(), field.value().size()));
  }
  request_.target = std::string(message.target());
  if (auto problem = ProblemOfFraming()) return Fail(std::move(*problem));
  request_.host = LowerCase(request_.headers.Get("Host"));
  unfit_ = TakeTarget();
  if (!IsHost(request_.host)) return Fail({400, "the host of the request is not a host name", "send a valid Host"});
  const uint64_t size = parser_->content_length().value_or(0);
  if (parser_->chunked()) {
    framing_.kind = BodyFraming::Kind::kChunked;
    chunks_.emplace(limits_.body_bytes, limits_.header_bytes);
  } else if (size > 0) {
    framing_ = {BodyFraming::Kind::kSized, size};
  }
  body_left_ = size;
  if (size > limits_.body_bytes && !unfit_) unfit_ = BodyTooLong(limits_);
  const bool has_body = framing_.kind != BodyFraming::Kind::kNone;
  keep_alive_ = !http_1_0_ && message.keep_alive();
  expects_continue_ = !http_1_0_ && LowerCase(request_.headers.Get("Expect")) == "100-continue" && has_body && !unfit_;
  return State::kHead;
}

std::optional<Problem> RequestReader::ProblemOfFraming() const {
  const Headers& headers = request_.headers;
  if (headers.Has("Transfer-Encoding")) {
    if (headers.Has("Content-Length") || http_1_0_) {
      return Problem{400, "the request has both Content-Length and Transfer-Encoding, or is HTTP/1.0 and chunked",
                     "send one of these headers"};
    }
    if (headers.Count("Transfer-Encoding") != 1 || LowerCase(headers.Get("Transfer-Encoding")) != "chunked") {
      return Problem{501, "this Transfer-Encoding is not supported", "use `Transfer-Encoding: chunked`"};
    }
  }
  if (headers.Count("Content-Length") > 1) {
    return Problem{400, "the request has several headers Content-Length", "send it once"};
  }
  // RFC 9110, section 8.6, also permits "4, 4"; the parser takes it for 4.
  if (headers.Get("Content-Length").find_first_not_of("0123456789") != std::string_view::npos) {
    return Problem{400, "the header Content-Length is not one number", "send a number"};
  }
  if (headers.Count("Host") > 1 || (headers.Count("Host") == 0 && !http_1_0_)) {
    return Problem{400, "the request needs one header Host", "send it once"};
  }
  return std::nullopt;
}

std::optional<Problem> RequestReader::TakeTarget() {
  auto target = ParseTarget(request_.target);
  if (!target.ok()) return Problem{400, target.error().WithoutRemedy(), target.error().remedy};
  request_.path = std::move(target->path);
  request_.query = std::move(target->query);
  request_.query_text = std::move(target->query_text);
  if (target->authority) request_.host = *target->authority;
  return std::nullopt;
}

}  // namespace howdah::web
