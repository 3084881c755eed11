#include "content_cache.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"
#include "howdah/os/process/clock.h"

namespace howdah::backend::yarn::client {
namespace {

bool IsLocallyWorldTraversable(const std::string& directory, std::map<std::string, bool>& known) {
  if (const auto found = known.find(directory); found != known.end()) return found->second;
  struct stat facts {};
  const bool enters =
      stat(directory.empty() ? "/" : directory.c_str(), &facts) == 0 && (facts.st_mode & S_IXOTH) != 0 &&
      (directory.empty() || IsLocallyWorldTraversable(directory.substr(0, directory.rfind('/')), known));
  known[directory] = enters;
  return enters;
}

constexpr off_t kMinCachedSize = off_t{1} << 20;
constexpr size_t kMaxCacheFileSize = size_t{1} << 20;  // bytes; a larger cache file is discarded
constexpr size_t kPiece = size_t{1} << 20;

using Digest = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

Digest NewDigest() {
  Digest digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr);
  return digest;
}

std::string Finish(const Digest& digest) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
  unsigned size = 0;
  EVP_DigestFinal_ex(digest.get(), bytes.data(), &size);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::string Identity(const struct stat& facts) {
  const auto time = [](const timespec& t) { return std::to_string(t.tv_sec) + "." + std::to_string(t.tv_nsec); };
  return std::to_string(facts.st_dev) + ":" + std::to_string(facts.st_ino) + ":" + std::to_string(facts.st_size) + ":" +
         time(facts.st_mtim) + ":" + time(facts.st_ctim);
}

bool MayStillChange(const struct stat& facts) {
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(os::process::Clock().Now().time_since_epoch()).count();
  return facts.st_ctim.tv_sec + 2 >= now;
}

Result<std::string> Hash(int fd, const std::string& file) {
  const Digest digest = NewDigest();
  std::vector<char> buffer(kPiece);
  for (;;) {
    const ssize_t size = read(fd, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return os::files::SystemError("reading " + file);
    if (size == 0) return Finish(digest);
    EVP_DigestUpdate(digest.get(), buffer.data(), static_cast<size_t>(size));
  }
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
                           OnProgress on_progress)
    : files_(files),
      layout_(std::move(layout)),
      hashes_(std::move(hashes_path)),
      on_progress_(std::move(on_progress)) {}

Result<size_t> ContentCache::Add(const std::string& local_path, const std::string& suffix) {
  struct stat facts {};
  if (stat(local_path.c_str(), &facts) != 0) return os::files::SystemError("staging " + local_path);
  Item item;
  item.local_path = local_path;
  item.size = facts.st_size;
  std::error_code error;
  const std::string real = std::filesystem::canonical(local_path, error).string();
  item.world_readable = (facts.st_mode & S_IROTH) != 0 && !error &&
                        IsLocallyWorldTraversable(real.substr(0, real.rfind('/')), traversable_);
  HOWDAH_TRY(auto hash, hashes_.OfFile(local_path));
  item.hash = std::move(hash);
  return AddItem(std::move(item), suffix);
}

Result<size_t> ContentCache::AddBytes(std::string bytes, const std::string& suffix) {
  Item item;
  item.size = static_cast<int64_t>(bytes.size());
  item.hash = HashOf(bytes);
  item.bytes = std::move(bytes);
  return AddItem(std::move(item), suffix);
}

size_t ContentCache::AddItem(Item item, const std::string& suffix) {
  item.path = (item.world_readable ? layout_.public_cache() : layout_.private_cache()) + "/" + item.hash + suffix;
  for (size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].path == item.path) return i;
  }
  items_.push_back(std::move(item));
  return items_.size() - 1;
}

Status ContentCache::Upload() {
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
    const std::string what = item->local_path.empty() ? "a generated file" : item->local_path;
    if (const Status sent = UploadItem(*item); !sent.ok()) return sent.error().While("staging " + what);
  }
  const bool any = std::any_of(items_.begin(), items_.end(), [](const Item& item) { return item.world_readable; });
  const bool shared = any && IsWorldTraversable(files_, layout_.public_cache());
  for (Item& item : items_)
    if (item.world_readable && shared) item.file.visibility = StagedFile::Visibility::kPublic;
  return {};
}

