#include "howdah/storage/mirror.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"

namespace howdah::storage {
namespace {

constexpr int kDeepest = 32;                    // limits a link to a directory above itself
constexpr std::string_view kMark = "tfevents";  // TensorBoard recognises event files by this, too

}  // namespace

std::optional<std::string> LocalPath(const std::string& logdir) {
  if (logdir.starts_with('/') || logdir.starts_with("file:")) return storage::PathOfUri(logdir);
  return std::nullopt;
}

Mirror::Mirror(storage::Files& files, std::string from, std::string to, int64_t most_bytes)
    : files_(files), from_(std::move(from)), to_(std::move(to)), most_bytes_(most_bytes) {}

Status Mirror::Update(Instant now, const std::stop_token& stop) {
  now_ = now;
  stop_ = stop;
  first_error_ = {};
  Walk("", 0);
  return std::exchange(first_error_, {});
}

void Mirror::Keep(const Status& status) {
  if (first_error_.ok()) first_error_ = status;
}

void Mirror::Walk(const std::string& below, int depth) {
  const auto entries = files_.List(from_ + below);
  if (!entries.ok()) return entries.error().code == ErrorCode::kNotFound ? void() : Keep(entries.error());
  for (const storage::Files::Entry& entry : *entries) {
    if (stop_.stop_requested()) return;
    const std::string path = below + "/" + entry.name;
    if (!entry.directory) {
      if (entry.name.find(kMark) != std::string::npos) Look(path, entry.modified);
    } else if (depth < kDeepest) {
      Walk(path, depth + 1);
    }
  }
}

void Mirror::Look(const std::string& below, Instant modified) {
  const auto [found, is_new] = files_here_.try_emplace(below);
  File& file = found->second;
  if (!is_new && modified == file.modified && now_ < file.next_look) return;
  if (is_new) file.grown = now_;
  file.modified = modified;
  const int64_t before = file.copied;
  Keep(Copy(below, file));
  if (file.copied > before) file.grown = now_;
  file.next_look = now_ + (now_ - file.grown);
}

Status Mirror::Copy(const std::string& below, File& file) {
  const std::string path = to_ + below;
  if (const Status made = os::files::MakeDirectories(path.substr(0, path.rfind('/'))); !made.ok()) return made;
  const os::files::Fd copy(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  // Write after the bytes that are known to be copied, because a failed write may have left a part.
  if (!copy.valid() || lseek(copy.get(), file.copied, SEEK_SET) < 0) return os::files::SystemError("writing " + path);
  return files_.ReadFrom(from_ + below, file.copied, [&](std::string_view bytes) -> Status {
    const auto size = static_cast<int64_t>(bytes.size());
    if (bytes_ + size > most_bytes_) {
      return Failed("the event files below " + from_ + " have more than " + std::to_string(most_bytes_ >> 20) +
                    " MiB, and the rest is not shown; name a directory with fewer event files");
    }
    if (const Status written = os::files::WriteAll(copy.get(), bytes, path); !written.ok()) return written;
    file.copied += size;
    bytes_ += size;
    return stop_.stop_requested() ? Status(Failed("stopped while copying " + path)) : Status();
  });
}

}  // namespace howdah::storage
