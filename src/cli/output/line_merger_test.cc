#include "howdah/cli/output/line_merger.h"

#include <gtest/gtest.h>

namespace howdah::cli::output {
namespace {

using backend::LogSource;
using backend::LogStream;

LogSource Source(const std::string& role, int index, LogStream stream = LogStream::kStdout, int attempt = 0) {
  return {role, index, attempt, 0, stream};
}

TEST(LineMerger, PrefixesWholeLinesWithTheirTask) {
  LineMerger merger(LineMerger::Prefix::kTask, false);
  std::string out;
  merger.Add(Source("worker", 0), "one\ntw", out);
  merger.Add(Source("ps", 0), "other\n", out);
  merger.Add(Source("worker", 0), "o\nthree", out);
  merger.Add(Source("worker", 0, LogStream::kStderr), "err", out);
  EXPECT_EQ(out, "worker:0 │ one\nps:0 │ other\nworker:0 │ two\n");
  out.clear();
  merger.Finish(out);
  EXPECT_EQ(out, "worker:0 │ three\nworker:0 │ err\n");
  out.clear();
  merger.Finish(out);
  EXPECT_EQ(out, "");
}

TEST(LineMerger, LinesAreUnchangedWithoutPrefix) {
  LineMerger merger(LineMerger::Prefix::kNone, false);
  std::string out;
  merger.Add(Source("worker", 0), "\n\na\n", out);
  EXPECT_EQ(out, "\n\na\n");
}

TEST(LineMerger, SplitsLongLinesAt64KiBForAnyPieceSize) {
  for (const size_t piece : {size_t{1} << 20, size_t{65536}, size_t{65535}, size_t{1000}}) {
    LineMerger merger(LineMerger::Prefix::kTask, false);
    const std::string text(200'000, 'x');
    std::string out;
    for (size_t at = 0; at < text.size(); at += piece)
      merger.Add(Source("w", 0), std::string_view(text).substr(at, piece), out);
    merger.Finish(out);
    const std::string line = "w:0 │ " + std::string(65536, 'x') + "\n";
    EXPECT_EQ(out, line + line + line + "w:0 │ " + std::string(200'000 - 3 * 65536, 'x') + "\n") << piece;
  }
}

TEST(LineMerger, OutputIsUnchangedForAnyPieceSize) {
  const std::string text = "a\nbb\n\nccc\n";
  for (size_t piece = 1; piece <= text.size(); ++piece) {
    LineMerger merger(LineMerger::Prefix::kNone, false);
    std::string out;
    for (size_t at = 0; at < text.size(); at += piece)
      merger.Add(Source("w", 0), std::string_view(text).substr(at, piece), out);
    EXPECT_EQ(out, text);
  }
}

}  // namespace
}  // namespace howdah::cli::output
