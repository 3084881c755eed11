// A row as text, as the index stores it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "howdah/index/query/job_row.h"

namespace howdah::index {

// JSON without JobRow::status_json, which the index stores beside it. Equal rows have equal texts.
std::string WriteRow(const query::JobRow& row);
// Accepts any bytes. nullopt for a text that WriteRow did not write.
std::optional<query::JobRow> ReadRow(std::string_view text);

// Changes whenever the texts of rows, or the numbers of the states and severities, change their meaning.
inline constexpr int kRowFormat = 1;

}  // namespace howdah::index
