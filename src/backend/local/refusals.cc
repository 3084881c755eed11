#include "refusals.h"

#include <cstdint>

#include "howdah/base/bytes.h"
#include "howdah/jobspec/setting.h"
#include "tony_history.h"

namespace howdah::backend::local {
namespace {

// Saturating arithmetic, because the requests of many large tasks may exceed 63 bits.
int64_t SaturatingAdd(int64_t a, int64_t b) { return b > INT64_MAX - a ? INT64_MAX : a + b; }
int64_t SaturatingMultiply(int64_t a, int64_t n) { return n != 0 && a > INT64_MAX / n ? INT64_MAX : a * n; }

std::string Tasks(int64_t count) { return std::to_string(count) + (count == 1 ? " task" : " tasks"); }

std::string MachineMemory(const Capacity& capacity) {
  return "this machine offers " + FormatBytes(capacity.memory_bytes) + " to jobs (90 % of its memory)";
}

std::string MachineGpus(const Capacity& capacity) {
  const size_t count = capacity.gpus.size();
  if (count == 0) return "this machine has none (nvidia-smi shows none)";
  return "this machine has " + std::to_string(count);
}

// Refuses a role if one of its tasks alone is larger than the machine. Returns whether the role was refused.
bool RefuseTask(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role, const Capacity& capacity,
                std::vector<std::string>& refusals) {
  const size_t before = refusals.size();
  if (role.memory_bytes > capacity.memory_bytes) {
    refusals.push_back("roles." + role.name + ": one task requests " + FormatBytes(role.memory_bytes) +
                       " of memory, but " + MachineMemory(capacity) + "; lower " +
                       jobspec::SettingName(spec, role, "memory") + ", or run the job on a larger machine");
  }
  if (role.gpus > static_cast<int64_t>(capacity.gpus.size())) {
    refusals.push_back("roles." + role.name + ": one task requests " + std::to_string(role.gpus) + " GPUs, but " +
                       MachineGpus(capacity) + "; lower " + jobspec::SettingName(spec, role, "gpus") +
                       ", or run the job on another machine");
  }
  return refusals.size() > before;
}

void RefuseGang(const jobspec::JobSpec& spec, const Capacity& capacity, std::vector<std::string>& refusals) {
  int64_t memory = 0, gpus = 0, tasks = 0;
  for (const jobspec::RoleSpec& role : spec.roles) {
    tasks += role.instances.min;
    memory = SaturatingAdd(memory, SaturatingMultiply(role.memory_bytes, role.instances.min));
    gpus += int64_t{role.gpus} * role.instances.min;
  }
  const std::string together = "the " + Tasks(tasks) + " of the gang request ";
  const std::string remedy =
      "; request smaller or fewer tasks, or write `start: free` if they need not run at the same time";
  if (memory > capacity.memory_bytes) {
    refusals.push_back(together + FormatBytes(memory) + " of memory, but " + MachineMemory(capacity) + remedy);
  }
  if (gpus > static_cast<int64_t>(capacity.gpus.size())) {
    refusals.push_back(together + std::to_string(gpus) + " GPUs, but " + MachineGpus(capacity) + remedy);
  }
}

void RefuseUri(const std::string& key, const std::string& path, std::vector<std::string>& refusals) {
  if (path.find("://") == std::string::npos) return;
  refusals.push_back(key + ": the local backend supports only files of this machine, not " + path +
                     "; use a local path, or submit with --on yarn");
}

void IgnoreOfRole(const jobspec::RoleSpec& role, std::vector<std::string>& ignored) {
  const auto ignore = [&](bool is_there, const std::string& key, const std::string& why) {
    if (is_there) ignored.push_back("roles." + role.name + "." + key + ": " + "ignored, because " + why);
  };
  const std::string one_node = "this machine is the only node";
  ignore(!role.resources.empty(), "resources", "this machine counts memory and GPUs only");
  ignore(!role.node_label.empty(), "node_label", "this machine has no node labels");
  ignore(role.image.has_value(), "image", "tasks run on this machine itself");
  ignore(!role.locality.empty(), "locality", one_node);
  ignore(!role.placement.empty(), "placement", one_node);
  ignore(role.max_per_node.has_value(), "max_per_node", one_node);
}

}  // namespace

std::vector<std::string> RefusalsOf(const jobspec::JobSpec& spec, const Capacity& capacity) {
  std::vector<std::string> refusals;
  bool too_large = false;
  for (const jobspec::RoleSpec& role : spec.roles) too_large |= RefuseTask(spec, role, capacity, refusals);
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

std::string RefusalOfOpenFiles(uint64_t hard_limit) {
  constexpr uint64_t kLeast = 64;  // an AM needs about 20 for itself, and some for each task and each client
  if (hard_limit >= kLeast) return "";
  return "the hard limit of open files is " + std::to_string(hard_limit) + " (ulimit -Hn), and a job needs at least " +
         std::to_string(kLeast) + "; raise it in /etc/security/limits.conf";
}

std::vector<std::string> IgnoredOf(const jobspec::JobSpec& spec) {
  std::vector<std::string> ignored;
  const std::string why = ": ignored, because this machine has no queues and no node labels";
  if (!spec.queue.empty()) ignored.push_back("queue: " + spec.queue + why);
  if (spec.priority) ignored.push_back("priority: " + std::to_string(*spec.priority) + why);
  if (!spec.node_label.empty()) ignored.push_back("node_label: " + spec.node_label + why);
  if (spec.docker) {
    ignored.push_back("docker: " + spec.docker->image + ": ignored, because tasks run on this machine itself");
  }
  if (spec.am != jobspec::AmSpec{}) {
    ignored.push_back("am: ignored, because the application master has no container on this machine");
  }
  if (!spec.file_systems.empty() || spec.tokens != jobspec::TokenRules{} || spec.kerberos) {
    ignored.push_back(
        "file_systems, tokens and kerberos: ignored, because tasks run on this machine as you, with your ticket");
  }
  if (spec.access != jobspec::Access{}) {
    ignored.push_back("access: ignored, because only you can read and stop a job on this machine");
  }
  if (!spec.tony_history.empty() && !CanWriteTonyHistory(spec)) {
    ignored.push_back("history.tony: " + spec.tony_history +
                      ": ignored, because the local backend writes to directories of this machine only");
  }
  for (const jobspec::RoleSpec& role : spec.roles) IgnoreOfRole(role, ignored);
  return ignored;
}

}  // namespace howdah::backend::local
