#include "howdah/os/process/ports.h"

#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <set>

#include "howdah/base/number.h"
#include "howdah/os/files/files.h"
#include "proc.h"

namespace howdah::os::process {
namespace {

constexpr uint16_t kFirstPort = 10'240;  // lower ports are registered for services that may start later
constexpr size_t kFewestChoices = 128;
constexpr int kTries = 512;
constexpr const char* kListening = "0A";  // the listening state in /proc/net/tcp

files::Fd BindTcp(uint16_t port) {
  files::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int one = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    fd = files::Fd();
    errno = error;
  }
  return fd;
}

// Locks a port against all other reservations in this network namespace. Returns an invalid descriptor if the port is
// locked already.
files::Fd LockPort(uint16_t port) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int size = std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "howdah-port-%u", port);
  files::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<size_t>(size));
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) fd = files::Fd();
  return fd;
}

uint16_t PortOf(const files::Fd& fd) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

bool HasSocket(pid_t pid, const std::set<std::string>& inodes) {
  const std::string directory = "/proc/" + std::to_string(pid) + "/fd";
  const auto names = files::ListDirectory(directory);
  if (!names) return false;
  for (const std::string& name : *names) {
    char target[64];
    const ssize_t size = ::readlink((directory + "/" + name).c_str(), target, sizeof target);
    const std::string_view text(target, static_cast<size_t>(std::max<ssize_t>(size, 0)));
    if (!text.starts_with("socket:[") || !text.ends_with("]")) continue;
    if (inodes.contains(std::string(text.substr(8, text.size() - 9)))) return true;
  }
  return false;
}

std::string_view LeadingDigits(std::string_view text) { return text.substr(0, text.find_first_not_of("0123456789")); }

}  // namespace

std::set<std::string> ListeningInodes(std::string_view table, uint16_t port) {
  std::set<std::string> inodes;
  for (size_t begin = 0; begin < table.size();) {
    const size_t end = std::min(table.find('\n', begin), table.size());
    const std::string line(table.substr(begin, end - begin));
    char state[3] = "", inode[24] = "";
    unsigned local_port = 0;
    const int fields = std::sscanf(line.c_str(), " %*d: %*[0-9A-F]:%X %*[0-9A-F]:%*X %2s %*s %*s %*s %*s %*s %23s",
                                   &local_port, state, inode);
    if (fields == 3 && local_port == port && std::strcmp(state, kListening) == 0) inodes.insert(inode);
    begin = end + 1;
  }
  return inodes;
}

std::vector<PortRange> ParsePortRanges(std::string_view text) {
  std::vector<PortRange> ranges;
  while (!text.empty()) {
    const std::string_view first_text = LeadingDigits(text);
    text.remove_prefix(std::max<size_t>(first_text.size(), 1));  // without a number: skip the separator
    const bool is_range = text.starts_with('-') || text.starts_with('\t');
    const std::string_view last_text = first_text.empty() || !is_range ? "" : LeadingDigits(text.substr(1));
    if (!last_text.empty()) text.remove_prefix(1 + last_text.size());
    const auto first = ParseNumber<uint16_t>(first_text);
    const auto last = last_text.empty() ? first : ParseNumber<uint16_t>(last_text);
    if (first && last && *first <= *last) ranges.push_back({*first, *last});
  }
  return ranges;
}

std::vector<uint16_t> ChoosablePorts(const PortRange& ephemeral, const std::vector<PortRange>& reserved) {
  std::vector<uint16_t> ports;
  for (unsigned port = kFirstPort; port <= 65'535; ++port) {
    const auto candidate = static_cast<uint16_t>(port);
    const bool taken = ephemeral.Has(candidate) || std::any_of(reserved.begin(), reserved.end(),
                                                               [&](const PortRange& r) { return r.Has(candidate); });
    if (!taken) ports.push_back(candidate);
  }
  return ports;
}

Result<PortReservation> PortReservation::Reserve() {
  const auto ephemeral = ParsePortRanges(ReadProcFile("/proc/sys/net/ipv4/ip_local_port_range"));
  const auto reserved = ParsePortRanges(ReadProcFile("/proc/sys/net/ipv4/ip_local_reserved_ports"));
  // If the kernel does not expose its range, assume that the range contains all ports.
  const auto choices = ChoosablePorts(ephemeral.empty() ? PortRange{0, 65'535} : ephemeral.front(), reserved);
  const bool choose = choices.size() >= kFewestChoices;
  uint32_t random = 0;
  if (::getrandom(&random, sizeof random, 0) < 0) random = static_cast<uint32_t>(::getpid()) * 7919U;
  for (uint32_t i = 0; i < kTries; ++i) {
    files::Fd held = BindTcp(choose ? choices[(random + i) % choices.size()] : uint16_t{0});
    if (!held.valid()) continue;
    const uint16_t port = PortOf(held);
    files::Fd lock = LockPort(port);
    if (lock.valid()) return PortReservation(port, std::move(lock), std::move(held));
  }
  return Failed("reserving a TCP port: " + std::to_string(kTries) + " ports were tried and all are in use");
}

Status PortReservation::Hold() {
  if (held_.valid()) return {};
  held_ = BindTcp(port_);
  return held_.valid() ? Status() : files::SystemError("taking port " + std::to_string(port_) + " again");
}

std::optional<std::string> FindListener(uint16_t port) {
  std::set<std::string> inodes = ListeningInodes(ReadProcFile("/proc/net/tcp"), port);
  inodes.merge(ListeningInodes(ReadProcFile("/proc/net/tcp6"), port));
  if (inodes.empty()) return std::nullopt;
  for (const pid_t pid : AllProcesses()) {
    if (!HasSocket(pid, inodes)) continue;
    std::string name = ReadProcFile("/proc/" + std::to_string(pid) + "/comm");
    while (!name.empty() && name.back() == '\n') name.pop_back();
    return name + " (pid " + std::to_string(pid) + ")";
  }
  return "";
}

}  // namespace howdah::os::process
