// Ctrl-C and SIGTERM as something to wait for.
#pragma once

namespace howdah::cli::commands {

// Handles SIGINT and SIGTERM while it exists; one at a time. Until Arm is called, a second signal ends the process, as
// it would without this class: there is no job to stop yet.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  void Arm();
  // Readable when a signal has come.
  int fd() const;
  // The signal that came; 0: none.
  int Take();
};

}  // namespace howdah::cli::commands
