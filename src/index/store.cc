#include "howdah/index/store.h"

#include <algorithm>
#include <utility>

#include "database.h"
#include "howdah/base/text.h"
#include "howdah/os/files/files.h"
#include "row_text.h"
#include "schema.h"
#include "sql_text.h"

namespace howdah::index {
namespace {

using query::JobKey;
using query::JobPage;
using query::JobQuery;
using query::JobRow;
using query::RowPointer;
using query::SortColumn;
using query::TableChanges;

constexpr int kMostRepairs = 10;       // of one Store; a file that is damaged more often is on a failing disk
constexpr int kMostTries = 3;          // of one call: with the file, with the repaired file, in memory
constexpr size_t kMostRows = 100'000;  // of one page
constexpr int64_t kFewRows = 1000;     // that match a filter

constexpr char kInsert[] =
    "INSERT OR REPLACE INTO jobs (n, id, state, submitted, started, finished, tasks, gpus, progress, goodput, "
    "severity, "
    "cost, user, queue, backend, framework, tags, name, search, nodes, checks, reason) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

SqlValue NumberKey(const JobRow& row, SortColumn column) {
  const auto key = query::PositionOf(row, column, Instant()).key;
  if (const auto* number = std::get_if<double>(&key)) return *number;
  return {};
}

SqlValue SearchValue(const JobRow& row) {
  std::vector<std::string> texts = {row.name, row.id, row.reason};
  texts.insert(texts.end(), row.tags.begin(), row.tags.end());
  for (std::string& text : texts) text = LowerCase(text);
  return ListValue(texts);
}

// The values of kInsert.
SqlValues ValuesOf(const JobRow& row, const SqlValue& number) {
  return {number,
          row.id,
          static_cast<int64_t>(row.state),
          TimeValue(row.submitted),
          TimeValue(row.started),
          TimeValue(row.finished),
          row.tasks,
          row.gpus ? SqlValue(*row.gpus) : SqlValue(),
          NumberKey(row, SortColumn::kProgress),
          NumberKey(row, SortColumn::kGoodput),
          row.severity ? SqlValue(static_cast<int64_t>(*row.severity)) : SqlValue(),
          NumberKey(row, SortColumn::kCost),
          TextValue(row.user),
          TextValue(row.queue),
          row.backend,
          TextValue(row.framework),
          ListValue(row.tags),
          TextValue(row.name),
          SearchValue(row),
          ListValue(row.nodes),
          ListValue(row.checks),
          TextValue(row.reason)};
}

// WriteRow replaces bytes that are not UTF-8. A row that names another job than its own would count as damage.
bool CanBeKey(std::string_view text) {
  if (text.empty()) return false;
  while (const size_t size = Utf8CharacterSize(text)) text.remove_prefix(size);
  return text.empty();
}

void CountTags(std::string_view tags, query::FacetCounter& counter) {
  while (!tags.empty()) {
    const size_t end = std::min(tags.find('\0'), tags.size());
    counter.Count(query::FacetCounter::kTag, tags.substr(0, end));
    tags.remove_prefix(std::min(end + 1, tags.size()));
  }
}

core::JobState StateAt(const SqlRow& row, int column) {
  constexpr auto kLast = static_cast<int64_t>(core::JobState::kKilled);
  return static_cast<core::JobState>(std::clamp(row.Integer(column), int64_t{0}, kLast));
}

// row: number, state, user, queue, framework, backend and tags.
void CountFacets(const SqlRow& row, query::FacetCounter& counter) {
  counter.CountState(StateAt(row, 1));
  counter.Count(query::FacetCounter::kUser, row.Text(2));
  counter.Count(query::FacetCounter::kQueue, row.Text(3));
  counter.Count(query::FacetCounter::kFramework, row.Text(4));
  counter.Count(query::FacetCounter::kBackend, row.Text(5));
  CountTags(row.Text(6), counter);
}

}  // namespace

Store::Store(std::string path, std::string costs) : path_(std::move(path)), costs_(std::move(costs)) {
  if (const Status opened = OpenFile(); !opened.ok()) UseMemory(opened.error());
}

Store::~Store() = default;

Status Store::OpenFile() {
  const size_t slash = path_.rfind('/');
  if (slash != std::string::npos && slash > 0)
    HOWDAH_TRY_STATUS(os::files::MakeDirectories(path_.substr(0, slash), 0700));
  HOWDAH_TRY(Database opened, Database::Open(path_, Database::Mode::kCreate));
  auto database = std::make_unique<Database>(std::move(opened));
  const auto is_damaged = [&] { return database->trouble() == Database::Trouble::kDamaged; };

  Status status = database->ConfigureFile();
  Result<SchemaState> state = SchemaState::kOther;
  if (status.ok()) state = StateOf(*database);
  if (!status.ok() && !is_damaged()) return status;
  if (!state.ok() && !is_damaged()) return state.error();
  if (!state.ok() || *state == SchemaState::kOther) {
    HOWDAH_TRY_STATUS(database->Reset());
    HOWDAH_TRY_STATUS(database->ConfigureFile());
    state = SchemaState::kEmpty;
  }
  if (*state == SchemaState::kEmpty) HOWDAH_TRY_STATUS(CreateTables(*database, costs_));
  HOWDAH_TRY_STATUS(RequireCosts(*database, costs_));
  HOWDAH_TRY(birth_, BirthOf(*database));
  database_ = std::move(database);
  data_version_ = 0;
  return {};
}

void Store::UseMemory(const Error& reason) {
  auto memory = Database::Open(":memory:", Database::Mode::kCreate);
  auto database = memory.ok() ? std::make_unique<Database>(std::move(*memory)) : nullptr;
  const bool had_rows = database_ != nullptr;
  const bool can_copy = database_ && database_->trouble() != Database::Trouble::kDamaged;
  if (database && !(can_copy && database->CopyFrom(*database_).ok())) {
    if (!CreateTables(*database, costs_).ok()) database.reset();
    if (had_rows) ++losses_;
  }
  database_ = std::move(database);
  problem_ = "the index " + path_ + " cannot be used: " + reason.WithoutRemedy() +
             "; the list of jobs is kept in memory until the next start: " +
             (reason.remedy.empty() ? "free space in this directory, or make it writable" : reason.remedy);
}

void Store::CheckFile() {
  if (!database_ || !problem_.empty()) return;
  if (database_->HasMoved()) {
    ++losses_;
    if (const Status opened = OpenFile(); !opened.ok()) UseMemory(opened.error());
    return;
  }
  int64_t version = 0;
  // The action that follows meets the same failure, and repairs it.
  if (!database_->Run("PRAGMA data_version", {}, [&](const SqlRow& row) { version = row.Integer(0); }).ok()) return;
  if (std::exchange(data_version_, version) == version) return;
  auto birth = BirthOf(*database_);
  if (!birth.ok() || *birth == birth_) return;
  birth_ = std::move(*birth);
  ++losses_;
  const auto state = StateOf(*database_);
  const auto costs = CostsOf(*database_);
  if (!state.ok() || !costs.ok() || (*state == SchemaState::kRight && *costs == costs_)) return;
  database_.reset();  // the rows of the other process would be wrong here, and those of this one there
  UseMemory(Error::WithRemedy(ErrorCode::kUnavailable, "a portal with other prices, or of another version, uses it",
                              "end the other portal, and start this one again"));
}

void Store::Repair(const Error& reason) {
  const bool is_damaged = database_ && problem_.empty() && database_->trouble() == Database::Trouble::kDamaged;
  if (!is_damaged || repairs_ >= kMostRepairs) return UseMemory(reason);
  ++repairs_;
  ++losses_;
  // Another process may have repaired the file already. Then its tables are right, but a row need not be.
  Status status = database_->Reset();
  if (status.ok()) status = OpenFile();
  if (!status.ok()) UseMemory(status.error());
}

void Store::Attempt(const std::function<Status()>& action) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    CheckFile();
    if (!database_) return;  // not even memory
    const Status status = action();
    if (status.ok()) return;
    database_->Rollback();
    if (status.error().code != ErrorCode::kUnavailable) Repair(status.error());
  }
}

