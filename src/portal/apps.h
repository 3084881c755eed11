// Lets browsers use servers in jobs, and the portal's own TensorBoards. Each has an origin of its own: a host name
// below "localhost" on the portal's own port, or, for browsers that do not resolve such names, a port of its own.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "app_table.h"
#include "howdah/web/server.h"
#include "job_connections.h"
#include "services.h"

namespace howdah::portal {

enum class AppAddress { kName, kPort };

// Used on the loop's thread only. `services` must live longer.
class Apps {
 public:
  explicit Apps(Services& services);
  // Where the portal listens, and the address of its pages ("http://127.0.0.1:8190/"). Call before any other method.
  void SetPortal(const web::Endpoint& endpoint, std::string address);

  // Makes an address that opens the server once, within AppTable::kTicketLife. A portal whose address is not that of
  // "localhost" gives ports only. An error if no port can be opened.
  Result<std::string> Open(const AppServer& server, const AppOpener& opener, std::string landing, AppAddress address);

  // Decides about a request at the portal's own address (web::Server::Options::relay).
  web::RelayDecision Decide(const web::Request& request);

 private:
  web::RelayDecision DecideFor(const std::string& label, const std::string& origin, const web::Request& request);
  Result<std::string> OriginWithPort(const std::string& label);

  Services& services_;
  AppTable table_;
  JobConnections connections_;
  web::Endpoint endpoint_;
  std::string address_;
  std::map<std::string, std::unique_ptr<web::Server>> servers_;  // by label: apps with ports of their own
};

}  // namespace howdah::portal
