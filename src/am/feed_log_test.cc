#include "feed_log.h"

#include <gtest/gtest.h>

#include "howdah/os/files/files.h"
#include "howdah/os/files/testing.h"

namespace howdah::am {
namespace {

Instant Second(int64_t seconds) { return Instant(std::chrono::seconds(1'795'000'000 + seconds)); }

FeedLog Opened(const std::string& path) {
  auto log = FeedLog::Open(path, feed::Options());
  EXPECT_TRUE(log.ok()) << log.error().message;
  return std::move(*log);
}

TEST(FeedLog, StateIsRestored) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "feed.bin";
  FeedLog log = Opened(path);
  EXPECT_TRUE(log.file().empty());
  log.Begin();
  EXPECT_FALSE(log.file().empty());
  EXPECT_FALSE(log.Form({0, 3, 2}, Second(0)).actions.empty());
  EXPECT_EQ(log.AddSend("a 1"), 0);
  EXPECT_EQ(log.AddSend(std::string("b\0", 2)), 1);
  log.SetSupplier("Spark");
  log.SetPlan("the files");
  log.SetRestoredPlan("other files");
  EXPECT_TRUE(log.Step(feed::SourceEnded{2}, Second(1)).changed);
  EXPECT_TRUE(log.file().written().ok());

  const FeedLog restored = Opened(path);
  EXPECT_FALSE(restored.file().empty());
  EXPECT_EQ(restored.formed(), (FeedLog::Formed{0, 3, 2}));
  EXPECT_EQ(restored.FindSend("a 1"), 0);
  EXPECT_EQ(restored.FindSend(std::string("b\0", 2)), 1);
  EXPECT_EQ(restored.FindSend("c"), std::nullopt);
  EXPECT_EQ(restored.sends(), 2);
  EXPECT_TRUE(restored.source_ended());
  EXPECT_EQ(restored.supplier(), "Spark");
  EXPECT_EQ(restored.plan(), "the files");
  EXPECT_EQ(restored.restored_plan(), "other files");
  EXPECT_EQ(restored.ledger().Snapshot(), log.ledger().Snapshot());
}

std::vector<std::string> RecordsOf(const std::string& path) {
  std::vector<std::string> records;
  EXPECT_TRUE(os::files::ReadRecords(path, [&records](std::string_view record) {
                records.emplace_back(record);
                return Status();
              }).ok());
  return records;
}

// The encoding is a file format: these texts must not change.
TEST(FeedLog, RecordsHaveAFixedEncoding) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "feed.bin";
  FeedLog log = Opened(path);
  log.Begin();
  log.AddSend("a 1");
  log.SetSupplier("Spark");
  log.SetSupplier(std::nullopt);
  log.SetPlan("the files");
  log.SetRestoredPlan("other files");
  for (const char* known : {"", "the files", "other files"}) log.SetRestoredPlan(known);
  EXPECT_EQ(RecordsOf(path),
            (std::vector<std::string>{"N0 ", "S0 a 1", "P1 Spark", "P0 ", "Fthe files", "Rother files"}));
}

TEST(FeedLog, OlderLogHasNoPlan) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "feed.bin";
  auto file = os::files::RecordFile::Open(path, [](std::string_view) { return Status(); });
  ASSERT_TRUE(file.ok() && file->Append({"N0 ", "G3 2 4 ", "S0 key", "P1 Spark"}).ok());
  const FeedLog log = Opened(path);
  EXPECT_EQ(log.plan(), "");
  EXPECT_EQ(log.formed(), (FeedLog::Formed{3, 2, 4}));
  EXPECT_EQ(log.FindSend("key"), 0);
}

TEST(FeedLog, SnapshotReplacesTheRecords) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "feed.bin";
  FeedLog log = Opened(path);
  log.Form({0, 0, 1}, Second(0));
  const std::string name(size_t{64} << 10, 'x');
  for (int i = 0; i < 40; ++i) log.SetSupplier(name + std::to_string(i));
  log.SetPlan("the files");
  log.SetRestoredPlan("other files");
  log.AddSend("key");
  EXPECT_LT(os::files::TreeSize(path).value_or(0), int64_t{2} << 20) << "the records have 2.5 MiB";
  const FeedLog restored = Opened(path);
  EXPECT_EQ(restored.supplier(), name + "39");
  EXPECT_EQ(restored.FindSend("key"), 0);
  EXPECT_EQ(restored.plan(), "the files");
  EXPECT_EQ(restored.restored_plan(), "other files");
  EXPECT_EQ(restored.formed(), log.formed());
  EXPECT_EQ(restored.ledger().Snapshot(), log.ledger().Snapshot());
  EXPECT_EQ(os::files::TreeSize(path + ".new"), std::nullopt);
}

TEST(FeedLog, RecordsKeepTheirNumbers) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "feed.bin";
  FeedLog log = Opened(path);
  log.Begin();
  log.BeginTerm(5);
  log.AddSend("a");
  log.BeginTerm(5);
  EXPECT_EQ(RecordsOf(path), (std::vector<std::string>{"N0 ", "T5 1 ", "S0 a", "T6 3 "}));
  const std::vector<feed::LogTerm> terms = {{5, 1}, {6, 3}};
  EXPECT_EQ(log.tail().terms(), terms);
  EXPECT_EQ(Opened(path).tail().terms(), terms);
  EXPECT_EQ(Opened(path).tail().All().records, RecordsOf(path));
  const std::string name(size_t{64} << 10, 'x');
  for (int i = 0; i < 20; ++i) log.SetSupplier(name + std::to_string(i));
  EXPECT_LT(RecordsOf(path).size(), 15u) << "a snapshot replaces the records";
  const FeedLog restored = Opened(path);
  EXPECT_EQ(restored.tail().end(), 24);
  EXPECT_EQ(log.tail().end(), 24);
  EXPECT_EQ(restored.tail().terms(), terms);
}