JobPage Store::Find(const JobQuery& query) {
  JobPage page;
  Attempt([&] {
    page = {};
    return FindOnce(query, page);
  });
  return page;
}

Status Store::FindOnce(const JobQuery& query, JobPage& page) {
  HOWDAH_TRY_STATUS(database_->Run("BEGIN"));  // the number of rows and the rows belong to the same state of the file
  HOWDAH_TRY(const SqlText where, CountRows(query, page));
  const size_t limit = std::min(query.limit, kMostRows);
  HOWDAH_TRY_STATUS(AddRows(query, where, /*known=*/true, page));
  if (page.rows.size() <= limit) HOWDAH_TRY_STATUS(AddRows(query, where, /*known=*/false, page));
  page.more = page.rows.size() > limit;
  if (page.more) page.rows.resize(limit);
  if (query.groups) HOWDAH_TRY_STATUS(AddGroups(query, page));
  return database_->Run("COMMIT");
}

Status Store::AddGroups(const JobQuery& query, JobPage& page) {
  const SqlText where = ConditionOf(query.filter, query.now);
  return database_->Run(
      "SELECT state, backend COLLATE BINARY, queue COLLATE BINARY, user COLLATE BINARY, count(*) FROM jobs WHERE " +
          where.sql + " GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4",
      where.values, [&](const SqlRow& row) {
        page.groups.push_back({StateAt(row, 0), std::string(row.Text(1)), std::string(row.Text(2)),
                               std::string(row.Text(3)), row.Integer(4)});
      });
}

