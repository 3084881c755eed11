#include "howdah/storage/mirror.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"

namespace howdah::storage {
namespace {

constexpr int kMaxDepth = 32;                            // a link may point to a directory above itself
constexpr std::string_view kEventFileMark = "tfevents";  // part of the name by which TensorBoard recognises event files

}  // namespace

std::optional<std::string> LocalPath(const std::string& logdir) {
  if (logdir.starts_with('/') || logdir.starts_with("file:")) return storage::PathOfUri(logdir);
  return std::nullopt;
}

Mirror::Mirror(storage::Files& files, std::string from, std::string to, int64_t max_bytes)
    : files_(files), from_(std::move(from)), to_(std::move(to)), max_bytes_(max_bytes) {}

Status Mirror::Update(Instant now, const std::stop_token& stop) {
  now_ = now;
  stop_ = stop;
  first_error_ = {};
  Walk("", 0);
  return std::exchange(first_error_, {});
}

void Mirror::KeepFirstError(const Status& status) {
  if (first_error_.ok()) first_error_ = status;
}

void Mirror::Walk(const std::string& below, int depth) {
  const auto entries = files_.List(from_ + below);
  if (!entries.ok()) return entries.error().code == ErrorCode::kNotFound ? void() : KeepFirstError(entries.error());
  for (const storage::Files::Entry& entry : *entries) {
    if (stop_.stop_requested()) return;
    const std::string path = below + "/" + entry.name;
    if (!entry.directory) {
      if (entry.name.find(kEventFileMark) != std::string::npos) CheckFile(path, entry.modified);
    } else if (depth < kMaxDepth) {
      Walk(path, depth + 1);
    }
  }
}

void Mirror::CheckFile(const std::string& below, Instant modified) {
  const auto [found, is_new] = copies_.try_emplace(below);
  File& file = found->second;
  if (!is_new && modified == file.modified && now_ < file.next_check) return;
  if (is_new) file.last_growth = now_;
  file.modified = modified;
  const int64_t before = file.copied;
  KeepFirstError(Copy(below, file));
  if (file.copied > before) file.last_growth = now_;
  file.next_check = now_ + (now_ - file.last_growth);
}

Status Mirror::Copy(const std::string& below, File& file) {
  const std::string path = to_ + below;
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(path.substr(0, path.rfind('/'))));
  const os::files::Fd copy(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  // Write at the end of the bytes that were copied successfully: a failed write may have added a part.
  if (!copy.valid() || lseek(copy.get(), file.copied, SEEK_SET) < 0) return os::files::SystemError("writing " + path);
  return files_.ReadFrom(from_ + below, file.copied, [&](std::string_view bytes) -> Status {
    const auto size = static_cast<int64_t>(bytes.size());
    if (bytes_ + size > max_bytes_) {
      return Failed("the event files below " + from_ + " have more than " + std::to_string(max_bytes_ >> 20) +
                    " MiB, and the rest is not shown; name a directory with fewer event files");
    }
    HOWDAH_TRY_STATUS(os::files::WriteAll(copy.get(), bytes, path));
    file.copied += size;
    bytes_ += size;
    return stop_.stop_requested() ? Status(Failed("stopped while copying " + path)) : Status();
  });
}

}  // namespace howdah::storage
