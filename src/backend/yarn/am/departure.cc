#include "departure.h"

#include <iostream>

namespace howdah::backend::yarn::am {

bool Departure::Leave(const std::string& why) {
  if (!own_.may_leave) return false;
  if (const Status stored = own_.store(); !stored.ok()) {
    std::cerr << "the application master stays, because the next one needs its files: " << stored.error().message
              << "\n";
    return false;
  }
  std::cerr << "the application master gives its container back: " << why << "\n";
  scheduler_.AdoptSurplus(own_.container, own_.host);  // releases the container
  return true;
}

void Departure::OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response) {
  for (const auto& report : response.updated_nodes()) {
    if (report.nodeid().host() != own_.host) continue;
    node_leaves_ = report.node_state() == ::hadoop::yarn::NS_DECOMMISSIONING;
  }
  if (!node_leaves_ || containers_.HasOnHost(own_.host)) return;
  node_leaves_ = false;
  Leave("its node " + own_.host + " is being decommissioned");
}

}  // namespace howdah::backend::yarn::am
