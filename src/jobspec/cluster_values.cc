#include "cluster_values.h"

#include <algorithm>
#include <climits>

#include "words.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

bool IsLetter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool IsLetterOrDigit(char c) { return IsLetter(c) || (c >= '0' && c <= '9'); }

// Whether the text has only letters, digits and the characters in `more`, and begins with a letter or digit.
bool IsWord(std::string_view text, std::string_view more) {
  return !text.empty() && IsLetterOrDigit(text.front()) && std::all_of(text.begin(), text.end(), [&](char c) {
    return IsLetterOrDigit(c) || more.find(c) != std::string_view::npos;
  });
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Whether the text is an absolute path that YARN can use in a list of mounts: commas separate mounts, and colons
// separate the parts of a mount.
bool IsContainerPath(std::string_view text) {
  return text.size() > 1 && text.front() == '/' && text.find_first_of(":,") == std::string_view::npos;
}

std::string MountFault(const std::string& text) {
  const std::vector<std::string_view> parts = Split(text, ':');
  const bool is_mount = (parts.size() == 2 || parts.size() == 3) && !parts[0].empty() &&
                        parts[0].find(',') == std::string_view::npos && IsContainerPath(parts[1]);
  if (!is_mount) return "invalid mount " + Quoted(text) + "; write source:target:ro, for example /data:/data:ro";
  if (parts.size() == 2) return "mount " + Quoted(text) + " has no mode; append :ro or :rw";
  if (parts[2] != "ro" && parts[2] != "rw") return "invalid mount mode " + Quoted(parts[2]) + "; write ro or rw";
  return "";
}

// Whether the text is a namespace: groups of letters, digits and dashes, separated by dots. No group begins or ends
// with a dash.
bool IsNamespace(std::string_view text) {
  const std::vector<std::string_view> groups = Split(text, '.');
  return std::all_of(groups.begin(), groups.end(),
                     [](std::string_view group) { return IsWord(group, "-") && group.back() != '-'; });
}

bool IsResourceName(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    if (!IsNamespace(text.substr(0, slash))) return false;
    text.remove_prefix(slash + 1);
  }
  return IsWord(text, "_.-") && IsLetter(text.front());
}

// Returns the job-file key for a resource that has a key of its own. Returns "" for other resources.
std::string_view OwnKeyOf(std::string_view resource) {
  if (resource == "memory-mb" || resource == "memory") return "memory";
  if (resource == "vcores") return "vcores";
  return resource == "yarn.io/gpu" || resource == "gpu" || resource == "gpus" ? "gpus" : "";
}

bool ReadResources(Reader& r, const Node& n, std::vector<NamedResource>& out) {
  if (!CheckIsMap(r, n)) return false;
  static const ValueType<int> amount_type = WholeNumber(1, INT_MAX);
  return ForEachEntry(r, n, [&](const Entry& entry) {
    const std::string_view own = OwnKeyOf(entry.key);
    if (!own.empty()) return r.Fail(entry.mark, "has its own key; use " + Quoted(own) + " of the role");
    if (!IsResourceName(entry.key)) {
      return r.Fail(entry.mark,
                    "invalid name of a resource type; write the cluster's name for it, for example yarn.io/fpga");
    }
    if (entry.value->kind == Node::Kind::kNull) return r.Fail(entry.mark, "has no value; write the amount per task");
    int amount = 0;
    if (!amount_type.read(r, *entry.value, amount)) return false;
    out.push_back({entry.key, amount});
    return true;
  });
}

bool ReadAttributes(Reader& r, const Node& n, std::vector<NodeAttribute>& out) {
  if (!CheckIsMap(r, n)) return false;
  static const auto values_type =
      ListOf(CheckedText("attribute value",
                         [](const std::string& text) -> std::string {
                           if (!text.empty() && IsWord(text, "_.-")) return "";
                           return "invalid value " + Quoted(text) + "; use letters, digits, '-', '_' and '.'";
                         }),
             "list of values");
  return ForEachEntry(r, n, [&](const Entry& entry) {
    NodeAttribute attribute;
    attribute.none = entry.key.starts_with('!');
    attribute.name = entry.key.substr(attribute.none ? 1 : 0);
    if (!IsResourceName(attribute.name)) {
      return r.Fail(entry.mark, "invalid name of a node attribute; write the cluster's name for it, for example gen");
    }
    const bool empty = entry.value->kind == Node::Kind::kNull ||
                       (entry.value->kind == Node::Kind::kList && entry.value->items.empty());
    if (empty) return r.Fail(entry.mark, "has no value; write one value, or a list");
    if (!values_type.read(r, *entry.value, attribute.values)) return false;
    out.push_back(std::move(attribute));
    return true;
  });
}

Json WriteAttributes(const std::vector<NodeAttribute>& attributes) {
  Json object;
  for (const NodeAttribute& attribute : attributes) {
    Json& value = object[(attribute.none ? "!" : "") + attribute.name];
    if (attribute.values.size() == 1) {
      value = attribute.values.front();
    } else {
      for (const std::string& one : attribute.values) value.push_back(one);
    }
  }
  return object;
}

}  // namespace

