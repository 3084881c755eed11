#include "content_hash.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <vector>

#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/clock.h"

namespace howdah::backend::yarn::client {
namespace {

constexpr off_t kMinCachedSize = off_t{1} << 20;
constexpr size_t kMaxCacheFileSize = size_t{1} << 20;  // bytes; then everything is forgotten and learned anew
constexpr size_t kStep = size_t{1} << 20;

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
  std::vector<char> buffer(kHashStep);
  for (;;) {
    const ssize_t size = read(fd, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return os::files::SystemError("reading " + file);
    if (size == 0) return Finish(digest);
    EVP_DigestUpdate(digest.get(), buffer.data(), static_cast<size_t>(size));
  }
}

}  // namespace

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
