#include "rules.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include "feed_keys.h"
#include "howdah/base/text.h"
#include "key_table.h"
#include "words.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

std::string PathOf(const RoleSpec& role, std::string_view key) {
  return "roles." + Printable(role.name) + "." + std::string(key);
}

// MXNet's parameter server recognises roles by these names.
void CheckMxnet(const JobSpec& spec, Reader& reader) {
  for (const char* name : {"scheduler", "server", "worker"}) {
    const auto role = std::find_if(spec.roles.begin(), spec.roles.end(),
                                   [&](const RoleSpec& candidate) { return candidate.name == name; });
    const bool is_scheduler = std::string_view(name) == "scheduler";
    if (role == spec.roles.end()) {
      reader.FailAt("roles", "an MXNet job needs the roles scheduler, server and worker; add " + std::string(name));
    } else if (is_scheduler && role->instances != Instances{1, 1} && !reader.WasBad(PathOf(*role, "instances"))) {
      reader.FailAt(PathOf(*role, "instances"), "MXNet needs exactly one scheduler; write 1");
    }
  }
}

void CheckFramework(const JobSpec& spec, Reader& reader) {
  if (spec.framework == Framework::kMxnet && !reader.WasBad("roles")) CheckMxnet(spec, reader);
  std::string why;
  if (spec.framework == Framework::kTensorflow)
    why = "a TensorFlow task must be one process, because it is one member of the cluster";
  if (spec.framework == Framework::kMxnet)
    why = "an MXNet task must be one process, because it is one member of the cluster";
  if (spec.framework == Framework::kMpi) why = "mpirun starts the ranks, one per vcore of a task";
  for (const RoleSpec& role : spec.roles) {
    if (why.empty() || role.processes == 1 || role.kind != RoleKind::kWorker) continue;
    reader.FailAt(
        PathOf(role, "processes"),
        why + (spec.framework == Framework::kMpi ? "; write 1" : "; write 1, and increase instances instead"));
  }
}

void CheckChiefs(const JobSpec& spec, Reader& reader) {
  const RoleSpec* first = nullptr;
  for (const RoleSpec& role : spec.roles) {
    if (!role.chief) continue;
    const bool is_one = role.instances == Instances{1, 1};
    if (!is_one && !reader.WasBad(PathOf(role, "instances"))) {
      reader.FailAt(PathOf(role, "instances"), "the chief must be a single task; write 1");
    }
    if (role.kind != RoleKind::kWorker)
      reader.FailAt(PathOf(role, "kind"), "the chief must have kind worker; remove kind or chief");
    if (first != nullptr) {
      reader.FailAt(PathOf(role, "chief"),
                    "a job has only one chief, and role " + Quoted(first->name) + " is already the chief; remove this");
    }
    first = first == nullptr ? &role : first;
  }
}

void CheckRole(const RoleSpec& role, Reader& reader) {
  if (role.instances.min > role.instances.max && !reader.WasBad(PathOf(role, "instances"))) {
    reader.FailAt(PathOf(role, "instances"), "min (" + std::to_string(role.instances.min) + ") is larger than max (" +
                                                 std::to_string(role.instances.max) + "); swap them");
  }
  if (role.on_failure != OnFailure::kFail && role.kind != RoleKind::kWorker) {
    const std::string remedy = role.kind == RoleKind::kSidecar
                                   ? "; failures of a sidecar are only reported in any case; remove this key"
                                   : "; write kind: sidecar if its failures should only be reported";
    reader.FailAt(PathOf(role, "on_failure"), Quoted(ToText(role.on_failure)) +
                                                  " applies only to workers, and this role is a " +
                                                  std::string(ToText(role.kind)) + remedy);
  }
}

void FailNoRole(const RoleSpec& role, std::string_view key, const std::string& wrong,
                const std::vector<std::string_view>& names, Reader& reader) {
  const std::string_view near = reader.Suggest(wrong, names);
  reader.FailAt(PathOf(role, key), "unknown role " + Quoted(wrong) +
                                       (near.empty() ? "; write the name of another role, or remove it"
                                                     : "; did you mean " + Quoted(near) + "?"));
}

