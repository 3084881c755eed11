#include "howdah/os/files/record_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "howdah/base/crc.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"

namespace howdah::os::files {
namespace {

// The last character is the version.
constexpr std::string_view kMagic = "HWDHREC1";
constexpr size_t kChunk = size_t{64} << 10;

struct Head {
  uint32_t length = 0;
  uint32_t length_crc = 0;
  uint32_t record_crc = 0;
};
static_assert(sizeof(Head) == 12);

uint32_t Crc32c(std::string_view bytes) { return CrcOf(Crc::kCrc32c, bytes); }

uint32_t CrcOfLength(uint32_t length) {
  return Crc32c(std::string_view(reinterpret_cast<const char*>(&length), sizeof length));
}

Head HeadOf(std::string_view record) {
  const auto length = static_cast<uint32_t>(record.size());
  return {length, CrcOfLength(length), Crc32c(record)};
}

// Reads a file from its beginning.
class Input {
 public:
  Input(int fd, const std::string& path) : fd_(fd), path_(path) {}

  // The next `size` bytes, or fewer at the end of the file. Valid until the next call.
  Result<std::string_view> Peek(size_t size) {
    if (begin_ > 0 && buffer_.size() - begin_ < size) buffer_.erase(0, std::exchange(begin_, 0));
    while (buffer_.size() - begin_ < size) {
      const size_t before = buffer_.size();
      // Grow step by step, so that a wrong length in a damaged file does not allocate memory for bytes that are not
      // there.
      buffer_.resize(before + kChunk);
      const ssize_t count = pread(fd_, buffer_.data() + before, kChunk, static_cast<off_t>(read_));
      const int error = errno;
      buffer_.resize(before + static_cast<size_t>(std::max<ssize_t>(count, 0)));
      if (count < 0 && error == EINTR) continue;
      if (count < 0) return SystemError("reading " + path_, error);
      if (count == 0) break;
      read_ += static_cast<uint64_t>(count);
    }
    return std::string_view(buffer_).substr(begin_, size);
  }
  void Skip(size_t size) {
    begin_ += size;
    offset_ += size;
  }
  uint64_t offset() const { return offset_; }

 private:
  int fd_;
  const std::string& path_;
  std::string buffer_;
  size_t begin_ = 0;     // the position in buffer_ at which the unread bytes begin
  uint64_t read_ = 0;    // the position in the file at which the bytes after the buffer begin
  uint64_t offset_ = 0;  // the position in the file of the byte at begin_
};

Error DamageAt(const std::string& path, uint64_t offset, const std::string& what) {
  return Failed("reading " + path + ": damaged at offset " + std::to_string(offset) + " (" + what +
                "); restore the file, or submit the job again");
}

// Returns true if the file begins with kMagic, and false if the file is empty or ends within kMagic. Anything else is
// an error.
Result<bool> SkipMagic(Input& input, const std::string& path) {
  HOWDAH_TRY(const auto magic, input.Peek(kMagic.size()));
  if (magic.size() < kMagic.size() && kMagic.starts_with(magic)) return false;
  if (magic == kMagic) {
    input.Skip(kMagic.size());
    return true;
  }
  return Failed("reading " + path + ": its first bytes are not '" + std::string(kMagic) +
                "', so it was written by another version of howdah, or is damaged");
}

// Passes each whole record to on_record. Returns the size of the magic and all whole records.
Result<uint64_t> ReadAll(int fd, const std::string& path, const OnRecord& on_record) {
  Input input(fd, path);
  HOWDAH_TRY(const bool begun, SkipMagic(input, path));
  while (begun) {
    HOWDAH_TRY(const auto head_bytes, input.Peek(sizeof(Head)));
    if (head_bytes.size() < sizeof(Head)) break;
    Head head;
    std::memcpy(&head, head_bytes.data(), sizeof head);
    if (head.length_crc != CrcOfLength(head.length)) {
      return DamageAt(path, input.offset(), "the length of a record does not match its checksum");
    }
    HOWDAH_TRY(const auto bytes, input.Peek(sizeof(Head) + head.length));
    if (bytes.size() < sizeof(Head) + head.length) break;
    const std::string_view record = bytes.substr(sizeof(Head));
    if (head.record_crc != Crc32c(record)) {
      return DamageAt(path, input.offset(), "a record does not match its checksum");
    }
    if (const Status used = on_record(record); !used.ok()) {
      return used.error().While("reading " + path + " at offset " + std::to_string(input.offset()));
    }
    input.Skip(sizeof(Head) + head.length);
  }
  return input.offset();
}

}  // namespace

Status ReadRecords(const std::string& path, const OnRecord& on_record) {
  const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid() && errno == ENOENT) return {};
  if (!file.valid()) return SystemError("opening " + path);
  HOWDAH_TRY([[maybe_unused]] const auto whole, ReadAll(file.get(), path, on_record));
  return {};
}

Result<RecordFile> RecordFile::Open(const std::string& path, const OnRecord& on_record) {
  Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file.valid()) return SystemError("opening " + path);
  HOWDAH_TRY(const auto whole, ReadAll(file.get(), path, on_record));
  // A new file's mode does not depend on the umask, which may deny the owner to open the file again.
  if (whole == 0 && fchmod(file.get(), 0600) != 0) return SystemError("setting the mode of " + path);
  if (ftruncate(file.get(), static_cast<off_t>(whole)) != 0) {
    return SystemError("removing the torn record at the end of " + path);
  }
  RecordFile records(path, std::move(file));
  if (whole == 0) records.unwritten_ = kMagic;
  return records;
}

Status RecordFile::Append(const std::vector<std::string>& records) {
  for (const std::string& record : records) {
    const Head head = HeadOf(record);
    unwritten_.append(reinterpret_cast<const char*>(&head), sizeof head);
    unwritten_ += record;
  }
  return WriteAndErase(file_.get(), unwritten_, path_);
}

}  // namespace howdah::os::files
