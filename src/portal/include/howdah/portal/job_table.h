// The jobs that the portal lists.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "howdah/index/query/filter.h"
#include "howdah/index/query/job_row.h"
#include "howdah/index/query/order.h"

namespace howdah::portal {

using index::query::JobRow;
using RowPointer = std::shared_ptr<const JobRow>;

struct JobQuery {
  index::query::Filter filter;
  index::query::Order order;
  std::optional<index::query::Position> after;  // only rows after this position
  size_t limit = 50;
  bool facets = false;
  Instant now;
};

struct JobPage {
  int64_t total = 0;  // rows that match the filter, on all pages
  std::vector<RowPointer> rows;
  bool more = false;  // there are rows after the last one
  // For each of "state", "user", "queue", "framework", "backend" and "tag": the most frequent values of all matching
  // rows, and the number of rows with each.
  std::map<std::string, std::vector<std::pair<std::string, int64_t>>> facets;
};

// Used on one thread.
class JobTable {
 public:
  virtual ~JobTable() = default;
  virtual JobPage Find(const JobQuery& query) const = 0;
  // nullptr if there is no such row.
  virtual RowPointer Get(const std::string& id) const = 0;
  virtual int64_t size() const = 0;
  // Adds or replaces rows, and removes others. Returns the rows that have really changed, and the ids of those that
  // were removed.
  struct Changes {
    std::vector<RowPointer> changed;
    std::vector<std::string> removed;
  };
  virtual Changes Apply(std::vector<JobRow> rows, const std::vector<std::string>& removed) = 0;
};

// Keeps all rows in memory.
class MemoryTable final : public JobTable {
 public:
  JobPage Find(const JobQuery& query) const override;
  RowPointer Get(const std::string& id) const override;
  int64_t size() const override { return static_cast<int64_t>(rows_.size()); }
  Changes Apply(std::vector<JobRow> rows, const std::vector<std::string>& removed) override;

 private:
  std::map<std::string, RowPointer> rows_;  // by id
};

}  // namespace howdah::portal
