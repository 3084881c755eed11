// The value types of Skein specifications. Unlike those of job files, their texts contain no variables, and they have
// the notations that PyYAML and Skein accept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/compat/skeinspec/specification.h"
#include "howdah/keyfile/section.h"

namespace howdah::compat::skeinspec {

// The largest value of counts and sizes that are not limited otherwise.
inline constexpr int64_t kMostOfAnything = 1'000'000'000'000'000;

// Makes a type from its reader. A specification is only read, so the type writes nothing.
template <typename V, typename F>
keyfile::ValueType<V> ReadOnly(std::string_view title, F read) {
  return {std::move(read), [](const V&) { return keyfile::Json(); },
          [title] {
            return keyfile::Json{{"title", title}};
          }};
}

keyfile::ValueType<std::string> PlainText();
keyfile::ValueType<std::string> NonEmptyPlainText();
keyfile::ValueType<std::vector<std::string>> Texts();
keyfile::ValueType<bool> YamlBool();
keyfile::ValueType<int> Count(int min, int max);
keyfile::ValueType<int64_t> LargeCount();
// A number of MiB, or a number with a unit, as Skein's function parse_memory reads it; the value is in MiB.
keyfile::ValueType<int64_t> MemoryInMib();
// One of the words, in any case; the value is the word as it is listed.
keyfile::ValueType<std::string> Word(std::vector<std::string_view> words);
// A map of names of environment variables and values.
keyfile::ValueType<Pairs> Variables();
// A script for bash.
keyfile::ValueType<std::string> BashScript();
// The path of a file, or a URI. A relative path starts at the directory of the specification.
keyfile::ValueType<std::string> Source();

// Makes a type whose value is stored in an optional.
template <typename V>
keyfile::ValueType<std::optional<V>> Given(keyfile::ValueType<V> type) {
  auto read = [read = std::move(type.read)](keyfile::Reader& r, const keyfile::Node& n, std::optional<V>& out) {
    V value{};
    if (!read(r, n, value)) return false;
    out = std::move(value);
    return true;
  };
  return {std::move(read), [](const std::optional<V>&) { return keyfile::Json(); }, std::move(type.schema)};
}

}  // namespace howdah::compat::skeinspec
