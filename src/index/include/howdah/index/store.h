// The index of jobs: a file with one row per job, which may be deleted at any time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/index/query/job_page.h"

namespace howdah::index {

class Database;
struct SqlText;

// Keeps the rows in a SQLite file. Any number of threads and processes may each have a Store of the same file. Used on
// one thread. Every call may wait for the disk, and for another process that writes, up to 2 s.
//
// No call fails. If the file is damaged or was written by another version, the Store empties it. If the file was
// deleted, the Store creates it again. If the file cannot be written, the Store continues in memory, with the rows that
// can still be read. losses() counts how often rows were lost, and problem() is a sentence for the user.
class Store {
 public:
  // path: of the file; directories that are missing are created with mode 0700. costs: a text that identifies the
  // prices with which the costs of the rows are computed. If the index has rows with costs from other prices, they are
  // removed.
  Store(std::string path, std::string costs);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  query::JobPage Find(const query::JobQuery& query);
  // nullptr if there is no such row.
  query::RowPointer Get(const query::JobKey& job);
  int64_t size();
  // Adds or replaces rows, and removes the rows of jobs that no longer exist, in one transaction. The row of a job that
  // has ended is never replaced by one that says that the job runs, and is not removed: the summary outlives the files.
  // A row without a backend, or whose id is not UTF-8, is left out.
  query::TableChanges Apply(std::vector<query::JobRow> rows, const std::vector<query::JobKey>& removed);

  // The ids of the jobs of a backend that have ended, or that have not. A job that has ended need not be read again.
  std::vector<std::string> Ids(const std::string& backend, bool ended);

  // Notices that the file was deleted, or emptied by another process. The other methods do this first, too. If the
  // other process has other prices or another version, the Store leaves the file to it, and continues in memory without
  // rows.
  void CheckFile();
  // Grows whenever rows may be missing that were in the table before. The owner then reads all jobs from the backends
  // again. Changes only within a call of another method.
  int64_t losses() const { return losses_; }
  // Why the rows are only in memory, and what to do; "" if they are in the file.
  const std::string& problem() const { return problem_; }

 private:
  Status OpenFile();
  void UseMemory(const Error& reason);
  void Repair(const Error& reason);
  // Runs the action. If it fails, repairs the database, and runs the action again.
  void Attempt(const std::function<Status()>& action);

  Status FindOnce(const query::JobQuery& query, query::JobPage& page);
  Result<SqlText> CountRows(const query::JobQuery& query, query::JobPage& page);
  Status AddRows(const query::JobQuery& query, const SqlText& where, bool known, query::JobPage& page);
  Status AddGroups(const query::JobQuery& query, query::JobPage& page);
  Result<query::RowPointer> ReadDetails(int64_t number);
  Status ApplyOnce(const std::vector<query::RowPointer>& rows, const std::vector<query::JobKey>& removed,
                   query::TableChanges& changes);
  Status RequireBirth();
  Status PutRow(const query::RowPointer& row, query::TableChanges& changes);
  Status RemoveRow(const query::JobKey& job, query::TableChanges& changes);

  std::string path_, costs_;
  std::unique_ptr<Database> database_;
  std::string birth_;         // see BirthOf
  int64_t data_version_ = 0;  // changes when another connection changes the file
  int64_t losses_ = 0;
  int repairs_ = 0;
  std::string problem_;
};

}  // namespace howdah::index
