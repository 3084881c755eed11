#include "howdah/index/query/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace howdah::index::query {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

const Instant kToday = *ParseInstant("2026-11-21T12:00:00.000Z");

std::vector<std::string> Sorted(std::vector<JobRow> rows, const std::string& by) {
  const Order order = *ParseOrder(by);
  std::sort(rows.begin(), rows.end(), [&](const JobRow& a, const JobRow& b) {
    return Before(PositionOf(a, order.column, kToday), PositionOf(b, order.column, kToday), order.descending);
  });
  std::vector<std::string> ids;
  for (const JobRow& row : rows) ids.push_back(row.id);
  return ids;
}

TEST(Order, UnknownValueIsLastInBothDirections) {
  const std::vector<JobRow> rows = {{.id = "a"}, {.id = "b", .gpus = 1}, {.id = "c", .gpus = 2}};
  EXPECT_THAT(Sorted(rows, "gpus"), ElementsAre("b", "c", "a"));
  EXPECT_THAT(Sorted(rows, "-gpus"), ElementsAre("c", "b", "a"));
}

TEST(Order, JobsWithOneIdAreOrderedByTheirBackends) {
  const Position tony{1.0, "a", "tony"}, yarn{1.0, "a", "yarn"};
  EXPECT_TRUE(Before(tony, yarn, /*descending=*/false) && !Before(yarn, tony, /*descending=*/false));
  EXPECT_TRUE(Before(yarn, tony, /*descending=*/true) && !Before(tony, yarn, /*descending=*/true));
}

TEST(Order, EachColumnSorts) {
  JobRow low{
      .id = "1", .name = "A", .user = "ann", .queue = "a", .backend = "local", .framework = "jax", .reason = "a"};
  low.state = core::JobState::kQueued;
  low.submitted = kToday - 9h, low.started = kToday - 8h, low.finished = kToday - 7h;
  low.tasks = 1, low.gpus = 1, low.goodput = 0.1, low.severity = advice::Severity::kLow, low.cost = 1;
  low.progress = JobProgress{.step = 50, .steps = 100};
  JobRow high{
      .id = "2", .name = "b", .user = "bob", .queue = "b", .backend = "yarn", .framework = "mpi", .reason = "b"};
  high.state = core::JobState::kFailed;
  high.submitted = kToday - 6h, high.started = kToday - 5h, high.finished = kToday - 3h;
  high.tasks = 2, high.gpus = 2, high.goodput = 0.2, high.severity = advice::Severity::kCritical, high.cost = 2;
  high.progress = JobProgress{.step = 6, .steps = 10};
  for (const std::string& column : SortColumns()) {
    EXPECT_THAT(Sorted({high, low}, column), ElementsAre("1", "2")) << column;
    EXPECT_THAT(Sorted({low, high}, "-" + column), ElementsAre("2", "1")) << column;
    EXPECT_EQ(ToText(*ParseOrder("-" + column)), "-" + column);
  }
}

TEST(Order, UnknownColumnIsExplained) {
  for (const char* text : {"", "-", "weight", "--name"}) {
    const auto order = ParseOrder(text);
    ASSERT_FALSE(order.ok()) << text;
    EXPECT_THAT(order.error().message, HasSubstr("the columns are submitted, started,")) << text;
  }
}

TEST(Cursor, IsReadAsWritten) {
  const Order order{SortColumn::kName, false};
  for (const Position& position : {Position{{}, "a"}, Position{1.5e9, "id", "yarn"}, Position{-0.25, "i"},
                                   Position{std::string("x\0 ä", 5), "b"}}) {
    const auto read = ReadCursor(WriteCursor(order, position), order);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(*read, position);
  }
  EXPECT_EQ(*ReadCursor("name.u.61", order), (Position{{}, "a"})) << "as earlier versions wrote it";
}

TEST(Cursor, OtherTextIsRefused) {
  const Order order;
  for (const char* text :
       {"", "x", "name.u.61", "-submitted.", "-submitted.u", "-submitted.n.61", "-submitted.n7a.61", "-submitted.t6.61",
        "-submitted.u.6", "-submitted.ng1.61", "-submitted.n6e616e.61", "-submitted.u.61.6", "-submitted.u.61.61.61"}) {
    EXPECT_FALSE(ReadCursor(text, order).ok()) << text;
  }
}

}  // namespace
}  // namespace howdah::index::query
