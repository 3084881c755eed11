#include "key_table.h"

#include <algorithm>

#include "cluster_values.h"
#include "configured_values.h"
#include "paths.h"
#include "value_types.h"

namespace howdah::jobspec {
namespace {

constexpr int kInstancesMax = 100'000;
constexpr int kCountMax = 1'000'000;

template <typename T>
bool Has(const Section<T>& section, std::string_view key) {
  return std::any_of(section.keys.begin(), section.keys.end(), [&](const Key<T>& k) { return k.name == key; });
}

const Section<Instances>& InstancesKeys() {
  static const Section<Instances> section = {
      {Row("min", &Instances::min, WholeNumber(1, kInstancesMax), "The fewest tasks the job starts and goes on with"),
       Row("max", &Instances::max, WholeNumber(1, kInstancesMax), "The most tasks it grows to as containers come",
           "8")}};
  return section;
}

ValueType<Instances> InstancesOrRange() {
  return OrShort<Instances, int>(
      SectionType(&InstancesKeys), WholeNumber(1, kInstancesMax),
      [](int n) {
        return Instances{n, n};
      },
      [](const Instances& i) { return i.elastic() ? std::nullopt : std::optional(i.min); });
}

const Section<RestartRule>& RestartRuleKeys() {
  constexpr int kExitMax = 255;
  static const Section<RestartRule> section = {
      {Row("log", &RestartRule::log, Pattern(),
           "It fits a line of the last output of the process, stderr or stdout (RE2's syntax)"),
       Row("exit", &RestartRule::exit, Optional(WholeNumber(1, kExitMax)), "The exit code of the process"),
       Row("signal", &RestartRule::signal, SignalName(&KillingSignalNames), "The signal that killed it"),
       Row("then", &RestartRule::then, OneOf(RestartThenWords()),
           "fail: not started again; restart: as any failure; restart_free: started again, which costs no restart; "
           "elsewhere: the same on another node, as this one is to blame",
           "fail")}};
  return section;
}

const Section<RestartLimit>& RestartKeys() {
  static const Section<RestartLimit> section = {
      {Row("max", &RestartLimit::max, WholeNumber(0, kCountMax), "How often one task may start again after a failure"),
       Row("backoff", &RestartLimit::backoff, TimeSpan(Zero::kAllowed),
           "The wait before the first; doubled for each further one, at most 1m"),
       Row("excuse", &RestartLimit::excuse, TrueOrFalse(),
           "Whether what is not the task's doing (a lost node, preemption, a silent executor) costs no restart"),
       Row("rules", &RestartLimit::rules, ListOf(SectionType(&RestartRuleKeys), "list of rules"),
           "What follows failures of one kind; the first rule that fits counts, and where none does the rest says "
           "it")}};
  return section;
}

const Section<After>& AfterKeys() {
  static const Section<After> section = {
      {Row("role", &After::role, NonEmptyText("name of a role"), "The role to wait for", "reader"),
       Row("finished", &After::finished, TrueOrFalse(), "Whether to wait for its end, not for its start")}};
  return section;
}

const Section<Outlive>& OutliveKeys() {
  static const Section<Outlive> section = {
      {Row("roles", &Outlive::roles, ListOf(NonEmptyText("name of a role"), "list of roles"),
           "The roles whose end is meant", "[chief]"),
       Row("by", &Outlive::by, TimeSpan(Zero::kAllowed), "How long it may go on after the last task of these", "10m"),
       Row("then", &Outlive::then, OneOf(OutliveThenWords()),
           "fail: the job fails; ignore: the role is from then on a sidecar")}};
  return section;
}

ValueType<After> AfterRole() {
  return OrShort<After, std::string>(
      SectionType(&AfterKeys), NonEmptyText("name of a role"),
      [](std::string role) {
        return After{std::move(role), false};
      },
      [](const After& a) { return a.finished ? std::nullopt : std::optional(a.role); });
}

const Section<Docker>& DockerKeys() {
  static const Section<Docker> section = {
      {Row("image", &Docker::image, DockerImage(), "The image, as `docker pull` names it", "library/python:3.11"),
       Row("network", &Docker::network, DockerWord("name of a network", "host"),
           "host, bridge, none or another the cluster allows; else its default"),
       Row("mounts", &Docker::mounts, ListOf(DockerMount(), "list of mounts"),
           "Directories and files of the node, as source:target:ro or source:target:rw"),
       Row("tmpfs", &Docker::tmpfs, ListOf(DockerTmpfs(), "list of absolute paths"),
           "Places in the container that are kept in memory"),
       Row("runtime", &Docker::runtime, DockerWord("name of a runtime", "nvidia"),
           "The OCI runtime, such as runc or nvidia; else the cluster's default"),
       Row("privileged", &Docker::privileged, TrueOrFalse(),
           "Whether to run privileged, where the cluster allows it")}};
  return section;
}

const Section<AmSpec>& AmKeys() {
  static const Section<AmSpec> section = {
      {Row("attempts", &AmSpec::attempts, WholeNumber(1, kCountMax),
           "How often it may be started within an hour; the cluster may allow fewer"),
       Row("memory", &AmSpec::memory_bytes, Memory(), "Memory of its container; else as much as so many tasks need"),
       Row("vcores", &AmSpec::vcores, WholeNumber(1, kCountMax), "Virtual cores of its container")}};
  return section;
}

const Section<Locality>& LocalityKeys() {
  static const Section<Locality> section = {
      {Row("nodes", &Locality::nodes, ListOf(NodeName(), "list of host names"), "Nodes to run on"),
       Row("racks", &Locality::racks, ListOf(RackName(), "list of racks"), "Racks to run on, such as /rack1"),
       Row("strict", &Locality::strict, TrueOrFalse(), "Whether to run only there; false: elsewhere if need be")}};
  return section;
}

const Section<Checkpoint>& CheckpointKeys() {
  static const Section<Checkpoint> section = {
      {Row("dir", &Checkpoint::dir, PathOrUri(PathUse::kDestination),
           "Where tasks keep their checkpoints (HOWDAH_CHECKPOINT_DIR); created if absent; on YARN a URI or shared by "
           "all nodes"),
       Row("grace", &Checkpoint::grace, TimeSpan(Zero::kAllowed), "The time between the stop signal and SIGKILL"),
       Row("signal", &Checkpoint::signal, SignalName(&SignalNames), "The signal that asks a task to stop"),
       Row("max_grace", &Checkpoint::max_grace, Optional(TimeSpan(Zero::kAllowed)),
           "The most that the grace becomes while a task says it is `checkpointing`; else ten times the grace")}};
  return section;
}

const Section<Timeouts>& TimeoutsKeys() {
  static const Section<Timeouts> section = {
      {Row("gang", &Timeouts::gang, TimeSpan(Zero::kRefused), "How long to wait until everything can start"),
       Row("hold", &Timeouts::hold, TimeSpan(Zero::kRefused),
           "An incomplete gang that gets nothing more for so long gives its containers back and asks again"),
       Row("register", &Timeouts::register_, TimeSpan(Zero::kRefused), "How long a started container may stay silent"),
       Row("heartbeat", &Timeouts::heartbeat, TimeSpan(Zero::kRefused), "After such a silence a task counts as lost"),
       Row("am", &Timeouts::am, TimeSpan(Zero::kRefused),
           "How long tasks go on without an application master, until another one takes over"),
       Row("replacement", &Timeouts::replacement, TimeSpan(Zero::kAllowed),
           "How long an elastic role waits for a container in place of a lost one before it goes on with fewer tasks"),
       Row("settle", &Timeouts::settle, TimeSpan(Zero::kAllowed),
           "How long new tasks of an elastic role are gathered before those that run together start again with them"),
       Row("run", &Timeouts::run, Optional(TimeSpan(Zero::kRefused)), "After so long the job is killed"),
       Row("queue", &Timeouts::queue, Optional(TimeSpan(Zero::kRefused)),
           "A job that is QUEUED for so long is killed by the client that follows it; one whose containers were "
           "preempted fails when it has waited so long for others"),
       Row("progress", &Timeouts::progress, Optional(TimeSpan(Zero::kRefused)),
           "A worker without a sign of life (steps, or output, CPU, GPU) for so long has failed")}};
  return section;
}

bool IsRoleName(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  return !name.empty() && letter(name.front()) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

bool ReadRoles(Reader& r, const Node& n, std::vector<RoleSpec>& out) {
  if (!CheckIsMap(r, n)) return false;
  if (n.entries.empty()) return r.Fail(n, "no role is there; write for example worker: {memory: 2GiB, command: …}");
  return ForEachEntry(r, n, [&](const Entry& entry) {
    RoleSpec& role = out.emplace_back();
    role.name = entry.key;
    bool good = IsRoleName(entry.key);
    if (!good) r.Fail(entry.mark, "is no name for a role; use letters, digits, _ and -, a letter first");
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

Section<RoleSpec> MakeRoleKeys() {
  using R = RoleSpec;
  Section<R> s;
  s.elsewhere = [](std::string_view key) {
    return Has(JobKeys(), key) ? "'" + std::string(key) + "' of the job, beside 'roles'" : "";
  };
  s.keys = {
      Row("instances", &R::instances, InstancesOrRange(), "How many tasks; {min, max} makes the role elastic"),
      Row("memory", &R::memory_bytes, Memory(), "Memory of one task", "2GiB"),
      Row("vcores", &R::vcores, WholeNumber(1, kCountMax), "Virtual cores of one task"),
      Row("gpus", &R::gpus, WholeNumber(0, kCountMax), "GPUs of one task"),
      Row("processes", &R::processes, WholeNumber(1, 4096), "Local ranks of one task, each a process of its own"),
      Row("command", &R::command, CommandLine(), "What each task runs: a text runs under bash -c, a list as it is",
          "python train.py"),
      Row("env", &R::env, Variables(), "Environment variables of this role, over those of the job"),
      Row("files", &R::files, ListOf(FileToPlace(), "list of files"),
          "Files of this role alone, beside those of the job"),
      Row("image", &R::image, Optional(DockerImage()),
          "The image its tasks run in, instead of docker.image; the rest is as docker says (YARN)"),
      Row("kind", &R::kind, OneOf(RoleKindWords()),
          "worker: the job waits for it; service: not waited for, its failure fails the job; sidecar: its failure is "
          "only reported; setup: all others start when it has ended, its failure fails the job"),
      Row("chief", &R::chief, TrueOrFalse(), "Whether its success ends the job, successfully"),
      Row("restart", &R::restart, SectionType(&RestartKeys), "Restarts of a task that failed"),
      Row("on_failure", &R::on_failure, OneOf(OnFailureWords()),
          "fail: a failed task fails the job; tolerate: only when all tolerated tasks have failed; ignore: never; "
          "ignore_others: index 0 alone fails the job"),
      Row("after", &R::after, ListOf(AfterRole(), "list of roles"),
          "Starts after all tasks of these roles have started, or {role, finished: true}: have ended"),
      Row("timeout", &R::timeout, Optional(TimeSpan(Zero::kRefused)),
          "An attempt that runs for so long is stopped, and has failed"),
      Row("outlive", &R::outlive, Optional(SectionType(&OutliveKeys)),
          "How long it may go on once other roles have ended"),
      Row("resources", &R::resources, Resources(),
          "Other resource types of the cluster, and how much one task gets (YARN)"),
      Row("node_label", &R::node_label, OptionalText(), "Label of the nodes to use, instead of the job's (YARN)"),
      Row("locality", &R::locality, OmittedByDefault(SectionType(&LocalityKeys)), "Where tasks should run (YARN)"),
      Row("max_per_node", &R::max_per_node, Optional(WholeNumber(1, kCountMax)),
          "The most tasks of this role on one node; 1 spreads them (YARN)"),
      Row("progress_timeout", &R::progress_timeout, Optional(TimeSpan(Zero::kRefused)),
          "timeouts.progress of this role; services and sidecars have no other"),
      Row("exports", &R::exports, Variables(),
          "Variables for the roles that wait for its end: each is what follows this text in the first line of index "
          "0's "
          "stdout that has it"),
  };
  return s;
}

Section<JobSpec> MakeJobKeys() {
  using J = JobSpec;
  const Section<J> python = {{Row("archive", &J::python_archive, PathOrUri(PathUse::kArchive),
                                  "venv-pack, conda-pack or zip; its bin/ comes first in PATH", "env.tar.gz")}};
  const Section<J> tensorboard = {
      {Row("logdir", &J::tensorboard_logdir, PathOrUri(PathUse::kDestination),
           "What it shows (TB_LOG_DIR); created if absent; on YARN a URI or shared by all nodes", "./logs")}};
  const Section<J> restart = {{Row("max", &J::restart_max, WholeNumber(0, kCountMax),
                                   "How often the whole job may start again once the tasks' own restarts are spent")}};
  const Section<J> history = {
      {Row("tony", &J::tony_history, PathOrUri(PathUse::kDestination),
           "Where the job's history is kept as TonY keeps it too (tony.history.location)", "hdfs:///tony-history"),
       Row("configuration", &J::configuration, Configuration(),
           "What that history shows as the job's configuration; it changes nothing")}};
  Section<J> s;
  s.elsewhere = [](std::string_view key) {
    return Has(RoleKeys(), key) ? "'" + std::string(key) + "' of a role: roles.NAME." + std::string(key) : "";
  };
  s.keys = {
      Row("name", &J::name, OptionalText(), "What people call the job"),
      Row("framework", &J::framework, OneOf(FrameworkWords()), "Whose environment the tasks find"),
      Row("source", &J::source, PathOrUri(PathUse::kSource),
          "Directory or archive; its content becomes every task's working directory"),
      Row("files", &J::files, ListOf(FileToPlace(), "list of files"), "More files, beside the source"),
      Group("python", python, "The Python environment of the tasks"),
      Row("docker", &J::docker, Optional(SectionType(&DockerKeys)),
          "The image tasks run in, where the cluster runs docker containers (YARN)"),
      Row("env", &J::env, Variables(), "Environment variables of every task"),
      Row("tony_env", &J::tony_env, OmittedByDefault(TrueOrFalse()), "Whether tasks find all of TonY's variables"),
      Row("env_from", &J::env_from, ListOf(VariableName(), "list of names"),
          "Variables of the submitter's environment that tasks see too (local)"),
      Row("queue", &J::queue, OptionalText(), "Queue of the cluster (YARN)"),
      Row("priority", &J::priority, Optional(WholeNumber(0, kCountMax)), "Priority within the queue (YARN)"),
      Row("node_label", &J::node_label, OptionalText(), "Label of the nodes to use (YARN)"),
      Row("am", &J::am, SectionType(&AmKeys), "The application master's container (YARN)"),
      Row("tags", &J::tags, ListOf(NonEmptyText("text"), "list of texts"), "Marks to find the job by"),
      Row("roles", &J::roles, Roles(), "The roles of the job, by name",
          "{worker: {memory: 2GiB, command: python train.py}}"),
      Group("tensorboard", tensorboard, "A managed TensorBoard beside the job"),
      Row("checkpoint", &J::checkpoint, SectionType(&CheckpointKeys), "Checkpoints, and how tasks are stopped"),
      Group("restart", restart, "Restarts of the whole job"),
      Row("timeouts", &J::timeouts, SectionType(&TimeoutsKeys), "Time limits"),
      Row("start", &J::start, OneOf(StartModeWords()),
          "gang: nothing starts until everything can, or everything that waits for the end of the same roles; free: "
          "each "
          "task as it comes"),
      Group("history", history, "The job's history for TonY's tools"),
  };
  s.keys.front().default_words = "the name of the file";
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
