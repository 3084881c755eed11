#include "howdah/index/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <set>

#include "database.h"
#include "howdah/base/text.h"
#include "howdah/index/ended_jobs.h"
#include "howdah/os/files/testing.h"
#include "test_rows.h"

namespace howdah::index {
namespace {

using os::files::Scratch;
using query::Filter;
using query::JobPage;
using query::JobQuery;
using query::JobRow;
using query::Order;
using query::SortColumn;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Filter FilterOf(const std::string& text) { return std::get<Filter>(query::ParseFilter(text, "ann", kNow)); }

std::vector<std::string> IdsOf(const JobPage& page) {
  std::vector<std::string> ids;
  for (const auto& row : page.rows) ids.push_back(row->id);
  return ids;
}

// The table without an index: the specification of Find.
JobPage FindAmong(const std::vector<JobRow>& rows, const JobQuery& query) {
  std::vector<std::pair<query::Position, const JobRow*>> found;
  JobPage page;
  for (const JobRow& row : rows) {
    if (!Matches(query.filter, row, query.now)) continue;
    ++page.total;
    auto position = PositionOf(row, query.order.column, query.now);
    if (!query.after || Before(*query.after, position, query.order.descending)) found.emplace_back(position, &row);
  }
  std::sort(found.begin(), found.end(),
            [&](const auto& a, const auto& b) { return Before(a.first, b.first, query.order.descending); });
  page.more = found.size() > query.limit;
  for (size_t i = 0; i < std::min(query.limit, found.size()); ++i)
    page.rows.push_back(std::make_shared<const JobRow>(*found[i].second));
  return page;
}

void Execute(const std::string& path, const std::string& sql) {
  auto database = Database::Open(path, Database::Mode::kExisting);
  ASSERT_TRUE(database.ok());
  EXPECT_TRUE(database->Run(sql).ok()) << sql;
}

constexpr const char* kFilters[] = {"",
                                    "a",
                                    "BERT",
                                    "-bert",
                                    "exit code",
                                    "howdah-1",
                                    "t1",
                                    "state:live",
                                    "state:failed,killed",
                                    "-state:ended",
                                    "user:me",
                                    "user:a",
                                    "user:*",
                                    "-user:A",
                                    "queue:b*",
                                    "name:*50",
                                    "name:*e*",
                                    "-name:bert",
                                    "tag:t1",
                                    "tag:t*",
                                    "-tag:t1,t2",
                                    "node:node1",
                                    "node:NODE*",
                                    "check:memory-over",
                                    "-check:*",
                                    "framework:a,bert",
                                    "backend:yarn",
                                    "since:30m",
                                    "-since:30m",
                                    "until:1h",
                                    "-until:1h",
                                    "took:>20m",
                                    "took:<=5m",
                                    "-took:>20m",
                                    "gpus:2",
                                    "gpus:>1",
                                    "-gpus:>1",
                                    "goodput:<50%",
                                    "goodput:>=0.3",
                                    "-goodput:<50%",
                                    "name:\"a'b*\"",
                                    "\"%_?\"",
                                    "name:\"%_?[\"",
                                    "name:\"r\xc3\xa9seau\"",
                                    "state:live a user:* gpus:>=0"};

TEST(Store, FindsWhatTheFilterMatchesInEveryOrder) {
  const Scratch scratch;
  Store store(scratch / "index.db", "");
  std::mt19937 random(1);
  std::vector<JobRow> rows;
  for (int i = 0; i < 100; ++i) rows.push_back(RandomRow(i, random));
  EXPECT_EQ(store.Apply(rows, {}).changed.size(), rows.size());
  for (const std::string filter : kFilters) {
    for (const std::string& column : query::SortColumns()) {
      for (const bool descending : {false, true}) {
        JobQuery query{.filter = FilterOf(filter), .order = *query::ParseOrder(column), .limit = 45, .now = kNow};
        query.order.descending = descending;
        for (bool more = true; more;) {  // page by page
          const JobPage expected = FindAmong(rows, query), page = store.Find(query);
          ASSERT_EQ(IdsOf(page), IdsOf(expected)) << filter << " by " << ToText(query.order);
          ASSERT_EQ(page.total, expected.total) << filter;
          ASSERT_EQ(page.more, expected.more) << filter;
          more = page.more;
          if (more) query.after = PositionOf(*page.rows.back(), query.order.column, kNow);
        }
      }
    }
  }
  EXPECT_EQ(store.problem(), "");
  EXPECT_EQ(store.losses(), 0);
}

TEST(Store, FindsManyMatchesLikeFew) {
  const Scratch scratch;
  Store store(scratch / "index.db", "");
  std::mt19937 random(5);
  std::vector<JobRow> rows;
  for (int i = 0; i < 2500; ++i) rows.push_back(RandomRow(i, random));
  store.Apply(rows, {});
  for (const char* filter : {"", "user:*", "-check:*"}) {
    for (const char* column : {"-submitted", "goodput", "-took", "reason"}) {
      JobQuery query{.filter = FilterOf(filter), .order = *query::ParseOrder(column), .limit = 900, .now = kNow};
      for (bool more = true; more;) {
        const JobPage expected = FindAmong(rows, query), page = store.Find(query);
        ASSERT_GT(page.total, 1000) << filter;
        ASSERT_EQ(page.total, expected.total) << filter;
        ASSERT_EQ(IdsOf(page), IdsOf(expected)) << filter << " by " << column;
        more = page.more;
        if (more) query.after = PositionOf(*page.rows.back(), query.order.column, kNow);
      }
    }
  }
}

TEST(Store, RowsComeBackUnchanged) {
  const Scratch scratch;
  std::mt19937 random(2);
  std::vector<JobRow> rows;
  for (int i = 0; i < 50; ++i) rows.push_back(RandomRow(i, random));
  Store(scratch / "index.db", "").Apply(rows, {});
  Store store(scratch / "index.db", "");
  for (const JobRow& row : rows) {
    const auto found = store.Get({row.backend, row.id});
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(*found, row);
  }
  EXPECT_EQ(store.Get({"local", "howdah-x"}), nullptr);
  EXPECT_EQ(store.size(), 50);
}

TEST(Store, HundredJobsOfOneSecondAreEachOnOnePage) {
  const Scratch scratch;
  Store store(scratch / "index.db", "");
  std::vector<JobRow> rows;
  for (int i = 0; i < 100; ++i) rows.push_back(Ended("job-" + std::to_string(i)));
  store.Apply(rows, {});
  for (const char* column : {"-finished", "submitted", "name", "-goodput"}) {
    std::set<std::string> seen;
    JobQuery query{.order = *query::ParseOrder(column), .limit = 7, .now = kNow};
    int pages = 0;
    for (bool more = true; more; ++pages) {
      const JobPage page = store.Find(query);
      for (const auto& row : page.rows) EXPECT_TRUE(seen.insert(row->id).second) << row->id;
      more = page.more;
      if (more) query.after = PositionOf(*page.rows.back(), query.order.column, kNow);
    }
    EXPECT_EQ(seen.size(), 100u);
    EXPECT_EQ(pages, 15);
  }
}

TEST(Store, HostileNamesAreOnlyText) {
  const Scratch scratch;
  Store store(scratch / "index.db", "");
  std::vector<JobRow> rows;
  const std::string names[] = {"<script>alert(1)</script>",
                               "\x1b[31mred\n\tline",
                               "\xe2\x80\xae"
                               "gnp.exe",
                               std::string(10'240, 'x'),
                               "'; DROP TABLE jobs; --",
                               "a\"b\\c"};
  for (const std::string& name : names) {
    JobRow row = Ended("job-" + std::to_string(rows.size()));
    row.name = row.reason = row.user = name;
    row.tags = row.nodes = {name};
    rows.push_back(row);
  }
  store.Apply(rows, {});
  for (const JobRow& row : rows) {
    EXPECT_EQ(*store.Get({row.backend, row.id}), row);
    Filter filter;
    for (const auto field : {query::Term::Field::kName, query::Term::Field::kWord, query::Term::Field::kTag})
      filter.push_back({.field = field, .patterns = {LowerCase(row.name)}});
    EXPECT_THAT(IdsOf(store.Find({.filter = filter, .now = kNow})), ElementsAre(row.id));
  }
  // NUL ends a text in the lists of the index.
  JobRow nul = Ended("job-nul");
  nul.name = nul.user = std::string("a\0b", 3);
  nul.tags = {std::string("x\0y", 3), ""};
  store.Apply({nul}, {});
  EXPECT_EQ(*store.Get({"local", "job-nul"}), nul);
  JobQuery query{.order = *query::ParseOrder("user"), .limit = 1, .now = kNow};
  size_t count = 0;
  for (JobPage page = store.Find(query); !page.rows.empty() && count < 100; page = store.Find(query), ++count)
    query.after = PositionOf(*page.rows.back(), query.order.column, kNow);
  EXPECT_EQ(count, rows.size() + 1) << "every row once, whatever its name";
}

TEST(Store, LongFilterIsAnswered) {
  const Scratch scratch;
  Store store(scratch / "index.db", "");
  store.Apply({Ended("job")}, {});
  std::string words, values = "name:zz";
  for (int i = 0; i < 999; ++i) words += "e ";
  for (int i = 0; i < 600; ++i) values += ",a*";
  EXPECT_EQ(store.Find({.filter = FilterOf(words), .now = kNow}).total, 1);
  EXPECT_EQ(store.Find({.filter = FilterOf(values), .now = kNow}).total, 0);
  EXPECT_EQ(store.problem(), "");
  EXPECT_EQ(store.losses(), 0);
}

TEST(Store, FacetsCountAllMatchingRows) {
  const Scratch scratch;
  Store store(scratch / "index.db", "");
  std::vector<JobRow> rows = {Ended("a"), Ended("b"), Running("c")};
  rows[1].user = "Bob";
  rows[1].queue.clear();
  rows[2].tags = {"x", "nightly"};
  store.Apply(rows, {});
  const JobPage page = store.Find({.limit = 1, .facets = true, .now = kNow});
  EXPECT_EQ(page.total, 3);
  using Values = std::vector<std::pair<std::string, int64_t>>;
  EXPECT_EQ(page.facets.at("state"), (Values{{"FAILED", 2}, {"RUNNING", 1}}));
  EXPECT_EQ(page.facets.at("user"), (Values{{"ann", 2}, {"Bob", 1}}));
  EXPECT_EQ(page.facets.at("queue"), (Values{{"ml", 2}}));
  EXPECT_EQ(page.facets.at("tag"), (Values{{"nightly", 3}, {"x", 1}}));
  EXPECT_EQ(store.Find({.filter = FilterOf("state:live"), .facets = true, .now = kNow}).facets.at("user"),
            (Values{{"ann", 1}}));
}

TEST(Store, GroupsCountAllMatchingRows) {
  const Scratch scratch;
  Store store(scratch / "index.db", "");
  std::vector<JobRow> rows = {Ended("a"), Ended("b"), Running("c"), Ended("d")};
  rows[1].user = "Bob";
  store.Apply(rows, {});
  using query::JobGroup;
  EXPECT_THAT(store.Find({.limit = 0, .groups = true, .now = kNow}).groups,
              ElementsAre(JobGroup{core::JobState::kRunning, "local", "ml", "ann", 1},
                          JobGroup{core::JobState::kFailed, "local", "ml", "Bob", 1},
                          JobGroup{core::JobState::kFailed, "local", "ml", "ann", 2}));
  EXPECT_THAT(store.Find({.filter = FilterOf("user:bob"), .limit = 0, .groups = true, .now = kNow}).groups,
              ElementsAre(JobGroup{core::JobState::kFailed, "local", "ml", "Bob", 1}));
  EXPECT_THAT(store.Find({.limit = 0, .now = kNow}).groups, IsEmpty());
}

TEST(Store, ReportsOnlyRealChanges) {
  const Scratch scratch;
  Store store(scratch / "index.db", "");
  EXPECT_EQ(store.Apply({Running("a"), Running("b")}, {}).changed.size(), 2u);
  EXPECT_THAT(store.Apply({Running("a"), Running("b")}, {}).changed, IsEmpty());
  const auto changes = store.Apply({Ended("a")}, {{"local", "b"}, {"local", "c"}});
  ASSERT_EQ(changes.changed.size(), 1u);
  EXPECT_EQ(changes.changed.front()->state, core::JobState::kFailed);
  EXPECT_THAT(changes.removed, ElementsAre(query::JobKey{"local", "b"}));
  EXPECT_EQ(store.size(), 1);
}

TEST(Store, EndedJobStaysEnded) {
  const Scratch scratch;
  Store store(scratch / "index.db", "");
  store.Apply({Ended("a")}, {});
  EXPECT_THAT(store.Apply({Running("a")}, {}).changed, IsEmpty()) << "an older status of another portal";
  EXPECT_THAT(store.Apply({}, {{"local", "a"}}).removed, IsEmpty()) << "the summary outlives the files";
  EXPECT_EQ(store.Get({"local", "a"})->state, core::JobState::kFailed);
  store.Apply({Running("b")}, {});
  EXPECT_THAT(store.Ids("local", true), ElementsAre("a"));
  EXPECT_THAT(store.Ids("local", false), ElementsAre("b"));
  EXPECT_THAT(store.Ids("yarn", true), IsEmpty());
}

TEST(Store, JobsOfTwoBackendsWithOneIdAreBothKept) {
  const Scratch scratch;
  Store store(scratch / "index.db", "");
  JobRow yarn = Running("application_1_0001"), tony = Ended("application_1_0001");
  yarn.backend = "yarn", tony.backend = "tony";
  store.Apply({yarn, tony}, {});
  EXPECT_EQ(*store.Get({"yarn", yarn.id}), yarn);
  EXPECT_EQ(*store.Get({"tony", tony.id}), tony);
  for (const std::string& column : query::SortColumns()) {
    for (const bool descending : {false, true}) {
      JobQuery query{.order = *query::ParseOrder(column), .limit = 1, .now = kNow};
      query.order.descending = descending;
      const JobPage first = store.Find(query);
      ASSERT_TRUE(first.more) << column;
      query.after = PositionOf(*first.rows.front(), query.order.column, kNow);
      const JobPage second = store.Find(query);
      ASSERT_EQ(second.rows.size(), 1u) << column;
      EXPECT_NE(*second.rows.front(), *first.rows.front()) << column;
    }
  }
  EXPECT_EQ(store.Apply({}, {{"yarn", yarn.id}}).removed.size(), 1u);
  EXPECT_NE(store.Get({"tony", tony.id}), nullptr);
}

TEST(Store, RowWhoseIdCannotBeStoredIsLeftOut) {
  const Scratch scratch;
  Store store(scratch / "index.db", "");
  EXPECT_EQ(store.Apply({Ended("a\xff"), Ended(""), Ended("b")}, {}).changed.size(), 1u);
  EXPECT_EQ(store.Get({"local", "a\xff"}), nullptr);
  EXPECT_NE(store.Get({"local", "b"}), nullptr);
  EXPECT_EQ(store.losses(), 0);
}

// --- damage
// -----------------------------------------------------------------------------------------------------------

std::vector<JobRow> ManyRows() {
  std::vector<JobRow> rows;
  for (int i = 0; i < 400; ++i) rows.push_back(Ended("job-" + std::to_string(i)));
  return rows;
}

// After any damage, the table has exactly the rows that are put into it.
void ExpectUsable(Store& store) {
  store.Apply(ManyRows(), {});
  store.Apply(ManyRows(), {});
  EXPECT_EQ(store.size(), 400);
  EXPECT_EQ(store.Find({.limit = 1000, .now = kNow}).rows.size(), 400u);
}

TEST(StoreDamage, AnyContentIsReplaced) {
  struct Case {
    const char* name;
    std::string content;
  };
  for (const Case& each : {Case{"empty", ""},
                           {"text", "this is not a database\n"},
                           {"zeros", std::string(100'000, '\0')},
                           {"noise",
                            [] {
                              std::mt19937 random(3);
                              std::string noise(200'000, '\0');
                              for (char& c : noise) c = static_cast<char>(random());
                              return noise;
                            }()},
                           {"header alone", std::string("SQLite format 3\0", 16)}}) {
    const Scratch scratch;
    const std::string path = scratch / "index.db";
    ASSERT_TRUE(os::files::WriteFileAtomically(path, each.content).ok());
    EXPECT_FALSE(EndedJobs::Open(path).has_value()) << each.name;
    Store store(path, "");
    EXPECT_EQ(store.problem(), "") << each.name;
    ExpectUsable(store);
    EXPECT_TRUE(EndedJobs::Open(path)->Find("local", "job-7").has_value()) << each.name;
  }
}

TEST(StoreDamage, TornFileIsReadWithoutCrashAndRebuilt) {
  std::mt19937 random(4);
  for (int round = 0; round < 60; ++round) {
    const Scratch scratch;
    const std::string path = scratch / "index.db";
    Store(path, "").Apply(ManyRows(), {});
    std::string content = os::files::Content(path);
    if (round % 2 == 0) {
      content.resize(random() % content.size());
    } else {
      for (int i = 0; i < 200; ++i) content[random() % content.size()] = static_cast<char>(random());
    }
    ASSERT_TRUE(os::files::WriteFileAtomically(path, content).ok());
    if (auto jobs = EndedJobs::Open(path)) {
      for (int i = 0; i < 400; ++i) (void)jobs->Find("local", "job-" + std::to_string(i));
    }
    Store store(path, "");
    for (const char* filter : {"", "resnet", "state:live"})
      (void)store.Find({.filter = FilterOf(filter), .limit = 1000, .facets = true, .now = kNow});
    for (int i = 0; i < 400; ++i) (void)store.Get({"local", "job-" + std::to_string(i)});
    store.Apply(ManyRows(), {});
    for (int i = 0; i < 400; ++i) {
      const auto row = store.Get({"local", "job-" + std::to_string(i)});
      if (row) {
        EXPECT_EQ(*row, Ended(row->id)) << "damaged bytes are never shown";
      }
    }
    EXPECT_EQ(store.problem(), "") << round;
  }
}

TEST(StoreDamage, OpenFileThatIsTruncatedIsRebuilt) {
  const Scratch scratch;
  const std::string path = scratch / "index.db";
  Store store(path, "");
  store.Apply(ManyRows(), {});
  ASSERT_EQ(truncate(path.c_str(), 1000), 0);
  ASSERT_EQ(truncate((path + "-wal").c_str(), 0), 0);
  ExpectUsable(store);
  EXPECT_EQ(store.problem(), "");
}

TEST(StoreDamage, FileOfAnotherVersionIsRebuilt) {
  for (const char* sql : {"PRAGMA user_version = 7", "ALTER TABLE jobs ADD COLUMN later", "DROP TABLE details",
                          "CREATE TRIGGER t AFTER INSERT ON jobs BEGIN DELETE FROM jobs; END"}) {
    const Scratch scratch;
    const std::string path = scratch / "index.db";
    Store(path, "").Apply(ManyRows(), {});
    Execute(path, sql);
    EXPECT_FALSE(EndedJobs::Open(path).has_value()) << sql;
    Store store(path, "");
    EXPECT_EQ(store.size(), 0) << sql;
    ExpectUsable(store);
  }
}

TEST(StoreDamage, ChangedRowIsNotShown) {
  const Scratch scratch;
  const std::string path = scratch / "index.db";
  Store store(path, "");
  store.Apply(ManyRows(), {});
  Execute(path, "UPDATE details SET status = replace(status, 'FAILED', 'KILLED')");
  EXPECT_EQ(store.Get({"local", "job-7"}), nullptr);
  EXPECT_EQ(store.losses(), 1);
  ExpectUsable(store);
}

TEST(StoreDamage, DeletedFileIsCreatedAgain) {
  const Scratch scratch;
  const std::string path = scratch / "portal/index.db";
  Store store(path, "");
  store.Apply(ManyRows(), {});
  ASSERT_TRUE(os::files::RemoveTree(scratch / "portal").ok());
  EXPECT_EQ(store.size(), 0);
  EXPECT_EQ(store.losses(), 1);
  ExpectUsable(store);
  EXPECT_EQ(Store(path, "").size(), 400);
}

TEST(StoreDamage, OtherPricesRemoveTheRows) {
  const Scratch scratch;
  const std::string path = scratch / "index.db";
  Store first(path, "EUR");
  first.Apply(ManyRows(), {});
  EXPECT_EQ(Store(path, "EUR").size(), 400);
  Store second(path, "USD");
  EXPECT_EQ(second.size(), 0);
  EXPECT_EQ(first.size(), 0);
  EXPECT_EQ(first.losses(), 1) << "the rows must be read again";
  EXPECT_THAT(first.problem(), HasSubstr("a portal with other prices, or of another version, uses it"));
  EXPECT_THAT(first.problem(), HasSubstr(": end the other portal, and start this one again"));
  ExpectUsable(first);
  EXPECT_EQ(second.size(), 0) << "the costs of these rows belong to the other prices";
  EXPECT_EQ(second.problem(), "");
}

TEST(StoreDamage, FileThatAnotherVersionTakesIsLeftToIt) {
  const Scratch scratch;
  const std::string path = scratch / "index.db";
  Store store(path, "");
  store.Apply(ManyRows(), {});
  Execute(path, "ALTER TABLE jobs ADD COLUMN later");
  Execute(path, "UPDATE facts SET value = 'later' WHERE name = 'birth'");
  ExpectUsable(store);
  EXPECT_THAT(store.problem(), HasSubstr("another version"));
  EXPECT_EQ(store.losses(), 1);
  Execute(path, "UPDATE jobs SET later = 1");
}

TEST(StoreDamage, UnusablePlaceLeavesTheTableInMemory) {
  const Scratch scratch;
  ASSERT_TRUE(os::files::WriteFileAtomically(scratch / "file", "x").ok());
  ASSERT_TRUE(os::files::MakeDirectories(scratch / "directory/index.db").ok());
  for (const std::string& path : {scratch / "file/index.db", scratch / "directory/index.db"}) {
    Store store(path, "");
    EXPECT_THAT(store.problem(), HasSubstr("is kept in memory"));
    EXPECT_THAT(store.problem(), HasSubstr(path));
    ExpectUsable(store);
  }
}

TEST(StoreDamage, FullFileKeepsItsRowsInMemory) {
  const Scratch scratch;
  const std::string path = scratch / "index.db";
  Store(path, "").Apply(ManyRows(), {});  // SQLite does not allow open files across a fork
  // A file-size limit stands for a full disk: both make write(2) fail.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {200'000, 200'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    Store limited(path, "");
    std::vector<JobRow> rows;
    for (int i = 0; i < 2000; ++i) rows.push_back(Ended("more-" + std::to_string(i)));
    limited.Apply(rows, {});
    const bool reported = limited.problem().find("is kept in memory") != std::string::npos;
    const bool complete =
        limited.size() == 2400 && limited.Get({"local", "job-7"}) && limited.Get({"local", "more-1999"});
    _exit(reported && complete && limited.losses() == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Store(path, "").size(), 400) << "the file has the rows from before";
}

// --- several processes
// ------------------------------------------------------------------------------------------------

TEST(StoreSharing, ProcessesWriteTheSameFile) {
  const Scratch scratch;
  const std::string path = scratch / "index.db";
  std::vector<pid_t> children;
  for (int process = 0; process < 4; ++process) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Store store(path, "");
      for (int batch = 0; batch < 25; ++batch) {
        std::vector<JobRow> rows;
        for (int i = 0; i < 10; ++i)
          rows.push_back(Ended(std::to_string(process) + "-" + std::to_string(batch * 10 + i)));
        rows.push_back(Running("shared"));
        store.Apply(rows, {});
        if (store.Find({.limit = 5, .now = kNow}).rows.empty()) _exit(1);
      }
      _exit(store.problem().empty() && store.losses() == 0 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Store(path, "").size(), 1001);
}

TEST(StoreSharing, RowsOfAnotherStoreAreSeen) {
  const Scratch scratch;
  Store first(scratch / "index.db", ""), second(scratch / "index.db", "");
  first.Apply({Running("a")}, {});
  EXPECT_EQ(second.size(), 1);
  second.Apply({Ended("a"), Running("b")}, {});
  EXPECT_EQ(first.Get({"local", "a"})->state, core::JobState::kFailed);
  EXPECT_EQ(first.size(), 2);
  EXPECT_EQ(first.losses() + second.losses(), 0);
}

TEST(StoreSharing, RepairByOneIsNoticedByTheOther) {
  const Scratch scratch;
  const std::string path = scratch / "index.db";
  Store first(path, ""), second(path, "");
  first.Apply(ManyRows(), {});
  Execute(path, "UPDATE details SET crc = 0");
  EXPECT_EQ(second.Get({"local", "job-7"}), nullptr);
  EXPECT_EQ(second.losses(), 1);
  EXPECT_EQ(first.size(), 0);
  EXPECT_EQ(first.losses(), 1);
  first.Apply(ManyRows(), {});
  ExpectUsable(second);
  EXPECT_EQ(first.losses() + second.losses(), 2);
}

}  // namespace
}  // namespace howdah::index
