// Fuzzes the records of the event log of a feed: decodes them, and lets a ledger take them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/feed/ledger.h"
#include "record.h"

namespace howdah::feed {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  Options options{.split = static_cast<Split>(data[0] % 3), .remainder = static_cast<Remainder>(data[1] % 3)};
  options.passes = 1 + data[2] % 4;
  options.shuffle = data[2] % 16 / 4;
  options.ranks_restart_alone = data[0] % 2 == 1;
  options.accept_changes = data[1] % 2 == 1;
  Ledger ledger(options);
  // Records with their length in front.
  std::string_view rest(reinterpret_cast<const char*>(data + 3), size - 3);
  while (!rest.empty()) {
    const size_t length = static_cast<unsigned char>(rest.front());
    const std::string_view record = rest.substr(1, length);
    rest.remove_prefix(std::min(rest.size(), length + 1));
    if (const auto step = DecodeStep(record); step.ok()) {
      const std::string again = EncodeRecord(step->event, step->now);
      if (const auto same = DecodeStep(again); !same.ok() || EncodeRecord(same->event, same->now) != again)
        __builtin_trap();
    }
    if (!ledger.Restore(record).ok()) continue;
    ledger.CheckInvariants();
  }
  Ledger copy(options);
  if (!copy.Restore(ledger.Snapshot()).ok() || copy.Snapshot() != ledger.Snapshot()) __builtin_trap();
  return 0;
}

}  // namespace howdah::feed
