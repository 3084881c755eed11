#include "interrupts.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "connection.h"

namespace howdah::cli {
namespace {

int g_pipe[2] = {-1, -1};
volatile sig_atomic_t g_armed = 0;
volatile sig_atomic_t g_count = 0;

extern "C" void OnSignal(int number) {
  const int saved = errno;
  g_count = g_count + 1;
  if (g_armed == 0 && g_count > 1) _exit(kExitKilled);
  const char byte = static_cast<char>(number);
  const ssize_t ignored = write(g_pipe[1], &byte, 1);  // a full pipe has told it often enough
  static_cast<void>(ignored);
  errno = saved;
}

void SetHandlers(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

}  // namespace

Interrupts::Interrupts() {
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

int Interrupts::fd() const { return g_pipe[0]; }

int Interrupts::Take() {
  char byte = 0;
  return read(g_pipe[0], &byte, 1) == 1 ? byte : 0;
}

Woke WaitFor(const backend::Follow& follow, int interrupt_fd, std::optional<Duration> limit) {
  using std::chrono::steady_clock;
  const auto start = steady_clock::now();
  for (;;) {
    int millis = -1;
    if (limit) {
      const auto left = *limit - std::chrono::duration_cast<Duration>(steady_clock::now() - start);
      // Rounded up: poll must not return a moment early, again and again.
      const int64_t rounded = (std::max<int64_t>(left.count(), 0) + 999) / 1000;
      millis = static_cast<int>(std::min<int64_t>(rounded, INT_MAX));
    }
    pollfd wanted[2] = {{follow.fd(), POLLIN, 0}, {interrupt_fd, POLLIN, 0}};
    const int ready = poll(wanted, interrupt_fd < 0 ? 1 : 2, millis);
    if (ready < 0) continue;  // EINTR: the handler has written to interrupt_fd
    if (ready == 0) return Woke::kTime;
    if (interrupt_fd >= 0 && wanted[1].revents != 0) return Woke::kInterrupt;
    if (wanted[0].revents != 0) return Woke::kFollow;
  }
}

}  // namespace howdah::cli
