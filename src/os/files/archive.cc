#include "howdah/os/files/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <locale.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "howdah/base/bytes.h"
#include "howdah/os/files/files.h"
#include "keep_times.h"

namespace howdah::os::files {
namespace {

// The free space of the disk is checked again after this many bytes.
constexpr int64_t kDiskCheckBytes = int64_t{16} << 20;

using Parts = std::vector<std::string>;

// Resolves a path relative to the directory `below`. Returns nullopt if the path is absolute, or leads above the root
// of the unpacked tree.
std::optional<Parts> Walk(const std::string& path, Parts below) {
  if (path.starts_with('/')) return std::nullopt;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      below.push_back(part);
      continue;
    }
    if (below.empty()) return std::nullopt;
    below.pop_back();
  }
  return below;
}

bool HasDotDot(const std::string& path) { return ("/" + path + "/").find("/../") != std::string::npos; }

class Unpacker {
 public:
  Unpacker(const std::string& name, Fd root, OutwardLinks links, UnpackLimits limits)
      : name_(name), root_(std::move(root)), links_(links), limits_(limits) {}

  Status Run(archive* source) {
    for (;;) {
      archive_entry* entry = nullptr;
      const int result = archive_read_next_header(source, &entry);
      if (result == ARCHIVE_EOF) break;
      if (result == ARCHIVE_RETRY) continue;
      if (result < ARCHIVE_WARN) return ArchiveError(source);
      HOWDAH_TRY_STATUS(Extract(source, entry));
    }
    // Set the modes of directories last, because files cannot be added to a directory without write permission.
    for (auto it = directories_.rbegin(); it != directories_.rend(); ++it) {
      const Fd parent = OpenParent(it->first);
      if (parent.valid() && ::fchmodat(parent.get(), it->first.back().c_str(), it->second, 0) != 0) {
        return SystemError("unpacking " + name_ + ": setting the mode of the directory '" + it->first.back() + "'");
      }
    }
    return {};
  }

 private:
  Error ArchiveError(archive* source) const {
    const char* text = archive_error_string(source);
    return Failed("unpacking " + name_ + ": " + (text != nullptr ? text : "it cannot be read"));
  }
  Error Refused(const std::string& entry, const std::string& why) const {
    return Failed("unpacking " + name_ + ": its entry '" + entry + "' " + why);
  }

  Status Extract(archive* source, archive_entry* entry) {
    const char* raw = archive_entry_pathname(entry);
    if (raw == nullptr) {
      return Failed(
          "unpacking " + name_ +
          ": an entry's name is not ASCII, and this machine has no UTF-8 locale to decode it; pack a .tar.gz");
    }
    const std::string path = raw;
    if (++entries_ > limits_.entries)
      return Refused(path, "exceeds the maximum of " + std::to_string(limits_.entries) + " entries");
    const auto parts = HasDotDot(path) ? std::nullopt : Walk(path, {});
    if (!parts) return Refused(path, "is outside the target directory");
    if (parts->empty()) return {};  // the entry is the target directory itself, such as "./"
    const Fd parent = MakeParent(*parts);
    if (!parent.valid()) return SystemError("unpacking " + name_ + ": making the directory of '" + path + "'");
    if (const char* target = archive_entry_hardlink(entry)) return ExtractHardLink(path, target, parent, parts->back());
    const mode_t mode = archive_entry_perm(entry) & 0777;
    switch (archive_entry_filetype(entry)) {
      case AE_IFDIR:
        directories_.emplace_back(*parts, mode != 0 ? mode : 0755);
        return MakeDirectory(path, parent, parts->back());
      case AE_IFREG:
        return ExtractFile(source, entry, path, parent, parts->back());
      case AE_IFLNK:
        return ExtractLink(archive_entry_symlink(entry), path, *parts, parent);
      default:
        return Refused(path, "is neither a file, a directory nor a link");
    }
  }

