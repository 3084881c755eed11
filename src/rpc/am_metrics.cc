#include "howdah/rpc/am_metrics.h"

#include <poll.h>

#include <algorithm>
#include <chrono>

#include "client_stream.h"
#include "howdah/rpc/metrics_messages.h"
#include "howdah/rpc/read_metrics.h"

namespace howdah::rpc {

std::unique_ptr<AmMetrics> AmMetrics::Start(const std::string& address, const Identity& identity,
                                            const wire::MetricsRequest& request, Duration connect_limit) {
  using Stream = ClientStream<AmMetrics, wire::MetricsRequest, wire::MetricsReply>;
  const Stream::Method method{
      .doing = "reading the metrics of the job",
      .call = [](wire::Control::Stub& stub, grpc::ClientContext* context) { return stub.Metrics(context); },
      .is_last = [request](const wire::MetricsReply& reply) { return request.now() && reply.has_complete(); }};
  return std::make_unique<Stream>(method, address, identity, request, connect_limit);
}

Result<metrics::Table> ReadMetrics(const AmContact& am, const metrics::Query& query, Duration limit) {
  wire::MetricsRequest request = ToWire(query);
  request.set_now(true);
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const auto stream = AmMetrics::Start(am.address, am.identity, request, limit);
  metrics::Table table;
  for (;;) {
    while (const auto reply = stream->Next()) {
      if (AddReply(*reply, table)) return table;
    }
    if (const auto ended = stream->ended()) return ended->ok() ? Failed("the AM sent no metrics") : ended->error();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      return Error{ErrorCode::kTimeout, "reading the metrics of the job at its AM at " + am.address +
                                            ": no answer within " + FormatDuration(limit)};
    }
    pollfd wanted{stream->fd(), POLLIN, 0};
    poll(&wanted, 1, static_cast<int>(left.count()));
  }
}

}  // namespace howdah::rpc
