#include "yarn_log_file.h"

#include <utility>

#include "howdah/backend/yarn/job_record.h"
#include "running_application.h"

namespace howdah::backend::yarn::client {
namespace {

constexpr Duration kLogPieceLimit = std::chrono::seconds(3);  // a viewer reads many pieces, and waits for each

}  // namespace

YarnLogFile::YarnLogFile(HadoopClient& cluster, JobId id, backend::LogSource source)
    : cluster_(cluster), id_(std::move(id)), source_(std::move(source)) {}

Result<int64_t> YarnLogFile::Size() {
  if (final_size_) return *final_size_;
  HOWDAH_TRY(const auto known, FindOwn(cluster_, id_));
  if (!known.has_ended()) {
    const auto size = SizeOfRunningLog(cluster_, id_, *known.report, source_);
    if (size.ok() && *size) return **size;
  }
  // Neither YARN nor the journal records the size of a file that an ended container has left.
  int64_t size = 0;
  HOWDAH_TRY_STATUS(ReadStored(known, 0, [&](std::string_view bytes) {
    size += static_cast<int64_t>(bytes.size());
    return true;
  }));
  if (known.has_ended()) final_size_ = size;
  return size;
}

Result<std::string> YarnLogFile::Read(int64_t offset, int64_t size) {
  std::string bytes;
  const auto take = [&](std::string_view more) {
    bytes += more.substr(0, static_cast<size_t>(size) - bytes.size());
    return static_cast<int64_t>(bytes.size()) < size;
  };
  HOWDAH_TRY(const auto known, FindOwn(cluster_, id_));
  if (!known.has_ended()) {
    const auto read = ReadRunningLog(cluster_, id_, *known.report, source_, offset, take);
    if (read.ok() && (read->complete || static_cast<int64_t>(bytes.size()) == size)) return bytes;
  }
  HOWDAH_TRY_STATUS(ReadStored(known, offset + static_cast<int64_t>(bytes.size()), take));
  return bytes;
}

Status YarnLogFile::ReadStored(const Lookup& known, int64_t offset, const LogStore::OnBytes& on_bytes) {
  if (!location_) {
    HOWDAH_TRY(const auto journal,
               known.has_ended() ? EndedJournal(cluster_, id_, known) : ReadRunningJournal(cluster_, id_));
    const auto locations = LogLocations(DecodeJournal(journal));
    const auto found = locations.find(source_);
    if (found == locations.end()) return Error{ErrorCode::kNotFound, "the task has not started"};
    location_ = found->second;
    store_ = std::make_unique<LogStore>(cluster_, id_, known.report ? known.report->user() : cluster_.user());
  }
  return store_->Read(*location_, offset, on_bytes, kLogPieceLimit);
}

}  // namespace howdah::backend::yarn::client