  // Opens the parent directory of an entry without following links. MakeParent creates missing directories.
  Fd MakeParent(const Parts& parts) const { return OpenDirectory(parts, true); }
  Fd OpenParent(const Parts& parts) const { return OpenDirectory(parts, false); }
  Fd OpenDirectory(const Parts& parts, bool make) const {
    Fd here(::fcntl(root_.get(), F_DUPFD_CLOEXEC, 3));
    for (size_t i = 0; here.valid() && i + 1 < parts.size(); ++i) {
      const char* name = parts[i].c_str();
      if (make && ::mkdirat(here.get(), name, 0755) != 0 && errno != EEXIST) return Fd();
      here = Fd(::openat(here.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    }
    return here;
  }

  Status MakeDirectory(const std::string& path, const Fd& parent, const std::string& name) const {
    struct stat info {};
    if (::mkdirat(parent.get(), name.c_str(), 0755) == 0) return {};
    const int error = errno;
    const bool there = ::fstatat(parent.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
    return there ? Status() : SystemError("unpacking " + name_ + ": making the directory '" + path + "'", error);
  }

  Status ExtractFile(archive* source, archive_entry* entry, const std::string& path, const Fd& parent,
                     const std::string& name) {
    const std::string doing = "unpacking " + name_ + ": writing '" + path + "'";
    ::unlinkat(parent.get(), name.c_str(), 0);
    const Fd file(::openat(parent.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.valid()) return SystemError(doing);
    for (;;) {
      const void* bytes = nullptr;
      size_t size = 0;
      la_int64_t offset = 0;
      const int result = archive_read_data_block(source, &bytes, &size, &offset);
      if (result == ARCHIVE_EOF) break;
      if (result == ARCHIVE_RETRY) continue;
      if (result < ARCHIVE_WARN) return ArchiveError(source);
      bytes_ += static_cast<int64_t>(size);
      if (bytes_ > limits_.bytes)
        return Refused(path, "exceeds the " + std::to_string(limits_.bytes) + " bytes allowed in all");
      HOWDAH_TRY_STATUS(CheckDisk(path));
      if (::lseek(file.get(), offset, SEEK_SET) < 0) return SystemError(doing);
      if (Status written = WriteAll(file.get(), {static_cast<const char*>(bytes), size}, "'" + path + "'");
          !written.ok()) {
        return written.error().While("unpacking " + name_);
      }
    }
    // Set size and mode explicitly: a sparse file may end in a hole, and some zip files have no modes.
    if (archive_entry_size_is_set(entry) != 0 && ::ftruncate(file.get(), archive_entry_size(entry)) != 0)
      return SystemError(doing);
    const mode_t mode = archive_entry_perm(entry) & 0777;
    if (::fchmod(file.get(), mode != 0 ? mode : 0644) != 0) return SystemError(doing);
    const timespec time{archive_entry_mtime(entry), archive_entry_mtime_nsec(entry)};
    if (archive_entry_mtime_is_set(entry) != 0) KeepTimes(file.get(), time, time);
    return {};
  }

  // Stops before the disk is full, because other programs, among them Howdah's own agents, also write to the disk.
  Status CheckDisk(const std::string& path) {
    if (bytes_ < check_disk_at_) return {};
    check_disk_at_ = bytes_ + kDiskCheckBytes;
    struct statvfs disk {};
    if (::fstatvfs(root_.get(), &disk) != 0) return {};
    const auto free = static_cast<int64_t>(disk.f_bavail) * static_cast<int64_t>(disk.f_frsize);
    if (free >= limits_.disk_reserve) return {};
    return Refused(path, "does not fit: after " + FormatBytes(bytes_) + " of this archive, its disk has " +
                             FormatBytes(free) + " left; at least " + FormatBytes(limits_.disk_reserve) + " stay free");
  }

  Status ExtractLink(const char* target, const std::string& path, const Parts& parts, const Fd& parent) const {
    if (target == nullptr || *target == '\0') return Refused(path, "is a link to nothing");
    const bool inside = Walk(target, Parts(parts.begin(), parts.end() - 1)).has_value();
    if (!inside && links_ == OutwardLinks::kRefuse) {
      return Refused(path, "is a link to '" + std::string(target) + "', outside the target directory");
    }
    ::unlinkat(parent.get(), parts.back().c_str(), 0);
    if (::symlinkat(target, parent.get(), parts.back().c_str()) == 0) return {};
    return SystemError("unpacking " + name_ + ": making the link '" + path + "'");
  }

  Status ExtractHardLink(const std::string& path, const std::string& target, const Fd& parent,
                         const std::string& name) const {
    const auto parts = HasDotDot(target) ? std::nullopt : Walk(target, {});
    if (!parts || parts->empty()) return Refused(path, "is a link to '" + target + "', outside the directory");
    const Fd target_parent = OpenParent(*parts);
    ::unlinkat(parent.get(), name.c_str(), 0);
    if (target_parent.valid() &&
        ::linkat(target_parent.get(), parts->back().c_str(), parent.get(), name.c_str(), 0) == 0) {
      return {};
    }
    return SystemError("unpacking " + name_ + ": linking '" + path + "' to '" + target + "'");
  }

  std::string name_;
  Fd root_;
  OutwardLinks links_;
  UnpackLimits limits_;
  int64_t bytes_ = 0, entries_ = 0;
  int64_t check_disk_at_ = kDiskCheckBytes;
  std::vector<std::pair<Parts, mode_t>> directories_;
};

// Selects a UTF-8 locale while an archive is read. libarchive converts the Unicode names in zip files to the encoding
// of the locale, and containers have no locale.
class Utf8Text {
 public:
  Utf8Text() {
    for (const char* name : {"C.UTF-8", "C.utf8", "en_US.UTF-8"}) {
      if (locale_ == nullptr) locale_ = ::newlocale(LC_CTYPE_MASK, name, nullptr);
    }
    if (locale_ != nullptr) before_ = ::uselocale(locale_);
  }
  ~Utf8Text() {
    if (locale_ == nullptr) return;
    ::uselocale(before_);
    ::freelocale(locale_);
  }
  Utf8Text(const Utf8Text&) = delete;
  Utf8Text& operator=(const Utf8Text&) = delete;

 private:
  locale_t locale_ = nullptr, before_ = nullptr;
};

// Enables only the decompressors that are linked. For all others libarchive executes a program found in PATH, such as
// lrzip.
void EnableFilters(archive* source) {
  const std::pair<const char* (*)(), int (*)(archive*)> filters[] = {
      {archive_zlib_version, archive_read_support_filter_gzip},
      {archive_bzlib_version, archive_read_support_filter_bzip2},
      {archive_liblzma_version, archive_read_support_filter_xz},
      {archive_libzstd_version, archive_read_support_filter_zstd},
      {archive_liblz4_version, archive_read_support_filter_lz4}};
  for (const auto& [linked_version, enable] : filters) {
    if (linked_version() != nullptr) enable(source);
  }
}

}  // namespace

Status Unpack(const std::string& archive_path, const std::string& directory, OutwardLinks links,
              const UnpackLimits& limits) {
  Fd root(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return SystemError("unpacking " + archive_path + " to " + directory);
  const Utf8Text utf8;
  const std::unique_ptr<archive, int (*)(archive*)> source(archive_read_new(), archive_read_free);
  EnableFilters(source.get());
  archive_read_support_format_zip(source.get());
  archive_read_support_format_tar(source.get());
  constexpr size_t kBlock = 64 << 10;
  if (archive_read_open_filename(source.get(), archive_path.c_str(), kBlock) != ARCHIVE_OK) {
    const char* text = archive_error_string(source.get());
    return Failed("unpacking " + archive_path + ": " + (text != nullptr ? text : "it cannot be opened"));
  }
  return Unpacker(archive_path, std::move(root), links, limits).Run(source.get());
}

}  // namespace howdah::os::files
