#include "running_logs.h"

#include <poll.h>

#include "am_calls.h"
#include "howdah/rpc/am_follow.h"
#include "log_lookup.h"

namespace howdah::backend::yarn::client {
namespace {

constexpr Duration kNodeConnectLimit = std::chrono::seconds(5);

// Asks for what there is now, and hands on each answer.
Status AskNow(HadoopClient& cluster, const JobId& id, const ::hadoop::yarn::ApplicationReportProto& report,
              wire::FollowRequest request, const std::function<void(const wire::FollowReply&)>& on_reply) {
  HOWDAH_TRY(const auto am, FindAm(cluster, id, report));
  request.set_now(true);
  const auto follow = rpc::AmFollow::Start(am.address, am.identity, request, kConnectLimit);
  for (;;) {
    while (const auto reply = follow->Next()) on_reply(*reply);
    if (const auto ended = follow->ended()) return *ended;
    pollfd wanted{follow->fd(), POLLIN, 0};
    poll(&wanted, 1, -1);
  }
}

}  // namespace

Result<std::vector<backend::LogSource>> ListRunningLogs(HadoopClient& cluster, const JobId& id,
                                                        const ::hadoop::yarn::ApplicationReportProto& report) {
  std::vector<backend::LogSource> sources;
  wire::FollowRequest request;
  request.mutable_logs()->set_sizes_only(true);
  const Status asked = AskNow(cluster, id, report, std::move(request), [&](const wire::FollowReply& reply) {
    if (reply.has_log_size()) sources.push_back(FromWire(reply.log_size().source()));
  });
  if (!asked.ok() && asked.error().code != ErrorCode::kUnavailable) return asked.error();
  return sources;
}

Result<RunningLogRead> ReadRunningLog(HadoopClient& cluster, const JobId& id,
                                      const ::hadoop::yarn::ApplicationReportProto& report,
                                      const backend::LogSource& source,
                                      const std::function<void(std::string_view)>& on_bytes) {
  RunningLogRead log;
  bool unreachable = false;
  wire::FollowRequest request;
  wire::LogsWanted& wanted = *request.mutable_logs();
  wanted.set_role(source.role);
  wanted.set_index(source.index);
  wanted.set_attempt(source.attempt);
  wanted.set_local_rank(source.local_rank);
  wanted.set_no_stdout(source.stream == backend::LogStream::kStderr);
  wanted.set_no_stderr(source.stream == backend::LogStream::kStdout);
  const Status asked = AskNow(cluster, id, report, std::move(request), [&](const wire::FollowReply& reply) {
    if (reply.has_journal()) log.journal += reply.journal();
    if (reply.has_log()) {
      log.bytes += static_cast<int64_t>(reply.log().bytes().size());
      on_bytes(reply.log().bytes());
    }
    if (reply.has_log_end()) unreachable |= !reply.log_end().has_size() || reply.log_end().size() > log.bytes;
  });
  if (!asked.ok()) return asked.error();
  log.whole = !unreachable;
  return log;
}

}  // namespace howdah::backend::yarn::client
