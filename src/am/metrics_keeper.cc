#include "metrics_keeper.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <iostream>
#include <utility>

#include "howdah/base/epoch.h"
#include "howdah/metrics/file.h"
#include "howdah/os/files/files.h"

namespace howdah::am {
namespace {

// The pause between two writes of the file is kPausePerEncoding times the time that the encoding took, so that encoding
// uses at most a thousandth of a core. The pause is limited to kPauseMax, even if encoding then uses more, because a
// killed AM loses the samples that it has not written.
constexpr Duration kPauseMin = std::chrono::seconds(5), kPauseMax = std::chrono::minutes(1);
constexpr int kPausePerEncoding = 1000;
constexpr Duration kRolesInterval = std::chrono::seconds(5);
// If the time of a sample differs from the AM's time by more than this, the node's clock is wrong.
constexpr Duration kSkewMax = std::chrono::seconds(30);
constexpr size_t kSeriesMax = 8192;  // per executor
// A client that watches more tasks than this gets samples at their normal rate.
constexpr int kFastTasksMax = 64;
constexpr size_t kFileMax = size_t{64} << 20;

metrics::Limits LimitsOf(const jobspec::JobSpec& spec) {
  metrics::Limits limits;
  limits.width = std::max(limits.width, spec.metrics_interval);
  limits.interval = spec.metrics_interval;
  return limits;
}

}  // namespace

MetricsKeeper::MetricsKeeper(boost::asio::io_context& loop, const jobspec::JobSpec& spec,
                             const os::process::Clock& clock, const std::string& path, Wires wires)
    : loop_(loop),
      spec_(spec),
      clock_(clock),
      path_(path),
      limits_(LimitsOf(spec)),
      wires_(std::move(wires)),
      write_timer_(loop),
      roles_timer_(loop),
      pause_(kPauseMin),
      writer_(loop, path) {
  Continue();
}

// If the file cannot be read, only the metrics recorded so far are lost.
void MetricsKeeper::Continue() {
  auto bytes = os::files::ReadFile(path_, kFileMax);
  if (!bytes.ok() && bytes.error().code == ErrorCode::kNotFound) return;
  std::string problem;
  if (bytes.ok()) {
    const auto file = metrics::Open(metrics::BytesOf(*std::move(bytes)));
    if (file.ok()) recorder_ = metrics::Recorder::Continue(*file, limits_, &problem);
    if (!file.ok()) problem = file.error().message;
  } else {
    problem = bytes.error().message;
  }
  if (!problem.empty()) std::cerr << "continuing the metrics in " << path_ << ": " << problem << "\n";
  if (recorder_) WriteLater(pause_);
}

// --- executors ---

void MetricsKeeper::OnLaunched(const ContainerId& container, TaskId task) {
  streams_[container].task = {spec_.roles[static_cast<size_t>(task.role)].name, task.index};
}

void MetricsKeeper::OnConnected(const ContainerId& container) {
  const auto found = streams_.find(container);
  if (found == streams_.end()) return;
  found->second.series.clear();
  found->second.connected = true;
  found->second.watched = false;
  if (!watchers_.empty()) WatchWanted();
}

void MetricsKeeper::OnDisconnected(const ContainerId& container) {
  const auto found = streams_.find(container);
  if (found != streams_.end()) found->second.connected = false;
}

metrics::Sample MetricsKeeper::SampleOf(Stream& stream, const wire::MetricSamples& samples) const {
  metrics::Sample sample;
  const Instant now = clock_.Now();
  sample.at = FromMicros(samples.at_micros());
  if (sample.at > now || sample.at < now - kSkewMax) sample.at = now;
  for (const wire::MetricSeries& series : samples.new_series()) {
    Stream::Series described;
    described.series = {series.name(), series.unit(),
                        series.scope() == wire::MetricSeries::NODE ? metrics::Scope::kNode : metrics::Scope::kTask};
    if (series.has_local_rank()) described.rank = series.local_rank();
    if (series.has_capacity()) described.capacity = series.capacity();
    if (!series.absent().empty()) sample.absent.push_back({described.series, described.rank, series.absent()});
    if (stream.series.size() < kSeriesMax) stream.series[series.id()] = std::move(described);
  }
  sample.values.reserve(static_cast<size_t>(samples.values_size()));
  for (const wire::MetricValue& value : samples.values()) {
    const auto series = stream.series.find(value.series());
    if (series == stream.series.end()) continue;
    metrics::Sample::Value& added = sample.values.emplace_back();
    added.series = series->second.series;
    added.rank = series->second.rank;
    added.capacity = series->second.capacity;
    added.value = value.value();
    if (value.has_max()) added.max = value.max();
    if (value.has_step()) added.step = value.step();
  }
  return sample;
}

void MetricsKeeper::OnSamples(const ContainerId& container, const wire::MetricSamples& samples) {
  const auto found = streams_.find(container);
  if (found == streams_.end()) return;
  Stream& stream = found->second;
  const metrics::Sample sample = SampleOf(stream, samples);
  if (!recorder_) {
    recorder_.emplace(sample.at - limits_.width, limits_);
    WriteLater(pause_);
  }
  recorder_->Add(stream.task, sample);
  for (const auto& [id, watcher] : watchers_) watcher->OnSample(stream.task, sample);
}

// --- clients ---

std::vector<metrics::TaskKey> MetricsKeeper::Tasks() const {
  return recorder_ ? recorder_->tasks() : std::vector<metrics::TaskKey>();
}

void MetricsKeeper::OnWatch(rpc::ConnectionId id, const wire::MetricsRequest& request) {
  auto& watcher = watchers_[id] = std::make_unique<MetricsWatcher>(
      request, Tasks(), [this, id](const wire::MetricsReply& reply) { wires_.reply(id, reply); });
  WatchWanted();
  Serve(id, *watcher);
  TickRoles();
}

void MetricsKeeper::Serve(rpc::ConnectionId id, MetricsWatcher& watcher) {
  if (watcher.complete()) return;
  if (recorder_) watcher.Pump(*recorder_);
  if (!recorder_) watcher.Pump(metrics::Recorder(clock_.Now(), limits_));
  if (watcher.finished()) wires_.close(id);
}

void MetricsKeeper::OnWritten(rpc::ConnectionId id) {
  const auto found = watchers_.find(id);
  if (found == watchers_.end()) return;
  found->second->OnWritten();
  Serve(id, *found->second);
}

void MetricsKeeper::OnGone(rpc::ConnectionId id) {
  if (watchers_.erase(id) > 0) WatchWanted();
}

// Requests samples every second from the executors of tasks that a client watches.
void MetricsKeeper::WatchWanted() {
  std::vector<const MetricsWatcher*> fast;
  for (const auto& [id, watcher] : watchers_) {
    const auto tasks = std::count_if(streams_.begin(), streams_.end(),
                                     [&](const auto& stream) { return watcher->WantsSamples(stream.second.task); });
    if (tasks <= kFastTasksMax) fast.push_back(watcher.get());
  }
  for (auto& [container, stream] : streams_) {
    if (!stream.connected) continue;
    const bool wanted = std::any_of(fast.begin(), fast.end(), [&, &task = stream.task](const MetricsWatcher* watcher) {
      return watcher->WantsSamples(task);
    });
    if (wanted == stream.watched) continue;
    stream.watched = wanted;
    wire::ToExecutor order;
    order.mutable_watch_metrics()->set_watched(wanted);
    wires_.order(container, order);
  }
}

void MetricsKeeper::TickRoles() {
  const bool wanted = std::any_of(watchers_.begin(), watchers_.end(),
                                  [](const auto& watcher) { return watcher.second->wants_roles(); });
  if (!wanted || std::exchange(ticking_, true)) return;
  roles_timer_.expires_after(kRolesInterval);
  roles_timer_.async_wait([this](const boost::system::error_code& error) {
    ticking_ = false;
    if (error) return;
    for (const auto& [id, watcher] : watchers_) {
      if (watcher->wants_roles() && recorder_) watcher->SendNewest(*recorder_);
    }
    TickRoles();
  });
}

// --- the file ---

void MetricsKeeper::WriteLater(Duration pause) {
  write_timer_.expires_after(pause);
  write_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) Write();
  });
}

