// Conditions and sort keys of the table of jobs as SQL. Pure. Values from outside are always bound parameters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "database.h"
#include "howdah/index/query/filter.h"
#include "howdah/index/query/order.h"

namespace howdah::index {

// An expression and the values of its parameters, in their order in the text.
struct SqlText {
  std::string sql;
  SqlValues values;

  void Append(const SqlText& other);
};

// True for the rows that match every term; "1" for an empty filter.
SqlText ConditionOf(const query::Filter& filter, Instant now);

// The value of a row by which the column sorts; NULL if it is not known.
SqlText KeyOf(query::SortColumn column, Instant now);

// True for the rows that come after the position in this order. `known` selects the rows whose key is known, which all
// come before the others.
SqlText AfterOf(const query::Order& order, const query::Position& position, bool known, Instant now);

// The text as a value of the table: without NUL, and NULL if it is empty.
SqlValue TextValue(std::string_view text);
// The texts as one value, each followed by a NUL; NULL if there are none.
SqlValue ListValue(const std::vector<std::string>& texts);
SqlValue TimeValue(const std::optional<Instant>& time);  // in microseconds since the epoch

}  // namespace howdah::index
