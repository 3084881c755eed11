#include "metrics_watcher.h"

#include <utility>

#include "howdah/rpc/metrics_messages.h"

namespace howdah::am {
namespace {

// The table is sent only while the client has fewer unread bytes than kTableLoad.
constexpr size_t kTableLoad = size_t{256} << 10;
// Samples are dropped while the client has at least kLoad unread bytes.
constexpr size_t kLoad = size_t{1} << 20;

}  // namespace

MetricsWatcher::MetricsWatcher(const wire::MetricsRequest& request, std::vector<metrics::TaskKey> tasks, Send send)
    : query_(rpc::FromWire(request)),
      series_(query_.series.begin(), query_.series.end()),
      now_(request.now()),
      tasks_(std::move(tasks)),
      send_(std::move(send)) {
  std::erase_if(tasks_, [this](const metrics::TaskKey& task) { return !Selects(task); });
}

bool MetricsWatcher::Selects(const metrics::TaskKey& task) const {
  return (!query_.role || *query_.role == task.role) && (!query_.index || *query_.index == task.index);
}

bool MetricsWatcher::WantsSamples(const metrics::TaskKey& task) const {
  return !now_ && query_.of != metrics::Query::Of::kRole && Selects(task);
}

// Reads one task after the other, because the columns of all tasks may need more memory than the recorder itself. If
// the recorder merges buckets in the meantime, starts again with the first task.
void MetricsWatcher::Pump(const metrics::Recorder& recorder) {
  if (complete_) return;
  if (query_.of == metrics::Query::Of::kRole || tasks_.empty()) {
    const metrics::Table table = recorder.Read(query_);
    SendTable(table);
    SendColumns(table);
    return SendComplete();
  }
  metrics::Query query = query_;
  while (load_ < kTableLoad) {
    query.role = tasks_[next_].role;
    query.index = tasks_[next_].index;
    const metrics::Table table = recorder.Read(query);
    if (!table_ || table_->width != table.width || table_->start != table.start) {
      SendTable(table);
      if (std::exchange(next_, 0) != 0) continue;
    }
    SendColumns(table);
    if (++next_ == tasks_.size()) return SendComplete();
  }
}

void MetricsWatcher::SendNewest(const metrics::Recorder& recorder) {
  if (!complete_ || load_ >= kLoad) return;
  metrics::Query query = query_;
  if (table_ && table_->buckets > 0) {
    query.from = table_->start + table_->width * static_cast<int64_t>(table_->buckets - 1);
    query.points = 0;
  }
  const metrics::Table table = recorder.Read(query);
  SendTable(table);
  SendColumns(table);
  SendComplete();
}

void MetricsWatcher::OnSample(const metrics::TaskKey& task, const metrics::Sample& sample) {
  if (!complete_ || load_ >= kLoad || !WantsSamples(task)) return;
  wire::MetricsReply reply;
  wire::MetricsSample& out = *reply.mutable_sample();
  out.set_role(task.role);
  out.set_index(task.index);
  out.set_at_micros(sample.at.time_since_epoch().count());
  for (const metrics::Sample::Value& value : sample.values) {
    if (query_.of == metrics::Query::Of::kRank && !value.rank) continue;
    if (!series_.empty() && !series_.contains(value.series.name)) continue;
    wire::MetricsSample::Value& added = *out.add_values();
    added.mutable_series()->set_name(value.series.name);
    added.mutable_series()->set_unit(value.series.unit);
    added.mutable_series()->set_of_node(value.series.scope == metrics::Scope::kNode);
    if (value.rank) added.set_rank(*value.rank);
    added.set_value(value.value);
    added.set_max(value.max.value_or(value.value));
    if (value.step) added.set_step(*value.step);
  }
  if (out.values_size() > 0) Reply(reply);
}

void MetricsWatcher::OnWritten() {
  if (unread_.empty()) return;
  load_ -= unread_.front();
  unread_.pop_front();
}

void MetricsWatcher::SendTable(const metrics::Table& table) {
  table_ = metrics::Table{table.start, table.width, table.buckets, {}};
  wire::MetricsReply reply;
  *reply.mutable_table() = rpc::ToWire(table);
  Reply(reply);
}

void MetricsWatcher::SendColumns(const metrics::Table& table) {
  for (const metrics::Column& column : table.columns) {
    wire::MetricsReply reply;
    *reply.mutable_column() = rpc::ToWire(column);
    Reply(reply);
  }
}

void MetricsWatcher::SendComplete() {
  complete_ = true;
  wire::MetricsReply reply;
  reply.mutable_complete();
  Reply(reply);
}

void MetricsWatcher::Reply(const wire::MetricsReply& reply) {
  unread_.push_back(reply.ByteSizeLong());
  load_ += unread_.back();
  send_(reply);
}

}  // namespace howdah::am
