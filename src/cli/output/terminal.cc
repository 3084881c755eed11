#include "howdah/cli/output/terminal.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>

#include "howdah/base/text.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/submitter.h"

namespace howdah::cli::output {

namespace {

// Waits until `fd` accepts PIPE_BUF bytes or reports an error.
void AwaitReader(int fd, const Interruption& interruption) {
  pollfd wanted[] = {{fd, POLLOUT, 0}, {interruption.fd, POLLIN, 0}};
  for (;;) {
    if (poll(wanted, std::size(wanted), -1) < 0) continue;  // a signal
    if (wanted[1].revents != 0) interruption.handle();
    if (wanted[0].revents != 0) return;
  }
}

// Returns 0, or the number of the error.
int WriteAll(int fd, std::string_view text, const Interruption& interruption) {
  const size_t most = interruption.fd < 0 ? SIZE_MAX : PIPE_BUF;  // a longer write would block despite AwaitReader
  while (!text.empty()) {
    if (interruption.fd >= 0) AwaitReader(fd, interruption);
    const ssize_t size = write(fd, text.data(), std::min(text.size(), most));
    if (size >= 0) {
      text.remove_prefix(static_cast<size_t>(size));
    } else if (errno == EAGAIN) {
      AwaitReader(fd, interruption);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

void Print(std::string_view text, const Interruption& interruption) {
  const int error = WriteAll(STDOUT_FILENO, text, interruption);
  if (error == 0) return;
  if (error == EPIPE) {
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
  }
  PrintNote(std::string("writing to stdout: ") + std::strerror(error));
  _exit(client::kExitFailed);
}

void PrintToStderr(std::string_view text, const Interruption& interruption) {
  WriteAll(STDERR_FILENO, text, interruption);  // an error of stderr cannot be reported
}

void PrintMessage(std::string_view line) { PrintToStderr(std::string(line) + "\n"); }

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

bool CanRedraw(int fd) { return IsTerminal(fd) && client::Variable("TERM").value_or("") != "dumb"; }

bool WantsColour(int fd) { return CanRedraw(fd) && client::Variable("NO_COLOR").value_or("").empty(); }

TerminalSize SizeOf(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

}  // namespace howdah::cli::output
