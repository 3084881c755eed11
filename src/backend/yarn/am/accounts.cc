#include "accounts.h"

#include <chrono>
#include <sstream>

#include "howdah/os/process/machine.h"
#include "howdah/os/process/spawn.h"

namespace howdah::backend::yarn::am {
namespace {

constexpr char kPath[] = "/usr/bin:/bin";
constexpr std::chrono::milliseconds kLimit{5000};

// Runs `id`, and returns the words of its output.
Result<std::vector<std::string>> RunId(std::vector<std::string> arguments) {
  const os::process::FoundCommand id = os::process::LookUpCommand("id", kPath, "/");
  if (id.error != 0) return Error{ErrorCode::kUnavailable, std::string("the program id is not in ") + kPath};
  os::process::SpawnRequest request;
  request.program = id.program;
  request.argv = std::move(arguments);
  request.argv.insert(request.argv.begin(), "id");
  request.environment = {std::string("PATH=") + kPath, "LC_ALL=C"};
  HOWDAH_TRY(const std::string output, os::process::RunForOutput(request, kLimit));
  std::istringstream text(output);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

}  // namespace

Result<std::vector<std::string>> LookUpGroups(const std::string& user) { return RunId({"-Gn", "--", user}); }

std::string SharedAccountWarning(const std::string& owner) {
  const auto account = RunId({"-un"});
  if (!account.ok() || account->empty() || account->front() == owner) return "";
  return "this container runs under the account " + account->front() + ", not under that of " + owner +
         ": programs in containers of other users can read and stop this job, whatever `access` says. Only a "
         "LinuxContainerExecutor with an account for each user separates them";
}

}  // namespace howdah::backend::yarn::am
