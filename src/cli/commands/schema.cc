#include "commands.h"
#include "howdah/jobspec/job_file.h"
#include "terminal.h"

namespace howdah::cli {

int SchemaCommand(Shell&, const Arguments& arguments) {
  std::string text = arguments.markdown ? jobspec::ReferencePage() : jobspec::JsonSchema();
  if (text.empty() || text.back() != '\n') text += '\n';
  Print(text);
  return kExitOk;
}

}  // namespace howdah::cli
