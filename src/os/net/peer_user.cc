#include "howdah/os/net/peer_user.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstring>

namespace howdah::os::net {
namespace {

struct Question {
  nlmsghdr header{};
  inet_diag_req_v2 request{};
};

// Fills in one end of a connection: its address and port in network byte order.
bool FillIn(const sockaddr_storage& address, uint16_t& port, uint32_t (&words)[4]) {
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    port = v4.sin_port;
    words[0] = v4.sin_addr.s_addr;
    return true;
  }
  if (address.ss_family != AF_INET6) return false;
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  port = v6.sin6_port;
  std::memcpy(words, &v6.sin6_addr, sizeof v6.sin6_addr);
  return true;
}

bool AskAbout(int socket, Question& question) {
  sockaddr_storage ours{}, theirs{};
  socklen_t ours_size = sizeof ours, theirs_size = sizeof theirs;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&ours), &ours_size) != 0 ||
      ::getpeername(socket, reinterpret_cast<sockaddr*>(&theirs), &theirs_size) != 0) {
    return false;
  }
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.request.sdiag_family = static_cast<uint8_t>(theirs.ss_family);
  question.request.sdiag_protocol = IPPROTO_TCP;
  question.request.idiag_states = ~0U;
  inet_diag_sockid& id = question.request.id;
  id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  // The peer's socket has the same two addresses, with the ends exchanged.
  return FillIn(theirs, id.idiag_sport, id.idiag_src) && FillIn(ours, id.idiag_dport, id.idiag_dst);
}

}  // namespace

PeerUsers::PeerUsers() : netlink_(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)) {
  const timeval limit{1, 0};  // the kernel answers within send, or never
  if (netlink_ >= 0) (void)::setsockopt(netlink_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

PeerUsers::~PeerUsers() {
  if (netlink_ >= 0) ::close(netlink_);
}

std::optional<uid_t> PeerUsers::UserOf(int socket) const {
  Question question;
  if (netlink_ < 0 || !AskAbout(socket, question)) return std::nullopt;
  if (::send(netlink_, &question, sizeof question, 0) != sizeof question) return std::nullopt;
  alignas(nlmsghdr) char answer[1024];
  const ssize_t size = ::recv(netlink_, answer, sizeof answer, 0);
  if (size < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof(inet_diag_msg))) return std::nullopt;
  const auto& header = reinterpret_cast<const nlmsghdr&>(answer);
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
  inet_diag_msg socket_facts;
  std::memcpy(&socket_facts, answer + NLMSG_HDRLEN, sizeof socket_facts);
  // The socket is closed: the kernel reports uid 0, whoever owned it.
  if (socket_facts.idiag_inode == 0) return std::nullopt;
  return socket_facts.idiag_uid;
}

std::optional<uid_t> UserOfUnixSocket(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || size != sizeof peer) return std::nullopt;
  if (peer.uid == static_cast<uid_t>(-1)) return std::nullopt;  // the socket is not connected
  return peer.uid;
}

}  // namespace howdah::os::net
