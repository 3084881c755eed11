#include "howdah/cli/output/advice_lines.h"

#include <algorithm>

#include "howdah/base/text.h"

namespace howdah::cli::output {

std::vector<std::string> AdviceLines(const journal::JobView& view, const std::vector<advice::Finding>& findings) {
  constexpr size_t kMostLines = 2;
  std::vector<std::string> lines;
  for (const advice::Finding& finding : findings) {
    if (!advice::IsIn(finding, view.advice)) lines.push_back(Shown(finding.text));
  }
  const size_t room = kMostLines - (view.advice.empty() ? 0 : 1);
  const size_t more = lines.size() - std::min(lines.size(), room);
  lines.resize(lines.size() - more);
  if (lines.empty()) return lines;
  lines.back() += " (`howdah advise " + Shown(view.id) + "` shows " +
                  (more > 0 ? std::to_string(more) + " more" : "what to change") + ")";
  return lines;
}

}  // namespace howdah::cli::output
