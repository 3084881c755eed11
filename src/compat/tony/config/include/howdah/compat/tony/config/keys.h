// The keys of TonY's configuration and their translation. The page docs/tony-keys.md is generated from this table. The
// keys and their defaults are those of TonY 0.5.3 and its master of 2023-10-14 (TonyConfigurationKeys,
// tony-default.xml).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace howdah::compat::tony::config {

enum class Effect { kHonoured, kNone };

struct Key {
  // The name as users write it. <job>, <G> and <resource> stand for a name.
  std::string_view name;
  std::string_view default_value;  // TonY's default; empty if it has none
  Effect effect = Effect::kHonoured;
  std::string_view effect_text;  // a clause: the translation of the key, or why it has no effect
};

// Every key, in the order of the page.
const std::vector<Key>& Keys();

// Returns the row for a name. A row without placeholders takes precedence. Returns nullptr if TonY has no such key.
const Key* FindKey(std::string_view name);

// Returns the key most similar to an unknown name. For <job>, every name in `jobs` is tried. Returns "" if no key is
// similar.
std::string NearestKey(std::string_view name, const std::vector<std::string>& jobs);

// The reference page of the docs (Markdown).
std::string KeysPage();

}  // namespace howdah::compat::tony::config
