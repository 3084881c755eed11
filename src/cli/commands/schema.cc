#include <memory>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"
#include "howdah/jobspec/job_file.h"

namespace howdah::cli::commands {
namespace {

Result<int> PrintSchema(bool markdown) {
  std::string text = markdown ? jobspec::ReferencePage() : jobspec::JsonSchema();
  if (text.empty() || text.back() != '\n') text += '\n';
  output::Print(text);
  return client::kExitOk;
}

}  // namespace

args::Command SchemaCommand(client::Connection&) {
  return {"schema", "Print the JSON Schema of job files, for editors", "  howdah schema > job.schema.json",
          [](args::Syntax& syntax) -> args::Runner {
            const auto markdown = std::make_shared<bool>(false);
            syntax.Flag("--markdown", *markdown, "Print the job-file reference page instead");
            return [markdown] { return PrintSchema(*markdown); };
          }};
}

}  // namespace howdah::cli::commands
