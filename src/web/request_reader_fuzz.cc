// Requests on one connection: whole, and in pieces, which must give the same requests. Each complete request is
// examined and dispatched.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "howdah/web/policy.h"
#include "howdah/web/routes.h"
#include "negotiation.h"
#include "request_reader.h"

namespace howdah::web {
namespace {

Route RouteOf(std::string method, std::string pattern, std::vector<Parameter> parameters) {
  return {.method = std::move(method),
          .pattern = std::move(pattern),
          .parameters = std::move(parameters),
          .handler = [](const Request&, const Arguments&, Respond respond) { respond(Text("ok\n")); }};
}

Routes MakeRoutes() {
  Routes routes;
  routes.Add(RouteOf("GET", "/jobs/{id}",
                     {{.name = "id"},
                      {.name = "limit", .type = ValueType::kInteger, .min = 1, .max = 1000},
                      {.name = "share", .type = ValueType::kNumber},
                      {.name = "now", .type = ValueType::kFlag},
                      {.name = "last", .type = ValueType::kDuration},
                      {.name = "since", .type = ValueType::kTime},
                      {.name = "as", .type = ValueType::kChoice, .choices = {"table", "json"}},
                      {.name = "series", .type = ValueType::kTexts}}));
  routes.Add(RouteOf("POST", "/jobs/{id}/kill", {{.name = "id"}}));
  routes.Add(RouteOf("GET", "/assets/{path...}", {{.name = "path"}}));
  return routes;
}

// Everything that a server does with a complete request before the handler of a route sees it, and that decides about
// the form of the response.
void Handle(const Request& request) {
  static const Routes routes = MakeRoutes();
  static const Policy local{LoopbackHosts(8190)}, any;
  const auto refusal = Refusal(local, request);
  if (refusal && (refusal->status < 400 || refusal->detail.empty())) __builtin_trap();
  const bool other_host =
      request.host != "localhost:8190" && request.host != "127.0.0.1:8190" && request.host != "[::1]:8190";
  if (other_host && !refusal) __builtin_trap();
  static_cast<void>(Refusal(any, request));
  request.Cookie("session");
  request.Accepts("text/csv");
  AcceptsGzip(request);
  ClientHas(request, "\"etag\"");
  constexpr int64_t kSize = 1000;
  const RangeChoice range = ChooseRange(request.headers.Get("Range"), kSize);
  if (range.kind == RangeChoice::Kind::kPart &&
      (range.part.offset < 0 || range.part.size <= 0 || range.part.size > kSize - range.part.offset)) {
    __builtin_trap();
  }
  int responses = 0;
  routes.Dispatch(request, [&](const Response&) { ++responses; });
  if (responses != 1) __builtin_trap();
}

// The requests as text, and the status of the error that ends them.
std::vector<std::string> RequestsOf(const std::string& bytes, size_t piece) {
  Limits limits;
  limits.header_bytes = 2000;
  limits.body_bytes = 2000;
  std::vector<std::string> requests;
  RequestReader* reader = nullptr;
  std::unique_ptr<RequestReader> owner;
  std::string input;
  for (size_t at = 0; at < bytes.size();) {
    input += bytes.substr(at, piece);
    at += piece;
    for (;;) {
      if (!owner) owner = std::make_unique<RequestReader>(limits);
      reader = owner.get();
      const auto state = reader->Feed(input);
      if (state == RequestReader::State::kMore) break;
      if (state == RequestReader::State::kHead) continue;
      if (state == RequestReader::State::kFailed) {
        requests.push_back("error " + std::to_string(reader->problem().status));
        return requests;
      }
      const Request& request = reader->request();
      if (!request.path.starts_with('/') || (request.path + "/").find("/../") != std::string::npos) __builtin_trap();
      Handle(request);
      requests.push_back(request.method + " " + request.path + " " + request.host + " " + request.body);
      owner.reset();
    }
  }
  return requests;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = RequestsOf(bytes, std::max<size_t>(bytes.size(), 1));
  const auto pieces = RequestsOf(bytes, 1);
  // If the reader sees more bytes at once, it may detect a defect earlier, or another one first.
  for (size_t i = 0; i < std::max(whole.size(), pieces.size()); ++i) {
    const std::string a = i < whole.size() ? whole[i] : "error", b = i < pieces.size() ? pieces[i] : "error";
    if (a != b && (!a.starts_with("error") || !b.starts_with("error"))) __builtin_trap();
  }
  return 0;
}

}  // namespace howdah::web
