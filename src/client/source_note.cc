#include "howdah/client/source_note.h"

#include <algorithm>

#include "howdah/base/bytes.h"

namespace howdah::client {
namespace {

constexpr int64_t kLargeSource = int64_t{100} << 20;
constexpr size_t kNamed = 3;

std::string Named(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kNamed); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kNamed ? text + " and " + std::to_string(names.size() - kNamed) + " more" : text;
}

}  // namespace

std::vector<std::string> SourceNotes(const std::string& source, const os::files::SourceSurvey& survey) {
  std::vector<std::string> notes;
  if (survey.bytes > kLargeSource) {
    std::vector<std::string> largest;
    for (size_t i = 0; i < std::min(survey.children.size(), kNamed); ++i) {
      largest.push_back(survey.children[i].first + " " + FormatBytes(survey.children[i].second));
    }
    notes.push_back("source " + source + ": copying " + FormatBytes(survey.bytes) + " in " +
                    std::to_string(survey.files) + " files; largest: " + Named(largest) +
                    "; to leave files out, list them in a .howdahignore file (same syntax as .gitignore)");
  }
  if (!survey.rules_file.empty() && !survey.left_out.empty()) {
    notes.push_back("source " + source + ": " + survey.rules_file + " leaves out " + Named(survey.left_out) +
                    (survey.rules_file == ".gitignore" ? "; a .howdahignore file replaces its rules" : ""));
  }
  return notes;
}

std::vector<std::string> SourceNotesOf(const jobspec::JobSpec& spec) {
  if (spec.source.empty() || spec.tony_env) return {};
  const auto survey = os::files::SurveySource(spec.source);
  return survey.ok() ? SourceNotes(spec.source, *survey) : std::vector<std::string>();
}

}  // namespace howdah::client
