// Source: org.apache.hadoop.conf.Configuration.Parser.
#include <algorithm>
#include <pugixml.hpp>
#include <string_view>

#include "howdah/hadoop/conf/configuration.h"

namespace howdah::hadoop::conf {
namespace {

// The maximum depth of includes. It stops a file that includes itself; no real configuration reaches it.
constexpr int kMaxDepth = 32;
constexpr int kMaxFiles = 1000;
constexpr size_t kMaxProperties = 100'000;

using ReadFile = std::function<Result<std::string>(const std::string& path)>;

std::string_view LocalName(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  const size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

// Returns the element's own text, which comments and CDATA may split into several nodes.
std::string TextOf(const pugi::xml_node& node) {
  std::string text;
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) text += child.value();
  }
  return text;
}

std::string TrimXmlSpace(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

struct Item {
  std::string name;
  std::optional<std::string> value;
  bool is_final = false;
  std::string origin;
};

// Collects the properties of one file and of the files that it includes, in order.
class PropertyCollector {
 public:
  explicit PropertyCollector(const ReadFile& read_file) : read_file_(read_file) {}

  Status File(const std::string& path, const std::string& xml, int depth) {
    if (++files_ > kMaxFiles) return Wrong(path, xml, 0, "more than " + std::to_string(kMaxFiles) + " files included");
    pugi::xml_document document;
    const pugi::xml_parse_result parsed =
        document.load_buffer(xml.data(), xml.size(), pugi::parse_default | pugi::parse_ws_pcdata);
    if (!parsed) return Wrong(path, xml, parsed.offset, std::string("not well-formed XML: ") + parsed.description());
    const pugi::xml_node root = document.document_element();
    if (LocalName(root) != "configuration") {
      return Wrong(path, xml, root.offset_debug(),
                   "its outermost element is <" + std::string(root.name()) + ">, not <configuration>");
    }
    return Children({path, xml}, root, depth);
  }

  std::vector<Item> items;

 private:
  struct Source {
    const std::string& path;
    const std::string& xml;
  };

  static Error Wrong(const std::string& path, const std::string& xml, ptrdiff_t offset, const std::string& what) {
    const size_t end = std::min(xml.size(), static_cast<size_t>(std::max<ptrdiff_t>(offset, 0)));
    const auto line = 1 + std::count(xml.begin(), xml.begin() + static_cast<ptrdiff_t>(end), '\n');
    return {ErrorCode::kUsage, path + ":" + std::to_string(line) + ": " + what};
  }

  Status Children(const Source& source, const pugi::xml_node& parent, int depth) {
    if (depth > kMaxDepth) {
      return Wrong(source.path, source.xml, parent.offset_debug(),
                   "includes are nested more than " + std::to_string(kMaxDepth) + " deep; does a file include itself?");
    }
    for (const pugi::xml_node& node : parent.children()) {
      Status done;
      const std::string_view name = LocalName(node);
      if (name == "property") done = Property(source, node);
      if (name == "include") done = Include(source, node, depth);
      if (name == "configuration") done = Children(source, node, depth + 1);
      if (!done.ok()) return done;
    }
    return {};
  }

  Status Property(const Source& source, const pugi::xml_node& node) {
    Item item;
    item.origin = source.path;
    item.name = node.attribute("name").value();
    if (const auto value = node.attribute("value")) item.value = value.value();
    item.is_final = std::string_view(node.attribute("final").value()) == "true";
    for (const pugi::xml_node& child : node.children()) {
      const std::string_view name = LocalName(child);
      if (name == "name") item.name = TrimXmlSpace(TextOf(child));
      if (name == "value") item.value = TextOf(child);
      if (name == "final") item.is_final = TextOf(child) == "true";
    }
    if (item.name.empty()) return {};  // Hadoop ignores a property without a name, too
    if (items.size() >= kMaxProperties) {
      return Wrong(source.path, source.xml, node.offset_debug(),
                   "there are more than " + std::to_string(kMaxProperties) + " properties");
    }
    items.push_back(std::move(item));
    return {};
  }

  Status Include(const Source& source, const pugi::xml_node& node, int depth) {
    std::string href = node.attribute("href").value();
    if (href.empty()) return {};
    for (const std::string_view prefix : {"file://", "file:"}) {
      if (href.starts_with(prefix)) href.erase(0, prefix.size());
    }
    Result<std::string> xml = Error{ErrorCode::kNotFound, href + ": only files can be included, not other URLs"};
    if (href.find("://") == std::string::npos) {
      const size_t slash = source.path.rfind('/');
      if (!href.starts_with('/') && slash != std::string::npos) href = source.path.substr(0, slash + 1) + href;
      xml = read_file_(href);
    }
    if (xml) return File(href, *xml, depth + 1);
    const pugi::xml_node fallback = FallbackOf(node);
    if (fallback && xml.error().code == ErrorCode::kNotFound) return Children(source, fallback, depth + 1);
    return Wrong(source.path, source.xml, node.offset_debug(), "including " + href + ": " + xml.error().message);
  }

  static pugi::xml_node FallbackOf(const pugi::xml_node& include) {
    return include.find_child([](const pugi::xml_node& child) { return LocalName(child) == "fallback"; });
  }

  const ReadFile& read_file_;
  int files_ = 0;
};

// Whether XML can represent the text. It cannot represent control characters other than tabs and line ends.
bool Writable(std::string_view text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 && c != '\t' && c != '\n' && c != '\r'; });
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '\r':
        escaped += "&#13;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace

Status AddXml(Configuration& configuration, const std::string& path, const std::string& xml,
              const ReadFile& read_file) {
  PropertyCollector gatherer(read_file);
  if (const Status done = gatherer.File(path, xml, 0); !done.ok()) {
    return done.error().While("reading Hadoop's configuration");
  }
  for (Item& item : gatherer.items) {
    if (!item.value) continue;
    const Property* before = configuration.Find(item.name);
    if (before != nullptr && before->is_final) {
      if (before->raw != *item.value) {
        configuration.warnings.push_back(item.name + " is final in " + before->origin + "; its value in " +
                                         item.origin + " is ignored");
      }
      continue;
    }
    configuration.Set(item.name, std::move(*item.value), item.origin, item.is_final);
  }
  return {};
}

std::string WriteXml(const Configuration& configuration) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<configuration>\n";
  for (const auto& [name, property] : configuration.properties()) {
    const bool variable = property.raw.find("${") != std::string::npos;
    const std::string value = variable ? configuration.Text(name) : property.raw;
    if (!Writable(name) || !Writable(value)) continue;
    xml += "<property><name>" + Escaped(name) + "</name><value>" + Escaped(value) + "</value>";
    if (property.is_final) xml += "<final>true</final>";
    xml += "</property>\n";
  }
  return xml + "</configuration>\n";
}

}  // namespace howdah::hadoop::conf
