// Pages of the list of jobs. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "howdah/index/query/filter.h"
#include "howdah/index/query/job_row.h"
#include "howdah/index/query/order.h"

namespace howdah::index::query {

using RowPointer = std::shared_ptr<const JobRow>;
// The values of each facet and the number of rows with each value, most frequent first.
using Facets = std::map<std::string, std::vector<std::pair<std::string, int64_t>>>;

struct JobQuery {
  Filter filter;
  Order order;
  std::optional<Position> after;  // only rows after this position
  size_t limit = 50;
  bool facets = false;
  bool groups = false;
  Instant now;
};

// The number of rows with these values.
struct JobGroup {
  core::JobState state = core::JobState::kQueued;
  std::string backend, queue, user;
  int64_t count = 0;
  friend bool operator==(const JobGroup&, const JobGroup&) = default;
};

struct JobPage {
  int64_t total = 0;  // rows that match the filter, on all pages
  std::vector<RowPointer> rows;
  bool more = false;             // there are rows after the last one
  Facets facets;                 // of all matching rows, if requested; see FacetCounter
  std::vector<JobGroup> groups;  // of all matching rows, if requested
};

// The result of a batch of changes.
struct TableChanges {
  std::vector<RowPointer> changed;  // rows that are new, or differ from the previous row of the same job
  std::vector<JobKey> removed;      // of rows that the table no longer has
};

// Counts the values of "state", "user", "queue", "framework", "backend" and "tag" in many rows.
class FacetCounter {
 public:
  static constexpr size_t kMostValues = 20;  // of each facet
  enum Facet { kUser, kQueue, kFramework, kBackend, kTag };

  void CountState(core::JobState state) { ++states_[state]; }
  // Empty values are not counted.
  void Count(Facet facet, std::string_view value);
  Facets Most() const;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;  // a lookup copies no text
  };
  std::map<core::JobState, int64_t> states_;
  std::array<std::unordered_map<std::string, int64_t, Hash, std::equal_to<>>, 5> counts_;  // by Facet
};

}  // namespace howdah::index::query
