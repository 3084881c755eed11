#include "gated_requests.h"

#include <algorithm>
#include <utility>

#include "howdah/backend/yarn/cluster_facts.h"
#include "howdah/core/policy/gang.h"

namespace howdah::backend::yarn::am {

namespace {

bool Names(const std::vector<std::string>& names, const jobspec::RoleSpec& role) {
  return std::find(names.begin(), names.end(), role.name) != names.end();
}

// The keys of the job file that limit the role to some of the nodes.
std::vector<std::string> ConditionsOf(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role) {
  const std::string own = "roles." + role.name + ".";
  std::vector<std::string> keys;
  if (!role.placement.attributes.empty()) keys.push_back(own + "placement.attributes");
  if (!role.placement.near.empty()) keys.push_back(own + "placement.near");
  for (const jobspec::RoleSpec& other : spec.roles) {
    const bool named = Names(other.placement.apart, role) || (other.name == role.name && !role.placement.apart.empty());
    if (named) keys.push_back("roles." + other.name + ".placement.apart");
  }
  if (role.placement.max_per_rack) keys.push_back(own + "placement.max_per_rack");
  if (role.max_per_node) keys.push_back(own + "max_per_node");
  return keys;
}

}  // namespace

hadoop::yarn::Shape ShapeOf(const jobspec::JobSpec& spec, int role) {
  const jobspec::RoleSpec& of_role = spec.roles[static_cast<size_t>(role)];
  hadoop::yarn::Shape shape;
  shape.resource = ContainerSize(of_role);
  shape.label = NodeLabel(spec, of_role);
  shape.nodes = of_role.locality.nodes;
  shape.racks = of_role.locality.racks;
  shape.strict = of_role.locality.strict;
  shape.max_per_node = of_role.max_per_node;
  shape.placement.attributes = AttributeConditions(of_role);
  shape.placement.max_per_rack = of_role.placement.max_per_rack;
  for (size_t other = 0; other < spec.roles.size(); ++other) {
    const jobspec::RoleSpec& of_other = spec.roles[other];
    const bool near = Names(of_role.placement.near, of_other);
    // Both roles keep the distance, whichever gets its containers first.
    const bool apart = Names(of_role.placement.apart, of_other) || Names(of_other.placement.apart, of_role);
    if (near) shape.placement.near.push_back(static_cast<int>(other));
    if (apart) shape.placement.apart.push_back(static_cast<int>(other));
  }
  return shape;
}

GatedRequests::GatedRequests(boost::asio::io_context& loop, hadoop::yarn::Scheduler& scheduler, backend::Sink& sink,
                             const os::process::Clock& clock, Job job)
    : scheduler_(scheduler),
      sink_(sink),
      spec_(job.spec),
      monitor_(loop, job.open_cluster(), job.start.job, job.start.queue, job.start.node_label,
               {.placement = [this] { return Placement(); },
                .on_reason =
                    [this](const std::string& reason) {
                      lack_ = reason;
                      Report();
                    },
                .on_facts = [this](const Result<ClusterFacts>& facts) { OnFacts(facts); }}),
      gate_(loop, job.open_cluster(), clock, std::move(job.gate),
            {.on_turn = [this] { OnTurn(); }, .on_step_aside = std::move(job.step_aside)}) {
  if (!core::policy::FirstGang(spec_).empty()) gate_.Begin();
}

void GatedRequests::Ask(const core::RequestContainers& request) {
  if (!request.optional) together_ = request.together;
  for (const auto& ask : request.asks) Ask(ask.role, ask.count);
  Update();
}

void GatedRequests::Ask(int role, int count) {
  if (gate_.closed()) {
    withheld_[role] += count;
  } else {
    AskScheduler(role, count);
  }
}

void GatedRequests::AskScheduler(int role, int count) { scheduler_.Ask(role, ShapeOf(spec_, role), count); }

void GatedRequests::CancelAll() {
  withheld_.clear();
  rejected_.Clear();
  scheduler_.CancelAll();
  Update();
}

void GatedRequests::Complete() {
  gate_.Complete();
  for (const auto& [role, count] : std::exchange(withheld_, {})) AskScheduler(role, count);
  scheduler_.SetProgress(kProgressOfRunningJob);
  Report();
}

void GatedRequests::OnTurn() {
  if (gate_.closed()) {
    for (size_t role = 0; role < spec_.roles.size(); ++role) {
      const int count = scheduler_.allocation().outstanding(static_cast<int>(role));
      if (count > 0) withheld_[static_cast<int>(role)] += count;
    }
    rejected_.Clear();
    scheduler_.CancelAll();
  } else {
    for (const auto& [role, count] : std::exchange(withheld_, {})) AskScheduler(role, count);
  }
  Update();
}

void GatedRequests::Report() {
  core::RequestsDelayed delayed{lack_.empty() ? rejected_.reason() : lack_, gate_.closed() && !gate_.reason().empty()};
  if (delayed.queued) delayed.reason += (delayed.reason.empty() ? "" : "; ") + gate_.reason();
  if (delayed.reason == reported_.reason && delayed.queued == reported_.queued) return;
  reported_ = delayed;
  sink_.OnEvent(delayed);
}

void GatedRequests::Update() {
  std::vector<PendingContainers> pending;
  // If the gang fits, only the jobs ahead are the reason.
  for (size_t i = 0; i < spec_.roles.size() && !(gate_.closed() && gate_.fits_alone()); ++i) {
    const auto role = static_cast<int>(i);
    const int count = PendingOf(role);
    if (count == 0) continue;
    pending.push_back({spec_.roles[i].name, count, ContainerSize(spec_.roles[i]), NodeLabel(spec_, spec_.roles[i])});
  }
  if (pending.empty()) rejected_.Clear();
  monitor_.SetPending(std::move(pending));
  Report();
}

int GatedRequests::PendingOf(int role) const {
  const auto withheld = withheld_.find(role);
  return scheduler_.allocation().outstanding(role) + (withheld == withheld_.end() ? 0 : withheld->second);
}

std::vector<AllowedNodes> GatedRequests::Placement() const {
  std::vector<AllowedNodes> roles;
  for (size_t i = 0; i < spec_.roles.size(); ++i) {
    const auto role = static_cast<int>(i);
    if (PendingOf(role) == 0) continue;
    const hadoop::yarn::Shape shape = ShapeOf(spec_, role);
    if (!shape.limited()) continue;
    const auto count = scheduler_.allocation().nodes().CountFor(role, shape);
    roles.push_back({spec_.roles[i].name, ConditionsOf(spec_, spec_.roles[i]), count.allowed, count.suitable});
  }
  return roles;
}

void GatedRequests::OnRegistered(const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response) {
  const auto& counted = response.scheduler_resource_types();
  gate_.SetCountsVcores(std::find(counted.begin(), counted.end(), ::hadoop::yarn::CPU) != counted.end());
}

bool GatedRequests::OnRejected(const Error& error, const std::map<int, int>& containers) {
  if (!rejected_.Add(error, containers)) return false;
  Report();
  return true;
}

void GatedRequests::OnFacts(const Result<ClusterFacts>& facts) {
  const auto largest = facts.ok() ? std::optional(LargestAmounts(facts->nodes)) : std::nullopt;
  const auto size_of = [this](int role) { return ContainerSize(spec_.roles[static_cast<size_t>(role)]); };
  for (const int role : rejected_.TakeRepeatable(together_, largest, size_of)) {
    // An earlier request may have been granted.
    if (scheduler_.allocation().outstanding(role) > 0) AskScheduler(role, /*count=*/0);
  }
}

void GatedRequests::OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response) {
  rejected_.OnAnswer();
  Report();
  if (response.has_limit()) monitor_.SetHeadroom(hadoop::yarn::FromProto(response.limit()));
}

}  // namespace howdah::backend::yarn::am
