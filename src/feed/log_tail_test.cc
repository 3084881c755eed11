#include "howdah/feed/log_tail.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace howdah::feed {
namespace {

using Records = std::vector<std::string>;

LogTail TailWith(int64_t term, const Records& records) {
  LogTail tail;
  tail.AddTerm({term, 0});
  for (const std::string& record : records) tail.Add(record);
  return tail;
}

TEST(LogTail, ExecutorTakesTheRecordsThatFollow) {
  const LogTail log = TailWith(7, {"a", "b", "c", "d"});
  LogTail kept;
  EXPECT_EQ(kept.All().term, 0);
  kept.Take(log.From(1));
  EXPECT_EQ(kept.All().term, 7);
  EXPECT_EQ(kept.All().first, 1);
  EXPECT_EQ(kept.All().records, (Records{"b", "c", "d"}));
  kept.Take({.term = 7, .first = 2, .records = {"c", "d", "e"}});
  EXPECT_EQ(kept.All().records, (Records{"b", "c", "d", "e"})) << "the pieces overlap";
  kept.Take({.term = 7, .first = 2, .records = {"c"}});
  EXPECT_EQ(kept.All().records, (Records{"b", "c", "d", "e"})) << "an older piece";
  EXPECT_EQ(kept.end(), 5);
}

TEST(LogTail, RecordsBeforeAGapAreForgotten) {
  LogTail kept;
  kept.Take({.term = 7, .first = 0, .records = {"a", "b"}});
  kept.Take({.term = 7, .first = 3, .records = {"d"}});
  EXPECT_EQ(kept.All().first, 3);
  EXPECT_EQ(kept.All().records, Records{"d"});
  kept.Take({.term = 7, .first = 1, .records = {"b", "c", "d", "e"}});
  EXPECT_EQ(kept.All().records, (Records{"b", "c", "d", "e"}));
}

TEST(LogTail, RecordsOfAnEarlierTermAreForgotten) {
  LogTail kept;
  kept.Take({.term = 7, .first = 0, .records = {"a", "b", "c"}});
  kept.Take({.term = 8, .first = 2, .records = {"x"}});
  EXPECT_EQ(kept.All().term, 8);
  EXPECT_EQ(kept.All().first, 2);
  EXPECT_EQ(kept.All().records, Records{"x"}) << "record 2 of term 7 was lost with its AM";
  kept.Take({.term = 9, .first = 1});
  EXPECT_EQ(kept.end(), 1) << "this executor has seen one record of the log of term 9";
  EXPECT_TRUE(kept.All().records.empty());
}

TEST(LogTail, OnlyTheNewestRecordsAreKept) {
  const std::string record(size_t{1} << 10, 'r');
  LogTail log;
  log.AddTerm({1, 0});
  for (int i = 0; i < 3000; ++i) log.Add(record);
  EXPECT_EQ(log.end(), 3000);
  const LogPiece all = log.All();
  EXPECT_EQ(all.end(), 3000);
  EXPECT_LE(all.records.size() << 10, LogTail::kMost);
  EXPECT_GT(all.records.size() << 10, LogTail::kMost * 9 / 10);
  EXPECT_EQ(log.From(2990).records.size(), 10U);
  const LogPiece first = log.AtFirst();
  EXPECT_EQ(first.end(), 3000);
  EXPECT_LE(first.records.size() << 10, LogTail::kAtFirst);
  EXPECT_GT(first.records.size() << 10, LogTail::kAtFirst * 9 / 10);
}

TEST(LogTail, SnapshotKeepsTheNumbers) {
  LogTail log = TailWith(1, {"a", "b"});
  log.StartAt(10);
  log.Add("k");
  EXPECT_EQ(log.All().first, 10);
  EXPECT_EQ(log.end(), 11);
}

TEST(MissingRecords, TailsContinueTheCopy) {
  struct Case {
    const char* what;
    int64_t term, records;  // of the copy
    std::vector<LogPiece> tails;
    Records missing;
  };
  const Case cases[] = {
      {"no executor", 1, 4, {}, {}},
      {"nothing is missing", 1, 4, {{1, 2, {"c", "d"}}}, {}},
      {"one executor has all", 1, 2, {{1, 1, {"b", "c", "d"}}}, {"c", "d"}},
      {"the tail follows the copy", 1, 2, {{1, 2, {"c"}}}, {"c"}},
      {"two executors have parts", 1, 1, {{1, 2, {"c", "d"}}, {1, 0, {"a", "b", "c"}}}, {"b", "c", "d"}},
      {"records between copy and tail are lost", 1, 1, {{1, 2, {"c", "d"}}}, {}},
      {"an executor of an earlier term", 2, 1, {{1, 0, {"a", "b", "c"}}}, {}},
      {"executors of two terms", 1, 1, {{1, 0, {"a", "b", "c"}}, {2, 1, {"x"}}}, {"x"}},
      {"an executor that has got no message", 1, 1, {{}, {1, 1, {"b"}}}, {"b"}},
  };
  for (const Case& one : cases) EXPECT_EQ(MissingRecords(one.term, one.records, one.tails), one.missing) << one.what;
}

TEST(Covers, ExecutorHasSeenNoRecordThatIsLost) {
  const std::vector<LogTerm> terms = {{3, 0}, {5, 10}};
  struct Case {
    const char* what;
    LogPiece tail;
    bool covered;
  };
  const Case cases[] = {
      {"no message", {}, true},
      {"all records", {5, 19, {"t"}}, true},
      {"one record too many", {5, 20, {"u"}}, false},
      {"the end of the term before", {3, 9, {"j"}}, true},
      {"a record of the term before that was lost", {3, 10, {"k"}}, false},
      {"a term that the log does not have", {4, 0, {}}, false},
  };
  for (const Case& one : cases) EXPECT_EQ(Covers(terms, 20, one.tail), one.covered) << one.what;
}

}  // namespace
}  // namespace howdah::feed
