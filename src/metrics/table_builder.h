// Builds the table that answers a query.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "block.h"
#include "howdah/metrics/table.h"
#include "names.h"
#include "quantiles.h"

namespace howdah::metrics {

class TableBuilder {
 public:
  // The names must outlive the builder. buckets: the number of buckets of the whole job.
  TableBuilder(const Query& query, const Names& names, Instant begun, Duration width, size_t buckets);

  // Whether the table can have columns of the role or the task.
  bool WantsRole(const std::string& role) const { return !query_.role || *query_.role == role; }
  bool WantsTask(const std::string& role, int index) const;

  // Adds one track of a wanted task. `buckets` and `step` may have fewer elements than the job has buckets; the missing
  // buckets are empty. For Query::Of::kRole, the track only contributes to the quantiles.
  struct Part {
    uint16_t series = 0;
    int16_t rank = Track::kNoRank;
    uint8_t reason = 0, capacity = 0;
    std::span<const Bucket> buckets;
    std::span<const int64_t> step;
    std::optional<double> last;
    std::optional<int64_t> last_step;
  };
  void Add(uint16_t role, int index, const Part& part);
  // Adds the quantiles of a wanted role.
  void AddQuantiles(uint16_t role, uint16_t series, std::span<const QuantileBucket> buckets);

  Table Take();

 private:
  bool WantsSeries(uint16_t series) const;
  size_t end() const { return first_ + table_.buckets; }

  const Query query_;
  const Names& names_;
  std::set<std::string, std::less<>> wanted_;
  size_t first_ = 0;  // the job's bucket with which the table begins
  Table table_;
  // The values from which quantiles are computed: by role and series, then by bucket of the table.
  std::map<std::pair<uint16_t, uint16_t>, std::vector<std::vector<float>>> values_;
  // The position of each column in the order of Table.
  struct Position {
    uint16_t role;
    int index;
    std::string name;
    int rank, quantile;
    size_t column;
    friend auto operator<=>(const Position&, const Position&) = default;
  };
  std::vector<Position> positions_;
};

}  // namespace howdah::metrics
