#include "howdah/hadoop/yarnlogs/node_text.h"

#include <gtest/gtest.h>

namespace howdah::hadoop::yarnlogs {
namespace {

// The answer of a NodeManager of Hadoop 3.3.6.
constexpr std::string_view kSent =
    "Container: container_1795290532263_0001_01_000003 on 127.0.0.11:12903\n"
    "LogAggregationType: LOCAL\n"
    "=====================================================================\n"
    "LogType:attempt-0.stdout\n"
    "LogLastModifiedTime:Sat Nov 21 19:49:16 +0000 2026\n"
    "LogLength:26\n"
    "LogContents:\n"
    "hello from greeter:1 of 3\n"
    "End of LogType:attempt-0.stdout.\n"
    "*********************************************************************************\n"
    "\n";

std::string Read(std::string_view sent, size_t step, int64_t from) {
  std::string read;
  NodeText text(from, [&](std::string_view bytes) { read += bytes; });
  for (size_t at = 0; at < sent.size(); at += step) {
    const Status added = text.Add(sent.substr(at, step));
    if (!added.ok()) return added.error().message;
  }
  return read + (text.whole() ? "" : "...");
}

TEST(NodeText, ContentIsExtractedWhereverAnswerIsSplit) {
  for (size_t step = 1; step <= kSent.size(); ++step) {
    EXPECT_EQ(Read(kSent, step, 0), "hello from greeter:1 of 3\n") << step;
    EXPECT_EQ(Read(kSent, step, 24), "3\n") << step;
    EXPECT_EQ(Read(kSent, step, 99), "") << step;
  }
}

TEST(NodeText, TruncatedAnswerIsIncomplete) {
  const size_t begin = kSent.find("hello from");
  EXPECT_EQ(Read(kSent.substr(0, begin + 3), 7, 0), "hel...");
  EXPECT_EQ(Read(kSent.substr(0, begin - 3), 7, 0), "...");
}

TEST(NodeText, ContentResemblingHeaderIsKept) {
  const std::string inner = "\nLogLength:3\nLogContents:\nEnd of LogType:x\n";
  const std::string sent =
      "Container: c\nLogLength:" + std::to_string(inner.size()) + "\nLogContents:\n" + inner + "\nEnd of LogType:x\n";
  EXPECT_EQ(Read(sent, 5, 0), inner);
}

TEST(NodeText, AnswerWithoutLogFileIsRejected) {
  EXPECT_NE(Read(std::string(5000, 'x'), 1000, 0).find("does not begin"), std::string::npos);
  EXPECT_NE(Read("Container: c\nLogLength:-4\nLogContents:\n", 9, 0).find("the length of the log file"),
            std::string::npos);
  EXPECT_NE(Read("Container: c\nLogContents:\n", 9, 0).find("the length of the log file"), std::string::npos);
  EXPECT_NE(
      Read("Container: c\nLogLength:99999999999999999999\nLogContents:\n", 9, 0).find("the length of the log file"),
      std::string::npos);
}

}  // namespace
}  // namespace howdah::hadoop::yarnlogs
