// Decides which files of a source directory are copied for a job.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/files/files.h"

namespace howdah::os::files {

// Reads `.howdahignore` in the directory. If there is none, reads every `.gitignore` in it and below, as git does. Both
// have git's syntax (gitignore(5)). Built-in rules, which come before the rules of these files, skip `.git`,
// `__pycache__` and `.venv`. A rule such as `!.git` includes them again.
//
// Single-threaded. Visit a tree from the top, and do not call Skips for entries below a skipped directory.
class SourceFilter {
 public:
  explicit SourceFilter(std::string root);

  // path: below the root, such as "data/train.csv".
  bool Skips(const std::string& path, bool is_directory);
  // The name of the files with the rules: ".howdahignore", ".gitignore", or "" if Skips has found none so far.
  const std::string& rules_file() const { return rules_file_; }

 private:
  struct Rule {
    std::string pattern;  // for MatchesGlob, relative to the directory of the file with the rule
    bool directories_only = false;
    bool includes = false;  // the pattern began with "!"
  };
  // Parses the file in this directory (below the root, "" for the root).
  const std::vector<Rule>& RulesIn(const std::string& directory);
  static std::vector<Rule> Parse(const std::string& text);

  std::string root_, rules_file_;
  bool replaces_git_;                               // whether there is a .howdahignore
  std::map<std::string, std::vector<Rule>> rules_;  // the rules in each directory
};

// Returns a predicate for CopyTree that skips the paths which a SourceFilter of this directory skips.
Skips SkipsOfSource(const std::string& root);

// The content of a source directory.
struct SourceSurvey {
  int64_t files = 0, bytes = 0;                           // number and total size of the files to copy
  std::vector<std::pair<std::string, int64_t>> children;  // entries of the directory with their sizes, largest first
  std::vector<std::string> left_out;                      // paths that the filter skips, in the order of the walk
  std::string rules_file;                                 // as SourceFilter::rules_file
};
// Walks the directory without following links. Entries that vanish during the walk are not counted.
Result<SourceSurvey> SurveySource(const std::string& root);

}  // namespace howdah::os::files
