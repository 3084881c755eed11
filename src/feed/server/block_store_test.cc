#include "block_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "feed_blocks.h"
#include "howdah/base/crc.h"
#include "howdah/os/files/testing.h"

namespace howdah::feed::server {
namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;

// The bytes that a process finds at a place.
std::string Bytes(const BlockStore::Place& place) {
  std::string bytes(static_cast<size_t>(place.bytes), '\0');
  EXPECT_EQ(::pread(place.file->get(), bytes.data(), bytes.size(), place.offset), place.bytes);
  return bytes;
}

TEST(Extents, GapsAreUsedAgainAndMerged) {
  Extents extents(64, 640);
  EXPECT_EQ(extents.Take(100), 0);
  EXPECT_EQ(extents.Take(64), 128);
  EXPECT_EQ(extents.Take(200), 192);
  EXPECT_EQ(extents.used(), 448);
  EXPECT_EQ(extents.Take(193), std::nullopt) << "the file would exceed its limit";
  EXPECT_EQ(extents.Take(192), 448);
  extents.Free(0, 100);
  extents.Free(192, 200);
  EXPECT_EQ(extents.Take(150), 192) << "the first gap is too small";
  extents.Free(192, 150);
  extents.Free(128, 64);
  EXPECT_EQ(extents.Take(448), 0) << "the gaps have become one";
  extents.Free(448, 192);
  extents.Free(0, 448);
  EXPECT_EQ(extents.used(), 0);
  EXPECT_EQ(extents.end(), 0);
}

class BlockStoreTest : public testing::Test {
 protected:
  BlockId Put(char fill, size_t bytes, const std::string& schema = "schema") {
    const auto id = store.Put(schema, "header-" + std::string(1, fill), std::string(bytes, fill), 10);
    EXPECT_TRUE(id.ok());
    return *id;
  }

  os::files::Scratch scratch;
  BlockStore store{scratch.path(), {.memory = kMegabyte, .spool = 2 * kMegabyte}};
};

TEST_F(BlockStoreTest, AnotherProcessWritesTheBody) {
  const auto room = store.Reserve("schema", "header", 5, 1);
  ASSERT_TRUE(room.ok());
  EXPECT_EQ(room->offset % 64, 0);
  EXPECT_EQ(::pwrite(room->file->get(), "hello", 5, room->offset), 5);
  EXPECT_EQ(::fcntl(room->file->get(), F_GETFL) & O_ACCMODE, O_WRONLY);
  const std::string bytes = Bytes(store.Lease(room->block));
  EXPECT_EQ(bytes.substr(8, 6), "header");
  EXPECT_EQ(bytes.substr(bytes.size() - 5), "hello");
  const auto unused = store.Reserve("schema", "header", 5000, 1);
  ASSERT_TRUE(unused.ok());
  store.Drop(unused->block);
  const auto again = store.Reserve("schema", "header", 5000, 1);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->offset, unused->offset);
  const auto content = store.Read(again->block);
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(content->body.size(), 5000U) << "a source that writes nothing leaves what was there";
}

TEST_F(BlockStoreTest, ProcessFindsAnEncapsulatedMessage) {
  const BlockId id = Put('a', 1000);
  const BlockStore::Place place = store.Lease(id);
  EXPECT_EQ(place.offset % 64, 0);
  EXPECT_EQ(place.rows, 10);
  EXPECT_EQ(place.schema->header, "schema");
  const std::string bytes = Bytes(place);
  uint32_t prefix[2];
  std::memcpy(prefix, bytes.data(), sizeof prefix);
  EXPECT_EQ(prefix[0], 0xFFFFFFFF);
  EXPECT_EQ((8 + prefix[1]) % 64, 0U) << "the body must be aligned";
  EXPECT_EQ(bytes.substr(8, 8), "header-a");
  EXPECT_EQ(bytes.substr(8 + prefix[1]), std::string(1000, 'a'));
  const auto content = store.Read(id);
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(content->header, "header-a");
  EXPECT_EQ(content->body, std::string(1000, 'a'));
}

