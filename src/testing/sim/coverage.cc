#include "howdah/sim/coverage.h"

#include <array>

namespace howdah::sim {

std::string_view ToText(Situation situation) {
  static constexpr std::array<std::string_view, static_cast<size_t>(Situation::kCount)> kTexts = {
      "job succeeded",
      "job failed",
      "job killed",
      "job failed with exit code 3",
      "a failed task restarted alone",
      "ranked tasks restarted together",
      "whole job restarted",
      "a task restarted after its container was lost",
      "a command could not be started",
      "first failure was not the first told",
      "incomplete gang gave containers back",
      "gang did not come together in time",
      "time limit of the job ran out",
      "place refused",
      "a surplus container was granted",
      "a grant was told twice",
      "a message arrived twice",
      "a message of a container that is gone",
      "a container was lost",
      "a node was lost",
      "an executor ended before it registered",
      "an executor never registered",
      "an executor was killed",
      "an executor fell silent",
      "an executor reconnected",
      "a process ignored the stop and was killed",
      "stop was requested twice",
      "stop was requested before anything started",
      "a role was scaled up",
      "a role was scaled down",
      "an impossible scaling was wanted",
      "the AM died",
      "the AM's clock went back",
      "the AM's clock leapt forward",
      "a failure was tolerated",
      "a failure was ignored",
      "an attempt took too long",
      "a role outlived others and failed the job",
      "a role outlived others and was ignored",
      "all waited for what sets up",
      "a sidecar failed",
      "a service failed",
      "a chief ended its job",
      "a role waited for another to start",
      "a role waited for another to finish",
      "a later gang came together",
      "two jobs competed for one place",
      "an event came after the job had finished",
      "another AM went on",
      "an AM died before its orders were carried out",
      "a container was wanted back",
      "progress was recorded",
      "a task without progress failed",
      "a ranked task without progress failed",
      "a task that saved was given the grace anew",
      "a task that saved for too long was killed",
  };
  return kTexts[static_cast<size_t>(situation)];
}

}  // namespace howdah::sim
