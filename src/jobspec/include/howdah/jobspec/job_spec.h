// The contents of a job file as values. All other code uses these values as the description of a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/base/output_rules.h"
#include "howdah/base/time.h"
#include "howdah/jobspec/advice_check.h"

namespace howdah::jobspec {

// The longest names in bytes. They are limited because names become parts of tables, variables, file names and host
// names.
inline constexpr size_t kLongestJobName = 255, kLongestRoleName = 63, kLongestFeedName = 32;
inline constexpr size_t kMostFeeds = 16;
inline constexpr int kLargestShuffle = 1 << 20;  // rows of a shuffled feed's pool (feed::kLargestPool)

enum class Framework { kPlain, kPytorch, kTensorflow, kJax, kHorovod, kMpi, kMxnet, kXgboost };
enum class RoleKind {
  kWorker,   // the job waits for it
  kService,  // the job does not wait for the role, but fails if the role fails; stopped at the end of the job
  kSidecar,  // the job does not wait for it, and its failure is only reported
  kSetup,    // all other roles start after it has finished; its failure fails the job; its tasks have no ranks
};
enum class OnFailure {
  kFail,          // the failure of any task fails the job
  kTolerate,      // the job fails only when all tolerated tasks have failed
  kIgnore,        // failures are only reported, but the job waits for the tasks
  kIgnoreOthers,  // the failure of index 0 fails the job; other failures are only reported
};
enum class StartMode { kGang, kFree };

// Names and values of environment variables, in the order of the job file.
using EnvVars = std::vector<std::pair<std::string, std::string>>;

struct Instances {
  int min = 1;
  int max = 1;
  bool elastic() const { return min != max; }
  friend bool operator==(const Instances&, const Instances&) = default;
};

// Either a script for bash -c, or the arguments of one program.
struct Command {
  std::string shell;              // empty: argv is used
  std::vector<std::string> argv;  // empty: shell is used
  friend bool operator==(const Command&, const Command&) = default;
};

// The remedy for failures of one kind. It takes precedence over restart budgets and the diagnosis. A rule matches if
// all of its conditions match.
struct RestartRule {
  enum class Then {
    kFail,         // the task does not restart
    kRestart,      // the task restarts as after any other failure
    kRestartFree,  // the task restarts, and the restart is not charged
    kElsewhere,    // like kRestartFree, but on another node if possible, because the node is at fault
  };
  std::string log;          // a regular expression, searched for at the end of the output; empty: any output
  std::optional<int> exit;  // the exit code; nullopt: any
  std::string signal;       // the name of the signal that killed the process; empty: any
  Then then = Then::kFail;
  friend bool operator==(const RestartRule&, const RestartRule&) = default;
};

// Inline, because the core uses it in reasons, and the core's mutants (tests/sim/mutants) are built without this
// library.
constexpr std::string_view ToText(RestartRule::Then then) {
  constexpr std::string_view kWords[] = {"fail", "restart", "restart_free", "elsewhere"};
  return kWords[static_cast<size_t>(then)];
}

// The value of RestartLimit::max without a limit.
inline constexpr int kUnlimitedRestarts = std::numeric_limits<int>::max();

struct RestartLimit {
  int max = 0;
  Duration backoff = std::chrono::seconds(1);  // pause before the first restart; doubles each time, up to 1 minute
  bool charge_infrastructure = false;          // infrastructure failures (lost nodes, preemption) count against max
  std::vector<RestartRule> rules = {};         // the first matching rule applies
  std::optional<Duration> window = {};         // only charged restarts within this last time count; nullopt: all
  bool always = false;                         // restart after a success, too; it is charged like one after a failure
  friend bool operator==(const RestartLimit&, const RestartLimit&) = default;
};

// When a task is ready for the roles that wait for it. The executor probes it on its own host. Exactly one of http and
// port is set.
struct Ready {
  std::string http;  // the URL of a GET that must answer 2xx or 3xx; the task's variables are replaced
  std::string port;  // the port that must accept connections: a number or a variable of the task, "${HOWDAH_PORT}"
  Duration interval = std::chrono::seconds(2);  // between two probes
  Duration timeout = std::chrono::seconds(1);   // of one probe
  friend bool operator==(const Ready&, const Ready&) = default;
};

struct After {
  std::string role;
  bool finished = false;  // true: after all its tasks have finished; false: after all have started
  bool ready = false;     // true: after all its tasks are ready; never together with `finished`
  friend bool operator==(const After&, const After&) = default;
};

// How long a role's tasks may keep running after all tasks of the other roles have ended.
struct Outlive {
  enum class Then {
    kFail,     // the job fails
    kIgnore,   // the job no longer waits for the role, and its failures are only reported
    kService,  // the job no longer waits for the role, and a failure of the role still fails the job
  };
  std::vector<std::string> roles;
  Duration by{};
  Then then = Then::kFail;
  friend bool operator==(const Outlive&, const Outlive&) = default;
};

// A resource type of the cluster other than memory, vcores and GPUs, under the cluster's name for it ("yarn.io/fpga"),
// with the amount per task.
struct NamedResource {
  std::string name;
  int64_t amount = 0;  // in the unit in which the cluster declares the type
  friend bool operator==(const NamedResource&, const NamedResource&) = default;
};

// The nodes and racks of the cluster where tasks should run.
struct Locality {
  std::vector<std::string> nodes;  // the cluster's names for its nodes
  std::vector<std::string> racks;  // "/rack1"
  bool strict = false;             // true: run nowhere else; false: run elsewhere if none is available
  bool empty() const { return nodes.empty() && racks.empty(); }
  friend bool operator==(const Locality&, const Locality&) = default;
};

// One attribute of a node, and the values of which the node must have one, or must have none.
struct NodeAttribute {
  std::string name;                 // "gen"; with a prefix, "rm.yarn.io/gen"
  std::vector<std::string> values;  // at least one
  bool none = false;                // "!gen" in job files
  friend bool operator==(const NodeAttribute&, const NodeAttribute&) = default;
};

// Conditions for the node of a task. They are strict: the task waits until they hold.
struct Placement {
  std::vector<NodeAttribute> attributes;
  std::vector<std::string> near;    // roles: only on a node with a task of each of these
  std::vector<std::string> apart;   // roles: on no node with a task of one of these
  std::optional<int> max_per_rack;  // tasks of this role in one rack at a time; nullopt: no limit
  bool empty() const { return *this == Placement{}; }
  friend bool operator==(const Placement&, const Placement&) = default;
};

struct File {
  std::string from;  // an absolute path or a URI
  std::string to;    // within the working directory
  bool unpack = false;
  friend bool operator==(const File&, const File&) = default;
};

struct RoleSpec {
  std::string name;
  Instances instances;
  int64_t memory_bytes = 0;  // per task
  int vcores = 1;
  int gpus = 0;
  int processes = 1;  // local ranks per task
  Command command;
  EnvVars env;                       // for this role only; overrides the job's env
  std::vector<File> files;           // for this role only, in addition to the job's files
  std::vector<std::string> outputs;  // patterns for this role only, in addition to the job's outputs
  std::optional<std::string> image;  // instead of docker.image; nullopt: docker.image applies
  RoleKind kind = RoleKind::kWorker;
  bool chief = false;
  RestartLimit restart;
  OnFailure on_failure = OnFailure::kFail;
  std::vector<After> after;
  std::optional<Ready> ready;            // nullopt: no probe; the tasks are never ready
  std::optional<Duration> timeout;       // longest duration of one attempt; nullopt: no limit
  std::optional<Outlive> outlive;        // nullopt: no limit
  std::vector<NamedResource> resources;  // this field and all up to max_per_node affect only clusters
  std::string node_label;                // empty: the job's label
  Locality locality;
  Placement placement;
  std::optional<int> max_per_node;           // tasks of this role on one node at a time; nullopt: no limit
  std::optional<Duration> progress_timeout;  // for any kind of role; nullopt: the default of core::ProgressLimit
  // The variables that this role prints for the roles that wait for it. Each pair has the name of a variable and the
  // text that precedes the variable's value in the output.
  EnvVars exports;
  friend bool operator==(const RoleSpec&, const RoleSpec&) = default;
};

// Which ranks get a row of a feed (feed/ledger.h).
enum class FeedSplit {
  kEqual,    // one rank; all ranks get the same number of batches
  kDynamic,  // one rank, whichever asks first
  kAll,      // every rank
};
// The rows at the end of a pass that do not fill a batch of every rank (feed/ledger.h).
enum class FeedRemainder { kDrop, kShort, kRepeat };
// The reaction to a source that supplies a partition again with other rows.
enum class FeedChanged {
  kFail,    // readers and sources fail
  kAccept,  // the rows are read as they come
};

// The format of the files of a feed.
enum class FeedFormat { kParquet, kArrow, kCsv, kTfrecord };

// One stream of training data, from a source outside the job to the ranks.
struct FeedSpec {
  std::string name;
  std::vector<std::string> from;     // paths, patterns and URIs of files that the ranks read; empty: other sources
  std::optional<FeedFormat> format;  // of the files; nullopt: the format that their names end with
  std::vector<std::string> columns;  // those that are read; empty: all
  std::optional<FeedSplit> split;    // nullopt: the framework decides (frameworks::FeedOptionsOf)
  FeedRemainder remainder = FeedRemainder::kDrop;
  int epochs = 1;                             // passes over the source; 1 for a stream
  int shuffle = 0;                            // rows of the pool from which rows are drawn; 0: the order of arrival
  int seed = 0;                               // of the shuffle
  bool stream = false;                        // one pass over everything that is sent until the feed is closed
  bool answers = false;                       // clients send questions, and the ranks answer each of them
  std::vector<std::string> roles;             // the roles that read; empty: frameworks::FeedReadersOf decides
  int64_t buffer_bytes = int64_t{256} << 20;  // memory of the rows ahead of each reader
  int64_t spool_bytes = int64_t{10} << 30;    // disk of a task for rows that are read again
  bool recompute = false;                     // the source supplies the rows of each pass again
  FeedChanged changed = FeedChanged::kFail;
  friend bool operator==(const FeedSpec&, const FeedSpec&) = default;
};

struct Checkpoint {
  std::string dir;  // empty: none
  Duration grace = std::chrono::seconds(10);
  std::string signal = "SIGTERM";
  std::optional<Duration> max_grace;  // nullopt: ten times grace (core::LongestGrace)
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
  std::optional<Duration> run;       // nullopt: no limit
  std::optional<Duration> queue;     // nullopt: no limit
  std::optional<Duration> progress;  // for workers and setup roles; nullopt: no limit (core::ProgressLimit)
  Duration feed = std::chrono::minutes(10);
  friend bool operator==(const Timeouts&, const Timeouts&) = default;
};

// The docker container of the tasks, on clusters with YARN's docker runtime.
struct Docker {
  std::string image;
  std::string network;              // "host", "bridge", ...; empty: the cluster's default
  std::vector<std::string> mounts;  // "source:target:ro" or "source:target:rw"
  std::vector<std::string> tmpfs;   // absolute paths in the container
  std::string runtime;              // "runc", "nvidia", ...; empty: the cluster's default
  bool privileged = false;
  std::string client_config;  // an absolute path or a URI: docker's config.json with logins to registries; empty: none
  friend bool operator==(const Docker&, const Docker&) = default;
};

// The application master, if it runs in a container of the cluster.
struct AmSpec {
  int attempts = 2;          // number of attempts, including the first
  int64_t memory_bytes = 0;  // memory of the AM's container; 0: computed from the number of tasks
  int vcores = 1;
  friend bool operator==(const AmSpec&, const AmSpec&) = default;
};

// How the job stays logged in to a cluster with Kerberos.
struct KerberosLogin {
  std::string principal;  // empty: the first one of the keytab
  std::string keytab;     // an absolute path on the submitting machine
  bool carry = false;     // the keytab is among the AM's credentials, instead of a file that YARN fetches
  friend bool operator==(const KerberosLogin&, const KerberosLogin&) = default;
};

// The kinds of delegation tokens that Howdah fetches.
enum class TokenKind { kHdfs, kKms, kRm };

// The delegation tokens of a job on a cluster with Kerberos.
struct TokenRules {
  std::vector<TokenKind> to_tasks = {TokenKind::kHdfs, TokenKind::kKms};  // the fetched tokens that tasks get
  // Absolute paths of token files on the submitting machine. Their tokens are added to the job's, and tasks get them.
  std::vector<std::string> files;
  friend bool operator==(const TokenRules&, const TokenRules&) = default;
};

// The rights of other users on a job. An entry is a user ("ann"), a group ("@ml"), or "*" for everybody.
struct Access {
  std::vector<std::string> view;    // may read the status page and the output of the tasks
  std::vector<std::string> modify;  // may stop the job
  friend bool operator==(const Access&, const Access&) = default;
};

// One setting of the configuration from which a job was translated, for the job's history.
struct Configured {
  std::string name;
  std::string value;
  std::string source;  // the file or flag that set it; empty: unknown
  friend bool operator==(const Configured&, const Configured&) = default;
};

struct JobSpec {
  std::string name;
  Framework framework = Framework::kPlain;
  std::string source;  // an absolute path or a URI; empty: none
  std::vector<File> files;
  // Patterns (os/files/glob.h) of files in the working directories that are kept with the job.
  std::vector<std::string> outputs;
  // Other files that a task has created or changed are kept if they have at most this size together; 0: they are not.
  int64_t keep_new_files_bytes = 0;
  std::string python_archive;    // an absolute path or a URI; empty: none
  std::optional<Docker> docker;  // nullopt: tasks run directly on the node
  EnvVars env;
  bool tony_env = false;  // run the tasks as TonY does: variables, shell, source directory
  std::vector<std::string> env_from;
  std::string queue;  // this field and all up to access affect only clusters
  std::optional<int> priority;
  std::string node_label;
  AmSpec am;
  std::vector<std::string> file_systems;  // URIs of further file systems whose tokens the job gets
  TokenRules tokens;
  std::optional<KerberosLogin> kerberos;  // nullopt: the job has tokens, and no keytab
  Access access;
  std::vector<std::string> tags;
  std::vector<RoleSpec> roles;     // in the order of the file
  std::vector<FeedSpec> feeds;     // in the order of the file
  std::string tensorboard_logdir;  // an absolute path or a URI; empty: no TensorBoard
  Checkpoint checkpoint;
  int restart_max = 0;  // restarts of the whole job
  // Keys with a directory that was a relative path in the job file, such as "checkpoint.dir". The resulting absolute
  // path exists only on the submitting machine. Not part of the effective job.
  std::vector<std::string> relative_directories;
  Timeouts timeouts;
  Duration metrics_interval = std::chrono::seconds(5);  // between two samples of a task's metrics; 0: no samples
  StartMode start = StartMode::kGang;
  std::string tony_history;               // absolute path or URI where history in TonY's format is written; empty: none
  std::vector<Configured> configuration;  // shown only in that history
  std::vector<AdviceCheck> advice_off;    // checks that give no advice
  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

// Returns the names used in job files: "pytorch", "worker", ...
std::string_view ToText(FeedFormat f);
std::string_view ToText(Framework f);
std::string_view ToText(RoleKind k);
// Returns nullopt if there is no framework of this name.
std::optional<Framework> FrameworkFromText(std::string_view word);
// Returns the words for the key `framework`.
std::vector<std::string_view> FrameworkNames();

// A file, and the role whose working directories get it.
struct FileOfRole {
  File file;
  std::string role;  // empty: every role
};

// The files of the job, then those of each role, in the order of the job file. Staged files are numbered in this order.
std::vector<FileOfRole> AllFiles(const JobSpec& spec);
// Returns which files tasks of this role keep. The patterns of the job come before those of the role.
OutputRules OutputsOf(const JobSpec& spec, const RoleSpec& role);
// Whether tasks of some role keep files.
bool KeepsOutputs(const JobSpec& spec);

}  // namespace howdah::jobspec
