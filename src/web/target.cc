#include "target.h"

#include <algorithm>

#include "howdah/base/text.h"

namespace howdah::web {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t size = Utf8CharacterSize(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

Error Invalid(const std::string& what) {
  return Error::WithRemedy(ErrorCode::kUsage, what, "encode each special character as UTF-8 and then as %XX");
}

// A segment that names another directory, or would split into two when a file name is made of it, never reaches a
// handler.
bool IsSafeSegment(std::string_view segment) {
  if (segment == "." || segment == "..") return false;
  return std::none_of(segment.begin(), segment.end(),
                      [](unsigned char c) { return c < ' ' || c == 0x7F || c == '/' || c == '\\'; });
}

Result<std::string> ParsePath(std::string_view text) {
  std::string path;
  while (!text.empty()) {
    const size_t end = std::min(text.find('/', 1), text.size());
    const auto segment = PercentDecoded(text.substr(1, end - 1), false);
    if (!segment) return Invalid("the path of the request is not valid percent-encoded UTF-8");
    if (!IsSafeSegment(*segment)) {
      return Error::WithRemedy(ErrorCode::kUsage,
                               "the path of the request contains '.', '..', a control character or an encoded slash",
                               "send the path without them");
    }
    path += '/' + *segment;
    text.remove_prefix(end);
  }
  return path;
}

Result<std::vector<std::pair<std::string, std::string>>> ParseQuery(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> query;
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    auto name = PercentDecoded(pair.substr(0, equals), true);
    auto value = PercentDecoded(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) {
      return Invalid("the query '" + OneLine(pair, 100) + "' is not valid percent-encoded UTF-8");
    }
    query.emplace_back(std::move(*name), std::move(*value));
  }
  return query;
}

}  // namespace

std::optional<std::string> PercentDecoded(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  if (!IsUtf8(decoded)) return std::nullopt;
  return decoded;
}

Result<Target> ParseTarget(std::string_view text) {
  Target target;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!LowerCase(text.substr(0, scheme.size())).starts_with(scheme)) continue;
    text.remove_prefix(scheme.size());
    const size_t end = std::min(text.find_first_of("/?"), text.size());
    target.authority = LowerCase(text.substr(0, end));
    text.remove_prefix(end);
    break;
  }
  text = text.substr(0, text.find('#'));
  const size_t question = std::min(text.find('?'), text.size());
  std::string_view path = text.substr(0, question);
  if (path.empty() && target.authority) path = "/";
  if (!path.starts_with('/')) {
    return Error::WithRemedy(ErrorCode::kUsage, "the target of the request is not a path", "begin the path with '/'");
  }
  HOWDAH_TRY(target.path, ParsePath(path));
  target.query_text = text.substr(std::min(question + 1, text.size()));
  HOWDAH_TRY(target.query, ParseQuery(target.query_text));
  return target;
}

}  // namespace howdah::web
