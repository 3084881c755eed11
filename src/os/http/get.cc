#include "howdah/os/http/get.h"

#include <algorithm>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/ostream.hpp>
#include <boost/beast/http.hpp>

#include "howdah/os/files/fd.h"
#include "howdah/os/net/connect.h"
#include "stream.h"

namespace howdah::os::http {
namespace {

namespace asio = boost::asio;
namespace protocol = boost::beast::http;
using Failure = Stream::Failure;

constexpr size_t kErrorText = 4 << 10, kBlock = 64 << 10;
constexpr uint32_t kHeaderBytes = 64 << 10;

struct Url {
  bool secure = false;  // https
  std::string host;     // including the port, as written
  HostPort where;
  std::string target;
};

Result<Url> ParseUrl(const std::string& text) {
  const auto wrong = [&](const std::string& why) { return Error{ErrorCode::kUsage, "reading " + text + ": " + why}; };
  Url url;
  url.secure = text.starts_with("https://");
  if (!url.secure && !text.starts_with("http://")) return wrong("it does not begin with http:// or https://");
  if (text.find_first_of(std::string_view(" \t\r\n\0", 5)) != std::string::npos) return wrong("it contains a blank");
  const size_t start = url.secure ? 8 : 7, slash = text.find_first_of("/?", start);
  url.host = text.substr(start, slash == std::string::npos ? slash : slash - start);
  url.target = slash == std::string::npos ? "/" : text.substr(slash);
  if (url.target.front() == '?') url.target.insert(0, "/");
  const bool has_port = url.host.rfind(':') != std::string::npos && url.host.back() != ']';
  auto where = ParseHostPort(has_port ? url.host : url.host + (url.secure ? ":443" : ":80"));
  if (!where) return wrong(where.error().message);
  url.where = std::move(*where);
  return url;
}

Error ToError(const std::string& url, const Failure& failed) {
  const std::string doing = "reading " + url + ": ";
  if (failed == asio::error::timed_out) return {ErrorCode::kTimeout, doing + "the server stopped answering"};
  if (failed == protocol::error::end_of_stream || failed == protocol::error::partial_message ||
      failed == asio::error::eof) {
    return {ErrorCode::kUnavailable, doing + "the server closed the connection within its answer"};
  }
  if (failed.category() == boost::system::system_category()) {
    return {ErrorCode::kUnavailable, doing + failed.message()};
  }
  return Failed(doing + "the answer is not valid HTTP/1.1: " + failed.message());
}

using Parser = protocol::response_parser<protocol::buffer_body>;

// Passes the body to on_body as it arrives. Returns the failure, if any.
Failure ReadBody(Stream& stream, boost::beast::flat_buffer& buffer, Parser& parser, GetReply& reply,
                 const OnBody& on_body) {
  std::string block(kBlock, '\0');
  while (!parser.is_done()) {
    auto& body = parser.get().body();
    body.data = block.data();
    body.size = block.size();
    Failure failed;
    protocol::read_some(stream, buffer, parser, failed);
    if (failed == protocol::error::need_buffer) failed = {};
    const std::string_view bytes(block.data(), block.size() - body.size);
    if (reply.status != 200) {
      reply.error_text += bytes.substr(0, kErrorText - reply.error_text.size());
      if (reply.error_text.size() == kErrorText) return {};
    } else if (!bytes.empty() && !on_body(bytes)) {
      return {};
    }
    if (failed) return failed;
  }
  return {};
}

Failure SendRequest(Stream& stream, const Url& url, const Outgoing& outgoing) {
  protocol::request<protocol::string_body> request(protocol::string_to_verb(outgoing.method), url.target, 11);
  request.set(protocol::field::host, url.host);
  request.set(protocol::field::user_agent, "howdah");
  request.keep_alive(false);
  for (const auto& [name, value] : outgoing.headers) request.set(name, value);
  request.body() = outgoing.body;
  if (outgoing.method != "GET") request.prepare_payload();
  Failure failed;
  protocol::write(stream, request, failed);
  return failed;
}

}  // namespace

Result<HostPort> ServerOf(const std::string& url) {
  HOWDAH_TRY(auto parsed, ParseUrl(url));
  return std::move(parsed.where);
}

Result<GetReply> Get(const std::string& url, const GetLimits& limits, const OnBody& on_body, const Headers& headers,
                     const Trust* trust) {
  return Send({.url = url, .headers = headers}, limits, on_body, trust);
}

Result<GetReply> Send(const Outgoing& request, const GetLimits& limits, const OnBody& on_body, const Trust* trust) {
  const std::string& text = request.url;
  HOWDAH_TRY(const auto url, ParseUrl(text));
  if (url.secure && trust == nullptr)
    return Error{ErrorCode::kUsage, "reading " + text + ": https needs a trust store"};
  auto connected = os::net::Connect(url.where, limits.connect);
  if (!connected) return connected.error().While("reading " + text);
  Stream stream(os::files::Fd(*connected), limits.silence, limits.whole);
  if (url.secure) {
    const Status protected_now = stream.StartTls(*trust, url.where.host);
    if (!protected_now.ok()) return protected_now.error().While("reading " + text);
  }
  if (const Failure failed = SendRequest(stream, url, request)) return ToError(text, failed);
  boost::beast::flat_buffer buffer(kHeaderBytes + kBlock);
  Parser parser;
  parser.header_limit(kHeaderBytes);
  parser.body_limit(static_cast<uint64_t>(limits.body_bytes));
  Failure failed;
  protocol::read_header(stream, buffer, parser, failed);
  if (failed) return ToError(text, failed);
  const auto& answer = parser.get();
  GetReply reply;
  reply.status = static_cast<int>(answer.result_int());
  reply.content_type = std::string(answer[protocol::field::content_type]);
  reply.location = std::string(answer[protocol::field::location]);
  reply.refresh = std::string(answer["Refresh"]);
  reply.certificate = stream.Certificate();
  reply.authenticate = std::string(answer[protocol::field::www_authenticate]);
  failed = ReadBody(stream, buffer, parser, reply, on_body);
  if (failed) return ToError(text, failed);
  return reply;
}

}  // namespace howdah::os::http
