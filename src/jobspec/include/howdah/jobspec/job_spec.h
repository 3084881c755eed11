// What a job file says, as values: the one description of a job that everything else works from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::jobspec {

enum class Framework { kPlain, kPytorch, kTensorflow, kJax, kHorovod, kMpi, kMxnet, kXgboost };
enum class RoleKind {
  kWorker,   // the job waits for it
  kService,  // not waited for, its failure fails the job, stopped at the end
  kSidecar,  // not waited for, its failure is only reported
  kSetup,    // all others start when it has ended; its failure fails the job; it has no rank
};
enum class OnFailure {
  kFail,          // a task that fails fails the job
  kTolerate,      // only when all tolerated tasks have failed
  kIgnore,        // it is only reported; the job waits for the task all the same
  kIgnoreOthers,  // of index 0 it fails the job, of the others it is only reported
};
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

// What follows a failure of one kind, whatever the budgets and our own table say. All that is given must fit.
struct RestartRule {
  enum class Then {
    kFail,         // the task is not started again
    kRestart,      // it is, as any that failed
    kRestartFree,  // it is, and that costs no restart
    kElsewhere,    // it is, on another node if there is one, and that costs no restart: its node is to blame
  };
  std::string log;          // a regular expression that fits its last output; empty: any output
  std::optional<int> exit;  // its exit code; none: any
  std::string signal;       // by name: it was killed by it; empty: any
  Then then = Then::kFail;
  friend bool operator==(const RestartRule&, const RestartRule&) = default;
};

// Here, as the core says it in sentences, and is built without this library for its mutants.
constexpr std::string_view ToText(RestartRule::Then then) {
  constexpr std::string_view kWords[] = {"fail", "restart", "restart_free", "elsewhere"};
  return kWords[static_cast<size_t>(then)];
}

struct RestartLimit {
  int max = 0;
  Duration backoff = std::chrono::seconds(1);  // before the first; doubled for each further one, at most 1 minute
  bool excuse = true;                   // a node that was lost, a preempted container and the like cost no restart
  std::vector<RestartRule> rules = {};  // the first that fits counts
  friend bool operator==(const RestartLimit&, const RestartLimit&) = default;
};

struct After {
  std::string role;
  bool finished = false;  // false: after all of its tasks have started
  friend bool operator==(const After&, const After&) = default;
};

// How long a role's tasks may go on once all tasks of other roles have ended.
struct Outlive {
  enum class Then {
    kFail,    // the job fails
    kIgnore,  // the role is waited for no more, and its failures are only reported
  };
  std::vector<std::string> roles;
  Duration by{};
  Then then = Then::kFail;
  friend bool operator==(const Outlive&, const Outlive&) = default;
};

// A resource type of the cluster beside memory, vcores and GPUs, as the cluster names it ("yarn.io/fpga"), and how much
// of it one task gets.
struct NamedResource {
  std::string name;
  int64_t amount = 0;  // in the unit in which the cluster declares the type
  friend bool operator==(const NamedResource&, const NamedResource&) = default;
};

// Where in the cluster tasks should run.
struct Locality {
  std::vector<std::string> nodes;  // host names, as the cluster names its nodes
  std::vector<std::string> racks;  // "/rack1"
  bool strict = false;             // only there; false: there if it can be had, else anywhere
  bool empty() const { return nodes.empty() && racks.empty(); }
  friend bool operator==(const Locality&, const Locality&) = default;
};

struct File {
  std::string from;  // an absolute path or a URI, once read
  std::string to;    // within the working directory
  bool unpack = false;
  friend bool operator==(const File&, const File&) = default;
};

struct RoleSpec {
  std::string name;
  Instances instances;
  int64_t memory_bytes = 0;  // of one task
  int vcores = 1;
  int gpus = 0;
  int processes = 1;  // local ranks of a task
  Command command;
  EnvVars env;                       // of the role alone; the job's env comes before it
  std::vector<File> files;           // of the role alone, beside the job's
  std::optional<std::string> image;  // of docker, instead of the job's; none: the job's, if it has one
  RoleKind kind = RoleKind::kWorker;
  bool chief = false;
  RestartLimit restart;
  OnFailure on_failure = OnFailure::kFail;
  std::vector<After> after;
  std::optional<Duration> timeout;       // of one attempt, from its start; none: no limit
  std::optional<Outlive> outlive;        // none: no limit
  std::vector<NamedResource> resources;  // resources, node_label, locality, max_per_node: of the cluster
  std::string node_label;                // empty: the job's
  Locality locality;
  std::optional<int> max_per_node;           // tasks of this role on one node at a time; none: no limit
  std::optional<Duration> progress_timeout;  // of whatever kind it is; none: as timeouts.progress says
  EnvVars exports;  // variables of who waits for its end, and the text behind which their values stand in its output
  friend bool operator==(const RoleSpec&, const RoleSpec&) = default;
};

