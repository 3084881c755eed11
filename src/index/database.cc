#include "database.h"

#include <sqlite3.h>

#include <cstring>

#include "howdah/base/text.h"
#include "howdah/index/query/filter.h"

namespace howdah::index {
namespace {

constexpr int kBusyMillis = 2000;        // another process writes for milliseconds
constexpr int kLongestValue = 64 << 20;  // bytes; a damaged file may claim more
constexpr size_t kMostStatements = 64;   // that are kept for later use
constexpr char kCacheSize[] = "-16384";  // KiB; most queries scan the narrow table, which fits for 50,000 jobs

std::string_view TextOf(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text == nullptr ? std::string_view() : std::string_view(text, static_cast<size_t>(sqlite3_value_bytes(value)));
}

// Calls `use` with each text of a list, in which every text ends with a NUL. Stops if `use` returns true.
template <typename Use>
bool AnyOf(std::string_view list, const Use& use) {
  while (!list.empty()) {
    const size_t end = std::min(list.find('\0'), list.size());
    if (use(list.substr(0, end))) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

// contains(text, word): both in lower case.
void Contains(sqlite3_context* context, int, sqlite3_value** arguments) {
  const std::string_view text = TextOf(arguments[0]), word = TextOf(arguments[1]);
  const bool found = word.empty() || (!text.empty() && memmem(text.data(), text.size(), word.data(), word.size()));
  sqlite3_result_int(context, found ? 1 : 0);
}

// matches(patterns, texts): whether one of the patterns (in lower case) matches one of the texts. Both are lists.
void MatchesList(sqlite3_context* context, int, sqlite3_value** arguments) {
  const std::string_view patterns = TextOf(arguments[0]);
  const bool found = AnyOf(TextOf(arguments[1]), [&](std::string_view text) {
    const std::string lower = LowerCase(text);
    return AnyOf(patterns, [&](std::string_view pattern) { return query::MatchesPattern(pattern, lower); });
  });
  sqlite3_result_int(context, found ? 1 : 0);
}

Database::Trouble TroubleOf(int extended_code) {
  if (extended_code == SQLITE_IOERR_SHORT_READ) return Database::Trouble::kDamaged;
  switch (extended_code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_READONLY:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_NOLFS:
    case SQLITE_PROTOCOL:
      return Database::Trouble::kUnwritable;
    default:  // also SQLITE_ERROR: our statements are right, so a table or a column is missing
      return Database::Trouble::kDamaged;
  }
}

int Bind(sqlite3_stmt* statement, int position, const SqlValue& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return sqlite3_bind_int64(statement, position, *integer);
  if (const auto* number = std::get_if<double>(&value)) return sqlite3_bind_double(statement, position, *number);
  if (const auto* text = std::get_if<std::string>(&value)) {
    // The caller's value lives until the statement is reset.
    return sqlite3_bind_text64(statement, position, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  return sqlite3_bind_null(statement, position);
}

}  // namespace

bool SqlRow::IsNull(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

int64_t SqlRow::Integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view SqlRow::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) return {};
  return {text, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
void Database::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Result<Database> Database::Open(const std::string& path, Mode mode) {
  sqlite3* connection = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (mode == Mode::kCreate ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &connection, flags, nullptr);
  Database database{std::unique_ptr<sqlite3, Close>(connection)};
  if (connection == nullptr) return Failed("opening " + path + ": out of memory");
  if (code != SQLITE_OK) return database.Failure("opening " + path, code);
  HOWDAH_TRY_STATUS(database.Configure());
  return database;
}

Status Database::Configure() {
  sqlite3* const connection = connection_.get();
  sqlite3_extended_result_codes(connection, 1);
  sqlite3_busy_timeout(connection, kBusyMillis);
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, kLongestValue);
  // The file may have been written by anything: its schema must not run functions, and must not be edited by ours.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  sqlite3_create_function_v2(connection, "contains", 2, kFlags, nullptr, Contains, nullptr, nullptr, nullptr);
  sqlite3_create_function_v2(connection, "matches", 2, kFlags, nullptr, MatchesList, nullptr, nullptr, nullptr);
  HOWDAH_TRY_STATUS(Run("PRAGMA temp_store = MEMORY"));
  // No mapping of the file: reading a mapped file that another program truncates ends the process.
  return Run("PRAGMA mmap_size = 0");
}

Status Database::ConfigureFile() {
  HOWDAH_TRY_STATUS(Run("PRAGMA cache_size = " + std::string(kCacheSize)));
  // Readers and a writer do not block each other. Nothing is lost if the last changes are lost in a power failure,
  // because the rows are read again from the backends.
  HOWDAH_TRY_STATUS(Run("PRAGMA journal_mode = WAL"));
  return Run("PRAGMA synchronous = NORMAL");
}

Result<sqlite3_stmt*> Database::Prepare(const std::string& sql) {
  if (const auto found = statements_.find(sql); found != statements_.end()) return found->second.get();
  if (statements_.size() >= kMostStatements) statements_.clear();
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return Failure("preparing a query", code);
  statements_[sql] = StatementPointer(statement);
  return statement;
}

Status Database::Run(const std::string& sql, const SqlValues& values,
                     const std::function<void(const SqlRow&)>& on_row) {
  HOWDAH_TRY(sqlite3_stmt* const statement, Prepare(sql));
  int code = SQLITE_OK;
  for (size_t i = 0; i < values.size() && code == SQLITE_OK; ++i)
    code = Bind(statement, static_cast<int>(i) + 1, values[i]);
  if (code == SQLITE_OK) {
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      if (on_row) on_row(SqlRow(statement));
    }
  }
  Status status;
  if (code != SQLITE_DONE) status = Failure("using the index", code);
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  return status;
}

int64_t Database::last_row() const { return sqlite3_last_insert_rowid(connection_.get()); }

void Database::Rollback() {
  if (sqlite3_get_autocommit(connection_.get()) == 0)
    sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Error Database::Damaged(const std::string& text) {
  trouble_ = Trouble::kDamaged;
  return Failed(text);
}

bool Database::HasMoved() const {
  int moved = 0;
  sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

// The way to empty a damaged database that SQLite documents for SQLITE_DBCONFIG_RESET_DATABASE.
Status Database::Reset() {
  Rollback();
  statements_.clear();
  // SQLite keeps the write-ahead log, which other connections may be using, only if it has read the schema before.
  sqlite3_exec(connection_.get(), "SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr);
  sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
  sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_RESET_DATABASE, 1, nullptr);
  const int code = sqlite3_exec(connection_.get(), "VACUUM", nullptr, nullptr, nullptr);
  sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_RESET_DATABASE, 0, nullptr);
  sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  if (code != SQLITE_OK) return Failure("emptying the index", code);
  return {};
}

Status Database::CopyFrom(Database& other) {
  sqlite3_backup* const backup = sqlite3_backup_init(connection_.get(), "main", other.connection_.get(), "main");
  if (backup == nullptr) return Failure("copying the index", sqlite3_extended_errcode(connection_.get()));
  sqlite3_backup_step(backup, -1);
  const int code = sqlite3_backup_finish(backup);
  if (code != SQLITE_OK) return Failure("copying the index", code);
  return {};
}

Error Database::Failure(const std::string& doing, int code) {
  trouble_ = TroubleOf(code);
  const bool is_full = (code & 0xff) == SQLITE_FULL;
  return {is_full ? ErrorCode::kNoSpace : ErrorCode::kFailed, doing + ": " + sqlite3_errstr(code)};
}

}  // namespace howdah::index
