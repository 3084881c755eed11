// Notes for users about the source files that are copied for a job.
#pragma once

#include <string>
#include <vector>

#include "howdah/jobspec/job_spec.h"
#include "howdah/jobspec/left_out.h"
#include "howdah/os/files/source_filter.h"

namespace howdah::client {

// Describes the source: its size, number of files and largest entries if it exceeds 100 MiB, and the entries that a
// .howdahignore or .gitignore excludes. Empty if the source is smaller and nothing is excluded.
std::vector<std::string> SourceNotes(const std::string& source, const os::files::SourceSurvey& survey);

// Returns a note for each file or directory that a command names, that exists in the source, and that is not copied.
std::vector<std::string> LeftOutOfCommands(const jobspec::JobSpec& spec, const jobspec::LeftOut& left_out);

// Returns all notes for a job whose source is on this machine. Empty if the source is not a directory, or if the job is
// TonY's, whose source is copied as a whole.
std::vector<std::string> SourceNotesOf(const jobspec::JobSpec& spec);

}  // namespace howdah::client