Result<bool> ContentCache::IsThere(Item& item) {
  const auto found = files_.Stat(item.path);
  if (!found.ok()) {
    if (found.error().code == ErrorCode::kNotFound) return false;
    return found.error().While("checking which files are staged already");
  }
  item.damaged = found->length != item.size;  // another program has damaged the file; Upload replaces it
  if (item.damaged) return false;
  item.file.uri = files_.uri() + item.path;
  item.file.size = found->length;
  item.file.modified_millis = found->modified_millis;
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

// Uploads under a temporary name, so that no program reads a partial file.
Status ContentCache::UploadItem(Item& item) {
  const std::string temporary = TemporaryBeside(item.path);
  hadoop::hdfs::CreateOptions options;
  options.permission = item.world_readable ? 0644 : 0600;
  HOWDAH_TRY(auto writer, files_.Create(temporary, options));
  HOWDAH_TRY_STATUS(Fill(item, *writer));
  HOWDAH_TRY_STATUS(writer->Close());
  // Do not replace a copy that was uploaded meanwhile: the jobs of that upload have recorded its modification time.
  const Status renamed = files_.Rename(temporary, item.path, /*overwrite=*/item.damaged);
  HOWDAH_TRY(const auto there, IsThere(item));
  if (!renamed.ok()) {
    HOWDAH_TRY_STATUS(files_.Delete(temporary, /*recursive=*/false));
    if (!there) return renamed;
  }
  if (!there) return Failed("the file changed during the upload to " + item.path + "; submit again");
  return {};
}

Status ContentCache::Fill(Item& item, hadoop::hdfs::Writer& writer) {
  const auto report = [&](int64_t more) {
    done_ += more;
    if (on_progress_) on_progress_(done_, total_);
  };
  if (item.local_path.empty()) {
    report(item.size);
    return writer.Write(item.bytes);
  }
  const os::files::Fd file(open(item.local_path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return os::files::SystemError("reading " + item.local_path);
  std::string buffer(kPiece, '\0');
  for (;;) {
    const ssize_t size = read(file.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return os::files::SystemError("reading " + item.local_path);
    if (size == 0) return {};
    HOWDAH_TRY_STATUS(writer.Write(std::string_view(buffer).substr(0, static_cast<size_t>(size))));
    report(size);
  }
}

std::string HashOf(std::string_view bytes) {
  const Digest digest = NewDigest();
  EVP_DigestUpdate(digest.get(), bytes.data(), bytes.size());
  return Finish(digest);
}

HashCache::HashCache(std::string path) : path_(std::move(path)) {
  const auto text = os::files::ReadFile(path_, kMaxCacheFileSize);
  if (!text.ok()) {
    if (text.error().code != ErrorCode::kNotFound) unlink(path_.c_str());
    return;
  }
  for (size_t begin = 0; begin < text->size();) {
    const size_t end = std::min(text->find('\n', begin), text->size());
    const std::string line = text->substr(begin, end - begin);
    if (const size_t space = line.find(' '); space != std::string::npos) {
      known_[line.substr(0, space)] = line.substr(space + 1);
    }
    begin = end + 1;
  }
}

HashCache::~HashCache() {
  if (added_.empty()) return;
  if (!os::files::MakeDirectories(path_.substr(0, path_.rfind('/')), 0700).ok()) return;
  const auto file = os::files::OpenForAppend(path_, 0600);
  if (file.ok() && !os::files::WriteAll(file->get(), added_, path_).ok()) unlink(path_.c_str());
}

Result<std::string> HashCache::OfFile(const std::string& file) {
  const os::files::Fd opened(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (!opened.valid() || fstat(opened.get(), &facts) != 0) return os::files::SystemError("reading " + file);
  if (facts.st_size < kMinCachedSize) return Hash(opened.get(), file);
  const std::string identity = Identity(facts);
  if (const auto known = known_.find(identity); known != known_.end() && known->second.size() == 64) {
    return known->second;
  }
  auto hash = Hash(opened.get(), file);
  if (hash.ok() && !MayStillChange(facts)) {
    known_[identity] = *hash;
    added_ += identity + " " + *hash + "\n";
  }
  return hash;
}

}  // namespace howdah::backend::yarn::client