// Returns a condition for the rows that match: the filter, or the numbers of the rows if there are few, so that the
// table is scanned only once.
Result<SqlText> Store::CountRows(const JobQuery& query, JobPage& page) {
  SqlText where = ConditionOf(query.filter, query.now);
  if (query.filter.empty() && !query.facets) {
    HOWDAH_TRY_STATUS(
        database_->Run("SELECT count(*) FROM jobs", {}, [&](const SqlRow& row) { page.total = row.Integer(0); }));
    return where;
  }
  std::string numbers;  // a JSON array without its brackets
  const auto take = [&](int64_t number) {
    if (++page.total > kFewRows) return;
    numbers += (numbers.empty() ? "" : ",") + std::to_string(number);
  };
  query::FacetCounter counter;
  const std::string columns = query.facets ? "n, state, user, queue, framework, backend, tags" : "n";
  HOWDAH_TRY_STATUS(
      database_->Run("SELECT " + columns + " FROM jobs WHERE " + where.sql, where.values, [&](const SqlRow& row) {
        take(row.Integer(0));
        if (query.facets) CountFacets(row, counter);
      }));
  if (query.facets) page.facets = counter.Most();
  if (page.total > kFewRows) return where;
  return SqlText{"n IN (SELECT value FROM json_each(?))", {"[" + numbers + "]"}};
}

// Adds rows until the page has one row more than the limit.
Status Store::AddRows(const JobQuery& query, const SqlText& where, bool known, JobPage& page) {
  const SqlText key = KeyOf(query.order.column, query.now);
  const std::string direction = query.order.descending ? " DESC" : "";
  SqlText text{"SELECT n FROM jobs WHERE ", {}};
  text.Append(key);
  text.sql += known ? " IS NOT NULL AND " : " IS NULL AND ";
  text.Append(where);
  if (query.after) {
    text.sql += " AND ";
    text.Append(AfterOf(query.order, *query.after, known, query.now));
  }
  text.sql += " ORDER BY ";
  if (known) {
    text.Append(key);
    text.sql += direction + ", ";
  }
  text.sql += "id" + direction + ", backend" + direction + " LIMIT ?";
  const size_t wanted = std::min(query.limit, kMostRows) + 1 - page.rows.size();
  text.values.emplace_back(static_cast<int64_t>(wanted));
  std::vector<int64_t> numbers;
  HOWDAH_TRY_STATUS(
      database_->Run(text.sql, text.values, [&](const SqlRow& row) { numbers.push_back(row.Integer(0)); }));
  for (const int64_t number : numbers) {
    HOWDAH_TRY(RowPointer row, ReadDetails(number));
    page.rows.push_back(std::move(row));
  }
  return {};
}

Result<RowPointer> Store::ReadDetails(int64_t number) {
  std::optional<JobRow> read;
  HOWDAH_TRY_STATUS(
      database_->Run("SELECT row, status, crc FROM details WHERE n = ?", {number}, [&](const SqlRow& row) {
        if (CheckSum(row.Text(0), row.Text(1)) != row.Integer(2)) return;
        read = ReadRow(row.Text(0));
        if (read) read->status_json = row.Text(1);
      }));
  if (!read) return database_->Damaged("a row of the index is damaged");
  return std::make_shared<const JobRow>(std::move(*read));
}

