// This process's own terminal.
#pragma once

#include <termios.h>

#include "howdah/base/result.h"
#include "howdah/wire/tunnel.pb.h"

namespace howdah::rpc::streams {

wire::WindowSize WindowSizeOf(int terminal);

// Every key goes through as it is, Ctrl-C too, until the end of this.
class RawTerminal {
 public:
  // terminal: stays open. An error: it is none.
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
