// am.json: the information that the submitting client passes to the application master.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "howdah/backend/yarn/staged_file.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/yarn/placement.h"
#include "howdah/hadoop/yarn/resource.h"

namespace howdah::backend::yarn {

// Paths below the AM's working directory.
inline constexpr const char* kAmStartFile = "howdah/am.json";
inline constexpr const char* kJobFile = "howdah/job.json";
inline constexpr const char* kKeytab = "howdah/keytab";  // the keytab of the job file; only in the AM's container
inline constexpr const char* kConfiguration = "howdah/hadoop.xml";  // the cluster's Hadoop configuration
// The certificate authorities of the submitting client, as PEM. Missing: containers use those of their node.
inline constexpr const char* kAuthorities = "howdah/authorities.pem";
inline constexpr const char* kOwnerFile = "howdah/owner";  // contains the name of the job's owner

// YARN counts only the AM failures within this window
// (ApplicationSubmissionContext.attempt_failures_validity_interval). A job that runs for weeks therefore survives AM
// failures that are weeks apart, and a job whose AM dies at each start still ends within minutes.
inline constexpr Duration kAttemptFailureWindow = std::chrono::hours(1);

// A node on which containers may be requested by name.
struct CandidateNode {
  std::string host;
  int port = 0;
  std::string rack, label;
  hadoop::yarn::Resource total;
  hadoop::yarn::NodeAttributes attributes = {};
  friend bool operator==(const CandidateNode&, const CandidateNode&) = default;
};

struct AmStart {
  JobId job;                // application_…
  std::string submitted;    // the first line of the journal, with its newline
  std::string user;         // the owner of the job
  std::string client;       // the identity with which clients call the AM (EncodeIdentity); clients read am.json for it
  std::string staging_uri;  // the job's own directory, which the AM deletes at the end
  std::string queue, node_label;
  std::string configuration;  // path of the cluster's configuration (XML) in the container
  bool keep = false;          // SubmitOptions::keep
  // Files for the containers of executors, by their names in the container. A file goes to every role unless only_for
  // lists it.
  std::map<std::string, StagedFile> local_resources;
  // The roles that need a file, by the file's name. Has only the files that not all roles need.
  std::map<std::string, std::set<std::string>> only_for;
  // Environment variables for the launch contexts of a role's containers, by role. They configure Docker.
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> role_environment;
  std::vector<CandidateNode> nodes;         // if empty, containers are requested on any node
  std::vector<std::string> resource_types;  // the cluster's types: "memory-mb", "vcores", "yarn.io/gpu", ...
  friend bool operator==(const AmStart&, const AmStart&) = default;
};

std::string WriteAmStart(const AmStart& start);
// Returns kFailed with the name of the missing or malformed key.
Result<AmStart> ParseAmStart(const std::string& json);

}  // namespace howdah::backend::yarn
