#include "howdah/os/files/source_filter.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "howdah/os/files/files.h"
#include "howdah/os/files/glob.h"

namespace howdah::os::files {
namespace {

constexpr char kDefaultRules[] = ".git\n__pycache__/\n.venv/\n";
constexpr size_t kMaxRulesSize = size_t{1} << 20;

bool IsReadable(const std::string& path) { return ::access(path.c_str(), R_OK) == 0; }

// Removes trailing blanks, except a blank after a backslash.
void TrimEnd(std::string& line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t')) {
    if (line.size() > 1 && line[line.size() - 2] == '\\') return;
    line.pop_back();
  }
}

}  // namespace

SourceFilter::SourceFilter(std::string root)
    : root_(std::move(root)), replaces_git_(IsReadable(root_ + "/.howdahignore")) {}

std::vector<SourceFilter::Rule> SourceFilter::Parse(const std::string& text) {
  std::vector<Rule> rules;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    TrimEnd(line);
    if (line.empty() || line.front() == '#') continue;
    Rule rule;
    if (line.front() == '!') {
      rule.includes = true;
      line.erase(0, 1);
    }
    if (line.ends_with('/')) {
      rule.directories_only = true;
      line.pop_back();
    }
    if (line.empty()) continue;
    // A pattern with a slash is relative to the directory of its file; any other matches at every depth.
    const bool anchored = line.find('/') != std::string::npos;
    if (line.front() == '/') line.erase(0, 1);
    rule.pattern = anchored ? line : "**/" + line;
    rules.push_back(std::move(rule));
  }
  return rules;
}

const std::vector<SourceFilter::Rule>& SourceFilter::RulesIn(const std::string& directory) {
  const auto [found, added] = rules_.try_emplace(directory);
  if (!added) return found->second;
  std::string text = directory.empty() ? kDefaultRules : "";
  if (directory.empty() || !replaces_git_) {
    const std::string name = replaces_git_ ? ".howdahignore" : ".gitignore";
    // Treat an unreadable rules file as absent, as git does.
    const auto read = ReadFile(root_ + "/" + (directory.empty() ? "" : directory + "/") + name, kMaxRulesSize);
    if (read.ok()) text += *read;
    if (read.ok()) rules_file_ = name;
  }
  found->second = Parse(text);
  return found->second;
}

bool SourceFilter::Skips(const std::string& path, bool is_directory) {
  bool skips = false;
  // The last rule that matches decides. The rules of an inner directory come after the rules of its parents.
  for (size_t begin = 0;;) {
    const std::string directory = path.substr(0, begin == 0 ? 0 : begin - 1), below = path.substr(begin);
    for (const Rule& rule : RulesIn(directory)) {
      if (rule.directories_only && !is_directory) continue;
      if (MatchesGlob(rule.pattern, below)) skips = !rule.includes;
    }
    const size_t slash = path.find('/', begin);
    if (slash == std::string::npos) return skips;
    begin = slash + 1;
  }
}

Skips SkipsOfSource(const std::string& root) {
  return [filter = std::make_shared<SourceFilter>(root)](const std::string& path, bool is_directory) {
    return filter->Skips(path, is_directory);
  };
}

Result<SourceSurvey> SurveySource(const std::string& root) {
  SourceFilter filter(root);
  SourceSurvey survey;
  // Returns the bytes below `path`.
  const std::function<int64_t(const std::string&, const std::vector<std::string>&)> visit =
      [&](const std::string& path, const std::vector<std::string>& names) {
        int64_t bytes = 0;
        for (const std::string& name : names) {
          const std::string below = path.empty() ? name : path + "/" + name;
          struct stat info {};
          if (::lstat((root + "/" + below).c_str(), &info) != 0) continue;
          if (filter.Skips(below, S_ISDIR(info.st_mode))) {
            survey.left_out.push_back(below);
            continue;
          }
          int64_t size = info.st_size;
          if (S_ISDIR(info.st_mode)) {
            const auto inner = ListDirectory(root + "/" + below);
            size = inner.ok() ? visit(below, *inner) : 0;
          } else {
            ++survey.files;
          }
          bytes += size;
          if (path.empty()) survey.children.emplace_back(name + (S_ISDIR(info.st_mode) ? "/" : ""), size);
        }
        return bytes;
      };
  HOWDAH_TRY(const auto names, ListDirectory(root));
  survey.bytes = visit("", names);
  survey.rules_file = filter.rules_file();
  std::stable_sort(survey.children.begin(), survey.children.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return survey;
}

}  // namespace howdah::os::files
