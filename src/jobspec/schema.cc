// Generates the JSON Schema from the key table, and the reference page from the schema.
#include <algorithm>
#include <functional>

#include "howdah/jobspec/job_file.h"
#include "key_table.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

std::string Cell(const Json& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string DefaultCell(const Json& property, bool required) {
  if (required) return "required";
  return property.contains("default") ? "`" + Cell(property["default"]) + "`" : "";
}

using VisitKey = std::function<void(const std::string& path, const Json& property, bool required)>;

void VisitRows(const Json& schema, const std::string& path, const VisitKey& visit);

// Visits the keys within a value: of a map, of each alternative, of the items of a list, of the values of a map with
// arbitrary names.
void VisitInner(const Json& schema, const std::string& path, const VisitKey& visit) {
  VisitRows(schema, path, visit);
  for (const Json& alternative : schema.value("anyOf", Json::array())) VisitInner(alternative, path, visit);
  if (schema.contains("items")) VisitInner(schema["items"], path + "[]", visit);
  if (schema.value("additionalProperties", Json()).is_object()) {
    VisitInner(schema["additionalProperties"], path + ".NAME", visit);
  }
}

void VisitRows(const Json& schema, const std::string& path, const VisitKey& visit) {
  const Json properties = schema.value("properties", Json::object());
  const Json required = schema.value("required", Json::array());
  for (const auto& [name, property] : properties.items()) {
    const std::string key = path.empty() ? name : path + "." + name;
    visit(key, property, std::find(required.begin(), required.end(), name) != required.end());
    VisitInner(property, key, visit);
  }
}

Json Schema() {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}};
  schema.update(SectionSchema(JobKeys()));
  schema["title"] = "Howdah job file";
  schema["description"] = "A distributed job for Howdah, on Hadoop YARN or on one machine.";
  return schema;
}

}  // namespace

const std::vector<std::string>& KeyPaths() {
  static const std::vector<std::string> paths = [] {
    std::vector<std::string> all;
    VisitInner(Schema(), "", [&all](const std::string& path, const Json&, bool) { all.push_back(path); });
    return all;
  }();
  return paths;
}

std::string JsonSchema() { return Schema().dump(2) + "\n"; }

std::string ReferencePage() {
  std::string page = R"(# Job file reference

Generated from the key table of `src/jobspec` (`howdah schema` prints the same as JSON Schema): do not edit.

A job file is one YAML or JSON document. Unknown and duplicate keys are errors. A duration is a whole number with `ms`,
`s`, `m`, `h` or `d`. A memory size is a whole number with `KiB`, `MiB`, `GiB`, `TiB`, `KB`, `MB`, `GB` or `TB`, or with
`k`, `m`, `g` or `t` as in Hadoop; `2Gi`, `2gib` and `2 GiB` are accepted, too. In every value except `command`,
`${VAR}` and `${VAR:-default}` expand to a variable of the submitting environment, and `$$` is a dollar sign. Relative
paths start at the job file's directory. `NAME` stands for a name that you choose, `[]` for each item of a list.

| key | type | default | description |
|---|---|---|---|
)";
  VisitInner(Schema(), "", [&page](const std::string& key, const Json& property, bool required) {
    page += "| `" + key + "` | " + Cell(property["title"]) + " | " + DefaultCell(property, required) + " | " +
            Cell(property["description"]) + " |\n";
  });
  return page;
}

}  // namespace howdah::jobspec
