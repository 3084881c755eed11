#include "howdah/web/routes.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "howdah/base/text.h"
#include "parameter_value.h"
#include "route_table.h"

namespace howdah::web {
namespace {

[[noreturn]] void Contradiction(const Route& route, const std::string& why) {
  std::fprintf(stderr, "route %s %s: %s\n", route.method.c_str(), route.pattern.c_str(), why.c_str());
  std::abort();
}

// The values of the arguments, or the first problem.
class ArgumentReader {
 public:
  ArgumentReader(const TableRow& row, const RoutePattern::Values& path, const Request& request)
      : row_(row), path_(path), request_(request) {}

  std::optional<Problem> Read() {
    for (const auto& [name, value] : request_.query) {
      if (!name.starts_with('_') && !IsDeclared(name)) return UnknownParameter(name);
    }
    for (const Parameter& parameter : row_.route.parameters) {
      if (auto problem = ReadOne(parameter)) return problem;
    }
    return std::nullopt;
  }
  Arguments Take() { return Arguments(std::move(values_)); }

 private:
  bool IsDeclared(const std::string& name) const {
    return std::any_of(row_.route.parameters.begin(), row_.route.parameters.end(),
                       [&](const Parameter& parameter) { return parameter.name == name && !row_.InPath(name); });
  }

  Problem UnknownParameter(const std::string& name) const {
    std::vector<std::string> known;
    for (const Parameter& parameter : row_.route.parameters) {
      if (!row_.InPath(parameter.name)) known.push_back(parameter.name);
    }
    const std::string advice = known.empty() ? "send no parameters after '?'" : "the parameters are " + Join(known);
    return {400, "unknown parameter '" + OneLine(name, 100) + "'", advice};
  }

  std::vector<std::string> TextsOf(const Parameter& parameter) const {
    if (const auto found = path_.find(parameter.name); found != path_.end()) return {found->second};
    std::vector<std::string> texts;
    for (const auto& [name, value] : request_.query) {
      if (name == parameter.name) texts.push_back(value);
    }
    if (texts.empty() && !parameter.default_text.empty()) texts.push_back(parameter.default_text);
    return texts;
  }

  std::optional<Problem> ReadOne(const Parameter& parameter) {
    auto& value = values_[parameter.name];
    const auto texts = TextsOf(parameter);
    if (texts.empty()) {
      if (!parameter.required) return std::nullopt;
      return Problem{400, "the parameter '" + parameter.name + "' is missing", "send " + DescribeType(parameter)};
    }
    auto parsed = ParseValue(parameter, texts);
    if (!parsed.ok()) return Problem{400, parsed.error().WithoutRemedy(), parsed.error().remedy};
    value = std::move(*parsed);
    return std::nullopt;
  }

  const TableRow& row_;
  const RoutePattern::Values& path_;
  const Request& request_;
  std::map<std::string, std::optional<Arguments::Value>, std::less<>> values_;
};

bool Answers(const Route& route, const std::string& method) {
  return route.method == method || (route.method == "GET" && method == "HEAD");
}

std::set<std::string> MethodsOf(const std::vector<Match>& matches) {
  std::set<std::string> methods;
  for (const Match& match : matches) {
    methods.insert(match.row->route.method);
    if (match.row->route.method == "GET") methods.insert("HEAD");
  }
  return methods;
}

void CheckSchema(const Route& route, const std::string& schema) {
  if (!schema.empty() && JsonValue::parse(schema, nullptr, false).is_discarded()) {
    Contradiction(route, "a schema is not JSON: " + schema);
  }
}

void CheckParameters(const TableRow& row) {
  std::set<std::string> names;
  for (const Parameter& parameter : row.route.parameters) {
    if (!names.insert(parameter.name).second) Contradiction(row.route, "'" + parameter.name + "' is declared twice");
    if (parameter.default_text.empty()) continue;
    const auto value = ParseValue(parameter, {parameter.default_text});
    if (!value.ok()) Contradiction(row.route, value.error().message);
  }
  for (const std::string& name : row.pattern.names()) {
    if (!names.contains(name)) Contradiction(row.route, "'" + name + "' of the pattern is not declared");
  }
}

}  // namespace

bool TableRow::InPath(const std::string& name) const {
  const auto names = pattern.names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<Match> Routes::Impl::Match(const std::string& path) const {
  std::vector<web::Match> exact, rest;
  for (const TableRow& row : rows) {
    auto values = row.pattern.Match(path);
    if (values) (row.pattern.has_rest() ? rest : exact).push_back({&row, std::move(*values)});
  }
  return exact.empty() ? rest : exact;
}

Routes::Routes() : impl_(std::make_unique<Impl>()) {}
Routes::~Routes() = default;
Routes::Routes(Routes&&) noexcept = default;
Routes& Routes::operator=(Routes&&) noexcept = default;

void Routes::Add(Route route) {
  if (route.method != "GET" && route.method != "POST") Contradiction(route, "the method is neither GET nor POST");
  auto pattern = RoutePattern::Parse(route.pattern);
  if (!pattern.ok()) Contradiction(route, pattern.error().message);
  if (!route.handler) Contradiction(route, "there is no handler");
  for (const TableRow& row : impl_->rows) {
    if (row.route.method == route.method && row.pattern.SameAs(*pattern)) {
      Contradiction(route, "matches the same paths as " + row.route.pattern);
    }
  }
  CheckSchema(route, route.body_schema);
  CheckSchema(route, route.answer_schema);
  TableRow row{std::move(route), std::move(*pattern)};
  CheckParameters(row);
  impl_->rows.push_back(std::move(row));
}

void Routes::AddSchema(const std::string& name, std::string schema) {
  CheckSchema({"", name}, schema);
  impl_->schemas.emplace_back(name, std::move(schema));
}

void Routes::Dispatch(const Request& request, Respond respond) const {
  const auto matches = impl_->Match(request.path);
  const std::string shown = "'" + OneLine(request.path, 200) + "'";
  if (matches.empty()) return respond(ToResponse({404, "there is no " + shown, ""}));
  const Match* best = nullptr;
  for (const Match& match : matches) {
    if (!Answers(match.row->route, request.method)) continue;
    if (best == nullptr || match.row->pattern.Before(best->row->pattern)) best = &match;
  }
  if (best == nullptr) {
    const std::string methods = Join(MethodsOf(matches));
    return respond(
        ToResponse({405, request.method + " is not allowed for " + shown, "use " + methods, {{"Allow", methods}}}));
  }
  ArgumentReader reader(*best->row, best->values, request);
  if (const auto problem = reader.Read()) return respond(ToResponse(*problem));
  best->row->route.handler(request, reader.Take(), std::move(respond));
}

std::string Routes::OpenApi(const ApiTitle& title) const { return OpenApiOf(impl_->rows, impl_->schemas, title); }

std::string Routes::Markdown(const ApiTitle& title) const { return MarkdownOf(impl_->rows, title); }

}  // namespace howdah::web
