// Feeds the output of tasks to LineMerger, and texts of a job to the functions that show them on a terminal.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/cli/output/line_merger.h"
#include "howdah/cli/output/status_text.h"
#include "howdah/cli/output/text_table.h"

namespace howdah::cli::output {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  LineMerger merger({.colour = true, .timestamps = true, .has_several_processes = {}});
  std::string merged;
  Instant now{};
  for (size_t at = 0; at < text.size(); at += 7, now += std::chrono::milliseconds(300)) {
    const int index = static_cast<unsigned char>(text[at]) & 3;
    merger.Add({.role = "worker", .index = index}, std::string_view(text).substr(at, 7), now, merged);
  }
  merger.Finish(now, merged);
  journal::JobView view;
  view.id = view.name = view.user = view.reason = view.advice = text;
  view.tasks.resize(1);
  view.tasks[0].role = view.tasks[0].node = view.tasks[0].reason = text;
  DescribeJob(view, now, true);
  DescribeJobs({view}, now, true);
  for (const std::string& line : LiveTable(view, now, 40, 5, true)) {
    if (WidthOf(line) > 40) __builtin_trap();
  }
  if (WidthOf(Clip(text, 10)) > 10) __builtin_trap();
  return 0;
}

}  // namespace howdah::cli::output
