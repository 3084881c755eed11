// Jobs of applications that other tools create once, and then start, stop, change and destroy by name.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "howdah/client/connection.h"
#include "howdah/client/saved_applications.h"
#include "howdah/client/translated_job.h"
#include "howdah/journal/job_view.h"

namespace howdah::cli::commands {

struct SavedTool {
  client::SavedApplications applications;
  std::string command;  // for messages: "howdah slider"
};

struct NewestJob {
  backend::Cluster* cluster = nullptr;
  JobId id;
  journal::JobView view;
};

// The newest job of an application. nullopt if the application has never been started, or if its backend no longer
// knows the job.
Result<std::optional<NewestJob>> FindNewestJob(client::Connection& connection, const SavedTool& tool,
                                               const std::string& name);
// The newest job, if it has not ended.
Result<std::optional<NewestJob>> FindLiveJob(client::Connection& connection, const SavedTool& tool,
                                             const std::string& name);

struct NewApplication {
  std::string name;
  jobspec::ParsedJob job;                    // checked
  std::map<std::string, std::string> files;  // the tool's own files in the application's directory, by name
};

// Saves a new application. `start`: submits its job, too, and prints the job's id; if the submission fails, the
// application is not kept. Returns the exit code.
Result<int> CreateSaved(client::Connection& connection, const SavedTool& tool, NewApplication application, bool start);
// Submits the saved job again and prints the job's id. kUsage if the application runs. Elastic roles begin with their
// minimum, which is what the other tool calls the number of instances.
Result<int> StartSaved(client::Connection& connection, const SavedTool& tool, const std::string& name);
// Stops the newest job and waits until its processes have ended.
Result<int> StopSaved(client::Connection& connection, const SavedTool& tool, const std::string& name);
// Prints the status of the newest job.
Result<int> ShowSaved(client::Connection& connection, const SavedTool& tool, const std::string& name, bool json);
// Prints one line per application: its name, the state of its newest job, and the job's id.
Result<int> ListSaved(client::Connection& connection, const SavedTool& tool);
// Changes the number of tasks of a role of the running job.
Result<int> ScaleSaved(client::Connection& connection, const SavedTool& tool, const std::string& name,
                       const std::string& role, int instances);
// Removes an application. If it runs: stops it if `force`, otherwise kUsage.
Result<int> DestroySaved(client::Connection& connection, const SavedTool& tool, const std::string& name, bool force);

}  // namespace howdah::cli::commands
