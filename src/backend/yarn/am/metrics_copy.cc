#include "metrics_copy.h"

#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <utility>

#include "howdah/os/files/files.h"

namespace howdah::backend::yarn::am {
namespace {

constexpr Duration kInterval = std::chrono::minutes(5);

}  // namespace

MetricsCopy::MetricsCopy(HadoopClient cluster, JobId id, std::string path)
    : cluster_(std::move(cluster)),
      id_(std::move(id)),
      path_(std::move(path)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void MetricsCopy::Run(const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  std::string reported;
  for (;;) {
    stopped.wait_for(lock, stop, kInterval, [] { return false; });
    if (stop.stop_requested()) return;
    const Status stored = StoreMetrics(cluster_, id_, path_);
    if (stored.ok() || std::exchange(reported, stored.error().message) == stored.error().message) continue;
    std::cerr << "storing the metrics: " << reported << "; will retry\n";
  }
}

Status StoreMetrics(HadoopClient& cluster, const JobId& id, const std::string& path) {
  const auto bytes = os::files::ReadFile(path);
  if (!bytes.ok()) return bytes.error().code == ErrorCode::kNotFound ? Status() : Status(bytes.error());
  HOWDAH_TRY(const auto layout, cluster.StagingLayout());
  return cluster.WriteFile(layout.metrics(id), *bytes, 0600);
}

Status FetchMetrics(HadoopClient& cluster, const JobId& id, const std::string& path) {
  HOWDAH_TRY(const auto layout, cluster.StagingLayout());
  const auto bytes = cluster.ReadFile(layout.metrics(id));
  if (!bytes.ok()) return bytes.error().code == ErrorCode::kNotFound ? Status() : Status(bytes.error());
  return os::files::WriteFileAtomically(path, *bytes, 0600);
}

}  // namespace howdah::backend::yarn::am
