#include "received.h"

#include <gtest/gtest.h>

namespace howdah::backend::yarn::client {
namespace {

const backend::LogSource kSource{"worker", 1, 0, 0, backend::LogStream::kStderr};

wire::LogChunk Chunk(int64_t offset, const std::string& bytes) {
  wire::LogChunk chunk;
  chunk.mutable_source()->set_role("worker");
  chunk.mutable_source()->set_index(1);
  chunk.mutable_source()->set_is_stderr(true);
  chunk.set_offset(offset);
  chunk.set_bytes(bytes);
  return chunk;
}

wire::LogEnd End(std::optional<int64_t> size) {
  wire::LogEnd end;
  *end.mutable_source() = Chunk(0, "").source();
  if (size) end.set_size(*size);
  return end;
}

TEST(Received, NextRequestContinuesAtTheEndOfTheReceivedPart) {
  Received received;
  received.AddJournal("one\ntwo\n");
  received.Add(Chunk(0, "abc"));
  received.Add(Chunk(3, "de"));
  EXPECT_EQ(received.RestOf("one\ntwo\nthree\n"), "three\n");
  EXPECT_EQ(received.RestOf("one\n"), "") << "another journal, shorter than the received one";
  backend::LogSelection selection;
  selection.role = "worker";
  selection.want_stdout = false;
  const wire::FollowRequest request = received.RequestForRest(selection);
  EXPECT_EQ(request.journal_offset(), 8);
  EXPECT_EQ(request.logs().role(), "worker");
  EXPECT_TRUE(request.logs().no_stdout());
  ASSERT_EQ(request.logs().have_size(), 1);
  EXPECT_EQ(request.logs().have(0).offset(), 5);
  EXPECT_TRUE(request.logs().have(0).source().is_stderr());
  EXPECT_FALSE(received.RequestForRest(std::nullopt).has_logs());
}

TEST(Received, OutputIsCompleteIfItsFinalSizeWasReceived) {
  const struct {
    std::optional<int64_t> size;
    bool complete;
  } rows[] = {{5, true}, {4, true}, {6, false}, {std::nullopt, false}};
  for (const auto& row : rows) {
    Received received;
    received.Add(Chunk(0, "abcde"));
    received.Add(End(row.size));
    EXPECT_EQ(received.outputs.at(kSource).complete, row.complete) << row.size.value_or(-1);
  }
}

TEST(Received, OffsetsOutOfRangeAreLimited) {
  Received received;
  received.Add(Chunk(INT64_MAX, "abc"));
  EXPECT_EQ(received.outputs.at(kSource).bytes, INT64_MAX);
  received.Add(Chunk(INT64_MIN, "abc"));
  EXPECT_EQ(received.outputs.at(kSource).bytes, 3);
}

}  // namespace
}  // namespace howdah::backend::yarn::client
