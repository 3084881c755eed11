#include <memory>

#include "howdah/cli/args/job_flags.h"
#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"
#include "howdah/jobspec/init_job.h"

namespace howdah::cli::commands {
namespace {

Result<int> Init(const std::string& word) {
  const auto framework = jobspec::FrameworkFromText(word);
  const std::string text = framework ? jobspec::InitJobFile(*framework) : "";
  if (text.empty()) {
    return Error{ErrorCode::kUsage, "init: unknown framework '" + word + "'; write one of " + args::FrameworkHelp()};
  }
  output::Print(text);
  return client::kExitOk;
}

}  // namespace

args::Command InitCommand(client::Connection&) {
  return {"init", "Print a commented job file to start from", "  howdah init --framework pytorch > job.yaml",
          [](args::Syntax& syntax) -> args::Runner {
            const auto framework = std::make_shared<std::string>("plain");
            syntax.Text("--framework", "NAME", *framework, args::FrameworkHelp());
            return [framework] { return Init(*framework); };
          }};
}

}  // namespace howdah::cli::commands