void CheckOutlive(const JobSpec& spec, const RoleSpec& role, Reader& reader) {
  if (!role.outlive || reader.WasBad(PathOf(role, "outlive"))) return;
  if (role.kind != RoleKind::kWorker) {
    reader.FailAt(PathOf(role, "outlive"),
                  "applies only to workers, and this role is a " + std::string(ToText(role.kind)) + "; remove it");
  }
  if (role.outlive->roles.empty()) reader.FailAt(PathOf(role, "outlive.roles"), "is empty; write for example [chief]");
  std::vector<std::string_view> names;
  for (const RoleSpec& other : spec.roles) names.push_back(other.name);
  for (const std::string& name : role.outlive->roles) {
    const auto other = std::find(names.begin(), names.end(), name);
    if (other == names.end()) {
      FailNoRole(role, "outlive.roles", name, names, reader);
    } else if (name == role.name) {
      reader.FailAt(PathOf(role, "outlive.roles"), "a role cannot outlive itself; name other roles");
    } else if (spec.roles[static_cast<size_t>(other - names.begin())].kind == RoleKind::kService) {
      reader.FailAt(PathOf(role, "outlive.roles"),
                    "role " + Quoted(name) + " is a service and ends only with the job; name other roles");
    }
  }
}

// A setup role runs before all others, so it can wait only for other setup roles.
void CheckSetup(const JobSpec& spec, const RoleSpec& role, Reader& reader) {
  if (role.kind != RoleKind::kSetup) return;
  for (const After& after : role.after) {
    const auto other =
        std::find_if(spec.roles.begin(), spec.roles.end(), [&](const RoleSpec& r) { return r.name == after.role; });
    if (other == spec.roles.end() || other->kind == RoleKind::kSetup) continue;
    reader.FailAt(PathOf(role, "after"),
                  "role " + Quoted(after.role) + " starts only after all setup roles have finished; remove it");
  }
}

// Whether `role` starts only after `other` has finished.
bool WaitsForEnd(const RoleSpec& role, const RoleSpec& other) {
  if (other.kind == RoleKind::kSetup && role.kind != RoleKind::kSetup) return true;
  return std::any_of(role.after.begin(), role.after.end(),
                     [&](const After& after) { return after.finished && after.role == other.name; });
}

void CheckExports(const JobSpec& spec, const RoleSpec& role, Reader& reader) {
  if (role.exports.empty() || reader.WasBad(PathOf(role, "exports"))) return;
  for (const auto& [name, text] : role.exports) {
    if (!text.empty() && text.find_first_of("\r\n") == text.npos) continue;
    reader.FailAt(PathOf(role, "exports." + name),
                  "must be the text that is printed before the value, on one line; write for example '" + name + "='");
  }
  const bool awaited = std::any_of(spec.roles.begin(), spec.roles.end(),
                                   [&](const RoleSpec& other) { return WaitsForEnd(other, role); });
  if (awaited) return;
  reader.FailAt(PathOf(role, "exports"), "no role waits for " + Quoted(role.name) + " to finish" +
                                             "; add `after: [{role: " + role.name +
                                             ", finished: true}]` to the role that uses the variables");
}

void CheckReady(const RoleSpec& role, Reader& reader) {
  if (!role.ready || reader.WasBad(PathOf(role, "ready"))) return;
  if (role.ready->http.empty() != role.ready->port.empty()) return;
  reader.FailAt(PathOf(role, "ready"), role.ready->http.empty()
                                           ? "needs http or port; write for example port: \"${HOWDAH_PORT}\""
                                           : "has both http and port; remove one of them");
}

// A role that always restarts never ends, so neither the job nor another role can wait for its end.
void CheckAlways(const JobSpec& spec, const RoleSpec& role, Reader& reader) {
  if (!role.restart.always || reader.WasBad(PathOf(role, "restart"))) return;
  const std::string key = PathOf(role, "restart.always");
  if (role.chief)
    reader.FailAt(
        key,
        "the end of the chief decides the outcome of the job, so the chief must end; remove chief or restart.always");
  if (spec.framework != Framework::kPlain && role.kind == RoleKind::kWorker) {
    reader.FailAt(key, "the workers of a " + std::string(ToText(spec.framework)) +
                           " job restart together, so none of them restarts after a success; remove it");
  }
  if (role.kind == RoleKind::kSetup) reader.FailAt(key, "all other roles wait for the end of a setup role; remove it");
  for (const RoleSpec& other : spec.roles) {
    const bool waits = std::any_of(other.after.begin(), other.after.end(),
                                   [&](const After& after) { return after.finished && after.role == role.name; });
    if (waits)
      reader.FailAt(key,
                    "role " + Quoted(other.name) +
                        " waits for the end of this role; remove restart.always, or finished: true in the other role");
  }
}

