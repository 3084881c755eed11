#include "job_values.h"

#include "howdah/keyfile/variables.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

// Reads [NAME=VALUE, ...], as docker compose writes variables.
bool ReadVariableList(Reader& r, const Node& n, EnvVars& out) {
  bool good = true;
  for (size_t i = 0; i < n.items.size(); ++i) {
    const Reader::Scope scope(r, i);
    const auto text = r.Text(*n.items[i], "NAME=VALUE");
    const size_t equals = text ? text->find('=') : std::string::npos;
    if (text && (equals == std::string::npos || !IsVariableName(text->substr(0, equals)))) {
      good = r.Fail(*n.items[i], "must be NAME=VALUE, but is '" + Printable(*text) + "'");
      continue;
    }
    good = good && text;
    if (text) out.emplace_back(text->substr(0, equals), text->substr(equals + 1));
  }
  return good;
}

bool ReadVariables(Reader& r, const Node& n, EnvVars& out) {
  if (n.kind == Node::Kind::kList) return ReadVariableList(r, n, out);
  if (!CheckIsMap(r, n)) return false;
  return ForEachEntry(r, n, [&](const Entry& entry) {
    if (!IsVariableName(entry.key)) {
      return r.Fail(entry.mark, "invalid variable name; use letters, digits and _, not starting with a digit");
    }
    if (entry.value->kind == Node::Kind::kNull)
      return r.Fail(entry.mark, "has no value; write \"\" for an empty string");
    const auto text = r.Text(*entry.value, "a string");
    if (!text) return false;
    out.emplace_back(entry.key, *text);
    return true;
  });
}

bool ReadCommand(Reader& r, const Node& n, Command& out) {
  constexpr std::string_view kRemedy = "write the command to run, for example: python train.py";
  if (n.kind != Node::Kind::kList) {
    const auto text = r.Verbatim(n, "a string for bash, or a list of strings");
    if (!text) return false;
    if (text->find_first_not_of(" \t\r\n") == std::string::npos) return r.Fail(n, "is empty; " + std::string(kRemedy));
    out.shell = *text;
    return true;
  }
  bool good = true;
  for (size_t i = 0; i < n.items.size(); ++i) {
    const Reader::Scope scope(r, i);
    const auto word = r.Verbatim(*n.items[i], "a string");
    if (word) out.argv.push_back(*word);
    good = good && word.has_value();
  }
  if (good && (out.argv.empty() || out.argv.front().empty())) return r.Fail(n, "is empty; " + std::string(kRemedy));
  return good;
}

Json WriteCommand(const Command& command) {
  if (!command.argv.empty()) return command.argv;
  return command.shell.empty() ? Json() : Json(command.shell);
}

// A string whose variables the executor replaces. fault(text) returns an error message, or "".
ValueType<std::string> LateText(std::string_view title, std::function<std::string(const std::string&)> fault) {
  ValueType<std::string> type = NonEmptyText(title);
  type.read = [fault = std::move(fault)](Reader& r, const Node& n, std::string& out) {
    auto text = r.Verbatim(n, "a string");
    if (!text) return false;
    const std::string found = fault(*text);
    if (!found.empty()) return r.Fail(n, found);
    out = std::move(*text);
    return true;
  };
  type.write = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  return type;
}

std::string ProbeUrlFault(const std::string& text) {
  if (text.starts_with("http://") && text.size() > 7 && text.find_first_of(" \t\r\n") == text.npos) return "";
  return Quoted(text) + " is not an http URL; write for example http://127.0.0.1:${HOWDAH_PORT}/";
}

std::string ProbePortFault(const std::string& text) {
  const bool number = !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == text.npos;
  if (number && std::stoi(text) >= 1 && std::stoi(text) <= 65535) return "";
  const bool variable = text.starts_with("${") && text.ends_with("}") &&
                        IsVariableName(std::string_view(text).substr(2, text.size() - 3));
  if (variable) return "";
  return Quoted(text) + " is not a port; write a number from 1 to 65535, or a variable such as ${HOWDAH_PORT}";
}

}  // namespace

ValueType<std::string> ProbeUrl() { return LateText("http URL", &ProbeUrlFault); }

ValueType<std::string> ProbePort() { return LateText("port or variable", &ProbePortFault); }

ValueType<std::string> JobName() {
  static_assert(kLongestJobName == 255);
  return CheckedText("string of at most 255 bytes", [](const std::string& text) {
    if (text.size() <= kLongestJobName) return std::string();
    return "has " + std::to_string(text.size()) + " bytes; a job's name has at most 255 bytes";
  });
}

ValueType<std::string> SignalName(const std::vector<std::string_view>& (*names)()) {
  ValueType<size_t> index = WordIndex(names());
  return {[names, read = index.read](Reader& r, const Node& n, std::string& out) {
            size_t i = 0;
            if (!read(r, n, i)) return false;
            out = names()[i];
            return true;
          },
          [](const std::string& name) { return name.empty() ? Json() : Json(name); },
          [names] {
            return OrVariable({{"title", "signal name"}, {"type", "string"}, {"enum", names()}});
          }};
}

ValueType<EnvVars> Variables() {
  return {&ReadVariables,
          [](const EnvVars& variables) {
            Json object;
            for (const auto& [name, value] : variables) object[name] = EscapeDollars(value);
            return object;
          },
          [] {
            return Json{{"title", "map of names and strings"},
                        {"type", "object"},
                        {"propertyNames", {{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}}},
                        {"additionalProperties", {{"type", {"string", "number", "boolean"}}}}};
          }};
}

ValueType<Command> CommandLine() {
  return {&ReadCommand, &WriteCommand, [] {
            const Json word = {{"type", {"string", "number", "boolean"}}};
            return Json{{"title", "string for bash, or list of strings"},
                        {"anyOf",
                         {{{"type", {"string", "number", "boolean"}}, {"pattern", "\\S"}},
                          {{"type", "array"}, {"items", word}, {"minItems", 1}}}}};
          }};
}

}  // namespace howdah::jobspec
