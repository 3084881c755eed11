// Goodput reports as JSON and CSV. Pure.
#pragma once

#include <optional>
#include <string>

#include "howdah/client/goodput_report.h"

namespace howdah::client {

struct GoodputView {
  const GoodputReport& report;
  std::optional<jobspec::Prices> prices;
};

// Formats {"groups": [{"group": "ann", …}], "total": {"group": "all", …}}.
std::string GoodputJson(const GoodputView& view);
// Formats one element of "groups".
std::string GroupJson(const GoodputGroup& group, const std::optional<jobspec::Prices>& prices);
// Starts with a line of titles, has one line per group, and ends with a line for the group "all". An unknown value is
// an empty field.
std::string GoodputCsv(const GoodputView& view);

// Quotes a field of a CSV file if necessary (RFC 4180).
std::string CsvField(const std::string& text);

}  // namespace howdah::client