ValueType<std::string> DockerImage() {
  return CheckedText("image name", [](const std::string& text) {
    return IsWord(text, "._-/:@") ? "" : "invalid image name " + Quoted(text) + "; write for example python:3.11";
  });
}

ValueType<std::string> DockerWord(std::string_view title, std::string_view example) {
  return CheckedText(title, [title, example](const std::string& text) {
    if (text.empty() || IsWord(text, "_.-")) return std::string();
    return "invalid " + std::string(title) + " " + Quoted(text) + "; write for example " + std::string(example);
  });
}

ValueType<std::string> DockerMount() { return CheckedText("source:target:ro or source:target:rw", &MountFault); }

ValueType<std::string> DockerTmpfs() {
  return CheckedText("absolute path", [](const std::string& text) {
    return IsContainerPath(text) ? ""
                                 : Quoted(text) + " is not an absolute path in the container; write for example /tmp";
  });
}

ValueType<std::vector<NamedResource>> Resources() {
  return {&ReadResources,
          [](const std::vector<NamedResource>& resources) {
            Json object;
            for (const auto& [name, amount] : resources) object[name] = amount;
            return object;
          },
          [] {
            return Json{{"title", "map of names and whole numbers"},
                        {"type", "object"},
                        {"propertyNames", {{"pattern", "^([A-Za-z0-9.-]+/)?[A-Za-z][A-Za-z0-9_.-]*$"}}},
                        {"additionalProperties", WholeNumber(1, INT_MAX).schema()}};
          }};
}

ValueType<std::string> NodeName() {
  return CheckedText("host name", [](const std::string& text) {
    const std::vector<std::string_view> parts = Split(text, ':');
    const bool has_port = parts.size() == 2 && !parts[1].empty() && parts[1].size() <= 5 &&
                          parts[1].find_first_not_of("0123456789") == std::string_view::npos;
    const bool good = IsWord(parts[0], "_.-") && (parts.size() == 1 || has_port);
    return good ? "" : "invalid host name " + Quoted(text) + "; write the cluster's name for the node";
  });
}

ValueType<std::string> RackName() {
  return CheckedText("rack path", [](const std::string& text) {
    const bool good = text.size() > 1 && text.front() == '/' && text.find_first_of(" ,*") == std::string::npos;
    return good ? "" : "invalid rack " + Quoted(text) + "; write its path, for example /rack1";
  });
}

ValueType<std::vector<NodeAttribute>> NodeAttributes() {
  return {&ReadAttributes, &WriteAttributes, [] {
            const Json text = {{"type", {"string", "number", "boolean"}}};
            return Json{{"title", "map of names and values"},
                        {"type", "object"},
                        {"additionalProperties", {{"anyOf", {text, {{"type", "array"}, {"items", text}}}}}}};
          }};
}

ValueType<std::string> FileSystemUri() {
  return CheckedText("URI", [](const std::string& text) {
    const size_t colon = text.find("://");
    const std::string_view scheme = std::string_view(text).substr(0, std::min(colon, text.size()));
    if (scheme != "hdfs" && scheme != "viewfs") {
      return Quoted(text) + " is not the URI of a file system that issues tokens; write for example hdfs://ns2";
    }
    if (text.find_first_of("/?# ", colon + 3) == colon + 3 || text.size() == colon + 3) {
      return Quoted(text) + " names no NameNode or name service; write for example hdfs://ns2";
    }
    return std::string();
  });
}

ValueType<std::string> UserOrGroup() {
  return CheckedText("user or group", [](const std::string& text) {
    if (text == "*") return std::string();
    const bool is_group = text.starts_with('@');
    const std::string_view name = std::string_view(text).substr(is_group ? 1 : 0);
    if (!is_group && name.find_first_of("@/") != std::string_view::npos && name.find_first_of(" ,") == name.npos) {
      return Quoted(text) + " is a principal; write the user's short name, for example " +
             Quoted(name.empty() || name.front() == '/' ? "ann" : name.substr(0, name.find_first_of("@/")));
    }
    const bool is_name = !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
      return static_cast<unsigned char>(c) <= ' ' || c == '\x7f' ||
             std::string_view(",@*").find(c) != std::string_view::npos;
    });
    if (is_name) return std::string();
    return "invalid user or group " + Quoted(text) +
           "; write a user (ann), a group (\"@ml\") or \"*\" for everybody, without spaces and commas";
  });
}

ValueType<std::vector<TokenKind>> TokenKinds() {
  auto type = ListOf(OneOf(TokenKindWords()), "list of kinds");
  type.read = [read = std::move(type.read)](Reader& r, const Node& n, std::vector<TokenKind>& out) {
    out.clear();
    return read(r, n, out);
  };
  type.write = [](const std::vector<TokenKind>& kinds) {
    Json list = Json::array();
    for (const TokenKind kind : kinds) list.push_back(OneOf(TokenKindWords()).write(kind));
    return list;
  };
  return type;
}

}  // namespace howdah::jobspec