void CheckPlacement(const JobSpec& spec, const RoleSpec& role, Reader& reader) {
  if (reader.WasBad(PathOf(role, "placement"))) return;
  std::vector<std::string_view> names;
  for (const RoleSpec& other : spec.roles) names.push_back(other.name);
  const Placement& placement = role.placement;
  for (const auto& [key, roles] :
       {std::pair("placement.near", &placement.near), {"placement.apart", &placement.apart}}) {
    for (const std::string& name : *roles) {
      if (std::find(names.begin(), names.end(), name) == names.end()) FailNoRole(role, key, name, names, reader);
    }
  }
  for (const std::string& name : placement.near) {
    if (name == role.name) {
      reader.FailAt(PathOf(role, "placement.near"), "a role cannot be near itself; name other roles");
    }
    if (std::find(placement.apart.begin(), placement.apart.end(), name) != placement.apart.end()) {
      reader.FailAt(PathOf(role, "placement"), "role " + Quoted(name) + " is both in near and in apart; remove one");
    }
  }
}

void CheckRestart(const RoleSpec& role, Reader& reader) {
  const std::string key = PathOf(role, "restart.rules");
  if (reader.WasBad(key)) return;
  for (size_t i = 0; i < role.restart.rules.size(); ++i) {
    const RestartRule& rule = role.restart.rules[i];
    const std::string item = key + "[" + std::to_string(i) + "]";
    if (rule.log.empty() && !rule.exit && rule.signal.empty()) {
      reader.FailAt(item, "matches every failure; add log, exit or signal");
    } else if (rule.exit && !rule.signal.empty()) {
      reader.FailAt(item, "a process ends with an exit code or by a signal, never both; write two rules");
    }
  }
}

void CheckLocality(const RoleSpec& role, Reader& reader) {
  if (!role.locality.empty() && !role.locality.strict && !role.placement.empty()) {
    reader.HintAt(
        PathOf(role, "locality"),
        "has no effect together with placement, which names the nodes itself; add strict: true, or remove it");
  }
  if (!role.locality.strict || !role.locality.empty() || reader.WasBad(PathOf(role, "locality"))) return;
  reader.FailAt(PathOf(role, "locality.strict"), "needs nodes or racks; add some, or remove it");
}

void CheckTasks(const JobSpec& spec, Reader& reader) {
  int64_t tasks = 0;
  for (const RoleSpec& role : spec.roles) tasks += role.instances.max;
  if (tasks <= kMostTasks) return;
  reader.FailAt("roles", "the job has " + std::to_string(tasks) + " tasks, and at most " + std::to_string(kMostTasks) +
                             " are supported; decrease instances");
}

void CheckHasWorker(const JobSpec& spec, Reader& reader) {
  const bool waited_for = std::any_of(spec.roles.begin(), spec.roles.end(), [&](const RoleSpec& role) {
    return role.kind == RoleKind::kWorker || reader.WasBad(PathOf(role, "kind"));
  });
  if (spec.roles.empty() || waited_for) return;
  reader.FailAt("roles", "no role has kind worker, so the job has nothing to wait for; make one a worker");
}

using RoleIndex = std::unordered_map<std::string_view, size_t>;

// Returns, for each role, the roles that it waits for. Reports invalid names.
std::vector<std::vector<size_t>> WaitedFor(const JobSpec& spec, const RoleIndex& index, Reader& reader) {
  std::vector<std::string_view> names;
  for (const RoleSpec& role : spec.roles) names.push_back(role.name);
  std::vector<std::vector<size_t>> waited(spec.roles.size());
  for (size_t i = 0; i < spec.roles.size(); ++i) {
    const RoleSpec& role = spec.roles[i];
    for (const After& after : role.after) {
      const auto found = index.find(after.role);
      if (found == index.end()) {
        FailNoRole(role, "after", after.role, names, reader);
        continue;
      }
      const RoleSpec& other = spec.roles[found->second];
      if (after.finished && other.kind == RoleKind::kService) {
        reader.FailAt(PathOf(role, "after"),
                      "role " + Quoted(other.name) + " is a service and ends only with the job; remove 'finished'");
      }
      if (after.ready && after.finished) {
        reader.FailAt(PathOf(role, "after"),
                      "role " + Quoted(other.name) + " cannot be both ready and finished; remove one of the two");
      } else if (after.ready && !other.ready && !reader.WasBad(PathOf(other, "ready"))) {
        reader.FailAt(PathOf(role, "after"),
                      "role " + Quoted(other.name) +
                          " is never ready; add to it for example `ready: {port: \"${HOWDAH_PORT}\"}`");
      }
      waited[i].push_back(found->second);
    }
  }
  return waited;
}

