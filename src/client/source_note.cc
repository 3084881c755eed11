#include "howdah/client/source_note.h"

#include <unistd.h>

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

// Whether one of the job's files is copied to this path, or to a directory that contains it.
bool IsAmongFiles(const jobspec::JobSpec& spec, std::string_view path) {
  const auto files = jobspec::AllFiles(spec);
  return std::any_of(files.begin(), files.end(), [&](const jobspec::FileOfRole& of_role) {
    const std::string& to = of_role.file.to;
    return path == to || (path.starts_with(to) && path.substr(to.size()).starts_with('/'));
  });
}

bool IsInSource(const jobspec::JobSpec& spec, std::string_view path) {
  return ::access((spec.source + "/" + std::string(path)).c_str(), F_OK) == 0;
}

}  // namespace

std::vector<std::string> LeftOutOfCommands(const jobspec::JobSpec& spec, const jobspec::LeftOut& left_out) {
  std::vector<std::string> notes;
  for (const jobspec::RoleSpec& role : spec.roles) {
    std::vector<std::string> texts = role.command.argv;
    texts.push_back(role.command.shell);
    for (const std::string& text : texts) {
      for (const std::string_view path : jobspec::PossiblePaths(text)) {
        const auto why = left_out.Explain(path);
        if (!why || IsAmongFiles(spec, path) || !IsInSource(spec, path)) continue;
        std::string note = "roles." + role.name + ".command: " + *why;
        if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
      }
    }
  }
  return notes;
}

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
  if (!survey.ok()) return {};
  std::vector<std::string> notes = SourceNotes(spec.source, *survey);
  for (std::string& note : LeftOutOfCommands(spec, {survey->left_out, survey->rules_file}))
    notes.push_back(std::move(note));
  return notes;
}

}  // namespace howdah::client
