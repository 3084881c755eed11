#include "frame.h"

#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "howdah/hadoop/fileserver/serve.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"

namespace howdah::hadoop::fileserver {
namespace {

uint32_t NumberAt(std::string_view bytes, size_t at) {
  uint32_t number = 0;
  for (size_t i = at; i < at + 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

void AppendNumber(std::string& bytes, size_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
}

// Fills `bytes`. Returns false if the input ends before its first byte.
Result<bool> Fill(int fd, std::string& bytes) {
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(fd, bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os::files::SystemError("reading a request");
    if (got == 0 && filled == 0) return false;
    if (got == 0) return Failed("the input ended within a request");
    filled += static_cast<size_t>(got);
  }
  return true;
}

}  // namespace

Result<Sizes> ParseSizes(std::string_view prefix) {
  const Sizes sizes{NumberAt(prefix, 0), NumberAt(prefix, 4)};
  if (sizes.header > kMaxHeader || sizes.payload > kMaxPayload) {
    return Failed("a request has a header of " + std::to_string(sizes.header) + " bytes and a payload of " +
                  std::to_string(sizes.payload) + " bytes; the limits are " + std::to_string(kMaxHeader) + " and " +
                  std::to_string(kMaxPayload));
  }
  return sizes;
}

std::string WriteSizes(size_t header, size_t payload) {
  std::string prefix;
  AppendNumber(prefix, header);
  AppendNumber(prefix, payload);
  return prefix;
}

Result<std::optional<Frame>> ReadFrame(int fd) {
  std::string prefix(kPrefix, '\0');
  HOWDAH_TRY(const bool more, Fill(fd, prefix));
  if (!more) return std::optional<Frame>();
  HOWDAH_TRY(const Sizes sizes, ParseSizes(prefix));
  Frame frame{std::string(sizes.header, '\0'), std::string(sizes.payload, '\0')};
  for (std::string* part : {&frame.header, &frame.payload}) {
    HOWDAH_TRY(const bool complete, Fill(fd, *part));
    if (!complete) return Failed("the input ended within a request");
  }
  return std::optional(std::move(frame));
}

Status WriteFrame(int fd, std::string_view header, std::string_view payload) {
  HOWDAH_TRY_STATUS(
      os::files::WriteAll(fd, WriteSizes(header.size(), payload.size()) + std::string(header), "an answer"));
  return os::files::WriteAll(fd, payload, "an answer");
}

}  // namespace howdah::hadoop::fileserver
