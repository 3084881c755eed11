#include "page_routes.h"

#include <algorithm>
#include <utility>

#include "howdah/base/text.h"
#include "howdah/os/files/open_regular.h"

namespace howdah::portal {
namespace {

constexpr size_t kLargestFile = size_t{16} << 20;

// The pages need no source but this server, and no inline code.
constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

std::string_view TypeOf(std::string_view path) {
  const auto ends = [&](std::string_view end) { return path.ends_with(end); };
  if (ends(".html")) return "text/html; charset=utf-8";
  if (ends(".js")) return "text/javascript; charset=utf-8";
  if (ends(".css")) return "text/css; charset=utf-8";
  if (ends(".svg")) return "image/svg+xml";
  if (ends(".txt")) return "text/plain; charset=utf-8";
  return "application/octet-stream";
}

class FolderPages final : public PageSource {
 public:
  explicit FolderPages(std::string folder) : folder_(std::move(folder)) {}

  std::optional<web::Response> Find(const std::string& path) const override {
    // The server has checked that no segment is "." or "..".
    auto bytes = os::files::ReadRegular(folder_ + "/" + path, kLargestFile);
    if (!bytes.ok()) return std::nullopt;
    return web::Response{
        200, {{"Content-Type", std::string(TypeOf(path))}, {"Cache-Control", "no-cache"}}, std::move(*bytes)};
  }

 private:
  std::string folder_;
};

// Text for HTML.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : Shown(text)) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Document(std::string_view title, std::string_view text) {
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + Escaped(title) +
         "</title></head>\n<body><h1>" + Escaped(title) + "</h1><p>" + Escaped(text) + "</p></body></html>\n";
}

// The document that starts the page of a path: portal/build.mjs makes one for each part of the pages.
std::string DocumentOf(std::string_view path) { return path.starts_with("/jobs/") ? "job.html" : "index.html"; }

}  // namespace

std::unique_ptr<PageSource> PagesInFolder(std::string folder) {
  return std::make_unique<FolderPages>(std::move(folder));
}

web::Response PageAnswer(const PageSource* pages, const web::Request& request) {
  if (request.method != "GET" && request.method != "HEAD")
    return web::ToResponse({.status = 405, .detail = "pages are read with GET", .headers = {{"Allow", "GET, HEAD"}}});
  constexpr std::string_view kAssets = "/assets/";
  const bool is_file = request.path.starts_with(kAssets) || request.path == "/favicon.ico";
  std::optional<web::Response> response;
  if (pages != nullptr) {
    response = pages->Find(is_file ? request.path.substr(1) : DocumentOf(request.path));
  } else if (!is_file) {
    response = web::Html(Document("Howdah",
                                  "This program was built without pages. Its API works, and "
                                  "/api/v1/openapi.json describes it."));
  }
  if (!response) return web::ToResponse({.status = 404, .detail = "there is no file " + Shown(request.path)});
  response->headers.SetDefault("Content-Security-Policy", kPagePolicy);
  response->headers.SetDefault("Cache-Control", "no-cache");
  return std::move(*response);
}

web::Response ErrorPage(const web::Request& request, const web::Problem& problem) {
  const bool is_page = request.method == "GET" && request.Accepts("text/html") && !request.path.starts_with("/api/");
  if (!is_page) return web::ToResponse(problem);
  const std::string text = problem.detail + (problem.advice.empty() ? "" : "; " + problem.advice);
  web::Response response = web::Html(Document(web::StatusTitle(problem.status), text), problem.status);
  for (const auto& [name, value] : problem.headers.fields()) response.headers.Add(name, value);
  return response;
}

}  // namespace howdah::portal
