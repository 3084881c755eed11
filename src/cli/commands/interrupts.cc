#include "interrupts.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "howdah/client/exit_code.h"

namespace howdah::cli::commands {
namespace {

int g_pipe[2] = {-1, -1};
volatile sig_atomic_t g_armed = 0;
volatile sig_atomic_t g_count = 0;
std::atomic<const char*> g_notice{""};

// Called by the signal handler.
void Write(int fd, const char* text, size_t size) {
  const ssize_t ignored = write(fd, text, size);
  static_cast<void>(ignored);
}

void WriteNotice() {
  const char* const notice = g_notice;
  if (*notice == '\0') return;
  // On a terminal, the line begins with "^C", and a progress bar will erase the line above the cursor.
  const bool is_terminal = isatty(STDERR_FILENO) == 1;
  if (is_terminal) Write(STDERR_FILENO, "\n", 1);
  Write(STDERR_FILENO, notice, std::strlen(notice));
  if (is_terminal) Write(STDERR_FILENO, "\n", 1);
}

extern "C" void OnSignal(int number) {
  const int saved = errno;
  g_count = g_count + 1;
  if (g_armed == 0 && g_count > 1) _exit(client::kExitKilled);
  const char byte = static_cast<char>(number);
  Write(g_pipe[1], &byte, 1);  // may fail: a full pipe already reports a signal
  WriteNotice();
  errno = saved;
}

void SetHandlers(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

}  // namespace

Interrupts::Interrupts(const char* notice) {
  SetNotice(notice);
  if (pipe2(g_pipe, O_CLOEXEC | O_NONBLOCK) == 0) SetHandlers(OnSignal);
}

Interrupts::~Interrupts() {
  SetHandlers(SIG_DFL);
  for (int& end : g_pipe) {
    close(end);
    end = -1;
  }
}

void Interrupts::Arm() { g_armed = 1; }

void Interrupts::SetNotice(const char* notice) { g_notice = notice; }

int Interrupts::fd() const { return g_pipe[0]; }

int Interrupts::Take() {
  char byte = 0;
  return read(g_pipe[0], &byte, 1) == 1 ? byte : 0;
}

}  // namespace howdah::cli::commands
