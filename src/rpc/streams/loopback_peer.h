// Finds the user at the other end of a TCP connection within this machine.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace howdah::rpc::streams {

// Returns the user who owns the socket from `local` to `remote` according to `table`, the content of /proc/net/tcp.
// Both addresses are IPv4, in the notation of that file ("0100007F:A0B1"). Returns nullopt if there is no such socket,
// or if its program has already closed it: the table then names user 0 as the owner, whoever it was.
std::optional<uid_t> OwnerOf(std::string_view table, const std::string& local, const std::string& remote);

// socket: an IPv4 socket that was accepted on the loopback interface. Returns the user who connected it, or nullopt if
// that user is unknown or has closed the connection.
std::optional<uid_t> PeerUser(int socket);

}  // namespace howdah::rpc::streams