TEST_F(BlockStoreTest, PartsOfABodyAreStoredTogether) {
  constexpr size_t kParts = 3000;  // more than one system call can write
  const auto whole = std::make_shared<std::string>();
  for (size_t i = 0; i < kParts; ++i) *whole += std::to_string(i) + ",";
  std::vector<std::string_view> parts;
  for (size_t i = 0, at = 0; i < kParts; ++i) {
    const size_t size = whole->find(',', at) + 1 - at;
    parts.push_back(std::string_view(*whole).substr(at, size));
    at += size;
  }
  const auto id = store.Put("schema", "header", BlockBody(parts, whole), 10);
  ASSERT_TRUE(id.ok());
  EXPECT_EQ(store.Read(*id)->body, *whole);
  EXPECT_EQ(*store.CrcOfBody(*id), CrcByTable(Crc::kCrc32, *whole));
}

TEST_F(BlockStoreTest, CrcIsThatOfTheBodyInMemoryAndOnDisk) {
  std::string body;
  for (int i = 0; body.size() < 300'000; ++i) body += std::to_string(i);  // more than it reads at once
  const auto id = store.Put("schema", "header", body, 10);
  ASSERT_TRUE(id.ok());
  EXPECT_EQ(*store.CrcOfBody(*id), CrcByTable(Crc::kCrc32, body));
  ASSERT_TRUE(store.MoveToDisk(*id).ok());
  EXPECT_EQ(*store.CrcOfBody(*id), CrcByTable(Crc::kCrc32, body));
  const auto empty = store.Put("schema", "header", std::string(), 1);
  EXPECT_EQ(*store.CrcOfBody(*empty), 0U);
}

TEST_F(BlockStoreTest, BlocksWithTheSameSchemaHaveTheSameNumber) {
  const auto number = [&](BlockId id) { return store.Lease(id).schema->id; };
  const int64_t first = number(Put('a', 1));
  EXPECT_EQ(number(Put('b', 1)), first);
  EXPECT_NE(number(Put('c', 1, "other")), first);
}

TEST_F(BlockStoreTest, LeasedBlockStaysInItsPlaceAfterDrop) {
  const BlockId first = Put('a', 5000);
  const BlockStore::Place place = store.Lease(first);
  store.Lease(first);
  store.Drop(first);
  Put('b', 5000);
  store.Release(first);
  EXPECT_EQ(Bytes(place).back(), 'a') << "another process has a lease";
  EXPECT_GT(store.leased_bytes(), 5000);
  store.Release(first);
  EXPECT_EQ(store.leased_bytes(), 0);
  EXPECT_EQ(store.Lease(Put('c', 5000)).offset, place.offset) << "its memory is used again";
}

TEST_F(BlockStoreTest, FreeMemoryBeyondTheLimitIsReturnedToTheSystem) {
  const BlockId first = Put('a', kMegabyte / 2), second = Put('b', 4 * kMegabyte);
  const BlockStore::Place place = store.Lease(first);
  struct stat before {
  }, after{};
  ASSERT_EQ(::fstat(place.file->get(), &before), 0);
  store.Drop(second);
  ASSERT_EQ(::fstat(place.file->get(), &after), 0);
  EXPECT_LE(after.st_blocks, before.st_blocks - 3 * kMegabyte / 512);
  EXPECT_NE(::ftruncate(place.file->get(), 0), 0) << "a process must not be able to shrink the memory of others";
}

TEST_F(BlockStoreTest, BlockOnDiskHasTheSameContent) {
  const BlockId first = Put('a', kMegabyte), second = Put('b', 100), third = Put('c', kMegabyte);
  for (const BlockId id : {first, second}) {
    const Status moved = store.MoveToDisk(id);
    ASSERT_TRUE(moved.ok()) << moved.error().message;
  }
  const Status full = store.MoveToDisk(third);
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().code, ErrorCode::kNoSpace);
  EXPECT_EQ(store.Read(third)->body, std::string(kMegabyte, 'c')) << "it stays in memory";
  const BlockStore::Place place = store.Lease(second);
  EXPECT_EQ(place.offset % 4096, 0);
  EXPECT_EQ(Bytes(place).substr(8, 8), "header-b");
  EXPECT_EQ(store.leased_bytes(), 0) << "views of blocks on disk are no shared memory";
  EXPECT_EQ(store.Read(first)->body, std::string(kMegabyte, 'a'));
  EXPECT_TRUE(os::files::ListDirectory(scratch.path())->empty()) << "the spool file has no name";
  store.Drop(first);
  EXPECT_TRUE(store.MoveToDisk(third).ok());
}

