#include "app_table.h"

#include <gmock/gmock.h>

namespace howdah::portal {
namespace {

using std::chrono::seconds;

const Instant kOpenedAt = Instant(std::chrono::hours(1000));
const AppServer kAppServer{"job-1", "worker", 0, 8888};

// Distinct values of the size of real ones.
std::function<std::string()> CountingRandom() {
  return [number = 0]() mutable {
    std::string text = std::to_string(++number);
    return std::string(32 - text.size(), '0') + text;
  };
}

TEST(AppTable, TicketLeadsToItsServerOnce) {
  AppTable table(CountingRandom());
  const auto ticket = table.Open(kAppServer, {.user = 7}, "/lab?token=x", kOpenedAt);
  const App* const app = table.Find(ticket.label);
  ASSERT_NE(app, nullptr);
  EXPECT_EQ(app->server, kAppServer);
  EXPECT_EQ(app->opener.user, 7U);
  EXPECT_NE(app->secret, ticket.text);
  EXPECT_EQ(table.Redeem(ticket.label, ticket.text, kOpenedAt + seconds(29)), "/lab?token=x");
  EXPECT_EQ(table.Redeem(ticket.label, ticket.text, kOpenedAt + seconds(29)), std::nullopt) << "it was used";
}

TEST(AppTable, TicketExpires) {
  AppTable table(CountingRandom());
  const auto ticket = table.Open(kAppServer, {}, "/", kOpenedAt);
  EXPECT_EQ(table.Redeem(ticket.label, ticket.text, kOpenedAt + AppTable::kTicketLife), std::nullopt);
}

TEST(AppTable, TicketOfAnotherAppIsInvalid) {
  AppTable table(CountingRandom());
  const auto one = table.Open(kAppServer, {}, "/", kOpenedAt);
  const auto two = table.Open({"job-2", "", 0, 6006}, {}, "/", kOpenedAt);
  EXPECT_EQ(table.Redeem(two.label, one.text, kOpenedAt), std::nullopt);
  EXPECT_EQ(table.Redeem(one.label, one.text, kOpenedAt), "/") << "the wrong host has not used it up";
  EXPECT_EQ(table.Redeem("x", two.text, kOpenedAt), std::nullopt);
  EXPECT_EQ(table.Redeem(two.label, "", kOpenedAt), std::nullopt);
}

TEST(AppTable, OriginBelongsToOneServerAndOpener) {
  AppTable table(CountingRandom());
  const AppOpener opener{.user = 7, .token = "ci"};
  const std::string label = table.Open(kAppServer, opener, "/", kOpenedAt).label;
  EXPECT_EQ(table.Open(kAppServer, opener, "/other", kOpenedAt + seconds(5)).label, label);
  EXPECT_NE(table.Open({"job-1", "worker", 0, 8889}, opener, "/", kOpenedAt).label, label);
  EXPECT_NE(table.Open({"job-1", "worker", 1, 8888}, opener, "/", kOpenedAt).label, label);
  EXPECT_NE(table.Open({"job-2", "worker", 0, 8888}, opener, "/", kOpenedAt).label, label);
  EXPECT_NE(table.Open(kAppServer, {.user = 8, .token = "ci"}, "/", kOpenedAt).label, label);
  EXPECT_NE(table.Open(kAppServer, {.user = 7}, "/", kOpenedAt).label, label);
  EXPECT_NE(table.Open(kAppServer, {.user = 7, .token = "ci", .token_hash = "f"}, "/", kOpenedAt).label, label);
}

TEST(AppTable, OldestAppsAndTicketsAreDropped) {
  AppTable table(CountingRandom());
  const auto open = [&](size_t number) {
    return table.Open({"job", "worker", static_cast<int>(number), 1}, {}, "/", kOpenedAt);
  };
  const auto first = open(0), second = open(1);
  for (size_t i = 2; i < AppTable::kMostApps; ++i) open(i);
  open(0);  // now the second one is the oldest
  open(AppTable::kMostApps);
  EXPECT_NE(table.Find(first.label), nullptr);
  EXPECT_EQ(table.Find(second.label), nullptr);
  for (size_t i = 0; i < AppTable::kMostTickets; ++i) open(0);
  EXPECT_EQ(table.Redeem(first.label, first.text, kOpenedAt), std::nullopt);
}

}  // namespace
}  // namespace howdah::portal
