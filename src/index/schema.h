// The tables of the index.
#pragma once

#include <string>

#include "database.h"

namespace howdah::index {

enum class SchemaState {
  kEmpty,  // a new database
  kRight,  // the tables of this version
  kOther,  // those of another version, or of another program
};

Result<SchemaState> StateOf(Database& database);

// Creates the tables in an empty database, unless another process has done so. costs: see Store.
Status CreateTables(Database& database, const std::string& costs);

// A text that identifies the content since the tables were created or emptied.
Result<std::string> BirthOf(Database& database);
// The prices with which the costs of the rows were computed; see Store.
Result<std::string> CostsOf(Database& database);

// Removes all rows if their costs were computed with other prices.
Status RequireCosts(Database& database, const std::string& costs);

// The check sum of the texts of a row: SQLite does not detect changed bytes within a value.
int64_t CheckSum(std::string_view row, std::string_view status);

}  // namespace howdah::index
