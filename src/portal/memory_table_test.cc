#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "howdah/portal/job_table.h"

namespace howdah::portal {
namespace {

using core::JobState;
using index::query::ParseOrder;
using testing::ElementsAre;
using testing::Pair;

std::vector<std::string> IdsOf(const JobPage& page) {
  std::vector<std::string> ids;
  for (const RowPointer& row : page.rows) ids.push_back(row->id);
  return ids;
}

TEST(MemoryTable, PagesHaveEachRowOnce) {
  MemoryTable table;
  for (int i = 0; i < 100; ++i) {
    JobRow row{.id = "job-" + std::to_string(i), .name = "n" + std::to_string(i % 7)};
    if (i % 3 > 0) row.gpus = i % 5;
    table.Apply({row}, {});
  }
  for (const char* by : {"name", "-name", "gpus", "-gpus", "-submitted"}) {
    JobQuery query{.order = *ParseOrder(by), .limit = 7};
    std::vector<std::string> all;
    for (bool more = true; more;) {
      const JobPage page = table.Find(query);
      EXPECT_EQ(page.total, 100);
      for (const std::string& id : IdsOf(page)) all.push_back(id);
      more = page.more;
      query.after = PositionOf(*page.rows.back(), query.order.column, {});
    }
    query.after = std::nullopt;
    query.limit = 1000;
    EXPECT_EQ(all, IdsOf(table.Find(query))) << by;
    EXPECT_EQ(all.size(), 100U) << by;
  }
}

TEST(MemoryTable, FacetsCountAllMatchingRows) {
  MemoryTable table;
  table.Apply({{.id = "a", .user = "ann", .state = JobState::kRunning, .tags = {"x", "y"}},
               {.id = "b", .user = "bob", .state = JobState::kFailed, .tags = {"x"}},
               {.id = "c", .user = "ann", .state = JobState::kFailed}},
              {});
  const JobPage page = table.Find({.limit = 1, .facets = true});
  EXPECT_EQ(page.total, 3);
  EXPECT_TRUE(page.more);
  EXPECT_THAT(page.facets.at("state"), ElementsAre(Pair("FAILED", 2), Pair("RUNNING", 1)));
  EXPECT_THAT(page.facets.at("user"), ElementsAre(Pair("ann", 2), Pair("bob", 1)));
  EXPECT_THAT(page.facets.at("tag"), ElementsAre(Pair("x", 2), Pair("y", 1)));
  EXPECT_THAT(page.facets.at("queue"), ElementsAre());
}

TEST(MemoryTable, ApplyReportsWhatReallyChanged) {
  MemoryTable table;
  EXPECT_EQ(table.Apply({{.id = "a"}, {.id = "b"}}, {}).changed.size(), 2U);
  const auto changes = table.Apply({{.id = "a"}, {.id = "b", .name = "n"}}, {"c"});
  ASSERT_EQ(changes.changed.size(), 1U);
  EXPECT_EQ(changes.changed[0]->name, "n");
  EXPECT_THAT(changes.removed, ElementsAre());
  EXPECT_THAT(table.Apply({}, {"a", "c"}).removed, ElementsAre("a"));
  EXPECT_EQ(table.Get("a"), nullptr);
  EXPECT_EQ(table.size(), 1);
}

}  // namespace
}  // namespace howdah::portal
