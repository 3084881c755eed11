#include "schema.h"

#include <array>

#include "howdah/advice/advice.h"
#include "howdah/base/crc.h"
#include "howdah/core/states.h"
#include "row_text.h"

namespace howdah::index {
namespace {

// `jobs` has the values by which rows are selected, sorted and counted. It is narrow, because most queries scan it.
// Texts compare without letter case. NULL: unknown, or empty. Times are microseconds since the epoch. `search` contains
// name, id, reason and tags in lower case. `details` has the complete rows.
constexpr std::array kTables = {
    "CREATE TABLE jobs (n INTEGER PRIMARY KEY, id TEXT NOT NULL, state INTEGER NOT NULL, submitted INTEGER, "
    "started INTEGER, finished INTEGER, tasks INTEGER NOT NULL, gpus INTEGER, progress REAL, goodput REAL, "
    "severity INTEGER, cost REAL, user TEXT COLLATE NOCASE, queue TEXT COLLATE NOCASE, backend TEXT NOT NULL, "
    "framework TEXT COLLATE NOCASE, tags TEXT, name TEXT COLLATE NOCASE, search TEXT, nodes TEXT, checks TEXT, "
    "reason TEXT COLLATE NOCASE, UNIQUE (id, backend))",
    "CREATE INDEX jobs_submitted ON jobs (submitted, id, backend)",
    "CREATE TABLE details (n INTEGER PRIMARY KEY, row TEXT NOT NULL, status TEXT NOT NULL, crc INTEGER NOT NULL)",
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
};

// Differs if the numbers in the tables have another meaning.
int64_t Version() {
  std::string text = std::to_string(kRowFormat);
  for (int state = 0; state <= static_cast<int>(core::JobState::kKilled); ++state)
    text += " " + std::string(core::ToText(static_cast<core::JobState>(state)));
  for (int severity = 0; severity <= static_cast<int>(advice::Severity::kCritical); ++severity)
    text += " " + std::string(advice::ToText(static_cast<advice::Severity>(severity)));
  return static_cast<int64_t>(CrcOf(Crc::kCrc32c, text) & 0x7fffffff);  // user_version has 31 bits
}

constexpr char kNewBirth[] = "INSERT OR REPLACE INTO facts (name, value) VALUES ('birth', hex(randomblob(16)))";

Result<std::string> FactOf(Database& database, const std::string& name) {
  std::string value;
  HOWDAH_TRY_STATUS(
      database.Run("SELECT value FROM facts WHERE name = ?", {name}, [&](const SqlRow& row) { value = row.Text(0); }));
  return value;
}

// Runs `body` in a transaction that no other writer can interrupt.
template <typename Body>
Status InTransaction(Database& database, const Body& body) {
  HOWDAH_TRY_STATUS(database.Run("BEGIN IMMEDIATE"));
  Status status = body();
  if (status.ok()) status = database.Run("COMMIT");
  if (!status.ok()) database.Rollback();
  return status;
}

}  // namespace

Result<SchemaState> StateOf(Database& database) {
  int64_t version = 0;
  HOWDAH_TRY_STATUS(database.Run("PRAGMA user_version", {}, [&](const SqlRow& row) { version = row.Integer(0); }));
  std::string tables, expected;
  HOWDAH_TRY_STATUS(database.Run("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid", {},
                                 [&](const SqlRow& row) { tables += std::string(row.Text(0)) + "\n"; }));
  for (const char* table : kTables) expected += std::string(table) + "\n";
  if (version == 0 && tables.empty()) return SchemaState::kEmpty;
  return version == Version() && tables == expected ? SchemaState::kRight : SchemaState::kOther;
}

Status CreateTables(Database& database, const std::string& costs) {
  return InTransaction(database, [&]() -> Status {
    HOWDAH_TRY(const SchemaState state, StateOf(database));
    if (state == SchemaState::kRight) return {};
    for (const char* table : kTables) HOWDAH_TRY_STATUS(database.Run(table));
    HOWDAH_TRY_STATUS(database.Run(kNewBirth));
    HOWDAH_TRY_STATUS(database.Run("INSERT INTO facts (name, value) VALUES ('costs', ?)", {costs}));
    return database.Run("PRAGMA user_version = " + std::to_string(Version()));
  });
}

Result<std::string> BirthOf(Database& database) { return FactOf(database, "birth"); }

Result<std::string> CostsOf(Database& database) { return FactOf(database, "costs"); }

Status RequireCosts(Database& database, const std::string& costs) {
  HOWDAH_TRY(const std::string stored, CostsOf(database));
  if (stored == costs) return {};
  return InTransaction(database, [&]() -> Status {
    HOWDAH_TRY_STATUS(database.Run("DELETE FROM jobs"));
    HOWDAH_TRY_STATUS(database.Run("DELETE FROM details"));
    HOWDAH_TRY_STATUS(database.Run(kNewBirth));
    return database.Run("UPDATE facts SET value = ? WHERE name = 'costs'", {costs});
  });
}

int64_t CheckSum(std::string_view row, std::string_view status) {
  return static_cast<int64_t>(CrcOf(Crc::kCrc32c, row)) << 32 | static_cast<int64_t>(CrcOf(Crc::kCrc32c, status));
}

}  // namespace howdah::index
