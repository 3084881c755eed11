#include "key_table.h"

#include <algorithm>

#include "cluster_values.h"
#include "configured_values.h"
#include "feed_keys.h"
#include "foreign_keys.h"
#include "howdah/keyfile/value_types.h"
#include "job_values.h"
#include "paths.h"
#include "words.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

constexpr int kCountMax = 1'000'000;

template <typename T>
bool Has(const Section<T>& section, std::string_view key) {
  return std::any_of(section.keys.begin(), section.keys.end(), [&](const Key<T>& k) { return k.name == key; });
}

ValueType<std::string> OutputPattern() {
  return CheckedText("pattern of relative paths", [](const std::string& text) -> std::string {
    if (text.empty()) return "is empty; remove it";
    if (text.front() == '/') return "is an absolute path; write a path relative to the working directory";
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find('/', begin), text.size());
      if (text.compare(begin, end - begin, "..") == 0) return "leaves the working directory; remove '..'";
      begin = end + 1;
    }
    return "";
  });
}

const Section<Instances>& InstancesKeys() {
  static const Section<Instances> section = {
      {Row("min", &Instances::min, WholeNumber(1, kMostTasks),
           "Minimum number of tasks: the job starts, and keeps running, with this many"),
       Row("max", &Instances::max, WholeNumber(1, kMostTasks),
           "Maximum number of tasks: the role grows as containers become available", "8")}};
  return section;
}

ValueType<Instances> InstancesOrRange() {
  return OrShort<Instances, int>(
      SectionType(&InstancesKeys), WholeNumber(1, kMostTasks),
      [](int n) {
        return Instances{n, n};
      },
      [](const Instances& i) { return i.elastic() ? std::nullopt : std::optional(i.min); });
}

const Section<RestartRule>& RestartRuleKeys() {
  constexpr int kExitMax = 255;
  static const Section<RestartRule> section = {
      {Row("log", &RestartRule::log, Pattern(),
           "Regular expression (RE2 syntax) that matches a line at the end of the process's stderr or stdout"),
       Row("exit", &RestartRule::exit, Optional(WholeNumber(1, kExitMax)), "Exit code of the process"),
       Row("signal", &RestartRule::signal, SignalName(&KillingSignalNames), "Signal that killed the process"),
       Row("then", &RestartRule::then, OneOf(RestartThenWords()),
           "fail: do not restart; restart: restart as after any failure; restart_free: restart without counting it "
           "against restart.max; elsewhere: like restart_free, but on another node, because this node is at fault",
           "fail")}};
  return section;
}

ValueType<int> CountOrUnlimited() {
  constexpr std::string_view kUnlimited = "unlimited";
  ValueType<int> type = WholeNumber(0, kCountMax);
  type.read = [read = type.read, kUnlimited](Reader& r, const Node& n, int& out) {
    if (n.kind != Node::Kind::kScalar || n.text != kUnlimited) return read(r, n, out);
    out = kUnlimitedRestarts;
    return true;
  };
  type.write = [kUnlimited](const int& value) { return value == kUnlimitedRestarts ? Json(kUnlimited) : Json(value); };
  type.schema = [schema = type.schema, kUnlimited] {
    Json number = schema();
    const std::string title = number["title"].get<std::string>() + ", or unlimited";
    return Json{{"title", title}, {"anyOf", {std::move(number), {{"const", kUnlimited}}}}};
  };
  return type;
}

// `restart.excuse: true` means `restart.charge_infrastructure: false`. Only this function handles the old key.
OldKey<RestartLimit> OldRestartExcuse() {
  return {"excuse", "charge_infrastructure", "write charge_infrastructure with the opposite value",
          [](Reader& r, const Node& n, RestartLimit& out) {
            bool excuse = true;
            if (!TrueOrFalse().read(r, n, excuse)) return false;
            out.charge_infrastructure = !excuse;
            return true;
          }};
}

