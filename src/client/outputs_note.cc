#include "howdah/client/outputs_note.h"

#include <algorithm>

#include "howdah/os/files/outputs.h"

namespace howdah::client {
namespace {

// Returns the path in the working directory, or "" if the file belongs to another role. kept: ROLE-INDEX/...
std::string PathOfRole(const std::string& kept, const std::string& role) {
  const size_t slash = kept.find('/');
  const size_t hyphen = slash == std::string::npos ? slash : kept.rfind('-', slash);
  return hyphen != std::string::npos && kept.substr(0, hyphen) == role ? kept.substr(slash + 1) : "";
}

bool Selects(const std::string& pattern, const std::string& role, const std::vector<std::string>& kept) {
  return std::any_of(kept.begin(), kept.end(), [&](const std::string& file) {
    const std::string path = PathOfRole(file, role);
    return !path.empty() && os::files::IsOutput({pattern}, path);
  });
}

std::string NoteOn(const std::string& pattern) {
  const std::string note = "outputs: no task made a file that matches '" + pattern + "'; ";
  const bool is_name = pattern.find('/') == std::string::npos && pattern.find("**") == std::string::npos;
  if (is_name) return note + "it matches only at the top of the working directory, '**/" + pattern + "' at any depth";
  return note + "patterns are relative to the working directory of the task";
}

}  // namespace

std::vector<std::string> OutputsNotes(const jobspec::JobSpec& spec, const std::vector<std::string>& kept) {
  std::vector<std::string> unused, used;
  const auto has = [](const std::vector<std::string>& list, const std::string& pattern) {
    return std::find(list.begin(), list.end(), pattern) != list.end();
  };
  for (const jobspec::RoleSpec& role : spec.roles) {
    for (const std::string& pattern : jobspec::OutputsOf(spec, role).patterns) {
      std::vector<std::string>& list = Selects(pattern, role.name, kept) ? used : unused;
      if (!has(list, pattern)) list.push_back(pattern);
    }
  }
  std::vector<std::string> notes;
  for (const std::string& pattern : unused) {
    if (!has(used, pattern)) notes.push_back(NoteOn(pattern));
  }
  return notes;
}

}  // namespace howdah::client
