#include "job_host.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/inspect.h"
#include "howdah/os/process/machine.h"
#include "journal_reader.h"
#include "json_number.h"

namespace howdah::backend::local {

using nlohmann::json;

Host ThisHost() { return {os::process::NodeName(), os::process::BootId()}; }

Status WriteJobHost(const JobFiles& files, const std::vector<pid_t>& pids) {
  const Host here = ThisHost();
  json processes = json::array();
  for (const pid_t pid : pids) {
    if (const auto ticks = os::process::StartTicks(pid)) processes.push_back({{"pid", pid}, {"start_ticks", *ticks}});
  }
  const json content = {{"host", here.name}, {"boot_id", here.boot_id}, {"processes", std::move(processes)}};
  return os::files::WriteFileAtomically(files.host(), content.dump() + "\n", 0600);
}

Result<std::optional<JobHost>> ReadJobHost(const JobFiles& files) {
  const auto text = os::files::ReadFile(files.host());
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return std::optional<JobHost>();
  if (!text.ok()) return text.error();
  try {
    const json j = json::parse(*text);
    JobHost out{{j.at("host"), j.at("boot_id")}, {}};
    for (const json& one : j.at("processes")) {
      out.processes.push_back(
          {static_cast<pid_t>(WholeNumber(one.at("pid"))), static_cast<uint64_t>(WholeNumber(one.at("start_ticks")))});
    }
    return std::optional(std::move(out));
  } catch (const json::exception&) {
    return Failed("reading " + files.host() + ": invalid content, so it is unknown where the job runs");
  }
}

Life JudgeLife(const std::optional<JobHost>& recorded, const std::string& submitted_on, const Host& here,
               const std::function<std::optional<uint64_t>(pid_t)>& start_ticks) {
  if (!recorded) {
    return submitted_on.empty() || submitted_on == here.name ? Life::kUnrecorded : Life::kElsewhere;
  }
  if (recorded->host.name != here.name) return Life::kElsewhere;
  if (recorded->host.boot_id != here.boot_id) return Life::kDead;
  const bool lives =
      std::any_of(recorded->processes.begin(), recorded->processes.end(),
                  [&](const JobHost::Process& process) { return start_ticks(process.pid) == process.start_ticks; });
  return lives ? Life::kAlive : Life::kDead;
}

Result<Whereabouts> FindWhereabouts(const JobFiles& files) {
  HOWDAH_TRY(const auto recorded, ReadJobHost(files));
  std::string host = recorded ? recorded->host.name : "";
  if (!recorded) {
    HOWDAH_TRY(const auto view, FoldJournal(files.journal(), Tasks::kSkipped));
    host = view.host;
  }
  return Whereabouts{JudgeLife(recorded, host, ThisHost(), os::process::StartTicks), host};
}

Result<Life> LifeAfterExits(const JobFiles& files) {
  constexpr int kExitMillis = 1000;
  HOWDAH_TRY(const Whereabouts where, FindWhereabouts(files));
  if (where.life != Life::kAlive) return where.life;
  HOWDAH_TRY(const auto recorded, ReadJobHost(files));
  if (!recorded) return Life::kUnrecorded;
  for (const JobHost::Process& process : recorded->processes) {
    const os::files::Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)));
    if (!pidfd.valid() || os::process::StartTicks(process.pid) != process.start_ticks) continue;
    pollfd exited{pidfd.get(), POLLIN, 0};
    if (poll(&exited, 1, kExitMillis) != 1) return Life::kAlive;
  }
  return Life::kDead;
}

}  // namespace howdah::backend::local
