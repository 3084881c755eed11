// Fuzz target: gang tags, which come from the applications of all users. A tag that can be read is written again as the
// same demand, and a queue of jobs with such demands can be ordered.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "howdah/admission/gang_tag.h"
#include "howdah/admission/queue.h"
#include "howdah/base/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace howdah;
  // YARN stores tags in lower case.
  const auto demand = admission::ParseTag(LowerCase({reinterpret_cast<const char*>(data), size}));
  if (!demand) return 0;
  const std::string tag = admission::ToTag(*demand);
  if (tag.size() > admission::kTagLimit) std::abort();
  const auto again = admission::ParseTag(tag);
  if (!again || again->run != demand->run) std::abort();
  if (tag.find(":sum:") == std::string::npos && again->tasks != demand->tasks) std::abort();

  admission::Cluster cluster;
  const admission::Resources node{8192, 8, 2, {}};
  for (const char* name : {"n1", "n2"}) cluster.nodes.push_back({name, node, node});
  for (const char* id : {"j1", "j2", "j3"}) {
    admission::Job& job = cluster.jobs.emplace_back();
    job.id = id;
    job.queue = "ml";
    job.demand = *demand;
    job.am_size = {1024, 1, 0, {}};
  }
  cluster.limits.queue["ml"] = node;
  const auto places = admission::Order(cluster, Instant());
  if (places.size() != cluster.jobs.size()) std::abort();
  for (const admission::Place& place : places) static_cast<void>(admission::ReasonText(cluster, places, place.id));
  return 0;
}