const Section<RestartLimit>& RestartKeys() {
  static const Section<RestartLimit> section = {
      {Row("max", &RestartLimit::max, CountOrUnlimited(),
           "How often a task may restart after a failure; unlimited: always"),
       Row("window", &RestartLimit::window, Optional(TimeSpan(Zero::kRefused)),
           "Only restarts within this last time count against max"),
       Row("always", &RestartLimit::always, OmittedByDefault(TrueOrFalse()),
           "Restart the task after a success, too; the restart counts like one after a failure"),
       Row("backoff", &RestartLimit::backoff, TimeSpan(Zero::kAllowed),
           "Pause before the first restart; doubled for each further restart, up to 1m"),
       Row("charge_infrastructure", &RestartLimit::charge_infrastructure, TrueOrFalse(),
           "Charge restarts after infrastructure failures (lost node, preemption, unresponsive executor) to max, too"),
       Row("rules", &RestartLimit::rules, ListOf(SectionType(&RestartRuleKeys), "list of rules"),
           "Rules for specific failures: the first match applies; without a match the other keys of restart decide")},
      {OldRestartExcuse()},
      nullptr,
      "max"};
  return section;
}

const Section<After>& AfterKeys() {
  static const Section<After> section = {
      {Row("role", &After::role, NonEmptyText("role name"), "The role to wait for", "reader"),
       Row("finished", &After::finished, TrueOrFalse(),
           "Wait until the role has finished; false: until it has started"),
       Row("ready", &After::ready, OmittedByDefault(TrueOrFalse()),
           "Wait until every task of the role is ready, as its key `ready` says")}};
  return section;
}

const Section<Ready>& ReadyKeys() {
  static const Section<Ready> section = {
      {Row("http", &Ready::http, ProbeUrl(),
           "URL on the task's host that must answer a GET with a status from 200 to 399; variables of the task are "
           "replaced, as in http://127.0.0.1:${HOWDAH_PORT}/"),
       Row("port", &Ready::port, ProbePort(),
           "Port on the task's host that must accept connections: a number, or a variable of the task such as "
           "${HOWDAH_PORT}"),
       Row("interval", &Ready::interval, TimeSpan(Zero::kRefused), "Time between two probes"),
       Row("timeout", &Ready::timeout, TimeSpan(Zero::kRefused), "Time limit of one probe")}};
  return section;
}

const Section<Outlive>& OutliveKeys() {
  static const Section<Outlive> section = {
      {Row("roles", &Outlive::roles, ListOf(NonEmptyText("role name"), "list of roles"),
           "The roles whose end starts the time limit", "[chief]"),
       Row("by", &Outlive::by, TimeSpan(Zero::kAllowed),
           "How long this role may keep running after the last task of those roles has ended", "10m"),
       Row("then", &Outlive::then, OneOf(OutliveThenWords()),
           "fail: the job fails; ignore: the role becomes a sidecar; service: it becomes a service")}};
  return section;
}

ValueType<After> AfterRole() {
  return OrShort<After, std::string>(
      SectionType(&AfterKeys), NonEmptyText("role name"), [](std::string role) { return After{std::move(role)}; },
      [](const After& a) { return a.finished || a.ready ? std::nullopt : std::optional(a.role); });
}

const Section<Docker>& DockerKeys() {
  static const Section<Docker> section = {
      {Row("image", &Docker::image, DockerImage(), "Image name, as for `docker pull`", "library/python:3.11"),
       Row("network", &Docker::network, DockerWord("network name", "host"),
           "host, bridge, none or another network that the cluster allows; default: the cluster's"),
       Row("mounts", &Docker::mounts, ListOf(DockerMount(), "list of mounts"),
           "Directories and files of the node to mount, as source:target:ro or source:target:rw"),
       Row("tmpfs", &Docker::tmpfs, ListOf(DockerTmpfs(), "list of absolute paths"),
           "Paths in the container to mount as tmpfs (in memory)"),
       Row("runtime", &Docker::runtime, DockerWord("runtime name", "nvidia"),
           "OCI runtime, such as runc or nvidia; default: the cluster's"),
       Row("privileged", &Docker::privileged, TrueOrFalse(),
           "Run the container with privileges, if the cluster allows it"),
       Row("client_config", &Docker::client_config, PathOrUri(PathUse::kLocalFile),
           "Docker's config.json with the logins to private registries; it travels with the job's credentials")}};
  return section;
}

