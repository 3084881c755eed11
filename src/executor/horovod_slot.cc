#include "howdah/executor/horovod_slot.h"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "howdah/base/flags.h"
#include "howdah/frameworks/horovod/driver.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/machine.h"
#include "howdah/os/process/spawn.h"

namespace howdah::executor {
namespace {

namespace horovod = frameworks::horovod;

constexpr std::chrono::minutes kPlanLimit{5};
// The interval if the user has no inotify instance left.
constexpr std::chrono::milliseconds kPlanPause{100};
constexpr size_t kPlanSize = size_t{16} << 20;

struct Plan {
  uint16_t port = 0;
  std::string text;
};

// Returns nullopt while the directory has no complete plan. problem: describes an incomplete or invalid plan.
Result<std::optional<Plan>> FindPlan(const std::string& directory, std::string& problem) {
  HOWDAH_TRY(const std::vector<std::string> names, os::files::ListDirectory(directory));
  for (const std::string& name : names) {
    const auto port = horovod::PortOfPlanFile(name);
    if (!port) continue;
    HOWDAH_TRY(std::string text, os::files::ReadFile(directory + "/" + name, kPlanSize));
    if (const auto plan = horovod::ReadDriverPlan(text); !plan.ok()) {
      problem = "; " + name + ": " + plan.error().message;
      continue;
    }
    return std::optional(Plan{*port, std::move(text)});
  }
  return std::optional<Plan>();
}

Result<Plan> WaitForPlan(const std::string& directory) {
  const os::files::Fd events(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  const bool watched = ::inotify_add_watch(events.get(), directory.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO) >= 0;
  const os::process::Clock clock;
  const Instant give_up = clock.Now() + kPlanLimit;
  std::string problem;
  for (;;) {
    HOWDAH_TRY(std::optional<Plan> plan, FindPlan(directory, problem));
    if (plan) return std::move(*plan);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(give_up - clock.Now());
    if (left.count() <= 0) {
      return Failed("the driver has not written its plan into " + directory + " (" + horovod::kDriverOutputVariable +
                    ") within " + std::to_string(kPlanLimit.count()) + "m" + problem);
    }
    pollfd wait{events.get(), POLLIN, 0};
    const auto pause = watched ? left : std::min(left, kPlanPause);
    if (::poll(&wait, 1, static_cast<int>(pause.count())) < 0 && errno != EINTR)
      return os::files::SystemError("polling");
    char buffer[4096];
    while (::read(events.get(), buffer, sizeof buffer) > 0) {
    }
  }
}

// Runs `howdah-agent horovod-plan` in the driver's task, and returns the plan that it prints. A separate process makes
// the connection, because this process later becomes the user's program, which must not inherit descriptors or threads.
Result<Plan> FetchPlan(const std::string& task) {
  const os::files::Fd output(::memfd_create("plan", MFD_CLOEXEC));
  if (!output.valid()) return os::files::SystemError("creating a file for the driver's plan");
  os::process::SpawnRequest request;
  request.program = os::process::ProgramPath();
  request.argv = {request.program, "exec", "--task", task, "--", "bash", "-c", "exec \"$HOWDAH_AGENT\" horovod-plan"};
  for (char** variable = environ; *variable != nullptr; ++variable) request.environment.emplace_back(*variable);
  request.stdout_fd = output.get();
  request.stderr_fd = STDERR_FILENO;
  request.new_group = false;
  request.death_signal = SIGKILL;
  HOWDAH_TRY(const os::process::Child child, os::process::SpawnOrError(request));
  const ExitStatus status = os::process::WaitFor(child);
  if (status.code != 0)
    return Failed("getting the plan for Horovod from " + task + " failed; the messages above state why");
  HOWDAH_TRY(const std::string text, os::files::ReadFile("/proc/self/fd/" + std::to_string(output.get()), kPlanSize));
  Plan plan;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, plan.port);
  if (error != std::errc() || stop == end || *stop != '\n') return Failed("the plan of " + task + " is incomplete");
  plan.text.assign(stop + 1, end);
  return plan;
}

}  // namespace

Result<int> RunHorovodPlan() {
  const char* directory = std::getenv(horovod::kDriverOutputVariable);
  if (directory == nullptr) {
    return Error{ErrorCode::kUsage, std::string(horovod::kDriverOutputVariable) + " is not set"};
  }
  HOWDAH_TRY(const Plan plan, WaitForPlan(directory));
  HOWDAH_TRY_STATUS(os::files::WriteAll(STDOUT_FILENO, std::to_string(plan.port) + "\n" + plan.text, "stdout"));
  return EXIT_SUCCESS;
}

Result<int> RunHorovodSlot(const std::vector<std::string>& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  HOWDAH_TRY(const Flags flags, Flags::Parse({arguments.begin(), dashes}, {"--task", "--host", "--position"}, {}));
  const std::vector<std::string> program(dashes == arguments.end() ? dashes : dashes + 1, arguments.end());
  if (program.size() < 2) return Error{ErrorCode::kUsage, "the program is missing: write it after --"};
  HOWDAH_TRY(const Plan plan, FetchPlan(flags.text("--task")));
  HOWDAH_TRY(const auto slots, horovod::ReadDriverPlan(plan.text));
  const int position = std::atoi(flags.text("--position").c_str());
  HOWDAH_TRY(const auto variables, horovod::VariablesFromPlan(slots, flags.text("--host"), position, plan.port));
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
  std::vector<char*> argv;
  for (size_t i = 1; i < program.size(); ++i) argv.push_back(const_cast<char*>(program[i].c_str()));
  argv.push_back(nullptr);
  ::execv(program[0].c_str(), argv.data());
  return os::files::SystemError("executing " + program[0]);
}

}  // namespace howdah::executor
