// What YARN takes from the job, and for whom.
#include "howdah/backend/yarn/container_exit.h"
#include "yarn_backend.h"

namespace howdah::backend::yarn::am {

void YarnBackend::WarnPreempted(const ::hadoop::yarn::PreemptionContainerProto& container) {
  const ContainerId id{hadoop::yarn::ToText(hadoop::yarn::FromProto(container.id()))};
  const auto it = containers_.find(id);
  if (it == containers_.end() || it->second.leaving) return;
  takers_.Find(it->second.label, [this, id](const std::string& taker) {
    const auto it = containers_.find(id);
    if (it == containers_.end() || it->second.leaving) return;
    if (!taker.empty()) it->second.taker = taker;
    sink_.OnEvent(core::ReclaimAnnounced{.container = id, .why = HowWarned(taker), .preempted = true});
  });
}

void YarnBackend::TellEnded(const ContainerId& id, const ::hadoop::yarn::ContainerStatusProto& status,
                            const std::string& label, const std::string& taker) {
  const auto tell = [this, id, status](const std::string& taker) {
    const int code = status.exit_status();
    sink_.OnEvent(core::ContainerExited{.container = id,
                                        .how = HowContainerEnded(status, taker),
                                        .infrastructure = IsExcused(code),
                                        .preempted = WasTaken(code)});
  };
  if (!WasPreempted(status.exit_status()) || !taker.empty()) return tell(taker);
  takers_.Find(label, tell);
}

}  // namespace howdah::backend::yarn::am
