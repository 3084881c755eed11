// The patterns of routes: "/api/v1/jobs/{id}/logs/{task}", "/assets/{path...}". Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::web {

class RoutePattern {
 public:
  using Values = std::map<std::string, std::string, std::less<>>;

  static Result<RoutePattern> Parse(std::string_view text);

  // The values of the parameters if the path matches, otherwise nullopt. path: decoded, begins with "/".
  std::optional<Values> Match(std::string_view path) const;
  // Whether both patterns match exactly the same paths.
  bool SameAs(const RoutePattern& other) const;
  // Whether this pattern is chosen if a path matches both: the first segment in which they differ is literal here, or
  // it is a parameter here and the rest of the path there.
  bool Before(const RoutePattern& other) const;
  // Whether the pattern ends with the rest of the path.
  bool has_rest() const;
  // Names of the parameters, in their order.
  std::vector<std::string> names() const;

 private:
  enum class Kind { kLiteral, kParameter, kRest };
  struct Segment {
    Kind kind;
    std::string text;  // the literal, or the parameter's name
  };
  std::vector<Segment> segments_;
};

}  // namespace howdah::web
