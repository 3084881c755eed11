#include "howdah/cli/output/terminal.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "howdah/base/text.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/submitter.h"

namespace howdah::cli::output {

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
      PrintNote(std::string("writing to stdout: ") + std::strerror(errno));
      _exit(client::kExitFailed);
    }
  }
}

void PrintMessage(std::string_view line) {
  std::string text(line);
  text += '\n';
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // stderr is closed
}

void PrintNote(std::string_view text) {
  std::string shown = "howdah: ";
  for (size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
    end = text.find('\n', begin);
    if (begin > 0) shown += '\n';
    shown += Shown(text.substr(begin, end - begin));
  }
  PrintMessage(shown);
}

bool IsTerminal(int fd) { return isatty(fd) == 1; }

bool WantsColour(int fd) {
  const auto no_colour = client::Variable("NO_COLOR");
  return IsTerminal(fd) && (!no_colour || no_colour->empty()) && client::Variable("TERM").value_or("") != "dumb";
}

TerminalSize SizeOf(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

}  // namespace howdah::cli::output
