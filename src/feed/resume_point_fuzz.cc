// Fuzzes the positions of feeds in checkpoints, which come from files: a ledger restores one, and goes on.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/feed/ledger.h"
#include "resume_point.h"

namespace howdah::feed {
namespace {

// A ledger of a job that has restored the point.
Ledger Resumed(const Options& options, const std::string& point) {
  Ledger ledger(options);
  ledger.Step(GenerationFormed{0, 2}, Instant());
  ledger.Step(PointFound{0, 7, point}, Instant());
  ledger.CheckInvariants();
  return ledger;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  Options options{.split = static_cast<Split>(data[0] % 3), .remainder = static_cast<Remainder>(data[1] % 3)};
  options.passes = 1 + data[0] / 3 % 4;
  options.recompute = data[1] / 3 % 2 == 1;
  Ledger ledger = Resumed(options, std::string(reinterpret_cast<const char*>(data + 2), size - 2));
  if (ledger.progress().failed) return 0;
  const std::string point = ledger.PointAt(7);
  if (Resumed(options, point).PointAt(7) != point) __builtin_trap();
  // The readers begin, and a source supplies each partition that is asked for.
  const int64_t pass = ledger.progress().pass;
  for (int rank = 0; rank < 2; ++rank) {
    const ReaderId reader{rank, ledger.incarnation(rank)};
    ledger.Step(ReaderOpened{reader, pass, 2}, Instant());
    ledger.Step(KeptRowsOffered{reader, pass}, Instant());
  }
  for (PartitionId partition = 0; partition < 4; ++partition) {
    const Answer answer = ledger.Ask(pass, partition);
    if (answer.what != Answer::What::kSend) continue;
    for (Rows rows : answer.missing) {
      rows.to = std::min(rows.to, rows.from + 1000);
      ledger.Step(RowsReceived{{answer.rank, ledger.incarnation(answer.rank)}, pass, partition, rows}, Instant());
    }
    ledger.CheckInvariants();
  }
  Ledger copy(options);
  if (!copy.Restore(ledger.Snapshot()).ok() || copy.Snapshot() != ledger.Snapshot()) __builtin_trap();
  return 0;
}

}  // namespace howdah::feed
