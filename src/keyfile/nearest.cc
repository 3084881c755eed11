#include "howdah/keyfile/nearest.h"

#include <algorithm>
#include <string>

#include "howdah/base/text.h"
#include "howdah/keyfile/words.h"

namespace howdah::keyfile {
namespace {

// The number of insertions, deletions, replacements and swaps of neighbours that turn a into b.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> two_ago, previous(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_ago[j - 2] + 1);
    }
    two_ago = previous;
    std::swap(previous, row);
  }
  return previous[b.size()];
}

}  // namespace

std::string_view Nearest(std::string_view text, const std::vector<std::string_view>& candidates) {
  constexpr size_t kLongest = 80;  // neither keys of job files nor those of TonY are longer
  if (text.empty() || text.size() > kLongest) return "";
  const std::string lower = LowerCase(text);
  std::string_view best;
  size_t best_distance = 1 + (text.size() <= 2 ? 0 : std::max<size_t>(1, text.size() / 3));
  for (const std::string_view candidate : candidates) {
    const std::string other = LowerCase(candidate);
    const size_t shorter = std::min(lower.size(), other.size());
    const bool begun_alike = lower.compare(0, shorter, other, 0, shorter) == 0;
    const bool ended_alike =
        lower.compare(lower.size() - shorter, shorter, other, other.size() - shorter, shorter) == 0;
    const bool is_part = shorter >= 3 && (begun_alike || ended_alike);
    const size_t distance = is_part ? 1 : EditDistance(lower, other);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace howdah::keyfile
