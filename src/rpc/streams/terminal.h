// The size and the mode of a terminal of this process.
#pragma once

#include <termios.h>

#include "howdah/base/result.h"
#include "howdah/wire/tunnel.pb.h"

namespace howdah::rpc::streams {

wire::WindowSize WindowSizeOf(int terminal);

// Puts a terminal into raw mode, in which every key, even Ctrl-C, is passed to the program. The destructor restores the
// previous mode.
class RawTerminal {
 public:
  // terminal: a descriptor that must stay open. Returns an error if it is not a terminal.
  static Result<RawTerminal> Set(int terminal);
  RawTerminal(RawTerminal&& other) noexcept;
  RawTerminal& operator=(RawTerminal&&) = delete;
  ~RawTerminal();

 private:
  RawTerminal(int terminal, const termios& before) : terminal_(terminal), before_(before) {}
  int terminal_;
  termios before_;
};

}  // namespace howdah::rpc::streams
