#include "loopback_peer.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cinttypes>
#include <cstdio>
#include <sstream>

#include "howdah/os/files/files.h"

namespace howdah::rpc::streams {
namespace {

std::string AsInTable(const sockaddr_in& address) {
  char text[32];
  std::snprintf(text, sizeof text, "%08" PRIX32 ":%04X", address.sin_addr.s_addr, ntohs(address.sin_port));
  return text;
}

}  // namespace

std::optional<uid_t> OwnerOf(std::string_view table, const std::string& local, const std::string& remote) {
  std::istringstream lines{std::string(table)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, from, to, state, queues, timer, retransmits;
    uid_t user = 0;
    if (words >> number >> from >> to >> state >> queues >> timer >> retransmits >> user && from == local &&
        to == remote) {
      return user;
    }
  }
  return std::nullopt;
}

std::optional<uid_t> PeerUser(int socket) {
  sockaddr_in ours{}, theirs{};
  socklen_t ours_size = sizeof ours, theirs_size = sizeof theirs;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&ours), &ours_size) != 0 ||
      getpeername(socket, reinterpret_cast<sockaddr*>(&theirs), &theirs_size) != 0) {
    return std::nullopt;
  }
  const auto table = os::files::ReadFile("/proc/net/tcp");
  if (!table) return std::nullopt;
  return OwnerOf(*table, AsInTable(theirs), AsInTable(ours));
}

}  // namespace howdah::rpc::streams
