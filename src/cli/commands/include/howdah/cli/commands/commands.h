// The commands, one .cc file each. Each returns the exit code of the process.
#pragma once

#include "syntax.h"
#include "connection.h"

namespace howdah::cli {

int RunCommand(Shell& shell, const Arguments& arguments);
int SubmitCommand(Shell& shell, const Arguments& arguments);
int StatusCommand(Shell& shell, const Arguments& arguments);
int ListCommand(Shell& shell, const Arguments& arguments);
int WaitCommand(Shell& shell, const Arguments& arguments);
int LogsCommand(Shell& shell, const Arguments& arguments);
int OpenCommand(Shell& shell, const Arguments& arguments);
int ExecCommand(Shell& shell, const Arguments& arguments);
int TensorboardCommand(Shell& shell, const Arguments& arguments);
int NotebookCommand(Shell& shell, const Arguments& arguments);
int KillCommand(Shell& shell, const Arguments& arguments);
int ScaleCommand(Shell& shell, const Arguments& arguments);
int EventsCommand(Shell& shell, const Arguments& arguments);
int HistoryCommand(Shell& shell, const Arguments& arguments);
int PlanCommand(Shell& shell, const Arguments& arguments);
int DoctorCommand(Shell& shell, const Arguments& arguments);
int InitCommand(Shell& shell, const Arguments& arguments);
int SchemaCommand(Shell& shell, const Arguments& arguments);
int CompletionCommand(Shell& shell, const Arguments& arguments);
int TonyCommand(Shell& shell, const Arguments& arguments);
int VersionCommand(Shell& shell, const Arguments& arguments);

}  // namespace howdah::cli
