// Slider's resources.json and appConfig.json. Both have the format of Slider's class ConfTree.
#pragma once

#include <string>
#include <vector>

namespace howdah::compat::slider {

struct TextFile {
  std::string path;  // used in messages
  std::string text;
};

// A position for messages.
struct Place {
  std::string file;
  int line = 0;      // 0: unknown
  std::string path;  // "components.ps.yarn.memory"
  // Formats "resources.json:7: components.ps.yarn.memory: must be 1 or more".
  std::string With(const std::string& text) const;
};

struct Option {
  std::string name, value;
  Place place;
};

struct ComponentOptions {
  std::string name;
  Place place;
  std::vector<Option> options;
};

struct ConfTree {
  Place place;
  std::vector<Option> global;
  std::vector<ComponentOptions> components;  // in the order of the file
};

// A tree, and every problem of its text: each is a sentence with file, line and key.
struct ReadTree {
  ConfTree tree;
  std::vector<std::string> problems;
};

// Reads a file of at most 1 MiB and 1,000 components. Only the structure is checked, because the options are those of
// two different files.
ReadTree ReadConfTree(const TextFile& file);

// Sets an option; an existing one of this name is replaced.
void SetOption(std::vector<Option>& options, Option option);
// Returns nullptr if there is no such option.
const Option* FindOption(const std::vector<Option>& options, const std::string& name);

}  // namespace howdah::compat::slider
