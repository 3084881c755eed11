#include "app_table.h"

#include <gmock/gmock.h>

namespace howdah::portal {
namespace {

using std::chrono::seconds;

const Instant kNow = Instant(std::chrono::hours(1000));
const AppServer kServer{"job-1", "worker", 0, 8888};

// Distinct values of the size of real ones.
std::function<std::string()> Counting() {
  return [number = 0]() mutable {
    std::string text = std::to_string(++number);
    return std::string(32 - text.size(), '0') + text;
  };
}

TEST(AppTable, TicketLeadsToItsServerOnce) {
  AppTable table(Counting());
  const auto ticket = table.Open(kServer, {.user = 7}, "/lab?token=x", kNow);
  const App* const app = table.Find(ticket.label);
  ASSERT_NE(app, nullptr);
  EXPECT_EQ(app->server, kServer);
  EXPECT_EQ(app->opener.user, 7U);
  EXPECT_NE(app->secret, ticket.text);
  EXPECT_EQ(table.Redeem(ticket.label, ticket.text, kNow + seconds(29)), "/lab?token=x");
  EXPECT_EQ(table.Redeem(ticket.label, ticket.text, kNow + seconds(29)), std::nullopt) << "it was used";
}

TEST(AppTable, TicketExpires) {
  AppTable table(Counting());
  const auto ticket = table.Open(kServer, {}, "/", kNow);
  EXPECT_EQ(table.Redeem(ticket.label, ticket.text, kNow + AppTable::kTicketLife), std::nullopt);
}

TEST(AppTable, TicketOfAnotherAppIsInvalid) {
  AppTable table(Counting());
  const auto one = table.Open(kServer, {}, "/", kNow);
  const auto two = table.Open({"job-2", "", 0, 6006}, {}, "/", kNow);
  EXPECT_EQ(table.Redeem(two.label, one.text, kNow), std::nullopt);
  EXPECT_EQ(table.Redeem(one.label, one.text, kNow), "/") << "the wrong host has not used it up";
  EXPECT_EQ(table.Redeem("x", two.text, kNow), std::nullopt);
  EXPECT_EQ(table.Redeem(two.label, "", kNow), std::nullopt);
}

TEST(AppTable, OriginBelongsToOneServerAndOpener) {
  AppTable table(Counting());
  const AppOpener opener{.user = 7, .token = "ci"};
  const std::string label = table.Open(kServer, opener, "/", kNow).label;
  EXPECT_EQ(table.Open(kServer, opener, "/other", kNow + seconds(5)).label, label);
  EXPECT_NE(table.Open({"job-1", "worker", 0, 8889}, opener, "/", kNow).label, label);
  EXPECT_NE(table.Open({"job-1", "worker", 1, 8888}, opener, "/", kNow).label, label);
  EXPECT_NE(table.Open({"job-2", "worker", 0, 8888}, opener, "/", kNow).label, label);
  EXPECT_NE(table.Open(kServer, {.user = 8, .token = "ci"}, "/", kNow).label, label);
  EXPECT_NE(table.Open(kServer, {.user = 7}, "/", kNow).label, label);
}

TEST(AppTable, OldestAppsAndTicketsAreDropped) {
  AppTable table(Counting());
  const auto open = [&](size_t number) {
    return table.Open({"job", "worker", static_cast<int>(number), 1}, {}, "/", kNow);
  };
  const auto first = open(0), second = open(1);
  for (size_t i = 2; i < AppTable::kMostApps; ++i) open(i);
  open(0);  // now the second one is the oldest
  open(AppTable::kMostApps);
  EXPECT_NE(table.Find(first.label), nullptr);
  EXPECT_EQ(table.Find(second.label), nullptr);
  for (size_t i = 0; i < AppTable::kMostTickets; ++i) open(0);
  EXPECT_EQ(table.Redeem(first.label, first.text, kNow), std::nullopt);
}

}  // namespace
}  // namespace howdah::portal
