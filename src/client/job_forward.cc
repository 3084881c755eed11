#include "howdah/client/job_forward.h"

namespace howdah::client {

Result<JobForward> JobForward::Start(backend::Cluster& cluster, const JobId& id, const rpc::streams::Target& target,
                                     int listen, std::function<void(const std::string& line)> on_problem) {
  HOWDAH_TRY(const rpc::AmContact am, cluster.Contact(id));
  HOWDAH_TRY(auto forward,
             rpc::streams::PortForward::Start(static_cast<uint16_t>(listen), am, target, std::move(on_problem)));
  return JobForward(cluster, id, std::move(forward));
}

void JobForward::OnStatus(const journal::JobView& view) {
  if (am_attempt_ >= 0 && view.am_attempt != am_attempt_) {
    // If the new application master cannot be reached yet, each forwarded connection reports the failure.
    if (const auto am = cluster_->Contact(id_); am.ok()) forward_->Use(*am);
  }
  am_attempt_ = view.am_attempt;
}

std::string JobForward::address() const { return "http://127.0.0.1:" + std::to_string(forward_->port()) + "/"; }

}  // namespace howdah::client
