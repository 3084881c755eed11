#include "am_container.h"

#include <algorithm>
#include <utility>

#include "howdah/base/epoch.h"
#include "howdah/hadoop/yarn/resource.h"

namespace howdah::backend::yarn::am {
namespace {

constexpr int kAttempts = 5;
constexpr std::chrono::seconds kPause{10};

}  // namespace

core::Resources GrantedResources(const ::hadoop::yarn::ResourceProto& granted, const std::string& label) {
  hadoop::yarn::Resource resource = hadoop::yarn::FromProto(granted);
  constexpr int64_t kMiB = int64_t{1} << 20;
  core::Resources resources{std::clamp<int64_t>(resource.memory_mib, 0, INT64_MAX / kMiB) * kMiB, resource.vcores,
                            resource.other(hadoop::yarn::kGpu)};
  resource.others.erase(hadoop::yarn::kGpu);
  resources.others = std::move(resource.others);
  resources.label = label;
  return resources;
}

AmContainerLookup::AmContainerLookup(boost::asio::io_context& loop, HadoopClient cluster, hadoop::yarn::ContainerId own,
                                     std::string label, std::function<void(const core::AmContainerReported&)> on_found)
    : query_(loop, std::move(cluster)),
      own_(std::move(own)),
      label_(std::move(label)),
      on_found_(std::move(on_found)),
      timer_(loop),
      attempts_left_(kAttempts) {
  Query();
}

void AmContainerLookup::Query() {
  --attempts_left_;
  query_.Start([this, attempt = own_.attempt](HadoopClient& cluster) {
    const auto rm = cluster.Rm();
    auto containers =
        rm.ok() ? (*rm)->Containers(attempt) : Result<std::vector<::hadoop::yarn::ContainerReportProto>>(rm.error());
    return [this, containers = std::move(containers)] { OnContainers(containers); };
  });
}

void AmContainerLookup::OnContainers(const Result<std::vector<::hadoop::yarn::ContainerReportProto>>& containers) {
  if (containers.ok()) {
    for (const auto& report : *containers) {
      if (hadoop::yarn::FromProto(report.container_id()) != own_) continue;
      return on_found_({.container = {hadoop::yarn::ToText(own_)},
                        .node = report.node_id().host(),
                        .granted = GrantedResources(report.resource(), label_),
                        .since = FromMillis(report.creation_time())});
    }
  }
  if (attempts_left_ == 0) return;
  timer_.expires_after(kPause);
  timer_.async_wait([this](const boost::system::error_code& stopped) {
    if (!stopped) Query();
  });
}

}  // namespace howdah::backend::yarn::am
