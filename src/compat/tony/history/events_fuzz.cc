// Reads the input as each file and name of a TonY history, because other users may write to a history.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "howdah/compat/tony/history/configuration.h"
#include "howdah/compat/tony/history/events.h"
#include "howdah/compat/tony/history/file_name.h"
#include "howdah/compat/tony/history/job.h"
#include "howdah/journal/job_view.h"
#include "howdah/journal/ledger.h"

namespace howdah::compat::tony::history {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto configuration = ReadConfiguration(text);
  const std::vector<Setting> settings = configuration.ok() ? *configuration : std::vector<Setting>();
  if (const auto events = ReadEvents(text); events.ok()) {
    for (const Event& event : events->events) DescribeEvent(event);
    MetricsOf(events->events);
    journal::ToJson(ViewOf({}, settings, events->events), true);
    journal::Ledger ledger;
    for (const auto& entry : JournalOf({}, settings, events->events, "tony")) ledger.Take(entry);
    ledger.ByDay();
  }
  if (const auto name = ParseFileName(text)) WriteFileName(*name);
  SpecOf(settings);
  EndOfDay(text);
  return 0;
}

}  // namespace howdah::compat::tony::history