void MetricsKeeper::Write() {
  if (writer_.busy() || recorder_->changes() == written_) return WriteLater(pause_);
  written_ = recorder_->changes();
  Encode(std::make_shared<metrics::Encoder>(*recorder_), Duration(0));
}

// Encodes one part of the file per iteration of the event loop, so that encoding does not block the loop.
void MetricsKeeper::Encode(std::shared_ptr<metrics::Encoder> encoder, Duration spent) {
  const Instant begin = clock_.Now();
  const bool more = encoder->Step();
  spent += clock_.Now() - begin;
  if (more) {
    boost::asio::post(loop_, [this, encoder = std::move(encoder), spent] { Encode(encoder, spent); });
    return;
  }
  pause_ = std::clamp(spent * kPausePerEncoding, kPauseMin, kPauseMax);
  writer_.Write(encoder->Take(), [this](const Status& written) { OnFileWritten(written); });
  WriteLater(pause_);
}

void MetricsKeeper::OnFileWritten(const Status& written) {
  if (written.ok()) {
    reported_.clear();
    return;
  }
  written_ = 0;  // makes the next Write encode and write the file again
  if (std::exchange(reported_, written.error().message) == reported_) return;
  std::cerr << "writing the metrics: " << reported_ << "; will retry\n";
}

void MetricsKeeper::Finish() {
  write_timer_.cancel();
  for (const auto& [id, watcher] : watchers_) wires_.close(id);
  watchers_.clear();
  if (recorder_) OnFileWritten(writer_.WriteNow(recorder_->Encode()));
}

}  // namespace howdah::am
