// Fuzzes the parsers of journal lines and of the status JSON.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/journal/job_view.h"

namespace howdah::journal {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto entry = DecodeEntry(text)) {
    JobView view;
    view.Apply(*entry);
    view.Apply(*entry);
    DescribeEntry(*entry);
    if (!DecodeEntry(EncodeEntry(*entry))) __builtin_trap();
    // One line can submit kMostTasks tasks, whose JSON would take most of the time.
    ToJson(view, view.tasks.size() < 1000);
  }
  static_cast<void>(FromJson(text));
  return 0;
}

}  // namespace howdah::journal
