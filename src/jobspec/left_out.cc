#include "howdah/jobspec/left_out.h"

#include <algorithm>

#include "paths.h"
#include "words.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

constexpr size_t kMostEncoded = size_t{16} << 10;

bool IsBuiltIn(std::string_view path) {
  const std::string_view name = BaseName(path);
  return name == ".git" || name == ".venv" || name == "__pycache__";
}

}  // namespace

std::optional<std::string> LeftOut::Explain(std::string_view path) const {
  while (path.ends_with('/')) path.remove_suffix(1);
  const auto found = std::find_if(paths.begin(), paths.end(), [&](const std::string& out) {
    return path == out || (path.starts_with(out) && path.substr(out.size()).starts_with('/'));
  });
  if (path.empty() || found == paths.end()) return std::nullopt;
  const bool built_in = IsBuiltIn(*found) || rules_file.empty();
  const std::string line = "the line `!" + Printable(*found) + "`";
  return Printable(path) + " was not copied from the source, because " +
         (built_in ? Printable(BaseName(*found)) + " is left out by default"
                   : rules_file + " leaves out " + Printable(*found)) +
         ": to copy it, " +
         (rules_file == ".gitignore"      ? "copy .gitignore to .howdahignore and add " + line + " there"
          : rules_file == ".howdahignore" ? "add " + line + " to .howdahignore"
                                          : "write " + line + " into a file .howdahignore");
}

std::string LeftOut::Encode() const {
  if (paths.empty()) return "";
  std::string text = rules_file + "\n";
  for (const std::string& path : paths) {
    if (text.size() + path.size() >= kMostEncoded) break;
    if (path.find('\n') == std::string::npos) text += path + "\n";
  }
  return text;
}

LeftOut LeftOut::Decode(std::string_view text) {
  LeftOut left_out;
  for (bool first = true; !text.empty(); first = false) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (first) {
      left_out.rules_file = text.substr(0, end);
    } else {
      left_out.paths.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return left_out;
}

std::vector<std::string_view> PossiblePaths(std::string_view text) {
  constexpr std::string_view kEnds = " \t\r\n'\"`=;|&()<>,:[]";
  std::vector<std::string_view> paths;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(kEnds), text.size()));
    if (text.empty()) return paths;
    const size_t end = std::min(text.find_first_of(kEnds), text.size());
    std::string_view path = text.substr(0, end);
    while (path.starts_with("./")) path.remove_prefix(2);
    if (!path.empty()) paths.push_back(path);
    text.remove_prefix(end);
  }
}

}  // namespace howdah::jobspec
