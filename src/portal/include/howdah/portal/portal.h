// The personal portal: shows the jobs of the user who runs it, in a browser and to programs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/base/result.h"
#include "howdah/jobspec/configuration.h"

namespace howdah::portal {

// A backend that the portal shows. make_cluster: called on several threads, once for each.
struct PortalBackend {
  std::string name;
  std::function<Result<std::unique_ptr<backend::Cluster>>()> make_cluster;
  bool runs_jobs = true;  // false: it only has past jobs, and neither hardware nor queues
};

struct PortalOptions {
  // "127.0.0.1:8190", "[::1]:8190" or "unix:PATH". Empty: the default, or a free port if that port is in use.
  std::string listen;
  std::vector<PortalBackend> backends;
  std::string home;       // $HOWDAH_HOME; the portal writes to its folder portal/
  std::string user;       // the name of the user who runs the portal
  std::string requester;  // how journals of jobs name the portal (client::Requester)
  std::string pages;      // a folder with the files of the pages, in place of those in the program; empty: none
  bool read_only = false;
  std::optional<jobspec::Prices> prices;
};

// The address that is used without `listen`.
inline constexpr char kDefaultListen[] = "127.0.0.1:8190";

// Serves until interrupt_fd is readable. Calls on_ready once with the address for users ("http://127.0.0.1:8190/"),
// when it accepts connections; on_note receives sentences for the user before that. kUsage: `listen` is invalid or
// would admit other machines. kUnavailable: the address is in use. If a call to a backend is still in progress at the
// end, the process ends within this function, with exit code 0.
Status Serve(const PortalOptions& options, int interrupt_fd, const std::function<void(const std::string&)>& on_note,
             const std::function<void(const std::string& address)>& on_ready);

// docs/api.md, generated from the table of routes.
std::string ApiReference();

}  // namespace howdah::portal
