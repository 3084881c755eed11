// The order of the list of jobs, and the cursors that divide the list into pages. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/index/query/job_row.h"

namespace howdah::index::query {

enum class SortColumn {
  kSubmitted,
  kStarted,
  kFinished,
  kTook,
  kId,
  kName,
  kUser,
  kQueue,
  kState,
  kTasks,
  kGpus,
  kProgress,
  kGoodput,
  kSeverity,
  kCost,
  kReason,
  kBackend,
  kFramework,
};

struct Order {
  SortColumn column = SortColumn::kSubmitted;
  bool descending = true;
  friend bool operator==(const Order&, const Order&) = default;
};

// Reads "name" or "-submitted". A kUsage error lists the columns.
Result<Order> ParseOrder(std::string_view text);
std::string ToText(const Order& order);
// The names of all columns.
std::vector<std::string> SortColumns();

// The position of a row in an order: the value of the column, and the id and the backend, which make positions unique.
// A row whose value is not known comes last in both directions.
struct Position {
  std::variant<std::monostate, double, std::string> key;
  std::string id, backend = {};
  friend bool operator==(const Position&, const Position&) = default;
};
Position PositionOf(const JobRow& row, SortColumn column, Instant now);
bool Before(const Position& a, const Position& b, bool descending);

// A text for the next page's URL. It contains only letters, digits, '-', '_' and '.'.
std::string WriteCursor(const Order& order, const Position& last);
// kUsage for a text that WriteCursor did not write, and for a cursor of another order.
Result<Position> ReadCursor(std::string_view text, const Order& order);

}  // namespace howdah::index::query