const Section<AmSpec>& AmKeys() {
  static const Section<AmSpec> section = {
      {Row("attempts", &AmSpec::attempts, WholeNumber(1, kCountMax),
           "Maximum number of attempts of the AM within an hour; the cluster may allow fewer"),
       Row("memory", &AmSpec::memory_bytes, Memory(),
           "Memory of the AM's container; default: computed from the number of tasks"),
       Row("vcores", &AmSpec::vcores, WholeNumber(1, kCountMax), "Virtual cores of the AM's container")}};
  return section;
}

const Section<KerberosLogin>& KerberosKeys() {
  static const Section<KerberosLogin> section = {
      {Row("principal", &KerberosLogin::principal, OptionalText(),
           "Principal of the keytab, as in ann@EXAMPLE.COM; default: the first one of the keytab"),
       Row("keytab", &KerberosLogin::keytab, PathOrUri(PathUse::kLocalFile),
           "Keytab with which the submission logs in, and the application master from then on", "~/ann.keytab"),
       Row("carry", &KerberosLogin::carry, TrueOrFalse(),
           "true: the keytab is part of the application master's credentials, and so of the ResourceManager's state; "
           "an application master that YARN restarts can then log in even if the tokens of the submission have "
           "expired")},
      {},
      nullptr,
      "keytab"};
  return section;
}

const Section<TokenRules>& TokenKeys() {
  static const Section<TokenRules> section = {
      {Row("to_tasks", &TokenRules::to_tasks, TokenKinds(),
           "Which of the fetched tokens the tasks get. With rm a task can submit jobs of its own"),
       Row("files", &TokenRules::files, ListOf(PathOrUri(PathUse::kLocalFile), "list of paths"),
           "Token files of other tools, as in [hive.dt]; the tasks get their tokens")}};
  return section;
}

const Section<Access>& AccessKeys() {
  static const Section<Access> section = {
      {Row("view", &Access::view, ListOf(UserOrGroup(), "list of users and groups"),
           "Users who may read the status page and the output of the tasks, as in [ann, \"@ml\"]; \"*\" for everybody"),
       Row("modify", &Access::modify, ListOf(UserOrGroup(), "list of users and groups"),
           "Users who may stop the job, as in [ann, \"@ml\"]; \"*\" for everybody")}};
  return section;
}

const Section<Locality>& LocalityKeys() {
  static const Section<Locality> section = {
      {Row("nodes", &Locality::nodes, ListOf(NodeName(), "list of host names"), "Host names of the nodes to run on"),
       Row("racks", &Locality::racks, ListOf(RackName(), "list of racks"), "Racks to run on, such as /rack1"),
       Row("strict", &Locality::strict, TrueOrFalse(),
           "true: run only on these nodes and racks; false: run on others if these are not available")}};
  return section;
}

const Section<Placement>& PlacementKeys() {
  static const Section<Placement> section = {
      {Row("attributes", &Placement::attributes, NodeAttributes(),
           "Attributes that the node must have, as in {gen: v100, disk: [ssd, nvme], \"!os\": rhel7}: one of the "
           "values, or with ! none of them"),
       Row("near", &Placement::near, ListOf(NonEmptyText("role name"), "list of roles"),
           "Only on nodes on which each of these roles has a task"),
       Row("apart", &Placement::apart, ListOf(NonEmptyText("role name"), "list of roles"),
           "Only on nodes on which none of these roles has a task; may name the role itself"),
       Row("max_per_rack", &Placement::max_per_rack, Optional(WholeNumber(1, kCountMax)),
           "Maximum number of tasks of this role in one rack")}};
  return section;
}

const Section<Checkpoint>& CheckpointKeys() {
  static const Section<Checkpoint> section = {
      {Row("dir", &Checkpoint::dir, PathOrUri(PathUse::kDestination),
           "Directory for the tasks' checkpoints (HOWDAH_CHECKPOINT_DIR); created if absent; on YARN a URI, or a path "
           "shared by all nodes"),
       Row("grace", &Checkpoint::grace, TimeSpan(Zero::kAllowed), "Time between the stop signal and SIGKILL"),
       Row("signal", &Checkpoint::signal, SignalName(&SignalNames), "Signal that asks a task to stop"),
       Row("max_grace", &Checkpoint::max_grace, Optional(TimeSpan(Zero::kAllowed)),
           "Longest grace for a task that reports `checkpointing`; default: ten times grace")},
      {},
      nullptr,
      "dir"};
  return section;
}

