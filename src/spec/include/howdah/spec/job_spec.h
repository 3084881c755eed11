// What a job file says, as values: the one description of a job that everything else works from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::spec {

enum class Framework { kPlain, kPytorch, kTensorflow, kJax, kHorovod, kMpi, kMxnet, kXgboost };
enum class RoleKind {
  kWorker,   // the job waits for it
  kService,  // not waited for, its failure fails the job, stopped at the end
  kSidecar,  // not waited for, its failure is only reported
};
enum class OnFailure { kFail, kTolerate };
enum class StartMode { kGang, kFree };

// In the order of the file.
using EnvVars = std::vector<std::pair<std::string, std::string>>;

struct Instances {
  int min = 1;
  int max = 1;
  bool elastic() const { return min != max; }
  friend bool operator==(const Instances&, const Instances&) = default;
};

// Either a text for bash -c, or the words of one program's command line.
struct Command {
  std::string shell;              // empty: argv is meant
  std::vector<std::string> argv;  // empty: shell is meant
  friend bool operator==(const Command&, const Command&) = default;
};

struct RestartLimit {
  int max = 0;
  Duration backoff = std::chrono::seconds(1);  // before the first; doubled for each further one, at most 1 minute
  friend bool operator==(const RestartLimit&, const RestartLimit&) = default;
};

struct After {
  std::string role;
  bool finished = false;  // false: after all of its tasks have started
  friend bool operator==(const After&, const After&) = default;
};

struct RoleSpec {
  std::string name;
  Instances instances;
  int64_t memory_bytes = 0;  // of one task
  int vcores = 1;
  int gpus = 0;
  int processes = 1;  // local ranks of a task
  Command command;
  EnvVars env;  // of the role alone; the job's env comes before it
  RoleKind kind = RoleKind::kWorker;
  bool chief = false;
  RestartLimit restart;
  OnFailure on_failure = OnFailure::kFail;
  std::vector<After> after;
  friend bool operator==(const RoleSpec&, const RoleSpec&) = default;
};

struct File {
  std::string from;  // an absolute path or a URI, once read
  std::string to;    // within the working directory
  bool unpack = false;
  friend bool operator==(const File&, const File&) = default;
};

struct Checkpoint {
  std::string dir;  // empty: none
  Duration grace = std::chrono::seconds(10);
  std::string signal = "SIGTERM";
  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

struct Timeouts {
  Duration gang = std::chrono::minutes(15);
  Duration hold = std::chrono::seconds(10);
  Duration register_ = std::chrono::minutes(5);
  Duration heartbeat = std::chrono::seconds(25);
  std::optional<Duration> run;  // none: no limit
  friend bool operator==(const Timeouts&, const Timeouts&) = default;
};

struct JobSpec {
  std::string name;
  Framework framework = Framework::kPlain;
  std::string source;  // an absolute path or a URI; empty: none
  std::vector<File> files;
  std::string python_archive;  // an absolute path or a URI; empty: none
  EnvVars env;
  std::vector<std::string> env_from;
  std::string queue;  // queue, priority, node_label: of the cluster
  std::optional<int> priority;
  std::string node_label;
  std::vector<std::string> tags;
  std::vector<RoleSpec> roles;     // in the order of the file
  std::string tensorboard_logdir;  // an absolute path or a URI; empty: no TensorBoard
  Checkpoint checkpoint;
  int restart_max = 0;  // of the whole job
  Timeouts timeouts;
  StartMode start = StartMode::kGang;
  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

// The words of the job file: "pytorch", "worker", ...
std::string_view ToText(Framework f);
std::string_view ToText(RoleKind k);
// The framework of this name; nullopt: there is none.
std::optional<Framework> FrameworkFromText(std::string_view word);
// Whether jobs of it can run: the others are known by name alone, and refused by ParseJobFile.
bool IsAvailable(Framework f);

}  // namespace howdah::spec