RowPointer Store::Get(const JobKey& job) {
  RowPointer found;
  Attempt([&]() -> Status {
    std::optional<int64_t> number;
    HOWDAH_TRY_STATUS(database_->Run("SELECT n FROM jobs WHERE id = ? AND backend = ?", {job.id, job.backend},
                                     [&](const SqlRow& row) { number = row.Integer(0); }));
    found = nullptr;
    if (!number) return {};
    HOWDAH_TRY(found, ReadDetails(*number));
    const bool is_right = found->id == job.id && found->backend == job.backend;
    return is_right ? Status() : database_->Damaged("a row of the index belongs to another job");
  });
  return found;
}

int64_t Store::size() {
  int64_t size = 0;
  Attempt([&] {
    return database_->Run("SELECT count(*) FROM jobs", {}, [&](const SqlRow& row) { size = row.Integer(0); });
  });
  return size;
}

std::vector<std::string> Store::Ids(const std::string& backend, bool ended) {
  std::vector<std::string> ids;
  Attempt([&] {
    ids.clear();
    return database_->Run("SELECT id, state FROM jobs WHERE backend = ?", {backend}, [&](const SqlRow& row) {
      if (core::IsFinal(StateAt(row, 1)) == ended) ids.emplace_back(row.Text(0));
    });
  });
  return ids;
}

TableChanges Store::Apply(std::vector<JobRow> rows, const std::vector<JobKey>& removed) {
  std::vector<RowPointer> pointers;
  for (JobRow& row : rows) pointers.push_back(std::make_shared<const JobRow>(std::move(row)));
  TableChanges changes;
  Attempt([&] {
    changes = {};
    return ApplyOnce(pointers, removed, changes);
  });
  return changes;
}

Status Store::ApplyOnce(const std::vector<RowPointer>& rows, const std::vector<JobKey>& removed,
                        TableChanges& changes) {
  HOWDAH_TRY_STATUS(database_->Run("BEGIN IMMEDIATE"));
  HOWDAH_TRY_STATUS(RequireBirth());
  for (const RowPointer& row : rows) HOWDAH_TRY_STATUS(PutRow(row, changes));
  for (const JobKey& job : removed) HOWDAH_TRY_STATUS(RemoveRow(job, changes));
  return database_->Run("COMMIT");
}

// While this process waited for its turn to write, another one may have emptied the file. kUnavailable: CheckFile of
// the next try decides what to do.
Status Store::RequireBirth() {
  if (!problem_.empty()) return {};
  HOWDAH_TRY(const std::string birth, BirthOf(*database_));
  if (birth == birth_) return {};
  data_version_ = 0;
  return Error{ErrorCode::kUnavailable, "another process has emptied the index"};
}

Status Store::PutRow(const RowPointer& row, TableChanges& changes) {
  if (!CanBeKey(row->id) || !CanBeKey(row->backend)) return {};
  const std::string text = WriteRow(*row);
  const int64_t check_sum = CheckSum(text, row->status_json);
  SqlValue number;
  bool has_ended = false, is_equal = false;
  HOWDAH_TRY_STATUS(
      database_->Run("SELECT jobs.n, state, crc FROM jobs LEFT JOIN details USING (n) WHERE id = ? AND backend = ?",
                     {row->id, row->backend}, [&](const SqlRow& found) {
                       number = found.Integer(0);
                       has_ended = core::IsFinal(StateAt(found, 1));
                       is_equal = !found.IsNull(2) && found.Integer(2) == check_sum;
                     }));
  if (is_equal || (has_ended && !core::IsFinal(row->state))) return {};
  HOWDAH_TRY_STATUS(database_->Run(kInsert, ValuesOf(*row, number)));
  HOWDAH_TRY_STATUS(database_->Run("INSERT OR REPLACE INTO details (n, row, status, crc) VALUES (?, ?, ?, ?)",
                                   {database_->last_row(), text, row->status_json, check_sum}));
  changes.changed.push_back(row);
  return {};
}

Status Store::RemoveRow(const JobKey& job, TableChanges& changes) {
  std::optional<int64_t> number;
  HOWDAH_TRY_STATUS(database_->Run("SELECT n, state FROM jobs WHERE id = ? AND backend = ?", {job.id, job.backend},
                                   [&](const SqlRow& row) {
                                     if (!core::IsFinal(StateAt(row, 1))) number = row.Integer(0);
                                   }));
  if (!number) return {};
  HOWDAH_TRY_STATUS(database_->Run("DELETE FROM jobs WHERE n = ?", {*number}));
  HOWDAH_TRY_STATUS(database_->Run("DELETE FROM details WHERE n = ?", {*number}));
  changes.removed.push_back(job);
  return {};
}

}  // namespace howdah::index
