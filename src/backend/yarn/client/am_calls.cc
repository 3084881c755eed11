#include "am_calls.h"

#include "howdah/backend/yarn/job_record.h"
#include "howdah/os/net/resolve.h"
#include "howdah/rpc/control_client.h"

namespace howdah::backend::yarn::client {
namespace {

constexpr Duration kAmResolveLimit = std::chrono::seconds(5);

}  // namespace

Result<std::string> AmAddress(const ::hadoop::yarn::ApplicationReportProto& report) {
  if (report.rpc_port() <= 0 || report.host().empty() || report.host() == "N/A") {
    return Error{ErrorCode::kUnavailable,
                 "no application master has said yet where it listens; try again once the job is not QUEUED any more"};
  }
  HOWDAH_TRY(const auto found,
             os::net::Resolve({report.host(), static_cast<uint16_t>(report.rpc_port())}, kResolveLimit));
  return os::net::HostPort{found.front().ip(), found.front().port()}.text();
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

}  // namespace howdah::backend::yarn::client
