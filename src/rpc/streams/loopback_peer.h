// Identifies the user at the other end of a connection within this machine.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace howdah::rpc::streams {

// Returns the owner of the socket between two IPv4 addresses in /proc/net/tcp (`table`), both in the notation of that
// file ("0100007F:A0B1"). nullopt: not found.
std::optional<uid_t> OwnerOf(std::string_view table, const std::string& local, const std::string& remote);

// Returns the user who connected an IPv4 socket that was accepted on the loopback interface; nullopt: unknown.
std::optional<uid_t> PeerUser(int socket);

}  // namespace howdah::rpc::streams