TEST(FeedLog, CopyIsExtended) {
  const os::files::Scratch scratch;
  FeedLog log = Opened(scratch / "feed.bin");
  log.Begin();
  log.BeginTerm(1);
  FeedLog copy = Opened(scratch / "copy.bin");
  ASSERT_TRUE(copy.Extend(log.tail().All().records).ok());
  log.Form({0, 3, 2}, Second(0));
  log.AddSend("a");
  log.SetSupplier("Spark");
  ASSERT_TRUE(copy.Extend(log.tail().From(2).records).ok());
  EXPECT_EQ(copy.formed(), log.formed());
  EXPECT_EQ(copy.FindSend("a"), 0);
  EXPECT_EQ(copy.ledger().Snapshot(), log.ledger().Snapshot());
  EXPECT_EQ(RecordsOf(scratch / "copy.bin"), RecordsOf(scratch / "feed.bin"));
  EXPECT_EQ(copy.tail().end(), log.tail().end());
  EXPECT_FALSE(copy.Extend({"Z"}).ok());
}

TEST(FeedLog, OldestKeysAreForgotten) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "feed.bin";
  FeedLog log = Opened(path);
  for (size_t i = 0; i <= FeedLog::kMostKeys; ++i) log.AddSend(std::to_string(i));
  EXPECT_EQ(log.FindSend("0"), std::nullopt);
  EXPECT_EQ(log.FindSend("1"), 1);
  EXPECT_EQ(log.sends(), static_cast<int64_t>(FeedLog::kMostKeys) + 1);
}

TEST(FeedLog, DamagedRecordIsAnError) {
  for (const std::string record :
       {"", "Z", "G", "G1 2", "S", "Sx ", "Lx", "P", "T", "T1 ", "T1 1 ", "T0 0 ", "C", "C-1 "}) {
    const os::files::Scratch scratch;
    const std::string path = scratch / "feed.bin";
    auto file = os::files::RecordFile::Open(path, [](std::string_view) { return Status(); });
    ASSERT_TRUE(file.ok() && file->Append({record}).ok());
    EXPECT_FALSE(FeedLog::Open(path, feed::Options()).ok()) << record;
  }
}

}  // namespace
}  // namespace howdah::am
