#include <algorithm>

#include "howdah/index/query/job_page.h"

namespace howdah::index::query {

void FacetCounter::Count(Facet facet, std::string_view value) {
  if (value.empty()) return;
  auto& counts = counts_[facet];
  const auto found = counts.find(value);
  if (found == counts.end()) {
    counts.emplace(value, 1);
  } else {
    ++found->second;
  }
}

Facets FacetCounter::Most() const {
  constexpr std::array kNames = {"user", "queue", "framework", "backend", "tag"};  // by Facet
  Facets most;
  auto& of_state = most["state"];
  for (const auto& [state, count] : states_) of_state.emplace_back(core::ToText(state), count);
  for (size_t facet = 0; facet < kNames.size(); ++facet)
    most[kNames[facet]].assign(counts_[facet].begin(), counts_[facet].end());
  for (auto& [name, values] : most) {
    std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    if (values.size() > kMostValues) values.resize(kMostValues);
  }
  return most;
}

}  // namespace howdah::index::query
