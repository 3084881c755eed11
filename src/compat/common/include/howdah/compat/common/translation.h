// The result of translating a file of another tool into a job.
#pragma once

#include <string>
#include <vector>

#include "howdah/jobspec/job_spec.h"

namespace howdah::compat::common {

// A key that has no effect, or an unknown key.
struct Note {
  std::string key;
  std::string origin;  // the file or flag that sets the key: "tony.xml", "-conf"; empty: unknown
  std::string text;    // the reason, a clause
  std::string ToText() const;
};

struct Translation {
  jobspec::JobSpec job;
  std::vector<Note> notes;
  // Each is a sentence that names the key and the remedy. The job is valid only if this is empty.
  std::vector<std::string> problems;
};

}  // namespace howdah::compat::common
