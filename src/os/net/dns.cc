#include "dns.h"

#include <ares.h>
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

namespace howdah::os::net {
namespace {

using Clock = std::chrono::steady_clock;

struct Answer {
  const uint16_t port;  // the port of all returned addresses
  bool done = false;
  int status = ARES_SUCCESS;
  std::vector<SocketAddress> addresses;
};

void OnAnswer(void* context, int status, int, ares_addrinfo* info) {
  Answer& answer = *static_cast<Answer*>(context);
  answer.done = true;
  answer.status = status;
  for (ares_addrinfo_node* node = info ? info->nodes : nullptr; node; node = node->ai_next) {
    if (node->ai_addrlen > sizeof(sockaddr_storage)) continue;
    SocketAddress address;
    std::memcpy(&address.storage, node->ai_addr, node->ai_addrlen);
    address.size = node->ai_addrlen;
    auto* four = reinterpret_cast<sockaddr_in*>(&address.storage);
    auto* six = reinterpret_cast<sockaddr_in6*>(&address.storage);
    (node->ai_family == AF_INET6 ? six->sin6_port : four->sin_port) = htons(answer.port);
    answer.addresses.push_back(address);
  }
  if (info) ares_freeaddrinfo(info);
}

// The destructor cancels the pending queries. Cancellation calls OnAnswer.
struct Channel {
  ares_channel handle = nullptr;
  ~Channel() {
    if (handle) ares_destroy(handle);
  }
};

Status Open(Channel& channel, Duration limit, const std::string& servers) {
  static std::once_flag once;  // ares_library_init is not thread-safe in c-ares 1.18
  std::call_once(once, [] { ares_library_init(ARES_LIB_INIT_ALL); });
  ares_options options{};
  // "fb": the hosts file, then DNS. nsswitch.conf is not read, because it may name modules that a static program cannot
  // load.
  char lookups[] = "fb";
  options.lookups = lookups;
  options.timeout = static_cast<int>(std::clamp<int64_t>(limit.count() / 3000, 200, 2000));
  options.tries = 3;
  int status = ares_init_options(&channel.handle, &options, ARES_OPT_LOOKUPS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES);
  if (status == ARES_SUCCESS && !servers.empty()) status = ares_set_servers_ports_csv(channel.handle, servers.c_str());
  if (status == ARES_SUCCESS) return {};
  return Failed(std::string("preparing to look up names: ") + ares_strerror(status));
}

// Waits until a socket is ready, and processes the ready sockets. Returns false if the lookup was cancelled.
bool Turn(ares_channel channel, Duration left, int cancel_fd) {
  std::array<ares_socket_t, ARES_GETSOCK_MAXNUM> sockets{};
  const int wanted = ares_getsock(channel, sockets.data(), ARES_GETSOCK_MAXNUM);
  std::vector<pollfd> polled;
  for (unsigned i = 0; i < sockets.size(); ++i) {
    short events = 0;
    if (ARES_GETSOCK_READABLE(static_cast<unsigned>(wanted), i)) events |= POLLIN;
    if (ARES_GETSOCK_WRITABLE(static_cast<unsigned>(wanted), i)) events |= POLLOUT;
    if (events != 0) polled.push_back({sockets[i], events, 0});
  }
  const size_t asked = polled.size();
  if (cancel_fd >= 0) polled.push_back({cancel_fd, POLLIN, 0});
  timeval most{left.count() / 1'000'000, static_cast<suseconds_t>(left.count() % 1'000'000)}, room{};
  const timeval* wait = ares_timeout(channel, &most, &room);
  const int ready =
      poll(polled.data(), polled.size(), static_cast<int>(wait->tv_sec * 1000 + wait->tv_usec / 1000 + 1));
  if (ready <= 0) {
    ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    return true;
  }
  if (polled.size() > asked && polled.back().revents != 0) return false;
  for (size_t i = 0; i < asked; ++i) {
    if (polled[i].revents == 0) continue;
    const bool writable = (polled[i].revents & POLLOUT) != 0, readable = (polled[i].revents & ~POLLOUT) != 0;
    ares_process_fd(channel, readable ? polled[i].fd : ARES_SOCKET_BAD, writable ? polled[i].fd : ARES_SOCKET_BAD);
  }
  return true;
}

Error NotResolved(const std::string& what, int status) {
  const std::string doing = "looking up " + what + ": ";
  switch (status) {
    case ARES_ENOTFOUND:
    case ARES_ENODATA:
    case ARES_ENONAME:
    case ARES_EBADNAME:
      return {ErrorCode::kNotFound, doing + "no such name"};
    case ARES_ETIMEOUT:
    case ARES_ECANCELLED:
    case ARES_EDESTRUCTION:
    case ARES_ECONNREFUSED:
    case ARES_ESERVFAIL:
    case ARES_EREFUSED:
      return {ErrorCode::kTimeout, doing + "no name server in /etc/resolv.conf answered"};
    default:
      return Failed(doing + ares_strerror(status));
  }
}

// Runs the query that was started on the channel.
void Await(Channel& channel, const bool& done, std::chrono::steady_clock::time_point deadline, int cancel_fd) {
  while (!done) {
    const auto left = std::chrono::duration_cast<Duration>(deadline - Clock::now());
    if (left.count() <= 0 || !Turn(channel.handle, left, cancel_fd)) ares_cancel(channel.handle);
  }
}

struct ServicesAnswer {
  bool done = false;
  int status = ARES_SUCCESS;
  struct Record {
    uint16_t priority, weight;
    HostPort where;
  };
  std::vector<Record> records;
};

void OnServices(void* context, int status, int, unsigned char* bytes, int size) {
  ServicesAnswer& answer = *static_cast<ServicesAnswer*>(context);
  answer.done = true;
  ares_srv_reply* records = nullptr;
  answer.status = status == ARES_SUCCESS ? ares_parse_srv_reply(bytes, size, &records) : status;
  for (const ares_srv_reply* record = records; record != nullptr; record = record->next) {
    if (std::string_view(record->host).empty() || std::string_view(record->host) == ".") continue;
    answer.records.push_back({record->priority, record->weight, {record->host, record->port}});
  }
  if (records != nullptr) ares_free_data(records);
}

struct NameAnswer {
  bool done = false;
  int status = ARES_SUCCESS;
  std::string name;
};

void OnName(void* context, int status, int, hostent* host) {
  NameAnswer& answer = *static_cast<NameAnswer*>(context);
  answer.done = true;
  answer.status = status;
  if (status == ARES_SUCCESS && host != nullptr && host->h_name != nullptr) answer.name = host->h_name;
}

SocketAddress Ip4(in_addr ip, uint16_t port) {
  SocketAddress address;
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr = ip;
  in.sin_port = htons(port);
  std::memcpy(&address.storage, &in, sizeof in);
  address.size = sizeof in;
  return address;
}

SocketAddress Ip6(in6_addr ip, uint16_t port) {
  SocketAddress address;
  sockaddr_in6 in{};
  in.sin6_family = AF_INET6;
  in.sin6_addr = ip;
  in.sin6_port = htons(port);
  std::memcpy(&address.storage, &in, sizeof in);
  address.size = sizeof in;
  return address;
}

}  // namespace

std::optional<std::vector<SocketAddress>> KnownAddresses(const HostPort& where) {
  in_addr four{};
  in6_addr six{};
  if (inet_pton(AF_INET, where.host.c_str(), &four) == 1) return std::vector{Ip4(four, where.port)};
  if (inet_pton(AF_INET6, where.host.c_str(), &six) == 1) return std::vector{Ip6(six, where.port)};
  if (where.host != "localhost") return std::nullopt;
  four.s_addr = htonl(INADDR_LOOPBACK);
  return std::vector{Ip4(four, where.port), Ip6(in6addr_loopback, where.port)};
}

Result<std::vector<SocketAddress>> AskDns(const HostPort& where, Duration limit, const DnsOptions& options) {
  const auto deadline = Clock::now() + limit;
  Answer answer{where.port};  // declared before the channel, because the channel's destructor may call OnAnswer
  Channel channel;
  HOWDAH_TRY_STATUS(Open(channel, limit, options.servers));
  ares_addrinfo_hints hints{};
  hints.ai_flags = ARES_AI_NOSORT;
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  ares_getaddrinfo(channel.handle, where.host.c_str(), nullptr, &hints, OnAnswer, &answer);
  Await(channel, answer.done, deadline, options.cancel_fd);
  const std::string what = "the host " + where.host;
  if (answer.status != ARES_SUCCESS) return NotResolved(what, answer.status);
  std::stable_partition(answer.addresses.begin(), answer.addresses.end(),
                        [](const SocketAddress& a) { return a.storage.ss_family == AF_INET; });
  if (answer.addresses.empty()) return NotResolved(what, ARES_ENODATA);
  return std::move(answer.addresses);
}

Result<std::vector<HostPort>> AskForServices(const std::string& name, Duration limit, const DnsOptions& options) {
  constexpr int kInternet = 1, kSrv = 33;  // class and type of RFC 1035 and RFC 2782
  const auto deadline = Clock::now() + limit;
  ServicesAnswer answer;
  Channel channel;
  HOWDAH_TRY_STATUS(Open(channel, limit, options.servers));
  ares_query(channel.handle, name.c_str(), kInternet, kSrv, OnServices, &answer);
  Await(channel, answer.done, deadline, options.cancel_fd);
  const std::string what = "the services of " + name;
  if (answer.status != ARES_SUCCESS) return NotResolved(what, answer.status);
  std::ranges::stable_sort(answer.records, [](const auto& a, const auto& b) {
    return a.priority != b.priority ? a.priority < b.priority : a.weight > b.weight;
  });
  std::vector<HostPort> servers;
  for (ServicesAnswer::Record& record : answer.records) servers.push_back(std::move(record.where));
  if (servers.empty()) return NotResolved(what, ARES_ENODATA);
  return servers;
}

Result<std::string> AskForName(const SocketAddress& address, Duration limit, const DnsOptions& options) {
  const auto deadline = Clock::now() + limit;
  NameAnswer answer;
  Channel channel;
  HOWDAH_TRY_STATUS(Open(channel, limit, options.servers));
  const bool four = address.storage.ss_family == AF_INET;
  const auto* in4 = reinterpret_cast<const sockaddr_in*>(&address.storage);
  const auto* in6 = reinterpret_cast<const sockaddr_in6*>(&address.storage);
  const void* bytes = four ? static_cast<const void*>(&in4->sin_addr) : &in6->sin6_addr;
  ares_gethostbyaddr(channel.handle, bytes, four ? sizeof in4->sin_addr : sizeof in6->sin6_addr,
                     address.storage.ss_family, OnName, &answer);
  Await(channel, answer.done, deadline, options.cancel_fd);
  const std::string what = "the name of " + address.ip();
  if (answer.status != ARES_SUCCESS || answer.name.empty()) {
    return NotResolved(what, answer.status == ARES_SUCCESS ? ARES_ENODATA : answer.status);
  }
  return answer.name;
}

}  // namespace howdah::os::net
