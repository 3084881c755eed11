#include "route_pattern.h"

#include <algorithm>

namespace howdah::web {

Result<RoutePattern> RoutePattern::Parse(std::string_view text) {
  const auto invalid = [&](const char* why) { return Failed("the pattern '" + std::string(text) + "' " + why); };
  if (!text.starts_with('/')) return invalid("does not begin with '/'");
  RoutePattern pattern;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('/', 1), rest.size());
    std::string_view segment = rest.substr(1, end - 1);
    rest.remove_prefix(end);
    if (!segment.starts_with('{')) {
      if (segment.find_first_of("{}") != std::string_view::npos) return invalid("mixes text and a parameter");
      pattern.segments_.push_back({Kind::kLiteral, std::string(segment)});
      continue;
    }
    if (!segment.ends_with('}')) return invalid("has a parameter without '}'");
    segment = segment.substr(1, segment.size() - 2);
    const bool is_rest = segment.ends_with("...");
    if (is_rest) segment.remove_suffix(3);
    if (segment.empty() || segment.find_first_of("{}.") != std::string_view::npos) return invalid("has a bad name");
    if (is_rest && !rest.empty()) return invalid("continues after the rest of the path");
    const auto names = pattern.names();
    if (std::find(names.begin(), names.end(), segment) != names.end()) return invalid("has one name twice");
    pattern.segments_.push_back({is_rest ? Kind::kRest : Kind::kParameter, std::string(segment)});
  }
  return pattern;
}

std::optional<RoutePattern::Values> RoutePattern::Match(std::string_view path) const {
  Values values;
  for (const Segment& segment : segments_) {
    if (!path.starts_with('/')) return std::nullopt;
    path.remove_prefix(1);
    if (segment.kind == Kind::kRest) {
      values[segment.text] = path;
      return values;
    }
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view text = path.substr(0, end);
    path.remove_prefix(end);
    if (segment.kind == Kind::kLiteral ? text != segment.text : text.empty()) return std::nullopt;
    if (segment.kind == Kind::kParameter) values[segment.text] = text;
  }
  if (!path.empty()) return std::nullopt;
  return values;
}

bool RoutePattern::SameAs(const RoutePattern& other) const {
  return std::equal(segments_.begin(), segments_.end(), other.segments_.begin(), other.segments_.end(),
                    [](const Segment& a, const Segment& b) {
                      return a.kind == b.kind && (a.kind != Kind::kLiteral || a.text == b.text);
                    });
}

bool RoutePattern::Before(const RoutePattern& other) const {
  for (size_t i = 0; i < std::min(segments_.size(), other.segments_.size()); ++i) {
    if (segments_[i].kind != other.segments_[i].kind) return segments_[i].kind < other.segments_[i].kind;
  }
  return false;
}

bool RoutePattern::has_rest() const { return !segments_.empty() && segments_.back().kind == Kind::kRest; }

std::vector<std::string> RoutePattern::names() const {
  std::vector<std::string> names;
  for (const Segment& segment : segments_) {
    if (segment.kind != Kind::kLiteral) names.push_back(segment.text);
  }
  return names;
}

}  // namespace howdah::web
