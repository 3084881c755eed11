// One connection to a SQLite file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "howdah/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace howdah::index {

// A parameter of a statement; std::monostate is NULL.
using SqlValue = std::variant<std::monostate, int64_t, double, std::string>;
using SqlValues = std::vector<SqlValue>;

// The current row of a result. A value of another type than expected is converted by SQLite, and never an error.
class SqlRow {
 public:
  explicit SqlRow(sqlite3_stmt* statement) : statement_(statement) {}
  bool IsNull(int column) const;
  int64_t Integer(int column) const;
  std::string_view Text(int column) const;  // valid until the next row

 private:
  sqlite3_stmt* statement_;
};

// Used on one thread. Any number of threads and processes may each have a connection to the same file.
class Database {
 public:
  enum class Mode { kCreate, kExisting };  // kExisting: an error if the file does not exist
  // The kind of a failure, as far as a caller reacts to it.
  enum class Trouble {
    kNone,
    kUnwritable,  // no space, no right to write, a failing disk, or another process has locked the file for too long
    kDamaged,     // everything else: the content is not a database, or not one with the expected tables
  };

  // path: a file, or ":memory:". A missing directory is an error. The content of the file is read later.
  static Result<Database> Open(const std::string& path, Mode mode);
  // Lets other connections read the file while one writes it. For files only; reads the content.
  Status ConfigureFile();

  // Runs a statement, and passes each row of its result to on_row. `sql` must not contain values from outside.
  Status Run(const std::string& sql, const SqlValues& values = {},
             const std::function<void(const SqlRow&)>& on_row = nullptr);
  int64_t last_row() const;
  // Ends the current transaction, if there is one, without its changes.
  void Rollback();
  // Makes damage known that a caller has found in a value.
  Error Damaged(const std::string& text);

  // Whether the file was deleted or replaced since it was opened.
  bool HasMoved() const;
  // Replaces whatever the file contains by an empty database. Other connections to the file see this like any other
  // change.
  Status Reset();
  // Copies the content of another database into this one.
  Status CopyFrom(Database& other);

  // The kind of the last failure of any method.
  Trouble trouble() const { return trouble_; }

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  using StatementPointer = std::unique_ptr<sqlite3_stmt, Finalize>;

  explicit Database(std::unique_ptr<sqlite3, Close> connection) : connection_(std::move(connection)) {}
  Status Configure();
  Result<sqlite3_stmt*> Prepare(const std::string& sql);
  Error Failure(const std::string& doing, int code);

  std::unique_ptr<sqlite3, Close> connection_;
  std::map<std::string, StatementPointer> statements_;  // by SQL text; destroyed before the connection
  Trouble trouble_ = Trouble::kNone;
};

}  // namespace howdah::index
