// Who is at the other end of a connection within this machine.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace howdah::rpc::streams {

// The user of the socket that /proc/net/tcp (`table`) shows between two IPv4 addresses and ports, both as they stand
// there
// ("0100007F:A0B1"). nullopt: there is none.
std::optional<uid_t> OwnerOf(std::string_view table, const std::string& local, const std::string& remote);

// The user who connected an IPv4 socket that was accepted on the loopback interface; nullopt: the kernel does not say.
std::optional<uid_t> PeerUser(int socket);

}  // namespace howdah::rpc::streams