TEST_F(BlockStoreTest, IdleBlocksAreListedByTheEndOfTheirLastLease) {
  const BlockId first = Put('a', 10), second = Put('b', 10), never = Put('c', 10);
  EXPECT_EQ(store.oldest_idle(), std::nullopt);
  for (const BlockId id : {first, second}) store.Lease(id);
  store.Release(second);
  store.Release(first);
  EXPECT_EQ(store.oldest_idle(), second);
  store.KeepIdle(second);
  EXPECT_EQ(store.oldest_idle(), first);
  store.Drop(first);
  store.Lease(second);
  EXPECT_EQ(store.oldest_idle(), std::nullopt);
  store.Drop(never);
  EXPECT_EQ(store.blocks(), 1U);
}

// --- FeedBlocks ---

class FeedBlocksTest : public testing::Test {
 protected:
  BlockId Add(size_t bytes, int owner) {
    const auto id = blocks.Add(7, "schema", {"header", std::string(bytes, 'x'), 100, 10});
    EXPECT_TRUE(id.ok());
    blocks.Own(owner, *id);
    return *id;
  }
  // A process reads the blocks, and releases them.
  void Read(const std::vector<BlockId>& ids) {
    std::vector<Slice> slices;
    for (const BlockId id : ids) slices.push_back({id, 0, 10});
    Holder holder;
    blocks.Lend(holder, 1, slices);
    blocks.ReleaseAll(holder);
  }

  os::files::Scratch scratch;
  std::set<BlockId> needed, moved, lost;
  std::vector<std::string> full;
  FeedBlocks blocks{scratch.path(),
                    kMegabyte,
                    2 * kMegabyte,
                    {.needs_now = [this](int, BlockId id) { return needed.contains(id); },
                     .on_moved = [this](int, BlockId id) { moved.insert(id); },
                     .on_lost = [this](int, BlockId id) { lost.insert(id); },
                     .on_full = [this](const Error& error) { full.push_back(error.message); }}};
};

TEST_F(FeedBlocksTest, BlocksThatAreNotNeededNowMoveToDiskAndThenAreLost) {
  std::vector<BlockId> ids;
  for (int i = 0; i < 6; ++i) ids.push_back(Add(700'000, 0));
  needed = {ids[0]};
  EXPECT_TRUE(moved.empty()) << "the reader has read none of them";
  Read(ids);
  EXPECT_EQ(moved, (std::set<BlockId>{ids[1], ids[2]}));
  EXPECT_EQ(lost, (std::set<BlockId>{ids[3], ids[4], ids[5]})) << "two blocks fit on the disk";
  ASSERT_EQ(full.size(), 1U) << "logged once";
  EXPECT_LE(blocks.store().unleased_bytes(), kMegabyte);
  std::string schema;
  EXPECT_EQ(blocks.Read(ids[1], schema)->body.size(), 700'000U);
  EXPECT_TRUE(blocks.Kept(ids[1]).on_disk);
}

TEST_F(FeedBlocksTest, BlockIsStoredUntilNoReaderNeedsIt) {
  const BlockId id = Add(10, 0);
  blocks.Own(1, id);
  EXPECT_EQ(blocks.Kept(id).rows, (Rows{100, 110}));
  EXPECT_TRUE(blocks.Drop(0, id));
  EXPECT_FALSE(blocks.Drop(0, id));
  EXPECT_EQ(blocks.store().blocks(), 1U);
  blocks.DropAllOf(1);
  EXPECT_EQ(blocks.store().blocks(), 0U);
}

TEST_F(FeedBlocksTest, ReleaseOfABlockThatALaterReplyNamesHasNoEffect) {
  const BlockId id = Add(10, 0);
  Holder holder;
  EXPECT_EQ(blocks.Lend(holder, 1, {{id, 0, 5}}).front().files.size(), 1U);
  EXPECT_TRUE(blocks.Lend(holder, 2, {{id, 5, 5}}).front().files.empty()) << "the connection has the block";
  blocks.Release(holder, {.blocks = {id, 99}, .after = 1});
  EXPECT_GT(blocks.store().leased_bytes(), 0);
  blocks.Release(holder, {.blocks = {id}, .after = 2});
  EXPECT_EQ(blocks.store().leased_bytes(), 0);
  EXPECT_EQ(blocks.Lend(holder, 3, {{id, 0, 5}}).front().files.size(), 1U);
  blocks.ReleaseAll(holder);
}

}  // namespace
}  // namespace howdah::feed::server
