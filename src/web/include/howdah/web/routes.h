// One table of routes. It dispatches requests, checks their parameters, and describes itself as OpenAPI 3.1 and
// Markdown, so that the documents cannot disagree with the server.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/web/message.h"
#include "howdah/web/policy.h"

namespace howdah::web {

enum class ValueType {
  kText,
  kInteger,   // decimal, within [min, max]
  kNumber,    // decimal with an optional fraction; not NaN or infinite
  kFlag,      // "1", "true" or no value: true; "0", "false": false
  kDuration,  // "30d", "10s": base/time.h
  kTime,      // "2026-11-21T06:45:12.301Z", or milliseconds since the epoch
  kChoice,    // one of `choices`
  kTexts,     // separated by commas, and the parameter may be repeated; empty elements are dropped
};

// A parameter of the path or the query.
struct Parameter {
  std::string name;
  ValueType type = ValueType::kText;
  std::string help;               // one sentence for the documents
  std::string default_text = {};  // as it would be sent; "" for no default
  std::vector<std::string> choices = {};
  int64_t min = std::numeric_limits<int64_t>::min(), max = std::numeric_limits<int64_t>::max();  // of kInteger
  size_t max_bytes = 4096;  // of the text as sent, decoded
  bool required = false;    // of the query; parameters of the path are always required
};

// The checked parameters of one request. A getter with a name that the route does not declare, or of another type, ends
// the process: the table and the handler disagree.
class Arguments {
 public:
  using Value = std::variant<std::string, int64_t, double, bool, Duration, Instant, std::vector<std::string>>;
  explicit Arguments(std::map<std::string, std::optional<Value>, std::less<>> values) : values_(std::move(values)) {}

  bool Has(std::string_view name) const;
  const std::string& Text(std::string_view name) const;  // also of a kChoice; "" if absent
  std::optional<int64_t> Integer(std::string_view name) const;
  std::optional<double> Number(std::string_view name) const;
  bool Flag(std::string_view name) const;  // false if absent
  std::optional<Duration> Length(std::string_view name) const;
  std::optional<Instant> Time(std::string_view name) const;
  const std::vector<std::string>& Texts(std::string_view name) const;  // empty if absent

 private:
  const std::optional<Value>& Find(std::string_view name) const;
  std::map<std::string, std::optional<Value>, std::less<>> values_;
};

struct Route {
  std::string method;  // "GET" (also answers HEAD) or "POST"
  // Segments are literal, a parameter "{id}", or at the end the rest of the path: "/api/v1/jobs/{id}/logs/{task}",
  // "/assets/{path...}". A parameter matches one non-empty segment, the rest also nothing. If several routes match, the
  // one whose first differing segment is literal wins.
  std::string pattern;
  std::string summary;                     // for the documents: an imperative clause, "List jobs"
  std::vector<Parameter> parameters = {};  // those named in the pattern are of the path, all others of the query
  std::string body_schema = {};            // JSON Schema of a POST's body; "" if it has none
  std::string answer = {};                 // one sentence about the answer
  std::string answer_schema = {};          // JSON Schema of a JSON answer; may be {"$ref": "#/components/schemas/Job"}
  std::string answer_type = "application/json";
  std::vector<int> answer_statuses = {200};
  std::vector<std::pair<int, std::string>> errors = {};  // statuses besides 400, 401, 403, and when they occur
  std::string tag = {};                                  // the section of the documents
  bool documented = true;                                // false for pages and files
  std::function<void(const Request&, const Arguments&, Respond)> handler;
};

struct ApiTitle {
  std::string title, version, description;
  std::string server = "/";  // the path that all patterns are relative to, in the documents
  std::string request_header = Policy().request_header;
};

// Add all routes before the first request.
class Routes {
 public:
  Routes();
  ~Routes();
  Routes(Routes&&) noexcept;
  Routes& operator=(Routes&&) noexcept;

  // A table that contradicts itself is a defect of the program and ends it: two routes for the same requests, a pattern
  // or schema that does not parse, a parameter declared twice.
  void Add(Route route);
  // Names a JSON Schema for use as {"$ref": "#/components/schemas/NAME"}.
  void AddSchema(const std::string& name, std::string schema);

  // Calls the handler of the matching route, or responds with 404, 405 (with Allow), or 400 for parameters that are
  // unknown, repeated, malformed or missing; the answer names the parameter and the remedy. A parameter of the query
  // whose name begins with "_" is ignored.
  void Dispatch(const Request& request, Respond respond) const;

  std::string OpenApi(const ApiTitle& title) const;   // JSON, indented
  std::string Markdown(const ApiTitle& title) const;  // one section per tag, one table row per parameter

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace howdah::web
