// Converts metrics from and to the messages of Control.Metrics.
#pragma once

#include "howdah/metrics/table.h"
#include "howdah/wire/control.pb.h"

namespace howdah::rpc {

wire::MetricsRequest ToWire(const metrics::Query& query);
metrics::Query FromWire(const wire::MetricsRequest& request);

wire::MetricsColumn ToWire(const metrics::Column& column);
// buckets: Table::buckets. Vectors of another size are truncated or extended to it.
metrics::Column FromWire(const wire::MetricsColumn& column, size_t buckets);

// Converts the table without its columns.
wire::MetricsTable ToWire(const metrics::Table& table);
// Limits the sizes in the message to those of a valid table.
metrics::Table FromWire(const wire::MetricsTable& table);

// Adds a reply of Control.Metrics to the table that the replies describe. Samples are ignored. Returns whether the
// table is complete.
bool AddReply(const wire::MetricsReply& reply, metrics::Table& table);

}  // namespace howdah::rpc
