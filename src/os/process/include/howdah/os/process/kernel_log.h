// What the kernel of this machine says.
#pragma once

#include <string>

#include "howdah/os/files/fd.h"

namespace howdah::os::process {

// The messages of the kernel from one moment on, where this process may read them: /dev/kmsg asks for root where
// kernel.dmesg_restrict is 1. Nothing waits.
class KernelLog {
 public:
  // From now on. file: one in which somebody keeps them (rsyslog's kern.log); empty: the kernel's own.
  void Begin(const std::string& file);
  // All since then, a line each, the last 64 KiB of it; empty: nothing, or they cannot be read.
  const std::string& Read();

 private:
  void Add(std::string_view text);

  files::Fd log_;
  bool records_ = false;  // each read() is a message: "6,1234,567890,-;text"
  std::string text_;
};

}  // namespace howdah::os::process