struct Checkpoint {
  std::string dir;  // empty: none
  Duration grace = std::chrono::seconds(10);
  std::string signal = "SIGTERM";
  std::optional<Duration> max_grace;  // none: ten times the grace (core::LongestGrace)
  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

struct Timeouts {
  Duration gang = std::chrono::minutes(15);
  Duration hold = std::chrono::seconds(10);
  Duration register_ = std::chrono::minutes(5);
  Duration heartbeat = std::chrono::seconds(25);
  Duration am = std::chrono::minutes(5);
  Duration replacement = std::chrono::minutes(1);
  Duration settle = std::chrono::seconds(30);
  std::optional<Duration> run;       // none: no limit
  std::optional<Duration> queue;     // none: no limit
  std::optional<Duration> progress;  // of workers and what sets up; none: no limit (core::ProgressLimit)
  friend bool operator==(const Timeouts&, const Timeouts&) = default;
};

// The image whose container tasks run in, where the cluster has YARN's docker runtime.
struct Docker {
  std::string image;
  std::string network;              // "host", "bridge", ...; empty: the cluster's default
  std::vector<std::string> mounts;  // "source:target:ro" or "source:target:rw"
  std::vector<std::string> tmpfs;   // absolute paths in the container
  std::string runtime;              // "runc", "nvidia", ...; empty: the cluster's default
  bool privileged = false;
  friend bool operator==(const Docker&, const Docker&) = default;
};

// The application master, where it runs in a container of the cluster.
struct AmSpec {
  int attempts = 2;          // how often it may be started, the first time included
  int64_t memory_bytes = 0;  // of its container; 0: the place computes it from the number of tasks
  int vcores = 1;
  friend bool operator==(const AmSpec&, const AmSpec&) = default;
};

// One line of the configuration that a job was made from, to be shown with its history.
struct Configured {
  std::string name;
  std::string value;
  std::string source;  // the file or flag that said so; empty: unknown
  friend bool operator==(const Configured&, const Configured&) = default;
};

struct JobSpec {
  std::string name;
  Framework framework = Framework::kPlain;
  std::string source;  // an absolute path or a URI; empty: none
  std::vector<File> files;
  std::string python_archive;    // an absolute path or a URI; empty: none
  std::optional<Docker> docker;  // none: tasks run on the node itself
  EnvVars env;
  bool tony_env = false;  // tasks find all of TonY's variables
  std::vector<std::string> env_from;
  std::string queue;  // queue, priority, node_label, am: of the cluster
  std::optional<int> priority;
  std::string node_label;
  AmSpec am;
  std::vector<std::string> tags;
  std::vector<RoleSpec> roles;     // in the order of the file
  std::string tensorboard_logdir;  // an absolute path or a URI; empty: no TensorBoard
  Checkpoint checkpoint;
  int restart_max = 0;  // of the whole job
  // Keys of directories, as "checkpoint.dir", that the job file names by a relative path: what they have become is of
  // the machine that the file was read on. Not part of the effective job.
  std::vector<std::string> relative_directories;
  Timeouts timeouts;
  StartMode start = StartMode::kGang;
  std::string tony_history;  // an absolute path or a URI: where the history is kept as TonY keeps it; empty: nowhere
  std::vector<Configured> configuration;  // what that history shows as the job's configuration; nothing is read from it
  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

// The words of the job file: "pytorch", "worker", ...
std::string_view ToText(Framework f);
std::string_view ToText(RoleKind k);
// The framework of this name; nullopt: there is none.
std::optional<Framework> FrameworkFromText(std::string_view word);

// A file, and the tasks whose working directories it belongs to.
struct FileOfRole {
  File file;
  std::string role;  // empty: every role's
};

// The files of the job, then those of each role, in the order of the job file. Where files are staged under numbers, it
// is by this list.
std::vector<FileOfRole> AllFiles(const JobSpec& spec);

}  // namespace howdah::jobspec
