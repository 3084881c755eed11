#include "howdah/diagnosis/restart_rules.h"

#include <string>

#include "howdah/keyfile/pattern.h"
#include "rules.h"

namespace howdah::diagnosis {

std::optional<int> FirstMatching(const std::vector<jobspec::RestartRule>& rules, const ExitStatus& exit,
                                 std::string_view output) {
  if (rules.empty() || exit.success()) return std::nullopt;
  std::string clean;
  for (const std::string& line : CleanLines(output)) clean += line + "\n";
  const std::optional<int> signal = SignalOf(exit);
  for (size_t i = 0; i < rules.size(); ++i) {
    const jobspec::RestartRule& rule = rules[i];
    const bool matches = (!rule.exit || exit.code == rule.exit) &&
                         (rule.signal.empty() || (signal && SignalName(*signal) == rule.signal)) &&
                         (rule.log.empty() || keyfile::FoundIn(rule.log, clean));
    if (matches) return static_cast<int>(i);
  }
  return std::nullopt;
}

}  // namespace howdah::diagnosis
