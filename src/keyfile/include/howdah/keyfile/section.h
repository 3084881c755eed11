// The structure of the key table: value types, keys, and sections of keys.
#pragma once

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "howdah/keyfile/json_text.h"
#include "howdah/keyfile/reader.h"
#include "howdah/keyfile/words.h"

namespace howdah::keyfile {

// Reads values of one type from job files, and writes them.
template <typename V>
struct ValueType {
  std::function<bool(Reader&, const Node&, V&)> read;  // returns false after reporting an invalid value
  std::function<Json(const V&)> write;                 // null: the key is omitted
  std::function<Json()> schema;                        // its "title" describes the type
};

// One row of the table.
template <typename T>
struct Key {
  std::string_view name;
  std::string_view help;     // one line
  std::string_view example;  // for messages about a required key; empty if the key is not required
  std::function<bool(Reader&, const Node&, T&)> read;
  std::function<Json(const T&)> write;
  std::function<Json()> schema;
  std::string_view default_words;  // describes a default that is not a constant
  bool required() const { return !example.empty(); }
};

// An earlier name of a key. It is read, but never written. Its use is reported with a hint.
template <typename T>
struct OldKey {
  std::string_view name, new_name;
  std::string_view hint;  // how to write the key now
  std::function<bool(Reader&, const Node&, T&)> read;
};

// The keys of one map, read into one T.
template <typename T>
struct Section {
  std::vector<Key<T>> keys;
  std::vector<OldKey<T>> old_keys = {};
  // For a key that this section does not have, from the map `node`: returns a description of where it may belong, or
  // "".
  std::string (*elsewhere)(std::string_view key, const Node& node) = nullptr;
  // The key whose value may be written in place of the map: `restart: 3` is `restart: {max: 3}`. Empty if there is
  // none.
  std::string_view short_key = {};
};

// Makes the row of a key that is stored in one field.
template <typename T, typename V>
Key<T> Row(std::string_view name, V T::*field, ValueType<V> type, std::string_view help,
           std::string_view example = "") {
  Key<T> key;
  key.name = name;
  key.help = help;
  key.example = example;
  key.read = [field, read = std::move(type.read)](Reader& r, const Node& n, T& out) { return read(r, n, out.*field); };
  key.write = [field, write = std::move(type.write)](const T& value) { return write(value.*field); };
  key.schema = std::move(type.schema);
  return key;
}

template <typename T>
bool ReadSection(Reader& reader, const Node& node, const Section<T>& section, T& out);
template <typename T>
Json WriteSection(const Section<T>& section, const T& value);
template <typename T>
Json SectionSchema(const Section<T>& section);

// Makes the row of a key whose value is a map. The keys of that map are fields of the same T.
template <typename T>
Key<T> Group(std::string_view name, Section<T> section, std::string_view help) {
  Key<T> key;
  key.name = name;
  key.help = help;
  key.read = [section](Reader& r, const Node& n, T& out) { return ReadSection(r, n, section, out); };
  key.write = [section](const T& value) { return WriteSection(section, value); };
  key.schema = [section] { return SectionSchema(section); };
  return key;
}

// Makes a value type from a section.
template <typename T>
ValueType<T> SectionType(const Section<T>& (*section)()) {
  return {[section](Reader& r, const Node& n, T& out) { return ReadSection(r, n, section(), out); },
          [section](const T& value) { return WriteSection(section(), value); },
          [section] { return SectionSchema(section()); }};
}

// The parts of ReadSection that do not depend on T.
bool CheckIsMap(Reader& reader, const Node& node);
// Returns the key of the section that was probably meant, or "".
std::string FailUnknownKey(Reader& reader, Mark mark, std::string_view key, const std::vector<std::string_view>& valid,
                           const std::string& elsewhere);
bool FailDuplicateKey(Reader& reader, Mark mark, Mark first);
bool FailMissingKey(Reader& reader, Mark mark, std::string_view key, std::string_view example);

// Calls visit(entry) for each entry of a map. Reports a duplicate key instead of visiting it. Returns false if there
// was a duplicate key or a visit returned false.
template <typename Visit>
bool ForEachEntry(Reader& reader, const Node& map, const Visit& visit) {
  bool good = true;
  std::unordered_map<std::string_view, Mark> seen;
  for (const Entry& entry : map.entries) {
    const Reader::Scope scope(reader, entry.key);
    const auto [first, is_new] = seen.emplace(entry.key, entry.mark);
    good = (is_new ? visit(entry) : FailDuplicateKey(reader, entry.mark, first->second)) && good;
  }
  return good;
}

// Reads the value of a known key. A null value is treated as an absent key, which is an error if the key is required.
template <typename T>
bool ReadKey(Reader& reader, const Entry& entry, const Key<T>& key, T& out) {
  if (entry.value->kind == Node::Kind::kNull && !key.required()) return true;
  const bool good = entry.value->kind == Node::Kind::kNull
                        ? reader.Fail(entry.mark, "has no value; write for example " + std::string(key.name) + ": " +
                                                      std::string(key.example))
                        : key.read(reader, *entry.value, out);
  reader.Note(entry.mark, good);
  return good;
}

// Reads a key under an earlier name, from the map `node`.
template <typename T>
bool ReadOldKey(Reader& reader, const Node& node, const Entry& entry, const OldKey<T>& old, T& out) {
  if (node.Has(old.new_name))
    return reader.Fail(entry.mark, "is the old name of '" + std::string(old.new_name) + "'; remove it");
  if (entry.value->kind == Node::Kind::kNull) return true;
  const bool good = old.read(reader, *entry.value, out);
  reader.Note(entry.mark, good);
  if (good) reader.Hint(entry.mark, "is the old name of '" + std::string(old.new_name) + "'; " + std::string(old.hint));
  return good;
}

// Returns the row of the section's short key, or null if there is none.
template <typename T>
const Key<T>* ShortKey(const Section<T>& section) {
  const auto found = std::find_if(section.keys.begin(), section.keys.end(),
                                  [&](const Key<T>& key) { return key.name == section.short_key; });
  return found == section.keys.end() ? nullptr : &*found;
}

template <typename T>
bool ReadSection(Reader& reader, const Node& node, const Section<T>& section, T& out) {
  const Key<T>* const short_key = ShortKey(section);
  if (short_key != nullptr && node.kind == Node::Kind::kScalar) {
    const Reader::Scope scope(reader, short_key->name);
    return short_key->read(reader, node, out);
  }
  if (!CheckIsMap(reader, node)) return false;
  std::vector<bool> present(section.keys.size());
  bool good = ForEachEntry(reader, node, [&](const Entry& entry) {
    for (size_t i = 0; i < section.keys.size(); ++i) {
      if (section.keys[i].name != entry.key) continue;
      present[i] = true;
      return ReadKey(reader, entry, section.keys[i], out);
    }
    for (const OldKey<T>& old : section.old_keys) {
      if (old.name == entry.key) return ReadOldKey(reader, node, entry, old, out);
    }
    std::vector<std::string_view> valid;
    for (const Key<T>& key : section.keys) valid.push_back(key.name);
    const std::string elsewhere = section.elsewhere ? section.elsewhere(entry.key, node) : "";
    const std::string meant = FailUnknownKey(reader, entry.mark, entry.key, valid, elsewhere);
    if (entry.value->kind != Node::Kind::kMap || node.Has(meant)) return false;
    // Check the content of the map, too, so that all problems are reported at once.
    for (size_t i = 0; i < section.keys.size(); ++i) {
      if (section.keys[i].name != meant) continue;
      present[i] = true;
      T unused{};
      section.keys[i].read(reader, *entry.value, unused);
    }
    return false;
  });
  for (size_t i = 0; i < section.keys.size(); ++i) {
    const Key<T>& key = section.keys[i];
    if (key.required() && !present[i]) good = FailMissingKey(reader, node.mark, key.name, key.example);
  }
  return good;
}

template <typename T>
Json WriteSection(const Section<T>& section, const T& value) {
  Json object;
  for (const Key<T>& key : section.keys) {
    Json written = key.write(value);
    if (!written.is_null()) object[std::string(key.name)] = std::move(written);
  }
  return object;
}

template <typename T>
Json SectionSchema(const Section<T>& section) {
  Json schema = {{"type", "object"}, {"title", "map"}, {"additionalProperties", false}};
  Json required = Json::array();
  const T defaults{};
  for (const Key<T>& key : section.keys) {
    Json property = key.schema();
    property["description"] = key.help;
    Json value = key.write(defaults);
    const bool constant = !value.is_null() && !value.is_object();
    if (key.required()) {
      required.push_back(key.name);
      property["examples"] = {key.example};
    } else if (!key.default_words.empty()) {
      property["description"] = std::string(key.help) + " (default: " + std::string(key.default_words) + ")";
    } else if (constant) {
      property["default"] = std::move(value);
    }
    schema["properties"][std::string(key.name)] = std::move(property);
  }
  if (!required.empty()) schema["required"] = std::move(required);
  const Key<T>* const short_key = ShortKey(section);
  if (short_key == nullptr) return schema;
  Json value = short_key->schema();
  const std::string title = value["title"].template get<std::string>() + ", or a map";
  return Json{{"title", title}, {"anyOf", {std::move(value), std::move(schema)}}};
}

}  // namespace howdah::keyfile
