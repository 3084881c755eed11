#include "running_application.h"

#include <poll.h>

#include "howdah/backend/yarn/job_record.h"
#include "howdah/backend/yarn/why_pending.h"
#include "howdah/base/host_port.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/os/net/resolve.h"
#include "howdah/rpc/am_follow.h"
#include "howdah/rpc/control_client.h"
#include "log_store.h"
#include "submission.h"

namespace howdah::backend::yarn::client {
namespace {

constexpr Duration kResolveLimit = std::chrono::seconds(5);

constexpr Duration kSnapshotConnectLimit = std::chrono::seconds(5);

// Requests the state and output so far from the AM, without waiting for more, and passes each reply to on_reply, which
// returns whether to go on.
Status FollowOnce(HadoopClient& cluster, const JobId& id, const ::hadoop::yarn::ApplicationReportProto& report,
                  wire::FollowRequest request, const std::function<bool(const wire::FollowReply&)>& on_reply) {
  HOWDAH_TRY(const auto am, FindAm(cluster, id, report));
  request.set_now(true);
  const auto follow = rpc::AmFollow::Start(am.address, am.identity, request, kSnapshotConnectLimit);
  for (;;) {
    while (const auto reply = follow->Next()) {
      if (!on_reply(*reply)) return {};
    }
    if (const auto ended = follow->ended()) return *ended;
    pollfd wanted{follow->fd(), POLLIN, 0};
    poll(&wanted, 1, -1);
  }
}

void SelectSource(const backend::LogSource& source, wire::LogsWanted& wanted) {
  wanted.set_role(source.role);
  wanted.set_index(source.index);
  wanted.set_attempt(source.attempt);
  wanted.set_local_rank(source.local_rank);
  wanted.set_no_stdout(source.stream == backend::LogStream::kStderr);
  wanted.set_no_stderr(source.stream == backend::LogStream::kStdout);
}

// Returns the requested size of the AM's container, or zero if the job file belongs to another user or is gone.
hadoop::yarn::Resource AmContainerSize(HadoopClient& cluster, const JobId& id) {
  const auto layout = cluster.StagingLayout();
  if (!layout.ok()) return {};
  const auto text = cluster.ReadFile(layout->job_file(id));
  if (!text.ok()) return {};
  const auto spec = jobspec::ReadEffective(*text);
  if (!spec.ok()) return {};
  hadoop::yarn::Resource shape;
  shape.memory_mib = AmMemoryMib(*spec);
  shape.vcores = spec->am.vcores;
  return shape;
}

}  // namespace

Result<std::string> AmAddress(const ::hadoop::yarn::ApplicationReportProto& report) {
  if (report.rpc_port() <= 0 || report.host().empty() || report.host() == "N/A") {
    return Error{ErrorCode::kUnavailable,
                 "no application master has registered yet; try again when the job is no longer QUEUED"};
  }
  HOWDAH_TRY(const auto found,
             os::net::Resolve({report.host(), static_cast<uint16_t>(report.rpc_port())}, kResolveLimit));
  return HostPort{found.front().ip(), found.front().port()}.Text();
}

Result<rpc::AmContact> FindAm(HadoopClient& cluster, const JobId& id,
                              const ::hadoop::yarn::ApplicationReportProto& report) {
  HOWDAH_TRY(const auto address, AmAddress(report));
  HOWDAH_TRY(auto identity, ClientIdentity(cluster, id));
  return rpc::AmContact{address, std::move(identity)};
}

Result<wire::ControlReply> CallRunningAm(HadoopClient& cluster, const JobId& id,
                                         const ::hadoop::yarn::ApplicationReportProto& report,
                                         const wire::ControlRequest& request, Duration limit) {
  HOWDAH_TRY(const auto am, FindAm(cluster, id, report));
  return rpc::CallAm(am.address, am.identity, request, limit);
}

Result<std::vector<backend::LogSource>> ListRunningLogs(HadoopClient& cluster, const JobId& id,
                                                        const ::hadoop::yarn::ApplicationReportProto& report) {
  std::vector<backend::LogSource> sources;
  wire::FollowRequest request;
  request.mutable_logs()->set_sizes_only(true);
  const Status asked = FollowOnce(cluster, id, report, std::move(request), [&](const wire::FollowReply& reply) {
    if (reply.has_log_size()) sources.push_back(FromWire(reply.log_size().source()));
    return true;
  });
  if (!asked.ok() && asked.error().code != ErrorCode::kUnavailable) return asked.error();
  return sources;
}

Result<std::optional<int64_t>> SizeOfRunningLog(HadoopClient& cluster, const JobId& id,
                                                const ::hadoop::yarn::ApplicationReportProto& report,
                                                const backend::LogSource& source) {
  std::optional<int64_t> size;
  wire::FollowRequest request;
  SelectSource(source, *request.mutable_logs());
  request.mutable_logs()->set_sizes_only(true);
  HOWDAH_TRY_STATUS(FollowOnce(cluster, id, report, std::move(request), [&](const wire::FollowReply& reply) {
    if (reply.has_log_size() && reply.log_size().readable()) size = reply.log_size().size();
    return true;
  }));
  return size;
}

Result<RunningLogRead> ReadRunningLog(HadoopClient& cluster, const JobId& id,
                                      const ::hadoop::yarn::ApplicationReportProto& report,
                                      const backend::LogSource& source, int64_t offset,
                                      const std::function<bool(std::string_view)>& on_bytes) {
  RunningLogRead log;
  bool incomplete = false;
  wire::FollowRequest request;
  SelectSource(source, *request.mutable_logs());
  if (offset > 0) {
    wire::LogPosition& position = *request.mutable_logs()->add_have();
    *position.mutable_source() = ToWire(source);
    position.set_offset(offset);
  }
  const Status asked = FollowOnce(cluster, id, report, std::move(request), [&](const wire::FollowReply& reply) {
    if (reply.has_journal()) log.journal += reply.journal();
    if (reply.has_log()) {
      log.bytes += static_cast<int64_t>(reply.log().bytes().size());
      if (!on_bytes(reply.log().bytes())) return false;
    }
    const bool has_end = reply.has_log_end();
    if (has_end) incomplete |= !reply.log_end().has_size() || reply.log_end().size() > offset + log.bytes;
    return true;
  });
  if (!asked.ok()) return asked.error();
  log.complete = !incomplete;
  return log;
}

std::string WhyApplicationIsPending(HadoopClient& cluster, const ::hadoop::yarn::ApplicationReportProto& report) {
  if (report.yarn_application_state() < ::hadoop::yarn::ACCEPTED) return "";
  // An attempt that uses a container already has the AM's container.
  if (report.currentapplicationattemptid().attemptid() > 0 && report.app_resource_usage().num_used_containers() > 0) {
    return "the application master is starting";
  }
  const auto rm = cluster.Rm();
  if (!rm.ok()) return "";
  const std::string& expression = report.amnodelabelexpression();
  // YARN reports "<DEFAULT_PARTITION>" or "<Not set>" if the AM has no label.
  const std::string label = expression.starts_with('<') ? "" : expression;
  const auto facts = FetchClusterFacts(**rm, report.user(), report.queue(), label);
  if (!facts.ok()) return facts.error().message;
  const JobId id{hadoop::yarn::ToText(hadoop::yarn::FromProto(report.applicationid()))};
  return WhyAmPending(*facts, report.diagnostics(), {"the application master", 1, AmContainerSize(cluster, id), label});
}

}  // namespace howdah::backend::yarn::client