// Returns the roles that can never start: those in a cycle, and those that wait for a role in a cycle.
std::vector<bool> NeverStarting(const std::vector<std::vector<size_t>>& waited) {
  std::vector<std::vector<size_t>> waiting(waited.size());
  std::vector<size_t> missing(waited.size()), startable;
  for (size_t i = 0; i < waited.size(); ++i) {
    missing[i] = waited[i].size();
    if (missing[i] == 0) startable.push_back(i);
    for (const size_t other : waited[i]) waiting[other].push_back(i);
  }
  std::vector<bool> never(waited.size(), true);
  while (!startable.empty()) {
    const size_t role = startable.back();
    startable.pop_back();
    never[role] = false;
    for (const size_t other : waiting[role]) {
      if (--missing[other] == 0) startable.push_back(other);
    }
  }
  return never;
}

// Returns a cycle that can be reached from `role`, beginning with the cycle's first role in the file. `role` must be
// one that never starts.
std::vector<size_t> CycleFrom(size_t role, const std::vector<std::vector<size_t>>& waited,
                              const std::vector<bool>& never) {
  std::vector<size_t> path;
  std::vector<bool> seen(waited.size());
  while (!seen[role]) {
    seen[role] = true;
    path.push_back(role);
    role = *std::find_if(waited[role].begin(), waited[role].end(), [&](size_t other) { return never[other]; });
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), role));
  std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
  return path;
}

void CheckOrder(const JobSpec& spec, Reader& reader) {
  constexpr int kCyclesShown = 10;
  RoleIndex index;
  for (size_t i = 0; i < spec.roles.size(); ++i) index.emplace(spec.roles[i].name, i);
  std::vector<std::vector<size_t>> waited = WaitedFor(spec, index, reader);
  for (int shown = 0; shown < kCyclesShown; ++shown) {
    const std::vector<bool> never = NeverStarting(waited);
    const auto stuck = std::find(never.begin(), never.end(), true);
    if (stuck == never.end()) return;
    const std::vector<size_t> cycle = CycleFrom(static_cast<size_t>(stuck - never.begin()), waited, never);
    std::string way;
    for (const size_t role : cycle) way += Printable(spec.roles[role].name) + " → ";
    const RoleSpec& first = spec.roles[cycle.front()];
    reader.FailAt(PathOf(first, "after"),
                  cycle.size() == 1 ? "a role cannot wait for itself; remove it"
                                    : "circular dependency: " + way + Printable(first.name) + "; remove one of them");
    for (const size_t role : cycle) waited[role].clear();  // so that the next search finds another cycle
  }
}

// Maps each target path in a working directory to the key of the first file with that target.
using Targets = std::unordered_map<std::string_view, std::string>;

// Returns `targets` extended by those of another list of files. Reports files with the same target.
Targets CheckFilesAt(const std::string& key, const std::vector<File>& files, Targets targets, Reader& reader) {
  if (reader.WasBad(key)) return targets;  // invalid items are missing here, so the indices would be wrong
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string item = key + "[" + std::to_string(i) + "]";
    const auto [first, is_new] = targets.emplace(files[i].to, item);
    if (is_new) continue;
    reader.FailAt(item, Quoted(files[i].to) + " is already the target of " + first->second + "; set another 'to'");
  }
  return targets;
}

void CheckFiles(const JobSpec& spec, Reader& reader) {
  const Targets of_job = CheckFilesAt("files", spec.files, {}, reader);
  for (const RoleSpec& role : spec.roles) CheckFilesAt(PathOf(role, "files"), role.files, of_job, reader);
}

void CheckCheckpoint(const Checkpoint& checkpoint, Reader& reader) {
  if (!checkpoint.max_grace || *checkpoint.max_grace >= checkpoint.grace || reader.WasBad("checkpoint")) return;
  reader.FailAt("checkpoint.max_grace", "max_grace (" + DurationToText(*checkpoint.max_grace) +
                                            ") is shorter than grace (" + DurationToText(checkpoint.grace) +
                                            "); make it longer");
}

// Only the job's real needs may be in the queue of gangs.
void CheckTags(const JobSpec& spec, Reader& reader) {
  if (reader.WasBad("tags")) return;
  for (size_t i = 0; i < spec.tags.size(); ++i) {
    if (!LowerCase(spec.tags[i]).starts_with("howdah-gang:")) continue;
    reader.FailAt("tags[" + std::to_string(i) + "]",
                  "tags that begin with 'howdah-gang:' are set by Howdah; remove it");
  }
}

void CheckTimeouts(const JobSpec& spec, Reader& reader) {
  if (spec.timeouts.hold <= spec.timeouts.gang || reader.WasBad("timeouts")) return;
  reader.FailAt("timeouts.hold", "hold (" + DurationToText(spec.timeouts.hold) + ") is longer than gang (" +
                                     DurationToText(spec.timeouts.gang) + "), the total wait; make it shorter");
}

