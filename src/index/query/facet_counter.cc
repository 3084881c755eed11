#include <algorithm>

#include "howdah/index/query/job_page.h"

namespace howdah::index::query {

void FacetCounter::Count(const char* facet, std::string_view value) {
  if (value.empty()) return;
  const std::string_view name = facet;
  auto counts = counts_.find(name);
  if (counts == counts_.end()) counts = counts_.emplace(name, decltype(counts->second)()).first;
  const auto found = counts->second.find(value);
  if (found == counts->second.end()) {
    counts->second.emplace(value, 1);
  } else {
    ++found->second;
  }
}

Facets FacetCounter::Most() const {
  Facets most;
  for (const char* name : {"user", "queue", "framework", "backend", "tag"}) {
    auto& values = most[name];
    if (const auto found = counts_.find(std::string_view(name)); found != counts_.end())
      values.assign(found->second.begin(), found->second.end());
  }
  auto& of_state = most["state"];
  for (const auto& [state, count] : states_) of_state.emplace_back(core::ToText(state), count);
  for (auto& [name, values] : most) {
    std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    if (values.size() > kMostValues) values.resize(kMostValues);
  }
  return most;
}

}  // namespace howdah::index::query
