#include "terminal.h"

#include <sys/ioctl.h>

#include <utility>

#include "howdah/os/files/fd.h"

namespace howdah::rpc::streams {

wire::WindowSize WindowSizeOf(int terminal) {
  winsize size{};
  wire::WindowSize found;
  if (ioctl(terminal, TIOCGWINSZ, &size) != 0) return found;
  found.set_rows(size.ws_row);
  found.set_columns(size.ws_col);
  return found;
}

Result<RawTerminal> RawTerminal::Set(int terminal) {
  termios before{};
  if (tcgetattr(terminal, &before) != 0) return os::files::SystemError("using the terminal");
  termios raw = before;
  cfmakeraw(&raw);
  if (tcsetattr(terminal, TCSADRAIN, &raw) != 0) return os::files::SystemError("using the terminal");
  return RawTerminal(terminal, before);
}

RawTerminal::RawTerminal(RawTerminal&& other) noexcept
    : terminal_(std::exchange(other.terminal_, -1)), before_(other.before_) {}

RawTerminal::~RawTerminal() {
  if (terminal_ >= 0) tcsetattr(terminal_, TCSADRAIN, &before_);
}

}  // namespace howdah::rpc::streams