// Returns the words of a command, and of the text that it passes to a shell, as in [bash, -c, "cd x && torchrun y.py"].
std::vector<std::string> WordsOf(const Command& command) {
  std::vector<std::string> words = command.argv;
  const bool calls_shell =
      words.size() > 2 && words[0].ends_with("sh") && words[1].starts_with("-") && words[1].ends_with("c");
  std::istringstream shell(calls_shell ? words[2] : command.shell);
  for (std::string word; shell >> word;) words.push_back(word);
  return words;
}

// Returns the launcher that the command starts, "" if none.
std::string LauncherIn(const Command& command) {
  const std::vector<std::string> words = WordsOf(command);
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i].substr(words[i].rfind('/') + 1);
    const std::string next = i + 1 < words.size() ? words[i + 1] : "";
    for (const char* launcher : {"torchrun", "deepspeed", "horovodrun"}) {
      if (name == launcher) return name;
    }
    if ((name == "accelerate" && next == "launch") || (name == "fabric" && next == "run")) return name + " " + next;
    if (name == "-m" && (next == "torch.distributed.run" || next == "torch.distributed.launch")) return next;
  }
  return "";
}

// A launcher starts processes of its own, and numbers only these. The ranks do not include the job's other tasks. In a
// plain job with one task the user may intend that.
void HintAtLaunchers(const JobSpec& spec, Reader& reader) {
  for (const RoleSpec& role : spec.roles) {
    const std::string launcher = LauncherIn(role.command);
    if (launcher.empty() || (spec.framework == Framework::kPlain && role.instances == Instances{1, 1})) continue;
    reader.HintAt(PathOf(role, "command"),
                  launcher +
                      " starts a separate group of processes in every task; let Howdah start them: write the "
                      "program itself, `processes` for the processes per task, and `framework`");
  }
}

// Splits a shell command at the ends of its lists of commands: newlines and semicolons.
std::vector<std::string> StatementsOf(const std::string& shell) {
  std::vector<std::string> statements(1);
  for (const char c : shell) {
    if (c == '\n' || c == ';') {
      statements.emplace_back();
    } else {
      statements.back() += c;
    }
  }
  std::erase_if(statements, [](const std::string& text) { return text.find_first_not_of(" \t\r") == text.npos; });
  return statements;
}

// Returns the first package installer, such as "pip install", whose failure bash would ignore because another statement
// follows. Returns "" if there is none.
std::string UncheckedInstaller(const std::string& shell) {
  if (shell.find("set -e") != shell.npos || shell.find("errexit") != shell.npos) return "";
  const std::vector<std::string> statements = StatementsOf(shell);
  for (size_t i = 0; i + 1 < statements.size(); ++i) {
    if (statements[i].find("&&") != std::string::npos || statements[i].find("||") != std::string::npos) continue;
    std::istringstream words(statements[i]);
    std::string word, before;
    while (words >> word && word != "install") before = word;
    const std::string name = before.substr(before.rfind('/') + 1);
    for (const char* installer : {"pip", "pip3", "conda", "mamba", "uv", "apt", "apt-get", "npm"}) {
      if (word == "install" && name == installer) return name + " install";
    }
  }
  return "";
}

void HintAtInstallers(const JobSpec& spec, Reader& reader) {
  for (const RoleSpec& role : spec.roles) {
    const std::string installer = UncheckedInstaller(role.command.shell);
    if (installer.empty() || spec.tony_env) continue;
    reader.HintAt(PathOf(role, "command"), "the command goes on after a failed `" + installer +
                                               "`; begin it with `set -e`, or join the commands with &&");
  }
}

}  // namespace

void CheckRules(const JobSpec& spec, Reader& reader) {
  CheckFramework(spec, reader);
  CheckChiefs(spec, reader);
  for (const RoleSpec& role : spec.roles) {
    CheckRole(role, reader);
    CheckLocality(role, reader);
    CheckRestart(role, reader);
    CheckAlways(spec, role, reader);
    CheckReady(role, reader);
    CheckPlacement(spec, role, reader);
    CheckOutlive(spec, role, reader);
    CheckSetup(spec, role, reader);
    CheckExports(spec, role, reader);
  }
  CheckTasks(spec, reader);
  CheckHasWorker(spec, reader);
  CheckOrder(spec, reader);
  CheckFiles(spec, reader);
  CheckCheckpoint(spec.checkpoint, reader);
  CheckTimeouts(spec, reader);
  CheckTags(spec, reader);
  CheckFeeds(spec, reader);
  HintAtLaunchers(spec, reader);
  HintAtInstallers(spec, reader);
}

}  // namespace howdah::jobspec
