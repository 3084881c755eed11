#include <array>

#include "howdah/testing/autoscale_sim/run_seed.h"

namespace howdah::testing::autoscale_sim {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(Situation::kCount)> kTexts = {
    "mode gangs",
    "mode dataproc",
    "a plain exclude file",
    "an XML exclude file",
    "the cluster grew",
    "the cluster shrank",
    "a node with tasks was drained",
    "a drain was cancelled",
    "a drain waited for another application",
    "a drain reached its timeout",
    "an order failed",
    "an order had an effect, but no answer",
    "a group had no quota",
    "a fatal error disabled a group",
    "a machine never joined",
    "a machine vanished",
    "the provider made more machines than were ordered",
    "the list failed",
    "the list was old",
    "the ResourceManager restarted",
    "the exclude file could not be written",
    "the autoscaler was killed before it stored its state",
    "the autoscaler was killed before it gave its orders",
    "the autoscaler was killed among its orders",
    "the autoscaler was down for longer than machines may take to join",
    "a gang was too large for the policy",
    "a gang started on the other group",
    "a gang needed a label",
};

}  // namespace

std::string_view ToText(Situation situation) { return kTexts[static_cast<size_t>(situation)]; }

}  // namespace howdah::testing::autoscale_sim
