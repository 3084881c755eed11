#include "howdah/rpc/metrics_messages.h"

#include <algorithm>
#include <limits>

#include "howdah/base/epoch.h"

namespace howdah::rpc {
namespace {

constexpr int64_t kBucketsMax = 4096;
constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

template <typename To, typename From>
std::vector<To> Resized(const From& values, size_t size, To rest) {
  std::vector<To> out(values.begin(), values.end());
  out.resize(size, rest);
  return out;
}

}  // namespace

wire::MetricsRequest ToWire(const metrics::Query& query) {
  wire::MetricsRequest request;
  switch (query.of) {
    case metrics::Query::Of::kTask:
      request.set_of(wire::MetricsRequest::TASK);
      break;
    case metrics::Query::Of::kRank:
      request.set_of(wire::MetricsRequest::RANK);
      break;
    case metrics::Query::Of::kRole:
      request.set_of(wire::MetricsRequest::ROLE);
      break;
  }
  if (query.role) request.set_role(*query.role);
  if (query.index) request.set_index(*query.index);
  for (const std::string& series : query.series) request.add_series(series);
  if (query.from) request.set_from_micros(query.from->time_since_epoch().count());
  if (query.to) request.set_to_micros(query.to->time_since_epoch().count());
  request.set_points(query.points);
  return request;
}

metrics::Query FromWire(const wire::MetricsRequest& request) {
  metrics::Query query;
  if (request.of() == wire::MetricsRequest::RANK) query.of = metrics::Query::Of::kRank;
  if (request.of() == wire::MetricsRequest::ROLE) query.of = metrics::Query::Of::kRole;
  if (request.has_role()) query.role = request.role();
  if (request.has_index()) query.index = request.index();
  query.series.assign(request.series().begin(), request.series().end());
  if (request.has_from_micros()) query.from = FromMicros(request.from_micros());
  if (request.has_to_micros()) query.to = FromMicros(request.to_micros());
  query.points = request.points();
  return query;
}

wire::MetricsColumn ToWire(const metrics::Column& column) {
  wire::MetricsColumn out;
  out.mutable_series()->set_name(column.series.name);
  out.mutable_series()->set_unit(column.series.unit);
  out.mutable_series()->set_of_node(column.series.scope == metrics::Scope::kNode);
  out.set_role(column.role);
  if (column.index) out.set_index(*column.index);
  if (column.rank) out.set_rank(*column.rank);
  if (column.quantile) out.set_quantile(*column.quantile);
  out.mutable_weight()->Add(column.weight.begin(), column.weight.end());
  out.mutable_mean()->Add(column.mean.begin(), column.mean.end());
  out.mutable_max()->Add(column.max.begin(), column.max.end());
  out.mutable_step()->Add(column.step.begin(), column.step.end());
  if (column.last) out.set_last(*column.last);
  if (column.last_step) out.set_last_step(*column.last_step);
  if (column.capacity) out.set_capacity(*column.capacity);
  out.set_absent(column.absent);
  return out;
}

metrics::Column FromWire(const wire::MetricsColumn& column, size_t buckets) {
  metrics::Column out;
  out.series.name = column.series().name();
  out.series.unit = column.series().unit();
  out.series.scope = column.series().of_node() ? metrics::Scope::kNode : metrics::Scope::kTask;
  out.role = column.role();
  if (column.has_index()) out.index = column.index();
  if (column.has_rank()) out.rank = column.rank();
  if (column.has_quantile()) out.quantile = column.quantile();
  out.weight = Resized<float>(column.weight(), buckets, 0);
  out.mean = Resized<float>(column.mean(), buckets, kNothing);
  if (!column.has_quantile()) out.max = Resized<float>(column.max(), buckets, kNothing);
  if (column.step_size() > 0) out.step = Resized<int64_t>(column.step(), buckets, 0);
  if (column.has_last()) out.last = column.last();
  if (column.has_last_step()) out.last_step = column.last_step();
  if (column.has_capacity()) out.capacity = column.capacity();
  out.absent = column.absent();
  return out;
}

wire::MetricsTable ToWire(const metrics::Table& table) {
  wire::MetricsTable out;
  out.set_start_micros(table.start.time_since_epoch().count());
  out.set_width_micros(table.width.count());
  out.set_buckets(static_cast<int64_t>(table.buckets));
  return out;
}

metrics::Table FromWire(const wire::MetricsTable& table) {
  metrics::Table out;
  out.start = FromMicros(table.start_micros());
  out.width = Duration(std::clamp<int64_t>(table.width_micros(), 1, int64_t{1} << 50));
  out.buckets = static_cast<size_t>(std::clamp<int64_t>(table.buckets(), 0, kBucketsMax));
  return out;
}

bool AddReply(const wire::MetricsReply& reply, metrics::Table& table) {
  if (reply.has_table()) table = FromWire(reply.table());
  if (reply.has_column()) table.columns.push_back(FromWire(reply.column(), table.buckets));
  return reply.has_complete();
}

}  // namespace howdah::rpc
