// What the client tells an application master, and what the NodeManager tells it: the one description that both halves
// of the YARN place share.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/hadoop/yarn/ids.h"
#include "howdah/hadoop/yarn/resource.h"

namespace howdah::backend::yarn {

// Where the client has put it, within the container's working directory.
inline constexpr const char* kAmStartFile = "howdah/am.json";

// A job of weeks is not to end because of two AMs that died weeks apart: only deaths within this time of each other
// count (ApplicationSubmissionContext.attempt_failures_validity_interval). One that dies at each start still ends soon.
inline constexpr Duration kAttemptFailureWindow = std::chrono::hours(1);

// A file of the default file system that NodeManagers bring into containers.
struct LocalResource {
  enum class Type { kFile, kArchive };
  enum class Visibility { kPublic, kPrivate, kApplication };
  std::string uri;  // absolute, percent-encoded nowhere: "hdfs://ns1/user/ann/.howdah/cache/3f…/train.py"
  int64_t size = 0;
  int64_t timestamp = 0;  // its modification time, ms; a NodeManager refuses the file if it has another
  Type type = Type::kFile;
  Visibility visibility = Visibility::kPrivate;
  friend bool operator==(const LocalResource&, const LocalResource&) = default;
};

// A node on which containers may be asked for by name.
struct CandidateNode {
  std::string host;
  int port = 0;
  std::string rack, label;
  hadoop::yarn::Resource total;
  friend bool operator==(const CandidateNode&, const CandidateNode&) = default;
};

// am.json.
struct YarnAmStart {
  JobId job;                // application_…
  std::string submitted;    // the journal's first line, with its newline
  std::string user;         // whose job it is
  std::string client;       // the identity with which clients call the AM (EncodeIdentity): they read it here
  std::string staging_uri;  // the job's own directory; the AM removes it at the end
  std::string queue, node_label;
  std::string configuration;  // path of the cluster's configuration as XML, within the container
  bool keep = false;          // SubmitOptions::keep
  // Files of every executor's container, by their name in it.
  std::map<std::string, LocalResource> local_resources;
  // Of these files: the roles whose containers alone get them.
  std::map<std::string, std::set<std::string>> only_for;
  // Environment of containers by role, beside what the NodeManager sets: "NAME", value. Docker's variables.
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> role_environment;
  std::vector<CandidateNode> nodes;         // empty: containers are asked for anywhere
  std::vector<std::string> resource_types;  // of the cluster: "memory-mb", "vcores", "yarn.io/gpu", ...
  friend bool operator==(const YarnAmStart&, const YarnAmStart&) = default;
};

std::string WriteAmStart(const YarnAmStart& start);
// kFailed, naming the key: it is none that WriteAmStart wrote.
Result<YarnAmStart> ParseAmStart(const std::string& json);

// What a NodeManager says in a container's environment.
struct ContainerEnvironment {
  hadoop::yarn::ContainerId container;
  std::string node_host;                // NM_HOST
  std::string token_file;               // HADOOP_TOKEN_FILE_LOCATION
  std::string proxy_base;               // APPLICATION_WEB_PROXY_BASE: "/proxy/application_…"; only of an AM
  std::vector<std::string> log_dirs;    // LOG_DIRS: of this container
  std::vector<std::string> local_dirs;  // LOCAL_DIRS: of the application on this node
  std::string user;
};

// kFailed: a variable is missing or wrong, and which.
Result<ContainerEnvironment> ReadContainerEnvironment(
    const std::function<std::optional<std::string>(const std::string& name)>& environment);

// As launch contexts hold it. A URI without a port has the port -1: absent would be read as 0.
::hadoop::yarn::LocalResourceProto ToProto(const LocalResource& resource);

}  // namespace howdah::backend::yarn
