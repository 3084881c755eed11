// Fuzzes the records of the log of a feed, which another application master has written. An input is the split of the
// feed, and records with their length in front.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "feed_log.h"
#include "howdah/os/files/temporary_directory.h"

namespace howdah::am {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const os::files::TemporaryDirectory directory = *os::files::TemporaryDirectory::Make("feed-log");
  if (size < 1) return 0;
  const feed::Options options{.split = static_cast<feed::Split>(data[0] % 3)};
  std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  std::vector<std::string> records;
  while (!rest.empty()) {
    const size_t length = static_cast<unsigned char>(rest.front());
    records.emplace_back(rest.substr(1, length));
    rest.remove_prefix(std::min(rest.size(), length + 1));
  }
  const std::string path = directory.path() + "/feed.bin";
  (void)std::remove(path.c_str());
  {
    auto file = os::files::RecordFile::Open(path, [](std::string_view) { return Status(); });
    if (!file.ok() || !file->Append(records).ok()) return 0;
  }
  auto log = FeedLog::Open(path, options);
  if (!log.ok()) return 0;
  log->ledger().CheckInvariants();
  if (log->sends() < 0 || log->sends() > feed::kMostPartitions) __builtin_trap();
  // The AM goes on with the log, and the next one reads it.
  log->SetSupplier("Spark");
  const feed::PartitionId partition = log->AddSend("a key");
  log->Step(feed::AmResumed{}, Instant());
  const auto again = FeedLog::Open(path, options);
  if (!again.ok() || again->formed() != log->formed() || again->sends() != log->sends() ||
      again->tail().end() != log->tail().end() || again->tail().terms() != log->tail().terms() ||
      again->plan() != log->plan() || again->restored_plan() != log->restored_plan() ||
      again->FindSend("a key") != partition || again->ledger().Snapshot() != log->ledger().Snapshot()) {
    __builtin_trap();
  }
  return 0;
}

}  // namespace howdah::am
