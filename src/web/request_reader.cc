#include "request_reader.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>

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

RequestReader::State RequestReader::Fail(int status, std::string detail, std::string advice) {
  problem_ = {status, std::move(detail), std::move(advice)};
  keep_alive_ = false;
  return State::kFailed;
}

RequestReader::State RequestReader::Feed(std::string& input) {
  begun_ = begun_ || !input.empty();
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
      return FailBodySize();
    case ChunkDecoder::State::kMalformed:
      break;
  }
  return Fail(400, "the body of the request is not correctly divided into chunks", "send the header Content-Length");
}

RequestReader::State RequestReader::FailBodySize() {
  return Fail(413, "the body of the request is longer than " + std::to_string(limits_.body_bytes) + " bytes",
              "send a shorter body");
}

RequestReader::State RequestReader::FailParse(int code, const std::string& text) {
  switch (static_cast<http::error>(code)) {
    case http::error::header_limit:
      return Fail(431, "the header of the request is longer than " + std::to_string(limits_.header_bytes) + " bytes",
                  "send fewer or shorter cookies and parameters");
    case http::error::bad_version:
      return Fail(505, "the request is not HTTP/1.1", "use HTTP/1.1");
    default:
      return Fail(400, "the request is not valid HTTP/1.1: " + text, "");
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
  if (auto problem = ProblemOfFraming()) {
    problem_ = std::move(*problem);
    return State::kFailed;
  }
  const State state = TakeTarget({message.target().data(), message.target().size()});
  if (state == State::kFailed) return state;
  if (parser_->chunked()) chunks_.emplace(limits_.body_bytes, limits_.header_bytes);
  body_left_ = parser_->content_length().value_or(0);
  if (body_left_ > limits_.body_bytes) return FailBodySize();
  const bool has_body = chunks_ || body_left_ > 0;
  keep_alive_ = !http_1_0_ && message.keep_alive();
  expects_continue_ = !http_1_0_ && LowerCase(request_.headers.Get("Expect")) == "100-continue" && has_body;
  return state;
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
  if (headers.Count("Host") > 1 || (headers.Count("Host") == 0 && !http_1_0_)) {
    return Problem{400, "the request needs one header Host", "send it once"};
  }
  return std::nullopt;
}

RequestReader::State RequestReader::TakeTarget(std::string_view text) {
  auto target = ParseTarget(text);
  if (!target.ok()) return Fail(400, target.error().WithoutRemedy(), target.error().remedy);
  request_.path = std::move(target->path);
  request_.query = std::move(target->query);
  request_.query_text = std::move(target->query_text);
  request_.host = target->authority ? *target->authority : LowerCase(request_.headers.Get("Host"));
  if (!IsHost(request_.host)) return Fail(400, "the host of the request is not a host name", "send a valid Host");
  return State::kHead;
}

}  // namespace howdah::web
