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
  // As users write it. <job>, <G> and <resource> stand for a name.
  std::string_view name;
  std::string_view default_value;  // TonY's default; empty if it has none
  Effect effect = Effect::kHonoured;
  std::string_view effect_text;  // a clause: its translation, or why it has no effect
};

// Every key, in the order of the page.
const std::vector<Key>& Keys();

// The row for a name. Rows without placeholders take precedence. Returns nullptr if TonY has no such key.
const Key* FindKey(std::string_view name);

// The key most similar to an unknown name, where <job> may be any of `jobs`. Returns "" if no key is similar.
std::string NearestKey(std::string_view name, const std::vector<std::string>& jobs);

// The reference page of the docs (Markdown).
std::string KeysPage();

}  // namespace howdah::compat::tony::config
