#include "howdah/web/message.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "header_list.h"
#include "howdah/base/text.h"

namespace howdah::web {
namespace {

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::string Clean(std::string_view value) {
  std::string clean(Trim(value));
  std::replace_if(
      clean.begin(), clean.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, ' ');
  return clean;
}

struct Title {
  int status;
  const char* title;
};

constexpr Title kTitles[] = {
    {100, "Continue"},
    {101, "Switching Protocols"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {426, "Upgrade Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
};

Response WithType(std::string_view type, std::string text, int status) {
  return {status, {{"Content-Type", std::string(type)}}, std::move(text)};
}

}  // namespace

Headers::Headers(std::initializer_list<Field> fields) {
  for (const auto& [name, value] : fields) Add(name, value);
}

Headers& Headers::Set(std::string_view name, std::string_view value) { return Remove(name).Add(name, value); }

Headers& Headers::Remove(std::string_view name) {
  std::erase_if(fields_, [&](const Field& field) { return EqualIgnoringCase(field.first, name); });
  return *this;
}

Headers& Headers::Add(std::string_view name, std::string_view value) {
  fields_.emplace_back(name, Clean(value));
  return *this;
}

Headers& Headers::SetDefault(std::string_view name, std::string_view value) {
  return Has(name) ? *this : Add(name, value);
}

std::string_view Headers::Get(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (EqualIgnoringCase(key, name)) return value;
  }
  return {};
}

bool Headers::Has(std::string_view name) const { return Count(name) > 0; }

size_t Headers::Count(std::string_view name) const {
  return static_cast<size_t>(std::count_if(fields_.begin(), fields_.end(),
                                           [&](const Field& field) { return EqualIgnoringCase(field.first, name); }));
}

bool Peer::loopback() const { return address.starts_with("127.") || address == "::1"; }

const std::string* Request::Find(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::string_view Request::Cookie(std::string_view name) const {
  std::string_view found;
  for (const auto& [key, value] : headers.fields()) {
    if (!EqualIgnoringCase(key, "Cookie")) continue;
    const bool has = AnyElement(value, ';', [&](std::string_view pair) {
      if (pair.size() <= name.size() || !pair.starts_with(name) || pair[name.size()] != '=') return false;
      found = pair.substr(name.size() + 1);
      return true;
    });
    if (has) break;
  }
  return found;
}

bool Request::Accepts(std::string_view type) const {
  return AnyElement(headers.Get("Accept"), ',', [&](std::string_view element) {
    return EqualIgnoringCase(NameOf(element), type) && !HasZeroQuality(element);
  });
}

Response Json(std::string text, int status) { return WithType("application/json", std::move(text), status); }

Response Text(std::string text, int status) { return WithType("text/plain; charset=utf-8", std::move(text), status); }

Response Html(std::string text, int status) { return WithType("text/html; charset=utf-8", std::move(text), status); }

Response Redirect(std::string location, int status) {
  Response response = Text("see " + location + "\n", status);
  response.headers.Set("Location", location);
  return response;
}

Response ToResponse(const Problem& problem) {
  nlohmann::ordered_json json;
  json["status"] = problem.status;
  json["title"] = StatusTitle(problem.status);
  json["detail"] = problem.detail;
  json["advice"] = problem.advice;
  using JsonValue = nlohmann::ordered_json;
  Response response = web::Json(json.dump(-1, ' ', false, JsonValue::error_handler_t::replace) + "\n", problem.status);
  for (const auto& [name, value] : problem.headers.fields()) response.headers.Set(name, value);
  return response;
}

std::string_view StatusTitle(int status) {
  for (const Title& entry : kTitles) {
    if (entry.status == status) return entry.title;
  }
  return "Unknown";
}

}  // namespace howdah::web