const Section<Timeouts>& TimeoutsKeys() {
  static const Section<Timeouts> section = {
      {Row("gang", &Timeouts::gang, TimeSpan(Zero::kRefused), "How long to wait until all tasks of a gang can start"),
       Row("hold", &Timeouts::hold, TimeSpan(Zero::kRefused),
           "How long an incomplete gang keeps its containers without getting another one; then it releases them and "
           "requests all again"),
       Row("register", &Timeouts::register_, TimeSpan(Zero::kRefused),
           "Maximum time from the start of a container until its executor connects"),
       Row("heartbeat", &Timeouts::heartbeat, TimeSpan(Zero::kRefused),
           "A task without a heartbeat for this long is lost"),
       Row("am", &Timeouts::am, TimeSpan(Zero::kRefused),
           "How long tasks keep running without an application master, until another one takes over"),
       Row("replacement", &Timeouts::replacement, TimeSpan(Zero::kAllowed),
           "How long an elastic role waits for a replacement of a lost container before it continues with fewer tasks"),
       Row("settle", &Timeouts::settle, TimeSpan(Zero::kAllowed),
           "How long an elastic role collects new tasks before the running tasks restart together with them"),
       Row("run", &Timeouts::run, Optional(TimeSpan(Zero::kRefused)), "The job is killed after running for this long"),
       Row("queue", &Timeouts::queue, Optional(TimeSpan(Zero::kRefused)),
           "A job that is QUEUED for this long is killed by the client that follows it; a job whose containers were "
           "preempted fails after waiting this long for new ones"),
       Row("progress", &Timeouts::progress, Optional(TimeSpan(Zero::kRefused)),
           "A worker without activity (steps, output, CPU or GPU use) for this long counts as hung, and fails"),
       Row("feed", &Timeouts::feed, TimeSpan(Zero::kRefused),
           "A feed fails if a rank waits for rows of its source for this long")}};
  return section;
}

