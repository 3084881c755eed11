#include <algorithm>

#include "howdah/portal/job_table.h"

namespace howdah::portal {
namespace {

using index::query::Position;

constexpr size_t kMostFacetValues = 20;

class FacetCounter {
 public:
  void Add(const JobRow& row) {
    Count("state", std::string(core::ToText(row.state)));
    Count("user", row.user);
    Count("queue", row.queue);
    Count("framework", row.framework);
    Count("backend", row.backend);
    for (const std::string& tag : row.tags) Count("tag", tag);
  }

  std::map<std::string, std::vector<std::pair<std::string, int64_t>>> Most() const {
    std::map<std::string, std::vector<std::pair<std::string, int64_t>>> most;
    for (const char* name : {"state", "user", "queue", "framework", "backend", "tag"}) {
      auto& values = most[name];
      if (const auto found = counts_.find(name); found != counts_.end())
        values.assign(found->second.begin(), found->second.end());
      std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
      if (values.size() > kMostFacetValues) values.resize(kMostFacetValues);
    }
    return most;
  }

 private:
  void Count(const std::string& name, const std::string& value) {
    if (!value.empty()) ++counts_[name][value];
  }

  std::map<std::string, std::map<std::string, int64_t>> counts_;
};

}  // namespace

JobPage MemoryTable::Find(const JobQuery& query) const {
  struct Candidate {
    Position position;
    const RowPointer* row;
  };
  JobPage page;
  FacetCounter facets;
  std::vector<Candidate> candidates;
  const bool descending = query.order.descending;
  for (const auto& [id, row] : rows_) {
    if (!Matches(query.filter, *row, query.now)) continue;
    ++page.total;
    if (query.facets) facets.Add(*row);
    Position position = PositionOf(*row, query.order.column, query.now);
    if (query.after && !Before(*query.after, position, descending)) continue;
    candidates.push_back({std::move(position), &row});
  }
  const size_t count = std::min(query.limit, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count), candidates.end(),
                    [&](const Candidate& a, const Candidate& b) { return Before(a.position, b.position, descending); });
  for (size_t i = 0; i < count; ++i) page.rows.push_back(*candidates[i].row);
  page.more = candidates.size() > count;
  if (query.facets) page.facets = facets.Most();
  return page;
}

RowPointer MemoryTable::Get(const std::string& id) const {
  const auto found = rows_.find(id);
  return found == rows_.end() ? nullptr : found->second;
}

JobTable::Changes MemoryTable::Apply(std::vector<JobRow> rows, const std::vector<std::string>& removed) {
  Changes changes;
  for (JobRow& row : rows) {
    RowPointer& place = rows_[row.id];
    if (place && *place == row) continue;
    place = std::make_shared<const JobRow>(std::move(row));
    changes.changed.push_back(place);
  }
  for (const std::string& id : removed) {
    if (rows_.erase(id) > 0) changes.removed.push_back(id);
  }
  return changes;
}

}  // namespace howdah::portal
