// Makes Ctrl-C and SIGTERM available through a file descriptor.
#pragma once

namespace howdah::cli::commands {

// Handles SIGINT and SIGTERM from construction to destruction. Only one object may exist at a time.
class Interrupts {
 public:
  // notice: as in SetNotice.
  explicit Interrupts(const char* notice = "");
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Must be called before there may be a job to stop. Before that, a second signal ends the process.
  void Arm();
  // Sets the text that a signal writes to stderr at once. The text must not end before this object.
  void SetNotice(const char* notice);
  // Readable once a signal has been received.
  int fd() const;
  // Returns the received signal, or 0 if there is none.
  int Take();
};

}  // namespace howdah::cli::commands
