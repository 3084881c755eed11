#include "terminal.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "connection.h"

namespace howdah::cli {

void Print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = write(STDOUT_FILENO, text.data(), text.size());
    if (size >= 0) {
      text.remove_prefix(static_cast<size_t>(size));
    } else if (errno == EAGAIN) {
      pollfd wanted{STDOUT_FILENO, POLLOUT, 0};
      poll(&wanted, 1, -1);
    } else if (errno == EPIPE) {
      signal(SIGPIPE, SIG_DFL);
      raise(SIGPIPE);
    } else if (errno != EINTR) {
      Say(std::string("howdah: writing to stdout: ") + std::strerror(errno));
      _exit(kExitFailed);
    }
  }
}

bool IsTerminal(int fd) { return isatty(fd) == 1; }

bool WantsColour(int fd) {
  const auto no_colour = Variable("NO_COLOR");
  return IsTerminal(fd) && (!no_colour || no_colour->empty()) && Variable("TERM").value_or("") != "dumb";
}

TerminalSize SizeOf(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

}  // namespace howdah::cli
