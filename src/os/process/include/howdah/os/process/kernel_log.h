// Reads the kernel log of this machine.
#pragma once

#include <string>

#include "howdah/os/files/fd.h"

namespace howdah::os::process {

// Collects the kernel messages since Begin, as far as this process may read them (/dev/kmsg requires root if
// kernel.dmesg_restrict is 1). Never blocks.
class KernelLog {
 public:
  // Starts at the end of the log. `file` is a log file to which a daemon writes kernel messages (rsyslog's kern.log),
  // or empty for /dev/kmsg.
  void Begin(const std::string& file);
  // Returns the messages since Begin, one per line, at most the last 64 KiB. Returns "" if there are none or the log
  // cannot be read.
  const std::string& Read();

 private:
  void Add(std::string_view text);

  files::Fd log_;
  bool records_ = false;  // whether each read() returns one message: "6,1234,567890,-;text"
  std::string text_;
};

}  // namespace howdah::os::process
