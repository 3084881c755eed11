#include "howdah/compat/common/key_table.h"

#include "howdah/keyfile/nearest.h"

namespace howdah::compat::common {
namespace {

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// Whether the name matches the pattern. A placeholder <...> stands for one or more characters of a name.
bool Fits(std::string_view pattern, std::string_view name) {
  const size_t open = pattern.find('<');
  if (open == pattern.npos) return pattern == name;
  if (name.substr(0, open) != pattern.substr(0, open)) return false;
  const std::string_view rest = pattern.substr(pattern.find('>') + 1);
  for (size_t end = open; end < name.size() && IsNameCharacter(name[end]); ++end) {
    if (Fits(rest, name.substr(end + 1))) return true;
  }
  return false;
}

}  // namespace

const Key* KeyTable::Find(std::string_view name) const {
  const Key* found = nullptr;
  for (const Part& part : parts_) {
    for (const Key& key : part.keys) {
      if (key.name == name) return &key;
      const bool closer = found == nullptr || key.name.size() > found->name.size();
      if (closer && Fits(key.name, name)) found = &key;
    }
  }
  return found;
}

std::string KeyTable::Nearest(std::string_view name, std::string_view placeholder,
                              const std::vector<std::string>& words) const {
  std::vector<std::string> candidates;
  for (const Part& part : parts_) {
    for (const Key& key : part.keys) {
      const std::string pattern(key.name);
      const size_t open = placeholder.empty() ? pattern.npos : pattern.find(placeholder);
      if (open == pattern.npos) {
        candidates.push_back(pattern);
        continue;
      }
      for (const std::string& word : words) {
        candidates.push_back(std::string(pattern).replace(open, placeholder.size(), word));
      }
    }
  }
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return std::string(keyfile::Nearest(name, views));
}

std::string KeyTable::ToMarkdown(std::string_view default_title) const {
  const bool defaults = !default_title.empty();
  std::string page;
  for (const Part& part : parts_) {
    page += "\n## " + std::string(part.title) + "\n\n| key | ";
    page += (defaults ? std::string(default_title) + " | " : "") + "in Howdah |\n|---|---|" + (defaults ? "---|" : "");
    page += "\n";
    for (const Key& key : part.keys) {
      page += "| `" + std::string(key.name) + "` | ";
      if (defaults) page += (key.default_value.empty() ? "" : "`" + std::string(key.default_value) + "`") + " | ";
      page += (key.effect == Effect::kNone ? "**no effect**: " : "") + std::string(key.effect_text) + " |\n";
    }
  }
  return page;
}

}  // namespace howdah::compat::common