bool IsRoleName(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  return !name.empty() && letter(name.front()) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

bool ReadRoles(Reader& r, const Node& n, std::vector<RoleSpec>& out) {
  const std::string example = "write for example worker: {memory: 2GiB, command: ...}";
  if (n.kind != Node::Kind::kMap) return r.Fail(n, "must be a map of roles by name; " + example);
  if (n.entries.empty()) return r.Fail(n, "no roles; " + example);
  return ForEachEntry(r, n, [&](const Entry& entry) {
    if (entry.value->kind != Node::Kind::kMap && Has(RoleKeys(), entry.key)) {
      return r.Fail(entry.mark, "is a key of a role; indent it below the name of its role");
    }
    RoleSpec& role = out.emplace_back();
    role.name = entry.key;
    bool good = IsRoleName(entry.key);
    if (!good) r.Fail(entry.mark, "invalid role name; use letters, digits, _ and -, starting with a letter");
    if (good && entry.key.size() > kLongestRoleName) {
      good = r.Fail(entry.mark, "has " + std::to_string(entry.key.size()) + " characters; a role's name has at most " +
                                    std::to_string(kLongestRoleName));
    }
    const bool read = entry.value->kind == Node::Kind::kNull
                          ? r.Fail(entry.mark, "has no keys; write memory and command")
                          : ReadSection(r, *entry.value, RoleKeys(), role);
    r.Note(entry.mark, good && read);
    return good && read;
  });
}

ValueType<std::vector<RoleSpec>> Roles() {
  return {&ReadRoles,
          [](const std::vector<RoleSpec>& roles) {
            Json object;
            for (const RoleSpec& role : roles) object[role.name] = WriteSection(RoleKeys(), role);
            return object;
          },
          [] {
            return Json{{"title", "map of roles"},
                        {"type", "object"},
                        {"minProperties", 1},
                        {"propertyNames", {{"pattern", "^[A-Za-z][A-Za-z0-9_-]*$"}}},
                        {"additionalProperties", SectionSchema(RoleKeys())}};
          }};
}

// The first keys with a name in a map below the job, and in a map below a role: "timeouts.hold", "restart.backoff".
struct PathsOfKey {
  std::string of_job, of_role;
};

PathsOfKey FindPaths(std::string_view key) {
  constexpr std::string_view kRole = "roles.NAME.";
  const std::string ending = "." + std::string(key);
  PathsOfKey found;
  for (const std::string& path : KeyPaths()) {
    if (!path.ends_with(ending) || path.find("[]") != std::string::npos) continue;
    const bool of_role = path.starts_with(kRole);
    std::string& first = of_role ? found.of_role : found.of_job;
    if (first.empty()) first = of_role ? path.substr(kRole.size()) : path;
  }
  return found;
}

// Returns the name of the job's only role, or "NAME" if there are several or none.
std::string OnlyRole(const Node& job) {
  for (const Entry& entry : job.entries) {
    if (entry.key == "roles" && entry.value->kind == Node::Kind::kMap && entry.value->entries.size() == 1)
      return Printable(entry.value->entries.front().key);
  }
  return "NAME";
}

Section<RoleSpec> MakeRoleKeys() {
  using R = RoleSpec;
  Section<R> s;
  s.elsewhere = [](std::string_view key, const Node&) {
    const auto at_top = [](std::string_view path) { return "'" + std::string(path) + "' at the top level"; };
    if (Has(JobKeys(), key)) return at_top(key);
    if (const ForeignKey* const foreign = FindForeignKey(key)) {
      return foreign->of_role ? "'" + std::string(foreign->key) + "'" : at_top(foreign->key);
    }
    const PathsOfKey paths = FindPaths(key);
    return !paths.of_role.empty() ? "'" + paths.of_role + "'" : !paths.of_job.empty() ? at_top(paths.of_job) : "";
  };
  s.keys = {
      Row("instances", &R::instances, InstancesOrRange(), "Number of tasks; {min, max} makes the role elastic"),
      Row("memory", &R::memory_bytes, Memory(), "Memory per task", "2GiB"),
      Row("vcores", &R::vcores, WholeNumber(1, kCountMax), "Virtual cores per task"),
      Row("gpus", &R::gpus, WholeNumber(0, kCountMax), "GPUs per task"),
      Row("processes", &R::processes, WholeNumber(1, 4096), "Processes (local ranks) per task"),
      Row("command", &R::command, CommandLine(),
          "The program of each task: a string runs under bash -o pipefail -c, a list is executed directly",
          "python train.py"),
      Row("env", &R::env, Variables(), "Environment variables of this role; they override those of the job"),
      Row("files", &R::files, ListOf(StagedFile(), "list of files"),
          "Files for this role, in addition to those of the job"),
      Row("outputs", &R::outputs, ListOf(OutputPattern(), "list of patterns"),
          "Files of this role to keep, in addition to the outputs of the job"),
      Row("image", &R::image, Optional(DockerImage()),
          "Image for this role, instead of docker.image; the other keys of docker apply unchanged (YARN)"),
      Row("kind", &R::kind, OneOf(RoleKindWords()),
          "worker: the job waits for it; service: the job does not wait for it, but fails if it fails; sidecar: its "
          "failure is only reported; setup: all other roles start after it has finished, and the job fails if it "
          "fails"),
      Row("chief", &R::chief, TrueOrFalse(), "The job succeeds as soon as this role succeeds"),
      Row("restart", &R::restart, SectionType(&RestartKeys), "Restarts of failed tasks"),
      Row("on_failure", &R::on_failure, OneOf(OnFailureWords()),
          "fail: a failed task fails the job; tolerate: the job fails only if all tolerated tasks have failed; ignore: "
          "a failed task never fails the job; ignore_others: only a failure of index 0 fails the job"),
      Row("after", &R::after, ListOf(AfterRole(), "list of roles"),
          "Start after all tasks of these roles have started; with {role, finished: true} after they have finished, "
          "with {role, ready: true} after they are ready"),
      Row("ready", &R::ready, Optional(SectionType(&ReadyKeys)),
          "When a task is ready for the roles that wait for it with {role, ready: true}"),
      Row("timeout", &R::timeout, Optional(TimeSpan(Zero::kRefused)),
          "An attempt that runs for longer is stopped, and counts as failed"),
      Row("outlive", &R::outlive, Optional(SectionType(&OutliveKeys)),
          "How long the role may keep running after other roles have ended"),
      Row("resources", &R::resources, Resources(),
          "Other resource types of the cluster, and the amount per task (YARN)"),
      Row("node_label", &R::node_label, OptionalText(), "Label of the nodes to use, instead of the job's (YARN)"),
      Row("locality", &R::locality, OmittedByDefault(SectionType(&LocalityKeys)), "Where tasks should run (YARN)"),
      Row("placement", &R::placement, OmittedByDefault(SectionType(&PlacementKeys)),
          "Conditions for the nodes of the tasks (YARN)"),
      Row("max_per_node", &R::max_per_node, Optional(WholeNumber(1, kCountMax)),
          "Maximum number of tasks of this role on one node; 1 spreads them (YARN)"),
      Row("progress_timeout", &R::progress_timeout, Optional(TimeSpan(Zero::kRefused)),
          "Like timeouts.progress, for this role. Without this key services and sidecars have no such limit"),
      Row("exports", &R::exports, Variables(),
          "Variables for the roles that wait for this role to finish, as a map from the variable's name to a text. "
          "Howdah looks for the first line of task 0's stdout that contains the text; the value is the rest of that "
          "line"),
  };
  return s;
}

// Keys of the job itself, in the group `metrics`.
Section<JobSpec> MetricsKeys() {
  return {{Row("interval", &JobSpec::metrics_interval, TimeSpanOr0(std::chrono::seconds(1), std::chrono::minutes(1)),
               "Time between two samples of each task's resource usage, from 1s to 1m; 0s: no samples. While somebody "
               "watches the metrics, tasks are sampled every second")},
          {},
          nullptr,
          "interval"};
}

// Keys of the job itself, in the group `history`.
Section<JobSpec> HistoryKeys() {
  return {{Row("tony", &JobSpec::tony_history, PathOrUri(PathUse::kDestination),
               "Also write the job's history in TonY's format to this directory (tony.history.location)",
               "hdfs:///tony-history"),
           Row("configuration", &JobSpec::configuration, Configuration(),
               "The configuration that TonY's history shows; it has no effect on the job")}};
}

// Returns the path of a key that is not a key of the job, or "".
std::string PlaceOfJobKey(std::string_view key, const Node& job) {
  const auto in_role = [&job](std::string_view path) { return "roles." + OnlyRole(job) + "." + std::string(path); };
  if (Has(RoleKeys(), key)) return in_role(key);
  if (const ForeignKey* const foreign = FindForeignKey(key))
    return foreign->of_role ? in_role(foreign->key) : std::string(foreign->key);
  const PathsOfKey paths = FindPaths(key);
  return paths.of_job.empty() && !paths.of_role.empty() ? in_role(paths.of_role) : paths.of_job;
}

Section<JobSpec> AdviceKeys() {
  return {{Row("off", &JobSpec::advice_off, ListOf(OneOf(AdviceCheckWords()), "list of checks"),
               "Checks of docs/advice.md that give no advice about this job, as in [vcores-over]")}};
}

Section<JobSpec> PythonKeys() {
  return {{Row("archive", &JobSpec::python_archive, PathOrUri(PathUse::kArchive),
               "Packed environment (venv-pack, conda-pack or zip); its bin/ comes first in PATH", "env.tar.gz")},
          {},
          nullptr,
          "archive"};
}

Section<JobSpec> MakeJobKeys() {
  using J = JobSpec;
  const Section<J> tensorboard = {{Row("logdir", &J::tensorboard_logdir, PathOrUri(PathUse::kDestination),
                                       "Directory that TensorBoard shows (TB_LOG_DIR); created if absent; on YARN a "
                                       "URI, or a path shared by all nodes",
                                       "./logs")},
                                  {},
                                  nullptr,
                                  "logdir"};
  const Section<J> restart = {{Row("max", &J::restart_max, WholeNumber(0, kCountMax),
                                   "How often the whole job may restart after a task has used up its own restarts")},
                              {},
                              nullptr,
                              "max"};
  Section<J> s;
  s.elsewhere = &PlaceOfJobKey;
  s.keys = {
      Row("name", &J::name, JobName(), "Name of the job, for people"),
      Row("framework", &J::framework, OneOf(FrameworkWords()), "Framework whose environment variables the tasks get"),
      Row("source", &J::source, PathOrUri(PathUse::kSource),
          "Directory or archive; its content becomes every task's working directory"),
      Row("files", &J::files, ListOf(StagedFile(), "list of files"),
          "More files for the working directory, in addition to source"),
      Row("outputs", &J::outputs, ListOf(OutputPattern(), "list of patterns"),
          "Files in the working directories to keep after the job, as in [out/, '*.pt']; see `howdah outputs`"),
      Row("keep_new_files", &J::keep_new_files_bytes, Memory(),
          "Also keep all other files that a task has created or changed, if they have at most this size together"),
      Group("python", PythonKeys(), "Python environment of the tasks"),
      Row("docker", &J::docker, Optional(SectionType(&DockerKeys)),
          "Docker container for the tasks, if the cluster supports docker (YARN)"),
      Row("env", &J::env, Variables(), "Environment variables of every task"),
      Row("tony_env", &J::tony_env, OmittedByDefault(TrueOrFalse()),
          "Run tasks as TonY does: all of its environment variables, no pipefail, the whole source directory"),
      Row("env_from", &J::env_from, ListOf(VariableName(), "list of names"),
          "Variables of the submitting environment to pass on to the tasks (local)"),
      Row("queue", &J::queue, OptionalText(), "Queue of the cluster (YARN)"),
      Row("priority", &J::priority, Optional(WholeNumber(0, kCountMax)), "Priority within the queue (YARN)"),
      Row("node_label", &J::node_label, OptionalText(), "Label of the nodes to use (YARN)"),
      Row("am", &J::am, SectionType(&AmKeys), "The application master (AM) and its container (YARN)"),
      Row("file_systems", &J::file_systems, ListOf(FileSystemUri(), "list of URIs"),
          "File systems that the tasks use, in addition to those named in this file, as in [hdfs://ns2]; on a cluster "
          "with Kerberos the job gets tokens for them (YARN)"),
      Row("tokens", &J::tokens, OmittedByDefault(SectionType(&TokenKeys)),
          "Delegation tokens of the job on a cluster with Kerberos (YARN)"),
      Row("kerberos", &J::kerberos, Optional(SectionType(&KerberosKeys)),
          "A keytab with which a job that runs for weeks stays logged in to a cluster with Kerberos (YARN)"),
      Row("access", &J::access, OmittedByDefault(SectionType(&AccessKeys)),
          "Rights of other users, in addition to the owner and the cluster's administrators (YARN)"),
      Row("tags", &J::tags, ListOf(NonEmptyText("string"), "list of strings"), "Tags to find the job by"),
      Row("roles", &J::roles, Roles(), "The roles of the job, by name",
          "{worker: {memory: 2GiB, command: python train.py}}"),
      Row("feeds", &J::feeds, Feeds(), "Streams of rows that the tasks read, by name (docs/feeds.md)"),
      Group("tensorboard", tensorboard, "A TensorBoard that runs as long as the job"),
      Row("checkpoint", &J::checkpoint, SectionType(&CheckpointKeys),
          "Checkpoints, and the way in which tasks are stopped"),
      Group("restart", restart, "Restarts of the whole job"),
      Row("timeouts", &J::timeouts, SectionType(&TimeoutsKeys), "Time limits"),
      Group("metrics", MetricsKeys(), "Measurement of the tasks' resource usage"),
      Row("start", &J::start, OneOf(StartModeWords()),
          "gang: the tasks of a gang start together once all of them can start (roles that wait for the same roles to "
          "finish form one gang); free: each task starts as soon as it has a container"),
      Group("history", HistoryKeys(), "A history of the job for TonY's tools"),
      Group("advice", AdviceKeys(), "Advice of `howdah advise` on the job"),
  };
  s.keys.front().default_words = "the file name without its extension";
  return s;
}

}  // namespace

const Section<JobSpec>& JobKeys() {
  static const Section<JobSpec> section = MakeJobKeys();
  return section;
}

const Section<RoleSpec>& RoleKeys() {
  static const Section<RoleSpec> section = MakeRoleKeys();
  return section;
}

}  // namespace howdah::jobspec
