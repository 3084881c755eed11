#include "howdah/core/cause.h"

#include <algorithm>
#include <iterator>

namespace howdah::core {
namespace {

constexpr std::string_view kNames[] = {"exit",      "no_status",    "not_started", "lost",         "task_timeout",
                                       "not_ready", "reclaimed",    "outdated",    "hung",         "gang_timeout",
                                       "refused",   "outlived",     "run_timeout", "stop_request", "scaled",
                                       "grown",     "disconnected", "am_death",    "not_replaced"};
static_assert(std::size(kNames) == static_cast<size_t>(Cause::Kind::kNotReplaced) + 1);

}  // namespace

std::string_view ToText(Cause::Kind kind) { return kNames[static_cast<size_t>(kind)]; }

std::optional<Cause::Kind> ParseCauseKind(std::string_view text) {
  const auto* found = std::find(std::begin(kNames), std::end(kNames), text);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<Cause::Kind>(found - std::begin(kNames));
}

}  // namespace howdah::core
