// What an AM takes over from one before it: containers that YARN has kept.
#include <algorithm>

#include "yarn_backend.h"

namespace howdah::backend::yarn::am {
namespace {

constexpr char kEndedWithAm[] = "it ended while there was no application master";

hadoop::yarn::ContainerId InheritedId(const ContainerId& id) {
  return hadoop::yarn::ParseContainerId(id.text).value_or(hadoop::yarn::ContainerId());
}

}  // namespace

void YarnBackend::Inherit(const std::vector<backend::Inherited>& containers, int) {
  if (past_) return InheritKept(containers);
  awaited_ = containers;
}

void YarnBackend::InheritKept(const std::vector<backend::Inherited>& containers) {
  for (const backend::Inherited& inherited : containers) {
    const hadoop::yarn::ContainerId id = InheritedId(inherited.container);
    if (const auto held = past_->containers.find(id); held != past_->containers.end()) {
      Adopt(inherited, held->second);
    } else if (const auto ended = past_->completed.find(id); ended != past_->completed.end()) {
      TellEnded(inherited.container, ended->second, RoleLabel(inherited.role), /*taker=*/"");
    } else {
      sink_.OnEvent(
          core::ContainerExited{.container = inherited.container, .how = kEndedWithAm, .infrastructure = true});
    }
  }
  // Granted, or being given back, when that process died.
  for (const auto& [id, container] : past_->containers) {
    scheduler_.AdoptSurplus(id, scheduler_.allocation().NameOf(container.nodeid()));
  }
  past_.reset();
}

void YarnBackend::Adopt(const backend::Inherited& inherited, const ::hadoop::yarn::ContainerProto& proto) {
  Held& held = containers_.try_emplace(inherited.container, loop_).first->second;
  held.proto = proto;
  held.node = scheduler_.allocation().NameOf(proto.nodeid());
  held.label = RoleLabel(inherited.role);
  held.launched = held.started = inherited.task.has_value();
  scheduler_.Adopt(inherited.role, RoleShape(inherited.role), hadoop::yarn::FromProto(proto.id()), held.node);
}

void YarnBackend::OnRegistered(const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response) {
  Keep(checkpoint_.Keep(response));
  for (const auto& token : response.nm_tokens_from_previous_attempts()) node_managers_.AddToken(token);
  InheritOthers(response);
  registered_ = true;
  for (const auto& order : std::exchange(deferred_, {})) order();
}

void YarnBackend::InheritOthers(const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response) {
  std::map<hadoop::yarn::ContainerId, const ::hadoop::yarn::ContainerProto*> there;
  for (const auto& proto : response.containers_from_previous_attempts())
    there[hadoop::yarn::FromProto(proto.id())] = &proto;
  for (const backend::Inherited& inherited : std::exchange(awaited_, {})) {
    const auto it = there.find(IdOf(inherited.container));
    if (it == there.end()) {
      missing_.push_back(inherited);
      continue;
    }
    Adopt(inherited, *it->second);
    there.erase(it);
  }
  for (const auto& [id, proto] : there) {
    scheduler_.AdoptSurplus(id, scheduler_.allocation().NameOf(proto->nodeid()));
  }
}

void YarnBackend::TellMissing(const ::hadoop::yarn::AllocateResponseProto& response) {
  for (const backend::Inherited& missing : std::exchange(missing_, {})) {
    const ContainerId& id = missing.container;
    const auto& ended = response.completed_container_statuses();
    const auto status = std::find_if(ended.begin(), ended.end(), [&](const auto& one) {
      return hadoop::yarn::ToText(hadoop::yarn::FromProto(one.container_id())) == id.text;
    });
    if (status != ended.end()) {
      TellEnded(id, *status, RoleLabel(missing.role), /*taker=*/"");
    } else {
      sink_.OnEvent(core::ContainerExited{.container = id, .how = kEndedWithAm, .infrastructure = true});
    }
  }
}

bool YarnBackend::Defer(std::function<void()> order) {
  if (!registered_) deferred_.push_back(std::move(order));
  return !registered_;
}

// An AM that no other one could follow is better followed now.
void YarnBackend::Keep(const Status& kept) {
  if (!kept.ok()) sink_.OnLost(kept.error());
}

}  // namespace howdah::backend::yarn::am
