#include "commands.h"
#include "howdah/jobspec/init_job.h"
#include "terminal.h"

namespace howdah::cli {

int InitCommand(Shell&, const Arguments& arguments) {
  const auto framework = jobspec::FrameworkFromText(arguments.framework.empty() ? "plain" : arguments.framework);
  const std::string text = framework ? jobspec::InitJobFile(*framework) : "";
  if (text.empty()) {
    return Report(Error{ErrorCode::kUsage, "making a job file: " +
                                               (framework ? arguments.framework + " is not there yet"
                                                          : "there is no framework '" + arguments.framework + "'") +
                                               "; --framework is pytorch, tensorflow, jax or plain"});
  }
  Print(text);
  return kExitOk;
}

}  // namespace howdah::cli
