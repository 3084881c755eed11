#include "howdah/os/files/space.h"

#include <stdlib.h>
#include <sys/statvfs.h>

#include <memory>

#include "howdah/base/bytes.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"

namespace howdah::os::files {
namespace {

// Replaces the octal escapes, such as \040 for a space, in a field of mountinfo.
std::string Unescaped(std::string_view field) {
  std::string text;
  for (size_t i = 0; i < field.size(); ++i) {
    if (field[i] == '\\' && i + 3 < field.size()) {
      text += static_cast<char>((field[i + 1] - '0') * 64 + (field[i + 2] - '0') * 8 + (field[i + 3] - '0'));
      i += 3;
    } else {
      text += field[i];
    }
  }
  return text;
}

std::string_view NextField(std::string_view& line) {
  const size_t end = std::min(line.find(' '), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

bool IsBelow(std::string_view path, std::string_view directory) {
  if (directory == "/") return true;
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace

// A line of mountinfo is "36 35 98:0 /root /mount/point options optional-fields - type source options". If several file
// systems are mounted at one directory, only the last one is visible.
Space MountOf(std::string_view mountinfo, std::string_view path) {
  Space found;
  while (!mountinfo.empty()) {
    const size_t end = std::min(mountinfo.find('\n'), mountinfo.size());
    std::string_view line = mountinfo.substr(0, end);
    mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
    for (int skipped = 0; skipped < 4; ++skipped) NextField(line);
    const std::string mount_point = Unescaped(NextField(line));
    const size_t dash = line.find(" - ");
    if (dash == std::string_view::npos || !IsBelow(path, mount_point)) continue;
    if (mount_point.size() < found.mount_point.size()) continue;
    line.remove_prefix(dash + 3);
    found.mount_point = mount_point;
    found.type = NextField(line);
  }
  return found;
}

Result<Space> SpaceAt(const std::string& path) {
  std::string existing = path;
  std::unique_ptr<char, decltype(&free)> resolved(realpath(existing.c_str(), nullptr), free);
  while (!resolved && existing.size() > 1) {
    const size_t slash = existing.rfind('/');
    existing = slash == std::string::npos ? "." : slash == 0 ? "/" : existing.substr(0, slash);
    resolved.reset(realpath(existing.c_str(), nullptr));
    if (existing == "." || existing == "/") break;
  }
  struct statvfs disk {};
  if (!resolved || statvfs(resolved.get(), &disk) != 0) return SystemError("reading the free space of " + path);
  const auto mounts = ReadFile("/proc/self/mountinfo");
  Space space = mounts.ok() ? MountOf(*mounts, resolved.get()) : Space{existing, "", 0, 0, -1};
  space.size = static_cast<int64_t>(disk.f_blocks) * static_cast<int64_t>(disk.f_frsize);
  space.free = static_cast<int64_t>(disk.f_bavail) * static_cast<int64_t>(disk.f_frsize);
  if (disk.f_files > 0) space.files_free = static_cast<int64_t>(disk.f_favail);
  return space;
}

std::string ToText(const Space& space) {
  return space.mount_point + (space.type.empty() ? "" : " (" + space.type + ")") + ", " + FormatBytes(space.size) +
         ", " + FormatBytes(space.free) + " free" + (space.files_free == 0 ? ", and no more files can be made" : "");
}

}  // namespace howdah::os::files
