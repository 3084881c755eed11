// The exit code of a command that goes on after a failure.
#pragma once

#include "howdah/base/result.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"

namespace howdah::cli::commands {

// The exit code of the first failure; kExitOk if there is none.
class FirstFailure {
 public:
  void Add(int code) {
    if (exit_code_ == client::kExitOk) exit_code_ = code;
  }
  // Prints the error, too.
  void Add(const Error& error) {
    output::PrintNote(error.message);
    Add(client::ExitCodeOf(error));
  }
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_ = client::kExitOk;
};

}  // namespace howdah::cli::commands
