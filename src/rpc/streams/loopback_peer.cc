#include "loopback_peer.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <iterator>
#include <sstream>

#include "howdah/os/files/files.h"

namespace howdah::rpc::streams {
namespace {

std::string AsInTable(const sockaddr_in& address) {
  char text[32];
  std::snprintf(text, sizeof text, "%08" PRIX32 ":%04X", address.sin_addr.s_addr, ntohs(address.sin_port));
  return text;
}

// Whether the table names the owner of a socket in this state. Once its program has closed the socket, the kernel keeps
// it for a while with user 0 and inode 0. A connection that was only shut down for writing keeps both.
bool HasOwner(const std::string& state, uint64_t inode) {
  constexpr std::string_view kStates[] = {"01", "04", "05", "08"};  // ESTABLISHED, FIN_WAIT1, FIN_WAIT2, CLOSE_WAIT
  return inode != 0 && std::find(std::begin(kStates), std::end(kStates), state) != std::end(kStates);
}

}  // namespace

std::optional<uid_t> OwnerOf(std::string_view table, const std::string& local, const std::string& remote) {
  std::istringstream lines{std::string(table)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, from, to, state, queues, timer, retransmits, timeout;
    uid_t user = 0;
    uint64_t inode = 0;
    if (words >> number >> from >> to >> state >> queues >> timer >> retransmits >> user >> timeout >> inode &&
        from == local && to == remote) {
      return HasOwner(state, inode) ? std::optional(user) : std::nullopt;
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
