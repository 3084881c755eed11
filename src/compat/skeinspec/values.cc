#include "values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "howdah/base/text.h"
#include "howdah/keyfile/variables.h"
#include "howdah/keyfile/words.h"

namespace howdah::compat::skeinspec {

using namespace keyfile;

namespace {

bool ReadInteger(Reader& r, const Node& n, int64_t min, int64_t max, int64_t& out) {
  const auto text = r.Verbatim(n, "a whole number");
  if (!text) return false;
  const std::string range = "write a whole number from " + std::to_string(min) + " to " + std::to_string(max);
  int64_t value = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) {
    return r.Fail(n, Quoted(*text) + " is not a whole number; " + range);
  }
  if (error != std::errc() || value < min || value > max) {
    return r.Fail(n, Quoted(*text) + " is out of range; " + range);
  }
  out = value;
  return true;
}

// The number of bytes of a unit, or nullopt. No unit stands for MiB.
std::optional<double> BytesOfUnit(std::string_view unit) {
  constexpr std::string_view kPrefixes = "kmgtp";
  const std::string lower = LowerCase(unit);
  if (lower.empty()) return double{1 << 20};
  if (lower == "b") return 1.0;
  const size_t power = kPrefixes.find(lower.front());
  const std::string_view rest = std::string_view(lower).substr(1);
  if (power == kPrefixes.npos || (!rest.empty() && rest != "b" && rest != "i" && rest != "ib")) return std::nullopt;
  return std::pow(rest.starts_with('i') ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

bool ReadMemoryInMib(Reader& r, const Node& n, int64_t& out) {
  constexpr double kBytesPerMib = 1 << 20, kMostMib = 1 << 30;  // 1 PiB
  const std::string remedy = "; write for example 2 GiB, or the number of MiB";
  const auto written = r.Verbatim(n, "a memory size such as 2 GiB");
  if (!written) return false;
  std::string text = *written;
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error == std::errc::invalid_argument) return r.Fail(n, "invalid memory size " + Quoted(*written) + remedy);
  const auto unit = BytesOfUnit(std::string_view(text).substr(static_cast<size_t>(stop - text.data())));
  if (!unit) return r.Fail(n, "unknown unit in the memory size " + Quoted(*written) + remedy);
  const double mib = std::ceil(number * *unit / kBytesPerMib);
  if (error != std::errc() || mib > kMostMib) return r.Fail(n, Quoted(*written) + " is more than 1 PiB" + remedy);
  if (!(mib >= 1)) return r.Fail(n, Quoted(*written) + " must be more than 0" + remedy);
  out = static_cast<int64_t>(mib);
  return true;
}

bool ReadVariables(Reader& r, const Node& n, Pairs& out) {
  if (!CheckIsMap(r, n)) return false;
  return ForEachEntry(r, n, [&](const Entry& entry) {
    if (!IsVariableName(entry.key)) {
      return r.Fail(entry.mark, "invalid variable name; use letters, digits and _, not starting with a digit");
    }
    if (entry.value->kind == Node::Kind::kNull) {
      out.emplace_back(entry.key, "");
      return true;
    }
    const auto value = r.Verbatim(*entry.value, "a string");
    if (value) out.emplace_back(entry.key, *value);
    return value.has_value();
  });
}

bool ReadSource(Reader& r, const Node& n, std::string& out) {
  constexpr std::string_view kFileUri = "file://";
  auto text = r.Verbatim(n, "a path or a URI");
  if (!text) return false;
  if (text->empty()) return r.Fail(n, "is empty; write the path of the file");
  if (text->starts_with(kFileUri)) text->erase(0, kFileUri.size());
  if (text->find("://") != text->npos) {
    out = *text;
    return true;
  }
  while (text->starts_with("./")) text->erase(0, 2);
  out = text->starts_with('/') ? *text : r.host().directory + "/" + *text;
  if (!r.host().path_kind || r.host().path_kind(out) != PathKind::kMissing) return true;
  return r.Fail(n, "no such file: " + Quoted(out, out.size() + 1) +
                       "; relative paths start at the directory of the specification");
}

}  // namespace

ValueType<std::string> PlainText() {
  return ReadOnly<std::string>("string", [](Reader& r, const Node& n, std::string& out) {
    auto text = r.Verbatim(n, "a string");
    if (text) out = std::move(*text);
    return text.has_value();
  });
}

ValueType<std::string> NonEmptyPlainText() {
  return ReadOnly<std::string>("string", [](Reader& r, const Node& n, std::string& out) {
    auto text = r.Verbatim(n, "a string");
    if (!text) return false;
    if (text->empty()) return r.Fail(n, "is empty; remove it");
    out = std::move(*text);
    return true;
  });
}

ValueType<std::vector<std::string>> Texts() {
  return ReadOnly<std::vector<std::string>>("list of strings",
                                            [](Reader& r, const Node& n, std::vector<std::string>& out) {
                                              if (n.kind != Node::Kind::kList)
                                                return r.Fail(n, "must be a list, as in [a, b]");
                                              bool good = true;
                                              for (size_t i = 0; i < n.items.size(); ++i) {
                                                const Reader::Scope scope(r, i);
                                                std::string text;
                                                const bool item = NonEmptyPlainText().read(r, *n.items[i], text);
                                                r.Note(n.items[i]->mark, item);
                                                if (item) out.push_back(std::move(text));
                                                good = good && item;
                                              }
                                              return good;
                                            });
}

ValueType<bool> YamlBool() {
  return ReadOnly<bool>("true or false", [](Reader& r, const Node& n, bool& out) {
    const auto text = r.Verbatim(n, "true or false");
    if (!text) return false;
    // PyYAML reads YAML 1.1, whose booleans have these names (yaml.org/type/bool.html).
    const std::string word = LowerCase(*text);
    const bool yes = word == "true" || word == "yes" || word == "on";
    if (!yes && word != "false" && word != "no" && word != "off") {
      return r.Fail(n, "invalid value " + Quoted(*text) + "; write true or false");
    }
    out = yes;
    return true;
  });
}

ValueType<int> Count(int min, int max) {
  return ReadOnly<int>("whole number", [min, max](Reader& r, const Node& n, int& out) {
    int64_t value = 0;
    if (!ReadInteger(r, n, min, max, value)) return false;
    out = static_cast<int>(value);
    return true;
  });
}

ValueType<int64_t> LargeCount() {
  return ReadOnly<int64_t>("whole number", [](Reader& r, const Node& n, int64_t& out) {
    return ReadInteger(r, n, 0, kMostOfAnything, out);
  });
}

ValueType<int64_t> MemoryInMib() { return ReadOnly<int64_t>("memory size", &ReadMemoryInMib); }

ValueType<std::string> Word(std::vector<std::string_view> words) {
  return ReadOnly<std::string>("word", [words = std::move(words)](Reader& r, const Node& n, std::string& out) {
    const auto text = r.Verbatim(n, "one of " + Joined(words));
    if (!text) return false;
    const std::string lower = LowerCase(*text);
    if (std::find(words.begin(), words.end(), lower) != words.end()) {
      out = lower;
      return true;
    }
    const std::string near(r.Suggest(lower, words));
    return r.Fail(n, "unknown value " + Quoted(*text) +
                         (near.empty() ? "; write one of " + Joined(words) : "; did you mean '" + near + "'?"));
  });
}

ValueType<Pairs> Variables() { return ReadOnly<Pairs>("map of names and strings", &ReadVariables); }

ValueType<std::string> BashScript() {
  return ReadOnly<std::string>("script for bash", [](Reader& r, const Node& n, std::string& out) {
    auto text = r.Verbatim(n, "a script for bash");
    if (!text) return false;
    if (text->find_first_not_of(" \t\r\n") == text->npos) return r.Fail(n, "is empty; write a script for bash");
    out = std::move(*text);
    return true;
  });
}

ValueType<std::string> Source() { return ReadOnly<std::string>("path or URI", &ReadSource); }

}  // namespace howdah::compat::skeinspec
