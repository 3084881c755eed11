#include "howdah/autoscale/exclude_file.h"

#include <chrono>
#include <pugixml.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "howdah/base/text.h"

namespace howdah::autoscale {
namespace {

constexpr std::string_view kBlanks = " \t\n\f\r";  // HostsFileReader splits lines at these
constexpr const char* kRoot = "hosts";

// The words of a line before a comment.
std::vector<std::string> WordsOf(std::string_view line) {
  std::vector<std::string> words;
  line = line.substr(0, line.find('#'));
  for (;;) {
    const size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const size_t end = std::min(line.find_first_of(kBlanks), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::string PlainWithExcluded(std::string_view text, const std::set<std::string>& own,
                              const std::map<std::string, Duration>& timeouts) {
  std::string result;
  std::set<std::string> present;
  for (const std::string_view line : LinesOf(text)) {
    const std::vector<std::string> words = WordsOf(line);
    const bool is_own = words.size() == 1 && own.contains(words.front()) && line.find('#') == std::string_view::npos;
    if (is_own) continue;
    present.insert(words.begin(), words.end());
    result += line;
  }
  if (!result.empty() && !result.ends_with('\n')) result += '\n';
  for (const auto& [host, timeout] : timeouts) {
    if (!present.contains(host)) result += host + "\n";
  }
  return result;
}

// The names in a <host> element. One element may have several, separated by commas or blanks.
std::vector<std::string> NamesOf(const pugi::xml_node& host) {
  std::string names = host.child_value("name");
  for (char& c : names) {
    if (c == ',') c = ' ';
  }
  return WordsOf(names);
}

Status Load(pugi::xml_document& document, std::string_view text) {
  if (Trim(text).empty()) {
    document.append_child(kRoot);
    return {};
  }
  const auto parsed = document.load_buffer(text.data(), text.size(), pugi::parse_full | pugi::parse_ws_pcdata);
  if (!parsed) {
    return Error{ErrorCode::kUsage, std::string("the exclude file is not valid XML: ") + parsed.description() +
                                        " at byte " + std::to_string(parsed.offset)};
  }
  if (std::string_view(document.document_element().name()) != kRoot) {
    return Error{ErrorCode::kUsage, "the exclude file's outermost element is <" +
                                        OneLine(document.document_element().name(), 60) + ">, not <hosts>"};
  }
  return {};
}

Result<std::string> XmlWithExcluded(std::string_view text, const std::set<std::string>& own,
                                    const std::map<std::string, Duration>& timeouts) {
  pugi::xml_document document;
  HOWDAH_TRY_STATUS(Load(document, text));
  pugi::xml_node root = document.document_element();
  std::set<std::string> present;
  std::vector<pugi::xml_node> removed;
  for (const pugi::xml_node& host : root.children("host")) {
    const std::vector<std::string> names = NamesOf(host);
    if (names.size() == 1 && own.contains(names.front())) {
      removed.push_back(host);
    } else {
      present.insert(names.begin(), names.end());
    }
  }
  for (const pugi::xml_node& host : removed) {
    const pugi::xml_node before = host.previous_sibling();
    if (before.type() == pugi::node_pcdata && Trim(before.value()).empty()) root.remove_child(before);
    root.remove_child(host);
  }
  for (const auto& [name, timeout] : timeouts) {
    if (present.contains(name)) continue;
    pugi::xml_node end = root.last_child();
    if (end.type() != pugi::node_pcdata) {
      end = root.append_child(pugi::node_pcdata);
      end.set_value("\n");
    }
    root.insert_child_before(pugi::node_pcdata, end).set_value("\n  ");
    pugi::xml_node host = root.insert_child_before("host", end);
    host.append_child("name").text().set(name.c_str());
    host.append_child("timeout").text().set(std::chrono::ceil<std::chrono::seconds>(timeout).count());
  }
  std::ostringstream out;
  for (const pugi::xml_node& node : document.children()) {
    node.print(out, "", pugi::format_raw);
    out << '\n';
  }
  return out.str();
}

}  // namespace

Result<std::string> WithExcluded(std::string_view text, ExcludeFormat format, const std::set<std::string>& own,
                                 const std::map<std::string, Duration>& timeouts) {
  if (format == ExcludeFormat::kXml) return XmlWithExcluded(text, own, timeouts);
  return PlainWithExcluded(text, own, timeouts);
}

Result<std::set<std::string>> ExcludedHosts(std::string_view text, ExcludeFormat format) {
  std::set<std::string> hosts;
  if (format == ExcludeFormat::kPlain) {
    for (const std::string_view line : LinesOf(text)) {
      const std::vector<std::string> words = WordsOf(line);
      hosts.insert(words.begin(), words.end());
    }
    return hosts;
  }
  pugi::xml_document document;
  HOWDAH_TRY_STATUS(Load(document, text));
  for (const pugi::xml_node& host : document.document_element().children("host")) {
    const std::vector<std::string> names = NamesOf(host);
    hosts.insert(names.begin(), names.end());
  }
  return hosts;
}

}  // namespace howdah::autoscale
