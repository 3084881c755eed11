// Applications that the tasks of a job start on the cluster, such as Spark applications.
#pragma once

#include <string>
#include <string_view>

namespace howdah::core {

// Returns the YARN tag of the applications that belong to a job, as tasks receive it in HOWDAH_CHILD_TAG. YARN keeps
// tags in lower case, so the tag has no upper-case letters.
inline std::string ChildTag(std::string_view job_id) {
  std::string tag = "howdah-parent:";
  for (const char c : job_id) tag += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return tag;
}

}  // namespace howdah::core
