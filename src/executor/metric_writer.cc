#include "metric_writer.h"

#include "micros.h"

namespace howdah::executor {

void MetricWriter::Begin(Instant at, int attempt) {
  samples().Clear();
  samples().set_at_micros(Micros(at));
  samples().set_attempt(attempt);
}

wire::MetricValue& MetricWriter::Add(MetricSeries& series, double value) {
  Describe(series, "");
  wire::MetricValue& added = *samples().add_values();
  added.set_series(series.id);
  added.set_value(value);
  return added;
}

void MetricWriter::AddAbsent(MetricSeries& series, std::string_view why) { Describe(series, why); }

void MetricWriter::Describe(MetricSeries& series, std::string_view absent) {
  const bool changed = series.id == 0 || series.absent != absent;
  if (!changed && series.described == stream_) return;
  if (changed) series.id = ++last_id_;
  series.described = stream_;
  series.absent = absent;
  wire::MetricSeries& description = *samples().add_new_series();
  description.set_id(series.id);
  description.set_name(series.name);
  description.set_unit(std::string(series.unit));
  description.set_scope(series.of_node ? wire::MetricSeries::NODE : wire::MetricSeries::TASK);
  if (series.local_rank) description.set_local_rank(*series.local_rank);
  if (series.capacity) description.set_capacity(*series.capacity);
  description.set_absent(std::string(absent));
}

bool MetricWriter::empty() const {
  return message_.metric_samples().new_series().empty() && message_.metric_samples().values().empty();
}

}  // namespace howdah::executor
