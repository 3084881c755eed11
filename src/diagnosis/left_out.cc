// Files that the program does not find because the client has not copied them.
#include <algorithm>

#include "rules.h"

namespace howdah::diagnosis {
namespace {

bool SaysMissing(std::string_view line) {
  constexpr std::string_view kPhrases[] = {"No such file or directory", "can't open file", "not found",
                                           "does not exist", "No module named"};
  return std::any_of(std::begin(kPhrases), std::end(kPhrases),
                     [&](std::string_view phrase) { return Contains(line, phrase); });
}

// Returns the paths that a message about a missing file may name. A module "a.b" is in a/b.py or a/b/.
std::vector<std::string> PathsIn(std::string_view line, const std::string& working_directory) {
  const std::string prefix = working_directory + "/";
  std::vector<std::string> paths;
  for (std::string_view word : jobspec::PossiblePaths(line)) {
    if (!working_directory.empty() && word.starts_with(prefix)) word.remove_prefix(prefix.size());
    paths.emplace_back(word);
    if (!Contains(line, "No module named")) continue;
    std::string module(word);
    std::replace(module.begin(), module.end(), '.', '/');
    paths.push_back(module + ".py");
    paths.push_back(std::move(module));
  }
  return paths;
}

}  // namespace

void AddLeftOut(const Failure& failure, core::Diagnosis& found) {
  constexpr size_t kRecent = 10;
  const jobspec::LeftOut& left_out = failure.evidence.left_out;
  if (left_out.paths.empty()) return;
  // The cause may contain several lines of stderr, so it is examined last.
  std::vector<std::string_view> lines = {found.cause};
  const auto recent = failure.LastErrLines(kRecent);
  lines.insert(lines.end(), recent.begin(), recent.end());
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!SaysMissing(*line)) continue;
    for (const std::string& path : PathsIn(*line, failure.evidence.working_directory)) {
      if (const auto why = left_out.Explain(path)) {
        found.advice = *why;
        return;
      }
    }
  }
}

}  // namespace howdah::diagnosis
