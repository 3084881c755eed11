// The value types of files: numbers, sizes, durations, strings, enumerations, lists.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/keyfile/section.h"

namespace howdah::keyfile {

ValueType<int> WholeNumber(int min, int max);
// A decimal number from least to most.
ValueType<double> Number(double least, double most);
ValueType<bool> TrueOrFalse();
// A memory size above 0.
ValueType<int64_t> Memory();
enum class Zero { kAllowed, kRefused };
ValueType<Duration> TimeSpan(Zero zero);
// A duration from `min` to `max`, or 0.
ValueType<Duration> TimeSpanOr0(Duration min, Duration max);
// A string; "" means none.
ValueType<std::string> OptionalText();
ValueType<std::string> NonEmptyText(std::string_view title);
// A string with a check: fault(text) returns an error message, or "" if the text is valid.
ValueType<std::string> CheckedText(std::string_view title, std::function<std::string(const std::string&)> fault);
// A script for bash. Its variables are not expanded.
ValueType<std::string> Script();
ValueType<std::string> VariableName();
// A regular expression (howdah/keyfile/pattern.h).
ValueType<std::string> Pattern();

// Returns the schema of a scalar that may also contain variables.
Json OrVariable(Json schema);

// One of a fixed set of words; the value is its index in `words`.
ValueType<size_t> WordIndex(std::vector<std::string_view> words);

template <typename E>
ValueType<E> OneOf(const Words<E>& words) {
  std::vector<std::string_view> texts;
  for (const auto& [value, word] : words) texts.push_back(word);
  ValueType<size_t> index = WordIndex(texts);
  return {[&words, read = index.read](Reader& r, const Node& n, E& out) {
            size_t i = 0;
            if (!read(r, n, i)) return false;
            out = words[i].first;
            return true;
          },
          [&words](const E& value) {
            for (const auto& [v, word] : words) {
              if (v == value) return Json(word);
            }
            return Json();
          },
          std::move(index.schema)};
}

template <typename V>
ValueType<std::optional<V>> Optional(ValueType<V> type) {
  return {[read = std::move(type.read)](Reader& r, const Node& n, std::optional<V>& out) {
            V value{};
            if (!read(r, n, value)) return false;
            out = std::move(value);
            return true;
          },
          [write = std::move(type.write)](const std::optional<V>& value) { return value ? write(*value) : Json(); },
          std::move(type.schema)};
}

// A value that is not written if it equals the default.
template <typename V>
ValueType<V> OmittedByDefault(ValueType<V> type) {
  type.write = [write = std::move(type.write)](const V& value) { return value == V{} ? Json() : write(value); };
  return type;
}

// A list, or a single item that is not a map. Invalid items are left out.
template <typename V>
ValueType<std::vector<V>> ListOf(ValueType<V> type, std::string_view title) {
  return {[read = std::move(type.read)](Reader& r, const Node& n, std::vector<V>& out) {
            if (n.kind == Node::Kind::kScalar) {
              V item{};
              if (!read(r, n, item)) return false;
              out.push_back(std::move(item));
              return true;
            }
            if (n.kind != Node::Kind::kList) return r.Fail(n, "must be a list, as in [a, b]");
            bool good = true;
            for (size_t i = 0; i < n.items.size(); ++i) {
              const Reader::Scope scope(r, i);
              V item{};
              const bool item_good = read(r, *n.items[i], item);
              r.Note(n.items[i]->mark, item_good);
              if (item_good) out.push_back(std::move(item));
              good = good && item_good;
            }
            return good;
          },
          [write = std::move(type.write)](const std::vector<V>& values) {
            Json list;
            for (const V& value : values) list.push_back(write(value));
            return list;
          },
          [schema = std::move(type.schema), title] {
            return Json{{"type", "array"}, {"title", title}, {"items", schema()}};
          }};
}

// A map, or a short form that is not a map. `expand` converts the short form to the whole value. `shorten` returns the
// short form, or nullopt if the value has none.
template <typename S, typename V>
ValueType<S> OrShort(ValueType<S> whole, ValueType<V> brief, std::function<S(V)> expand,
                     std::function<std::optional<V>(const S&)> shorten) {
  ValueType<S> type;
  type.read = [whole_read = whole.read, brief_read = brief.read, expand](Reader& r, const Node& n, S& out) {
    if (n.kind == Node::Kind::kMap) return whole_read(r, n, out);
    V value{};
    if (!brief_read(r, n, value)) return false;
    out = expand(std::move(value));
    return true;
  };
  type.write = [whole_write = whole.write, brief_write = brief.write, shorten](const S& value) {
    const std::optional<V> short_value = shorten(value);
    return short_value ? brief_write(*short_value) : whole_write(value);
  };
  type.schema = [whole_schema = whole.schema, brief_schema = brief.schema] {
    Json alternatives = {brief_schema(), whole_schema()};
    const std::string title = alternatives[0]["title"].template get<std::string>() + ", or a map";
    return Json{{"title", title}, {"anyOf", std::move(alternatives)}};
  };
  return type;
}

}  // namespace howdah::keyfile
