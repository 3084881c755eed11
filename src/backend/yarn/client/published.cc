#include "published.h"

#include <utility>

#include "howdah/hadoop/hdfs/open.h"

namespace howdah::backend::yarn::client {
namespace {

hadoop::yarn::Resource ResourceOf(const admission::Resources& size) {
  hadoop::yarn::Resource resource{size.memory_mib, size.vcores, size.others};
  if (size.gpus > 0) resource.others[hadoop::yarn::kGpu] = size.gpus;
  return resource;
}

}  // namespace

Result<autoscale::Publication> ReadPublished(const HadoopClient& cluster, const std::string& place) {
  HOWDAH_TRY(const auto files, cluster.OpenFiles(place));
  HOWDAH_TRY(const std::string text, files->Read(hadoop::hdfs::PathOf(place), autoscale::kLongestPublication));
  auto publication = autoscale::ReadPublication(text);
  if (!publication.ok()) return Error{publication.error().code, place + ": " + publication.error().message};
  return publication;
}

void AddGrowth(const Result<autoscale::Publication>& published, Instant now, ClusterFacts& facts) {
  if (!published.ok()) {
    facts.no_growth = "the file of the autoscaler cannot be read: " + published.error().message;
  } else if (published->IsOld(now)) {
    facts.no_growth = "the autoscaler of this cluster has published nothing for " +
                      FormatDuration(now - published->published) + ", so no nodes will be added";
  } else {
    for (const auto& some : published->groups) {
      if (some.node && some.more > 0)
        facts.growth.push_back({some.node->label, ResourceOf(some.node->size), some.more});
    }
  }
}

}  // namespace howdah::backend::yarn::client
