#include "content_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"

namespace howdah::backend::yarn::client {
namespace {

constexpr size_t kCopyStep = size_t{1} << 20;

bool IsLocallyWorldTraversable(const std::string& directory, std::map<std::string, bool>& known) {
  if (const auto found = known.find(directory); found != known.end()) return found->second;
  struct stat facts {};
  const bool enters =
      stat(directory.empty() ? "/" : directory.c_str(), &facts) == 0 && (facts.st_mode & S_IXOTH) != 0 &&
      (directory.empty() || IsLocallyWorldTraversable(directory.substr(0, directory.rfind('/')), known));
  known[directory] = enters;
  return enters;
}

}  // namespace

bool IsWorldTraversable(hadoop::hdfs::FileSystem& files, const std::string& directory) {
  for (std::string at = directory; !at.empty(); at = at.substr(0, at.rfind('/'))) {
    const auto found = files.Stat(at);
    if (!found.ok() || (found->permission & 1) == 0) return false;
  }
  return true;
}

ContentCache::ContentCache(hadoop::hdfs::FileSystem& files, Layout layout, std::string hashes_path,
                           std::function<void(int64_t done, int64_t total)> reported)
    : files_(files), layout_(std::move(layout)), hashes_(std::move(hashes_path)), told_(std::move(reported)) {}

Result<size_t> ContentCache::PendingContainers(const std::string& local_path, const std::string& suffix) {
  struct stat facts {};
  if (stat(local_path.c_str(), &facts) != 0) return os::files::SystemError("staging " + local_path);
  Item item;
  item.local_path = local_path;
  item.size = facts.st_size;
  std::error_code error;
  const std::string real = std::filesystem::canonical(local_path, error).string();
  item.everybody =
      (facts.st_mode & S_IROTH) != 0 && !error && IsLocallyWorldTraversable(real.substr(0, real.rfind('/')), entered_);
  HOWDAH_TRY(auto hash, hashes_.OfFile(local_path));
  item.hash = std::move(hash);
  return Add(std::move(item), suffix);
}

Result<size_t> ContentCache::AddBytes(std::string bytes, const std::string& suffix) {
  Item item;
  item.size = static_cast<int64_t>(bytes.size());
  item.hash = HashOf(bytes);
  item.bytes = std::move(bytes);
  return Add(std::move(item), suffix);
}

size_t ContentCache::Add(Item item, const std::string& suffix) {
  item.path = (item.everybody ? layout_.public_cache() : layout_.private_cache()) + "/" + item.hash + suffix;
  for (size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].path == item.path) return i;
  }
  items_.push_back(std::move(item));
  return items_.size() - 1;
}

Status ContentCache::Send() {
  std::vector<Item*> missing;
  total_ = done_ = 0;
  for (Item& item : items_) {
    HOWDAH_TRY(const auto there, IsThere(item));
    if (there) continue;
    missing.push_back(&item);
    total_ += item.size;
  }
  if (!missing.empty()) {
    HOWDAH_TRY_STATUS(MakeDirectories());
  }
  for (Item* item : missing) {
    const std::string what = item->local_path.empty() ? "a file list" : item->local_path;
    if (const Status sent = Upload(*item); !sent.ok()) return sent.error().While("staging " + what);
  }
  const bool any = std::any_of(items_.begin(), items_.end(), [](const Item& item) { return item.everybody; });
  const bool shared = any && IsWorldTraversable(files_, layout_.public_cache());
  for (Item& item : items_) item.remote.is_public = item.everybody && shared;
  return {};
}

Result<bool> ContentCache::IsThere(Item& item) {
  const auto found = files_.Stat(item.path);
  if (!found.ok()) {
    if (found.error().code == ErrorCode::kNotFound) return false;
    return found.error().While("looking for what is staged already");
  }
  item.damaged = found->length != item.size;  // from outside; it is replaced
  if (item.damaged) return false;
  item.remote.uri = files_.uri() + item.path;
  item.remote.size = found->length;
  item.remote.modified_millis = found->modified_millis;
  return true;
}

Status ContentCache::MakeDirectories() {
  const std::pair<std::string, uint32_t> directories[] = {
      {layout_.root(), 0711}, {layout_.cache(), 0711}, {layout_.public_cache(), 0755}, {layout_.private_cache(), 0700}};
  for (const auto& [directory, permission] : directories) {
    HOWDAH_TRY_STATUS(files_.MakeDirectories(directory, permission));
  }
  return {};
}

// Under a name of its own first, so that whoever finds the file finds it whole.
Status ContentCache::Upload(Item& item) {
  const std::string temporary = TemporaryBeside(item.path);
  hadoop::hdfs::CreateOptions options;
  options.permission = item.everybody ? 0644 : 0600;
  HOWDAH_TRY(auto writer, files_.Create(temporary, options));
  HOWDAH_TRY_STATUS(Fill(item, *writer));
  HOWDAH_TRY_STATUS(writer->Close());
  // What another submission has put there meanwhile stays: its jobs expect the file as old as it is.
  const Status renamed = files_.Rename(temporary, item.path, /*overwrite=*/item.damaged);
  HOWDAH_TRY(const auto there, IsThere(item));
  if (!renamed.ok()) {
    HOWDAH_TRY_STATUS(files_.Delete(temporary, /*recursive=*/false));
    if (!there) return renamed;
  }
  if (!there) return Failed("it changed while it was sent to " + item.path + "; submit again");
  return {};
}

Status ContentCache::Fill(Item& item, hadoop::hdfs::Writer& writer) {
  const auto tell = [&](int64_t more) {
    done_ += more;
    if (told_) told_(done_, total_);
  };
  if (item.local_path.empty()) {
    tell(item.size);
    return writer.Write(item.bytes);
  }
  const os::files::Fd file(open(item.local_path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return os::files::SystemError("reading " + item.local_path);
  std::string buffer(kCopyStep, '\0');
  for (;;) {
    const ssize_t size = read(file.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return os::files::SystemError("reading " + item.local_path);
    if (size == 0) return {};
    HOWDAH_TRY_STATUS(writer.Write(std::string_view(buffer).substr(0, static_cast<size_t>(size))));
    tell(size);
  }
}

}  // namespace howdah::backend::yarn::client
