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
  const auto found = os::net::Resolve({report.host(), static_cast<uint16_t>(report.rpc_port())}, kAmResolveLimit);
  if (!found.ok()) return found.error();
  return HostPort{found->front().ip(), found->front().port()}.Text();
}

Result<rpc::AmContact> FindAm(HadoopClient& cluster, const JobId& id,
                              const ::hadoop::yarn::ApplicationReportProto& report) {
  const auto address = AmAddress(report);
  if (!address.ok()) return address.error();
  auto identity = ClientIdentity(cluster, id);
  if (!identity.ok()) return identity.error();
  return rpc::AmContact{*address, std::move(*identity)};
}

Result<wire::ControlReply> CallRunningAm(HadoopClient& cluster, const JobId& id,
                                         const ::hadoop::yarn::ApplicationReportProto& report,
                                         const wire::ControlRequest& request, Duration limit) {
  const auto am = FindAm(cluster, id, report);
  if (!am.ok()) return am.error();
  return rpc::CallAm(am->address, am->identity, request, limit);
}

}  // namespace howdah::backend::yarn::client
