// What YARN takes from the job, and for whom.
#include "howdah/backend/yarn/container_exit.h"
#include "yarn_backend.h"

namespace howdah::backend::yarn::am {

void YarnBackend::WarnPreempted(const ::hadoop::yarn::PreemptionContainerProto& container) {
  const ContainerId id{hadoop::yarn::ToText(hadoop::yarn::FromProto(container.id()))};
  const auto it = containers_.find(id);
  if (it == containers_.end() || it->second.leaving) return;
  preemptors_.Find(it->second.label, [this, id](const std::string& preemptor) {
    const auto it = containers_.find(id);
    if (it == containers_.end() || it->second.leaving) return;
    if (!preemptor.empty()) it->second.preemptor = preemptor;
    sink_.OnWarned(id, DescribePreemptionWarning(preemptor), /*taken=*/true);
  });
}

void YarnBackend::TellEnded(const ContainerId& id, const ::hadoop::yarn::ContainerStatusProto& status,
                            const std::string& label, const std::string& preemptor) {
  const auto tell = [this, id, status](const std::string& preemptor) {
    const int code = status.exit_status();
    sink_.OnExited(id, DescribeExit(status, preemptor), IsExcused(code), WasTaken(code));
  };
  if (!WasPreempted(status.exit_status()) || !preemptor.empty()) return tell(preemptor);
  preemptors_.Find(label, tell);
}

}  // namespace howdah::backend::yarn::am
