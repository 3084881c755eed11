// OpenAPI and Markdown from the table of routes.
#include <algorithm>

#include "howdah/base/text.h"
#include "parameter_value.h"
#include "route_table.h"

namespace howdah::web {
namespace {

constexpr const char* kProblem = "Problem";

JsonValue ProblemSchema() {
  return {{"type", "object"},
          {"required", {"status", "title", "detail", "advice"}},
          {"properties",
           {{"status", {{"type", "integer"}}},
            {"title", {{"type", "string"}}},
            {"detail", {{"type", "string"}, {"description", "The cause"}}},
            {"advice", {{"type", "string"}, {"description", "What to do; may be empty"}}}}}};
}

JsonValue Content(const std::string& type, const JsonValue& schema) { return {{type, {{"schema", schema}}}}; }

JsonValue Reference(const std::string& name) { return {{"$ref", "#/components/schemas/" + name}}; }

// "{path...}" is a parameter like others in OpenAPI.
std::string OpenApiPath(std::string pattern) {
  if (const size_t dots = pattern.find("...}"); dots != std::string::npos) pattern.erase(dots, 3);
  return pattern;
}

// "GET /api/v1/jobs/{id}" becomes "get_api_v1_jobs_id".
std::string OperationId(const Route& route) {
  std::string id = LowerCase(route.method);
  bool separate = true;
  for (const char c : route.pattern) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (kept && separate) id += '_';
    separate = !kept;
    if (kept) id += c;
  }
  return id;
}

JsonValue ParameterJson(const TableRow& row, const Parameter& parameter) {
  const bool in_path = row.InPath(parameter.name);
  JsonValue json = {{"name", parameter.name}, {"in", in_path ? "path" : "query"}};
  json["description"] = parameter.help;
  if (in_path || parameter.required) json["required"] = true;
  json["schema"] = SchemaOf(parameter);
  if (!parameter.default_text.empty()) {
    const bool number = parameter.type == ValueType::kInteger || parameter.type == ValueType::kNumber;
    json["schema"]["default"] = number ? JsonValue::parse(parameter.default_text) : JsonValue(parameter.default_text);
  }
  if (parameter.type == ValueType::kTexts && !in_path) {
    json["style"] = "form";
    json["explode"] = false;
  }
  return json;
}

// The field that the policy requires of a request that changes something.
JsonValue HeaderJson(const std::string& name) {
  return {{"name", name},
          {"in", "header"},
          {"required", true},
          {"description", "Pages of other origins cannot set this field"},
          {"schema", {{"type", "string"}, {"enum", {"1"}}, {"default", "1"}}}};
}

JsonValue ResponsesJson(const Route& route) {
  JsonValue answer = {{"description", route.answer.empty() ? route.summary : route.answer}};
  answer["content"] = Content(
      route.answer_type, route.answer_schema.empty() ? JsonValue::object() : JsonValue::parse(route.answer_schema));
  JsonValue responses = JsonValue::object();
  for (const int status : route.answer_statuses) responses[std::to_string(status)] = answer;
  const auto add = [&](int status, const std::string& description) {
    responses[std::to_string(status)] = {{"description", description},
                                         {"content", Content("application/json", Reference(kProblem))}};
  };
  for (const auto& [status, description] : route.errors) add(status, description);
  responses["default"] = {{"description", "The request was refused, or it failed"},
                          {"content", Content("application/json", Reference(kProblem))}};
  return responses;
}

JsonValue OperationJson(const TableRow& row, const ApiTitle& title) {
  const Route& route = row.route;
  JsonValue json = {{"operationId", OperationId(route)}, {"summary", route.summary}};
  if (!route.tag.empty()) json["tags"] = JsonValue::array({route.tag});
  JsonValue parameters = JsonValue::array();
  for (const Parameter& parameter : route.parameters) parameters.push_back(ParameterJson(row, parameter));
  if (route.method == "POST") parameters.push_back(HeaderJson(title.request_header));
  if (!parameters.empty()) json["parameters"] = parameters;
  if (!route.body_schema.empty()) {
    json["requestBody"] = {{"required", true},
                           {"content", Content("application/json", JsonValue::parse(route.body_schema))}};
  }
  json["responses"] = ResponsesJson(route);
  return json;
}

// Text in a cell of a table.
std::string Cell(std::string text) {
  for (size_t bar = text.find('|'); bar != std::string::npos; bar = text.find('|', bar + 2)) text.insert(bar, "\\");
  return OneLine(text);
}

std::string RouteMarkdown(const TableRow& row) {
  const Route& route = row.route;
  std::string text = "### `" + route.method + " " + OpenApiPath(route.pattern) + "`\n\n" + route.summary + ".";
  if (!route.answer.empty()) text += " " + route.answer;
  text += "\n";
  if (!route.parameters.empty()) text += "\n| parameter | value | |\n|---|---|---|\n";
  for (const Parameter& parameter : route.parameters) {
    std::string value = DescribeType(parameter);
    if (!parameter.default_text.empty()) value += "; otherwise " + parameter.default_text;
    if (parameter.required && !row.InPath(parameter.name)) value += "; required";
    text += "| `" + parameter.name + "` | " + Cell(value) + " | " + Cell(parameter.help) + " |\n";
  }
  if (!route.body_schema.empty()) text += "\nBody: `" + route.body_schema + "`\n";
  if (!route.errors.empty()) text += "\n| status | when |\n|---|---|\n";
  for (const auto& [status, when] : route.errors) text += "| " + std::to_string(status) + " | " + Cell(when) + " |\n";
  return text + "\n";
}

}  // namespace

std::string OpenApiOf(const std::vector<TableRow>& rows, const NamedSchemas& named_schemas, const ApiTitle& title) {
  JsonValue json = {{"openapi", "3.1.0"}};
  json["info"] = {{"title", title.title}, {"version", title.version}, {"description", title.description}};
  json["servers"] = JsonValue::array({{{"url", title.server}}});
  json["paths"] = JsonValue::object();
  for (const TableRow& row : rows) {
    if (row.route.documented)
      json["paths"][OpenApiPath(row.route.pattern)][LowerCase(row.route.method)] = OperationJson(row, title);
  }
  JsonValue schemas = JsonValue::object();
  for (const auto& [name, schema] : named_schemas) schemas[name] = JsonValue::parse(schema);
  schemas[kProblem] = ProblemSchema();
  json["components"] = {{"schemas", schemas}};
  return json.dump(2) + "\n";
}

std::string MarkdownOf(const std::vector<TableRow>& rows, const ApiTitle& title) {
  std::string text = "# " + title.title + "\n\n" + title.description + "\n";
  std::vector<std::string> tags;
  for (const TableRow& row : rows) {
    if (row.route.documented && std::find(tags.begin(), tags.end(), row.route.tag) == tags.end()) {
      tags.push_back(row.route.tag);
    }
  }
  for (const std::string& tag : tags) {
    text += "\n";
    if (!tag.empty()) text += "## " + tag + "\n\n";
    for (const TableRow& row : rows) {
      if (row.route.documented && row.route.tag == tag) text += RouteMarkdown(row);
    }
  }
  return text;
}

}  // namespace howdah::web
