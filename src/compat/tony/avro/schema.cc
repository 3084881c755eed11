#include "schema.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace howdah::compat::tony::avro {
namespace {

using SchemaJson = nlohmann::json;  // ordered_json takes quadratic time for an object with many keys

constexpr size_t kMostTypes = 100'000;
constexpr std::pair<std::string_view, Kind> kPrimitives[] = {
    {"null", Kind::kNull},   {"boolean", Kind::kBoolean}, {"int", Kind::kInt},     {"long", Kind::kLong},
    {"float", Kind::kFloat}, {"double", Kind::kDouble},   {"bytes", Kind::kBytes}, {"string", Kind::kString}};

Error Invalid(const std::string& what) { return Failed("invalid Avro schema: " + what); }

Error TooLong(const std::string& name) {
  return Invalid("a name has " + std::to_string(name.size()) + " bytes; at most " + std::to_string(kLongestName) +
                 " are supported");
}

std::string Text(const SchemaJson& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string NamespaceOf(const std::string& full_name) {
  const size_t dot = full_name.rfind('.');
  return dot == std::string::npos ? "" : full_name.substr(0, dot);
}

std::string FullName(const std::string& name, const std::string& space) {
  return name.find('.') != std::string::npos || space.empty() ? name : space + "." + name;
}

class Parser {
 public:
  Result<size_t> Parse(const SchemaJson& json, const std::string& space, int depth) {
    if (depth > kMostDepth) return Invalid("nested more than " + std::to_string(kMostDepth) + " deep");
    if (schema.types.size() > kMostTypes) return Invalid("too many types");
    if (json.is_string()) return Named(json.get<std::string>(), space);
    if (json.is_array()) return Union(json, space, depth);
    const auto type = json.is_object() ? json.find("type") : json.end();
    if (!json.is_object() || type == json.end()) return Invalid("a type is neither a name, a list nor an object");
    if (!type->is_string()) return Parse(*type, space, depth + 1);
    const std::string word = type->get<std::string>();
    if (word == "record" || word == "error") return Record(json, space, depth);
    if (word == "enum") return Enum(json, space);
    if (word == "fixed") return Fixed(json, space);
    if (word == "array" || word == "map") return Collection(json, word, space, depth);
    return Named(word, space);
  }

  Schema schema;

 private:
  size_t Add(Kind kind, std::string name) {
    schema.types.push_back({kind, std::move(name), {}, {}, {}, 0});
    return schema.types.size() - 1;
  }

  Result<size_t> Named(const std::string& word, const std::string& space) {
    for (const auto& [name, kind] : kPrimitives) {
      if (name == word) return Add(kind, word);
    }
    for (const std::string& name : {FullName(word, space), word}) {
      if (const auto known = names_.find(name); known != names_.end()) return known->second;
    }
    return Invalid("unknown type '" + word + "'");
  }

  Result<size_t> Define(Kind kind, const SchemaJson& json, const std::string& space) {
    const std::string name = Text(json, "name");
    if (name.empty()) return Invalid("a record, enum or fixed has no name");
    const std::string full = FullName(name, json.contains("namespace") ? Text(json, "namespace") : space);
    if (full.size() > kLongestName) return TooLong(full);
    const size_t at = Add(kind, full);
    if (!names_.emplace(full, at).second) return Invalid("'" + full + "' is defined twice");
    return at;
  }

  Result<size_t> Record(const SchemaJson& json, const std::string& space, int depth) {
    const auto at = Define(Kind::kRecord, json, space);
    if (!at.ok()) return at;
    const auto fields = json.find("fields");
    if (fields == json.end() || !fields->is_array()) return Invalid("a record has no fields");
    const std::string own_space = NamespaceOf(schema.types[*at].name);
    std::set<std::string> names;
    for (const SchemaJson& field : *fields) {
      const std::string name = field.is_object() ? Text(field, "name") : "";
      if (name.empty() || !field.contains("type")) return Invalid("a field has no name or no type");
      if (name.size() > kLongestName) return TooLong(name);
      if (!names.insert(name).second) return Invalid("a record has two fields '" + name + "'");
      const auto type = Parse(field["type"], own_space, depth + 1);
      if (!type.ok()) return type;
      schema.types[*at].fields.push_back({name, *type});
    }
    return at;
  }

  Result<size_t> Enum(const SchemaJson& json, const std::string& space) {
    const auto at = Define(Kind::kEnum, json, space);
    if (!at.ok()) return at;
    const auto symbols = json.find("symbols");
    if (symbols == json.end() || !symbols->is_array()) return Invalid("an enum has no symbols");
    for (const SchemaJson& symbol : *symbols) {
      if (!symbol.is_string()) return Invalid("a symbol of an enum is not a string");
      schema.types[*at].symbols.push_back(symbol.get<std::string>());
      if (schema.types[*at].symbols.back().size() > kLongestName) return TooLong(schema.types[*at].symbols.back());
    }
    return at;
  }

  Result<size_t> Fixed(const SchemaJson& json, const std::string& space) {
    const auto at = Define(Kind::kFixed, json, space);
    if (!at.ok()) return at;
    const auto size = json.find("size");
    if (size == json.end() || !size->is_number_unsigned()) return Invalid("a fixed has no size");
    schema.types[*at].size = size->get<size_t>();
    return at;
  }

  Result<size_t> Collection(const SchemaJson& json, const std::string& word, const std::string& space, int depth) {
    const auto element = json.find(word == "array" ? "items" : "values");
    if (element == json.end()) return Invalid("an array or map has no element type");
    const size_t at = Add(word == "array" ? Kind::kArray : Kind::kMap, word);
    const auto type = Parse(*element, space, depth + 1);
    if (!type.ok()) return type;
    schema.types[at].branches = {*type};
    return at;
  }

  Result<size_t> Union(const SchemaJson& json, const std::string& space, int depth) {
    const size_t at = Add(Kind::kUnion, "union");
    for (const SchemaJson& branch : json) {
      const auto type = Parse(branch, space, depth + 1);
      if (!type.ok()) return type;
      if (schema.types[*type].kind == Kind::kUnion) return Invalid("a union is directly within a union");
      schema.types[at].branches.push_back(*type);
    }
    return at;
  }

  std::map<std::string, size_t> names_;
};

}  // namespace

Result<Schema> ParseSchema(std::string_view json) {
  const SchemaJson parsed = SchemaJson::parse(json, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) return Invalid("not JSON");
  Parser parser;
  HOWDAH_TRY(parser.schema.root, parser.Parse(parsed, "", 0));
  return std::move(parser.schema);
}

}  // namespace howdah::compat::tony::avro
