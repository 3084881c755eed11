#include "howdah/cli/output/line_merger.h"

#include <gtest/gtest.h>

namespace howdah::cli::output {
namespace {

using backend::LogSource;
using backend::LogStream;

LogSource Source(const std::string& role, int index, LogStream stream = LogStream::kStdout, int attempt = 0) {
  return {role, index, attempt, 0, stream};
}

const Instant kNow = *ParseInstant("2026-11-23T06:45:12.000Z");

TEST(LineMerger, PrefixesWholeLinesWithTheirTask) {
  LineMerger merger(LineMerger::Options{});
  std::string out;
  merger.Add(Source("worker", 0), "one\ntw", kNow, out);
  merger.Add(Source("ps", 0), "other\n", kNow, out);
  merger.Add(Source("worker", 0), "o\nthree", kNow, out);
  merger.Add(Source("worker", 0, LogStream::kStderr), "err", kNow, out);
  EXPECT_EQ(out, "worker:0 │ one\nps:0 │ other\nworker:0 │ two\n");
  out.clear();
  merger.Finish(kNow, out);
  EXPECT_EQ(out, "worker:0 │ three\nworker:0 │ err\n");
  out.clear();
  merger.Finish(kNow, out);
  EXPECT_EQ(out, "");
}

TEST(LineMerger, LinesAreUnchangedWithoutPrefix) {
  LineMerger merger({.prefix = LineMerger::Prefix::kNone, .has_several_processes = nullptr});
  std::string out;
  merger.Add(Source("worker", 0), "\n\na\n", kNow, out);
  EXPECT_EQ(out, "\n\na\n");
}

TEST(LineMerger, JsonNamesTheSourceOfEachLine) {
  LineMerger merger({.prefix = LineMerger::Prefix::kJson, .has_several_processes = nullptr});
  std::string out;
  merger.Add(Source("worker", 1, LogStream::kStderr, 2), "say \"hi\"\n\xff\n", kNow, out);
  EXPECT_EQ(out, R"({"task":"worker:1","rank":0,"attempt":2,"stream":"stderr","text":"say \"hi\""})"
                 "\n"
                 R"({"task":"worker:1","rank":0,"attempt":2,"stream":"stderr","text":"�"})"
                 "\n");
}

TEST(LineMerger, SplitsLongLinesAt64KiBForAnyPieceSize) {
  for (const size_t piece : {size_t{1} << 20, size_t{65536}, size_t{65535}, size_t{1000}}) {
    LineMerger merger(LineMerger::Options{});
    const std::string text(200'000, 'x');
    std::string out;
    for (size_t at = 0; at < text.size(); at += piece)
      merger.Add(Source("w", 0), std::string_view(text).substr(at, piece), kNow, out);
    merger.Finish(kNow, out);
    const std::string line = "w:0 │ " + std::string(65536, 'x') + "\n";
    EXPECT_EQ(out, line + line + line + "w:0 │ " + std::string(200'000 - 3 * 65536, 'x') + "\n") << piece;
  }
}

TEST(LineMerger, OutputIsUnchangedForAnyPieceSize) {
  const std::string text = "a\nbb\n\nccc\n";
  for (size_t piece = 1; piece <= text.size(); ++piece) {
    LineMerger merger({.prefix = LineMerger::Prefix::kNone, .has_several_processes = nullptr});
    std::string out;
    for (size_t at = 0; at < text.size(); at += piece)
      merger.Add(Source("w", 0), std::string_view(text).substr(at, piece), kNow, out);
    EXPECT_EQ(out, text);
  }
}

TEST(LineMerger, WritesAProgressBarOncePerSecondAndAlwaysItsLastState) {
  LineMerger merger(LineMerger::Options{});
  const LogSource worker = Source("w", 0);
  std::string out;
  // tqdm writes the carriage return before each state.
  for (int percent = 0; percent < 100; ++percent) {
    const Instant now = kNow + percent * std::chrono::milliseconds(100);
    merger.Add(worker, "\r" + std::to_string(percent) + "%", now, out);
  }
  EXPECT_EQ(out, "w:0 │ 10%\nw:0 │ 20%\nw:0 │ 30%\nw:0 │ 40%\nw:0 │ 50%\nw:0 │ 60%\nw:0 │ 70%\nw:0 │ 80%\nw:0 │ 90%\n");
  out.clear();
  merger.Add(worker, "\r100%\ndone\n", kNow + std::chrono::seconds(10), out);
  EXPECT_EQ(out, "w:0 │ 100%\nw:0 │ done\n") << "99% came less than a second after 90%";
}

TEST(LineMerger, WritesOnlyTheLastStateOfACompletedProgressBar) {
  LineMerger merger(LineMerger::Options{});
  std::string out;
  merger.Add(Source("w", 0), "1%\r2%\r3%\r\n\rleft", kNow, out);
  EXPECT_EQ(out, "w:0 │ 3%\n");
  merger.Finish(kNow, out);
  EXPECT_EQ(out, "w:0 │ 3%\nw:0 │ left\n");
}

TEST(LineMerger, RemovesTheCarriageReturnAtTheEndOfALineForAnyPieceSize) {
  const std::string text = "a\r\nb\r\n\r\n";
  for (size_t piece = 1; piece <= text.size(); ++piece) {
    LineMerger merger({.prefix = LineMerger::Prefix::kNone, .has_several_processes = nullptr});
    std::string out;
    for (size_t at = 0; at < text.size(); at += piece)
      merger.Add(Source("w", 0), std::string_view(text).substr(at, piece), kNow, out);
    EXPECT_EQ(out, "a\nb\n\n");
  }
}

TEST(LineMerger, PrefixHasTheLocalRankIfTheTaskHasSeveralProcesses) {
  LineMerger merger({.has_several_processes = [](const LogSource& source) { return source.role == "worker"; }});
  std::string out;
  for (const char* role : {"worker", "ps"}) {
    for (const int rank : {0, 1}) {
      LogSource source = Source(role, 2);
      source.local_rank = rank;
      merger.Add(source, "x\n", kNow, out);
    }
  }
  EXPECT_EQ(out, "worker:2/0 │ x\nworker:2/1 │ x\nps:2 │ x\nps:2/1 │ x\n");
}

TEST(LineMerger, TimestampIsTheTimeAtWhichTheLineEnded) {
  LineMerger merger({.timestamps = true, .has_several_processes = nullptr});
  std::string out;
  merger.Add(Source("w", 0), "on", kNow, out);
  merger.Add(Source("w", 0), "e\n", kNow + std::chrono::milliseconds(301), out);
  EXPECT_EQ(out, "2026-11-23T06:45:12.301Z w:0 │ one\n");
}

}  // namespace
}  // namespace howdah::cli::output
