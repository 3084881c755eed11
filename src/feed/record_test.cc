#include "record.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "howdah/feed/ledger.h"
#include "test_feed.h"

namespace howdah::feed {
namespace {

using testing::TestFeed;

constexpr Instant kNow{Duration(1'000'000)};

std::string Hex(const std::string& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

// The encoding is a file format: these bytes must not change.
TEST(Record, EventsHaveAFixedEncoding) {
  struct Row {
    Event event;
    const char* hex;
  };
  const ReaderId reader{3, 70};
  const Row rows[] = {
      {GenerationFormed{2, 8}, "0280897a000410"},
      {RankLost{reader, false}, "0280897a02068c0100"},
      {RankStarted{3}, "0280897a0406"},
      {CheckpointFound{2, 100}, "0280897a0604c801"},
      {ReadingStopped{}, "0280897a08"},
      {ReaderSynced{3}, "0280897a0a06"},
      {ReaderOpened{reader, 1, 64}, "0280897a0c068c01028001"},
      {KeptRowsOffered{reader, 1}, "0280897a0e068c0102"},
      {RowsReceived{reader, 1, 5, {10, 20}, 640, 9}, "0280897a10068c01020a1414800a0212"},
      {RowsReceived{reader, 1, 5, {10, 20}, 640}, "0280897a10068c01020a1414800a00"},
      {RowsMoved{reader, 1, 40}, "0280897a12068c010250"},
      {RowsHandedOut{reader, 1, 64, true}, "0280897a14068c0102800102"},
      {StepReported{reader, 1, 64, 7}, "0280897a16068c010280010e"},
      {CheckpointReported{reader, 7}, "0280897a18068c010e"},
      {CommitCalled{reader, 1, 64, 2}, "0280897a1a068c0102800104"},
      {PartitionEnded{1, 5, 20, 1}, "0280897a1c020a280202"},
      {SourceEnded{6}, "0280897a1e0c"},
      {SourceConnected{"app"}, "0280897a2006617070"},
      {SourceLost{"app"}, "0280897a2206617070"},
      {AmResumed{}, "0280897a24"},
      {Ticked{}, "0280897a26"},
      {SourceFailed{"bad", true}, "0280897a280662616402"},
      {ReaderLeft{reader}, "0280897a2c068c01"},
      {TermBegun{}, "0280897a2e"},
  };
  for (const Row& row : rows) {
    const std::string record = EncodeRecord(row.event, kNow);
    EXPECT_EQ(Hex(record), row.hex) << row.event.index();
    const auto decoded = DecodeStep(record);
    ASSERT_TRUE(decoded.ok()) << row.event.index();
    EXPECT_EQ(decoded->event.index(), row.event.index());
    EXPECT_EQ(EncodeRecord(decoded->event, decoded->now), record);
  }
}

TEST(Record, DamagedRecordsAreErrors) {
  const std::string record = EncodeRecord(RowsReceived{{3, 70}, 1, 5, {10, 20}, 640, 9}, kNow);
  for (size_t size = 0; size < record.size(); ++size) EXPECT_FALSE(DecodeStep(record.substr(0, size)).ok()) << size;
  EXPECT_FALSE(DecodeStep(record + "x").ok());
  const std::string unknown = {2, 0, 126};
  EXPECT_FALSE(DecodeStep(unknown).ok());
}

// A feed in the middle of a pass, with rows in every state.
TestFeed BusyFeed() {
  TestFeed feed({.split = Split::kEqual, .remainder = Remainder::kRepeat, .passes = 2, .shuffle = 3}, 2, 2, 3);
  feed.Receive(0, 0, {0, 7}, 70, 5);
  feed.Receive(1, 1, {0, 6}, 60);
  feed.Receive(1, 2, {4, 6}, 20);
  feed.HandOut(0, 4);
  feed.HandOut(1, 6, true);
  feed.Step(StepReported{feed.Id(0), 0, 2, 1});
  feed.Step(CheckpointReported{feed.Id(0), 1});
  feed.End(1, 6, 3);
  feed.Step(SourceLost{"the source"});
  return feed;
}

TEST(Record, RestoredLedgerHasTheSameState) {
  TestFeed feed = BusyFeed();
  Ledger replayed(feed.ledger().options());
  for (const std::string& record : feed.records()) ASSERT_TRUE(replayed.Restore(record).ok());
  EXPECT_EQ(replayed.Snapshot(), feed.ledger().Snapshot());
  Ledger copied(feed.ledger().options());
  ASSERT_TRUE(copied.Restore(feed.ledger().Snapshot()).ok());
  EXPECT_EQ(copied.Snapshot(), feed.ledger().Snapshot());
  copied.CheckInvariants();
}

TEST(Record, DamagedSnapshotIsAnError) {
  TestFeed feed = BusyFeed();
  const std::string snapshot = feed.ledger().Snapshot();
  for (size_t size = 1; size < snapshot.size(); ++size) {
    Ledger ledger(feed.ledger().options());
    EXPECT_FALSE(ledger.Restore(snapshot.substr(0, size)).ok()) << size;
  }
  // A changed byte is an error, or gives another consistent state.
  for (size_t at = 1; at < snapshot.size(); ++at) {
    for (const int change : {1, 2, 64, 128}) {
      std::string damaged = snapshot;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      Ledger ledger(feed.ledger().options());
      if (ledger.Restore(damaged).ok()) ledger.CheckInvariants();
    }
  }
}

// Events with arbitrary numbers: the ledger must stay consistent, and replay must give the same state.
TEST(Record, ArbitraryEventsKeepTheLedgerConsistent) {
  uint64_t state = 3;
  const auto draw = [&state](uint64_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<int64_t>(state % limit);
  };
  for (int round = 0; round < 60; ++round) {
    Options options{.split = static_cast<Split>(draw(3)),
                    .remainder = static_cast<Remainder>(draw(3)),
                    .passes = 1 + draw(3),
                    .shuffle = draw(5),
                    .buffer = 1 + draw(50)};
    options.ranks_restart_alone = draw(2) == 0;
    options.accept_changes = draw(2) == 0;
    Ledger ledger(options);
    std::vector<std::string> records;
    for (int i = 0; i < 400; ++i) {
      std::string bytes = {2, 0, static_cast<char>(2 * draw(20))};
      for (int field = 0; field < 9; ++field) {
        // Small numbers mostly, so that events fit together; sometimes the largest and the smallest.
        if (draw(200) == 0) {
          bytes += draw(2) == 0 ? std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10) : std::string("\x01", 1);
        } else {
          bytes += static_cast<char>(2 * draw(draw(3) == 0 ? 12 : 3));
        }
        const auto event = DecodeStep(bytes);
        if (!event.ok()) continue;
        const StepResult result = ledger.Step(event->event, event->now);
        ledger.CheckInvariants();
        if (result.changed) records.push_back(EncodeRecord(event->event, event->now));
        break;
      }
    }
    Ledger replayed(options);
    for (const std::string& record : records) ASSERT_TRUE(replayed.Restore(record).ok());
    ASSERT_EQ(replayed.Snapshot(), ledger.Snapshot()) << round;
  }
}

}  // namespace
}  // namespace howdah::feed
