#include "target.h"

#include <algorithm>

#include "howdah/base/percent.h"
#include "howdah/base/text.h"

namespace howdah::web {
namespace {

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
