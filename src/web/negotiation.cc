#include "negotiation.h"

#include <algorithm>
#include <array>
#include <limits>

#include "header_list.h"
#include "howdah/base/number.h"
#include "howdah/base/text.h"

namespace howdah::web {
namespace {

std::string_view WithoutWeakness(std::string_view etag) {
  if (etag.starts_with("W/")) etag.remove_prefix(2);
  return etag;
}

// Digits only. A number that does not fit is larger than any body.
std::optional<int64_t> Position(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return ParseNumber<int64_t>(text).value_or(std::numeric_limits<int64_t>::max());
}

}  // namespace

bool AcceptsGzip(const Request& request) {
  return AnyElement(request.headers.Get("Accept-Encoding"), ',', [](std::string_view element) {
    const std::string coding = NameOf(element);
    return (coding == "gzip" || coding == "*") && !HasZeroQuality(element);
  });
}

bool IsCompressible(std::string_view content_type) {
  const std::string type = NameOf(content_type);
  constexpr std::array kOthers = {"application/json", "application/javascript", "application/xml", "application/yaml",
                                  "image/svg+xml"};
  return type.starts_with("text/") || type.ends_with("+json") ||
         std::find(kOthers.begin(), kOthers.end(), type) != kOthers.end();
}

bool ClientHas(const Request& request, std::string_view etag) {
  if (etag.empty()) return false;
  return AnyElement(request.headers.Get("If-None-Match"), ',', [&](std::string_view element) {
    return element == "*" || WithoutWeakness(element) == WithoutWeakness(etag);
  });
}

RangeChoice ChooseRange(std::string_view header, int64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  using Kind = RangeChoice::Kind;
  if (!LowerCase(header.substr(0, kUnit.size())).starts_with(kUnit)) return {};
  const std::string_view range = Trim(header.substr(kUnit.size()));
  const size_t dash = range.find('-');
  if (dash == std::string_view::npos) return {};
  const std::string_view first_text = range.substr(0, dash), last_text = range.substr(dash + 1);
  const auto first = Position(first_text), last = Position(last_text);
  if (first_text.empty()) {  // the last bytes
    if (!last) return {};
    const int64_t part = std::min(*last, size);
    return part == 0 ? RangeChoice{Kind::kUnsatisfiable} : RangeChoice{Kind::kPart, {size - part, part}};
  }
  if (!first || (!last && !last_text.empty()) || (last && *last < *first)) return {};
  if (*first >= size) return {Kind::kUnsatisfiable};
  const int64_t end = last ? std::min(*last, size - 1) : size - 1;
  return {Kind::kPart, {*first, end - *first + 1}};
}

}  // namespace howdah::web
