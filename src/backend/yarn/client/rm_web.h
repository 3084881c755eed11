// Facts that only the REST interface of the ResourceManager has: pending requests of applications, limits of queues,
// and its configuration.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/autoscale/gang_plan.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/hadoop/web/web_client.h"

namespace howdah::backend::yarn::client {

// An application that has not ended, as /ws/v1/cluster/apps lists it.
struct LiveApplication {
  std::string id, type, queue;
  std::string am_host;                     // "" if its AM does not run
  std::vector<autoscale::Wanted> pending;  // containers that it has requested and not got, one entry per node label
};

// Parse the texts of the pages. Any text is safe: what is not as expected is left out. Pure.
std::vector<LiveApplication> ParseApplications(std::string_view json);
// The limits of the leaf queues of a CapacityScheduler, by node label and by the last part of their names. Queues
// without limits are left out.
std::map<std::string, std::map<std::string, autoscale::QueueShare>> ParseQueues(std::string_view json);
// The ids of the applications that a NodeManager knows, from /ws/v1/node/apps. nullopt: the text is not such a page.
std::optional<std::vector<std::string>> ParseNodeApplications(std::string_view json);
// The value of a property, from /conf?name=….
std::string ParseProperty(std::string_view json);

// Thread-safe.
class RmWeb {
 public:
  explicit RmWeb(const HadoopClient& cluster);

  // Returns the text of a page of the active ResourceManager.
  Result<std::string> Get(const std::string& path);
  // Returns a page of a NodeManager. address: "host:port". kUnavailable: nothing listens there.
  Result<std::string> GetFromNode(const std::string& address, const std::string& path);

 private:
  Result<std::string> GetFrom(const std::string& url);

  const hadoop::conf::Configuration configuration_;
  hadoop::web::WebClient web_;
};

}  // namespace howdah::backend::yarn::client
