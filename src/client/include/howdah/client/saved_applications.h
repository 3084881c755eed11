// Applications that other tools create once, and then start, stop and destroy many times.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/result.h"

namespace howdah::client {

// The saved applications of one tool, such as "slider". Each has a directory $HOWDAH_HOME/apps/TOOL/NAME, which only
// this user can read:
//   job.yaml  the translated job file
//   job       the id of the newest job
// The tool may keep further files there under other names. Files are replaced atomically. A name has letters, digits,
// '.', '_' and '-', and begins with a letter or a digit; another name is kUsage. A name without an application is
// kNotFound, with the names that exist.
class SavedApplications {
 public:
  // The applications in $HOWDAH_HOME/apps/TOOL. Fails if neither HOWDAH_HOME nor HOME is set.
  static Result<SavedApplications> Open(const std::string& tool);
  // `directory` is absolute, and need not exist.
  SavedApplications(std::string tool, std::string directory)
      : tool_(std::move(tool)), directory_(std::move(directory)) {}

  // Makes the directory of a new application and returns it. kUsage if there is an application of this name.
  Result<std::string> Create(const std::string& name) const;
  // The directory of an application.
  Result<std::string> Directory(const std::string& name) const;

  Status SetJobFile(const std::string& name, std::string_view text) const;
  Result<std::string> JobFile(const std::string& name) const;

  // The newest job; nullopt if the application has never been started.
  Status SetJob(const std::string& name, const JobId& id) const;
  Result<std::optional<JobId>> Job(const std::string& name) const;

  // All applications, sorted.
  Result<std::vector<std::string>> Names() const;
  // Removes the application with all its files. Its jobs and their histories are not changed.
  Status Remove(const std::string& name) const;

 private:
  std::string tool_, directory_;
};

}  // namespace howdah::client
