#include "snapshot_file.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string_view>
#include <utility>

#include "howdah/os/files/files.h"

namespace howdah::am {
namespace {

// The file may grow to this multiple of the newest snapshot, and at least to kSmallest, so that snapshots cost a
// fraction of all writes.
constexpr size_t kGrowth = 4, kSmallest = size_t{1} << 20;

size_t SizeOf(const std::vector<std::string>& records) {
  size_t size = 0;
  for (const std::string& record : records) size += record.size();
  return size;
}

}  // namespace

SnapshotFile::SnapshotFile(os::files::RecordFile file) : file_(std::move(file)), replace_at_(kSmallest) {}

Result<SnapshotFile> SnapshotFile::Open(const std::string& path, const os::files::OnRecord& on_record) {
  size_t bytes = 0;
  auto file = os::files::RecordFile::Open(path, [&](std::string_view record) {
    bytes += record.size();
    return on_record(record);
  });
  if (!file.ok()) return file.error();
  SnapshotFile opened(std::move(*file));
  opened.bytes_ = bytes;
  return opened;
}

void SnapshotFile::WhenWritten(std::function<void()> then) {
  if (written_.ok() && held_.empty()) return then();
  held_.push_back(std::move(then));
}

const Status& SnapshotFile::Flush() {
  written_ = file_.Append({});
  while (written_.ok() && !held_.empty()) {
    const std::function<void()> then = std::move(held_.front());
    held_.pop_front();
    then();
  }
  return written_;
}

void SnapshotFile::Append(const std::vector<std::string>& records,
                          const std::function<std::vector<std::string>()>& snapshot) {
  bytes_ += SizeOf(records);
  written_ = file_.Append(records);
  if (written_.ok() && bytes_ >= replace_at_) Replace(snapshot());
}

void SnapshotFile::Replace(const std::vector<std::string>& records) {
  const size_t size = SizeOf(records);
  replace_at_ = std::max(kSmallest, size * kGrowth);
  const Status replaced = ReplaceFile(records);
  if (replaced.ok()) {
    bytes_ = size;
    return;
  }
  // The old file is complete, so a snapshot can be written later.
  replace_at_ = std::max(replace_at_, bytes_ * 2);
  std::cerr << "shortening " << path() << ": " << replaced.error().message
            << "; the file grows until a later attempt\n";
}

Status SnapshotFile::ReplaceFile(const std::vector<std::string>& records) {
  const std::string path = file_.path();
  const std::string temporary = path + ".new";
  const auto ignore = [](std::string_view) { return Status(); };
  HOWDAH_TRY_STATUS(os::files::RemoveTree(temporary));
  auto next = os::files::RecordFile::Open(temporary, ignore);
  if (!next.ok()) return next.error();
  HOWDAH_TRY_STATUS(next->Append(records));
  if (rename(temporary.c_str(), path.c_str()) != 0) return os::files::SystemError("renaming " + temporary);
  auto reopened = os::files::RecordFile::Open(path, ignore);
  // From here on, records in the old file would be lost, so an error must stop all writes.
  if (!reopened.ok()) {
    written_ = reopened.error();
    return reopened.error();
  }
  file_ = std::move(*reopened);
  return {};
}

}  // namespace howdah::am
