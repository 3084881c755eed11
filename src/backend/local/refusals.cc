#include "refusals.h"

#include <cstdint>

#include "howdah/base/bytes.h"
#include "outside_history.h"

namespace howdah::backend::local {
namespace {

// Sums of what many large tasks ask for do not fit into 63 bits.
int64_t AddUpTo(int64_t a, int64_t b) { return b > INT64_MAX - a ? INT64_MAX : a + b; }
int64_t TimesUpTo(int64_t a, int64_t n) { return n != 0 && a > INT64_MAX / n ? INT64_MAX : a * n; }

std::string Tasks(int64_t count) { return std::to_string(count) + (count == 1 ? " task" : " tasks"); }

std::string MemoryHere(const Capacity& capacity) {
  return "this machine gives " + FormatBytes(capacity.memory_bytes) + " to jobs (90 % of what it has)";
}

std::string GpusHere(const Capacity& capacity) {
  const size_t count = capacity.gpus.size();
  if (count == 0) return "this machine has none (none that nvidia-smi shows)";
  return "this machine has " + std::to_string(count);
}

// A single task of a role that is larger than the machine. True: there was something to say.
bool RefuseTask(const jobspec::RoleSpec& role, const Capacity& capacity, std::vector<std::string>& refusals) {
  const size_t before = refusals.size();
  if (role.memory_bytes > capacity.memory_bytes) {
    refusals.push_back("roles." + role.name + ": one task asks for " + FormatBytes(role.memory_bytes) +
                       " of memory, but " + MemoryHere(capacity) + "; lower roles." + role.name +
                       ".memory, or run the job on a larger machine");
  }
  if (role.gpus > static_cast<int64_t>(capacity.gpus.size())) {
    refusals.push_back("roles." + role.name + ": one task asks for " + std::to_string(role.gpus) + " GPUs, but " +
                       GpusHere(capacity) + "; lower roles." + role.name + ".gpus, or run the job on another machine");
  }
  return refusals.size() > before;
}

void RefuseGang(const jobspec::JobSpec& spec, const Capacity& capacity, std::vector<std::string>& refusals) {
  int64_t memory = 0, gpus = 0, tasks = 0;
  for (const jobspec::RoleSpec& role : spec.roles) {
    tasks += role.instances.min;
    memory = AddUpTo(memory, TimesUpTo(role.memory_bytes, role.instances.min));
    gpus += int64_t{role.gpus} * role.instances.min;
  }
  const std::string together = "the " + Tasks(tasks) + " that start together ask for ";
  const std::string remedy =
      "; ask for less or for fewer instances, or write `start: free` if they need not run at one time";
  if (memory > capacity.memory_bytes) {
    refusals.push_back(together + FormatBytes(memory) + " of memory, but " + MemoryHere(capacity) + remedy);
  }
  if (gpus > static_cast<int64_t>(capacity.gpus.size())) {
    refusals.push_back(together + std::to_string(gpus) + " GPUs, but " + GpusHere(capacity) + remedy);
  }
}

void RefuseUri(const std::string& key, const std::string& path, std::vector<std::string>& refusals) {
  if (path.find("://") == std::string::npos) return;
  refusals.push_back(key + ": the local place reads and writes files of this machine only, not " + path +
                     "; name a path, or run the job on a cluster");
}

void IgnoreOfRole(const jobspec::RoleSpec& role, std::vector<std::string>& ignored) {
  const auto ignore = [&](bool is_there, const std::string& key, const std::string& why) {
    if (is_there) ignored.push_back("roles." + role.name + "." + key + ": " + why + "; ignored here");
  };
  const std::string one_node = "this machine is the only node";
  ignore(!role.resources.empty(), "resources", "this machine counts memory and GPUs only");
  ignore(!role.node_label.empty(), "node_label", "this machine has no labels");
  ignore(role.image.has_value(), "image", "tasks run on this machine itself");
  ignore(!role.locality.empty(), "locality", one_node);
  ignore(role.max_per_node.has_value(), "max_per_node", one_node);
}

}  // namespace

std::vector<std::string> RefusalsOf(const jobspec::JobSpec& spec, const Capacity& capacity) {
  std::vector<std::string> refusals;
  bool too_large = false;
  for (const jobspec::RoleSpec& role : spec.roles) too_large |= RefuseTask(role, capacity, refusals);
  if (!too_large && spec.start == jobspec::StartMode::kGang) RefuseGang(spec, capacity, refusals);
  RefuseUri("source", spec.source, refusals);
  for (const auto& [file, role] : jobspec::AllFiles(spec)) {
    RefuseUri(role.empty() ? "files" : "roles." + role + ".files", file.from, refusals);
  }
  RefuseUri("python.archive", spec.python_archive, refusals);
  RefuseUri("checkpoint.dir", spec.checkpoint.dir, refusals);
  RefuseUri("tensorboard.logdir", spec.tensorboard_logdir, refusals);
  return refusals;
}

std::vector<std::string> IgnoredOf(const jobspec::JobSpec& spec) {
  std::vector<std::string> ignored;
  const std::string why = ": this machine has no queues and no labels; ignored here";
  if (!spec.queue.empty()) ignored.push_back("queue: " + spec.queue + why);
  if (spec.priority) ignored.push_back("priority: " + std::to_string(*spec.priority) + why);
  if (!spec.node_label.empty()) ignored.push_back("node_label: " + spec.node_label + why);
  if (spec.docker) {
    ignored.push_back("docker: " + spec.docker->image + ": tasks run on this machine itself; ignored here");
  }
  if (spec.am != jobspec::AmSpec{}) {
    ignored.push_back("am: the application master has no container on this machine; ignored here");
  }
  if (!spec.tony_history.empty() && !ReachesHistory(spec)) {
    ignored.push_back("history.tony: " + spec.tony_history +
                      ": this machine writes to its own directories; ignored here");
  }
  for (const jobspec::RoleSpec& role : spec.roles) IgnoreOfRole(role, ignored);
  return ignored;
}

}  // namespace howdah::backend::local
