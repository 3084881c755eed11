// The keys of another tool's configuration and their translation. The tool's page in docs/ is generated from its table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace howdah::compat::common {

enum class Effect { kHonoured, kNone };

struct Key {
  // The name as users write it. <job>, <G> and <resource> stand for a name.
  std::string_view name;
  std::string_view default_value;  // the tool's default; empty if it has none
  Effect effect = Effect::kHonoured;
  std::string_view effect_text;  // a clause: the translation of the key, or why it has no effect
};

// A section of the page.
struct Part {
  std::string_view title;
  std::vector<Key> keys;
};

class KeyTable {
 public:
  explicit KeyTable(std::vector<Part> parts) : parts_(std::move(parts)) {}

  const std::vector<Part>& parts() const { return parts_; }
  // Returns the row for a name. A row without placeholders takes precedence. Returns nullptr if the tool has no such
  // key.
  const Key* Find(std::string_view name) const;
  // Returns the key most similar to an unknown name. For `placeholder`, such as "<job>", every word of `words` is
  // tried. Returns "" if no key is similar.
  std::string Nearest(std::string_view name, std::string_view placeholder, const std::vector<std::string>& words) const;
  // The parts as sections of a page in Markdown. `default_title` heads the column of the tool's defaults; if it is
  // empty, there is no such column.
  std::string ToMarkdown(std::string_view default_title) const;

 private:
  std::vector<Part> parts_;
};

}  // namespace howdah::compat::common
