#include "manifest.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "howdah/base/json_depth.h"
#include "howdah/os/files/archive.h"
#include "howdah/os/files/directories_below.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"

namespace howdah::executor {
namespace {

using Json = nlohmann::json;
using Kind = ManifestEntry::Kind;

constexpr size_t kStep = size_t{256} << 10;
constexpr unsigned kFileMode = 0644, kDirectoryMode = 0755, kModeMask = 07777, kPermissions = 0777;

// Splits "a//./b" into "a", "b". Returns nullopt if the path is absolute or contains "..".
std::optional<std::vector<std::string>> NormalizedParts(std::string_view path) {
  if (path.starts_with('/') || path.find('\0') != path.npos) return std::nullopt;
  std::vector<std::string> parts;
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string part(path.substr(at, end - at));
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") return std::nullopt;
    parts.push_back(part);
  }
  return parts;
}

std::string Join(const std::vector<std::string>& parts) {
  std::string path;
  for (const std::string& part : parts) path += (path.empty() ? "" : "/") + part;
  return path.empty() ? "." : path;
}

Status CheckKeys(const Json& json) {
  for (const auto& [key, value] : json.items()) {
    const bool text = key == "path" || key == "resource" || key == "link" || key == "role";
    const bool flag = key == "directory" || key == "unpack";
    const bool number = key == "offset" || key == "size";
    if (!text && !flag && !number && key != "mode") return Failed("unknown key '" + key + "'");
    if (text && !value.is_string()) return Failed(key + " is not a string");
    if (flag && !value.is_boolean()) return Failed(key + " is neither true nor false");
    if (number && !value.is_number_unsigned()) return Failed(key + " is not a number of bytes");
    if (key == "mode" && (!value.is_number_unsigned() || value.get<uint64_t>() > kModeMask)) {
      return Failed("mode is not a number from 0 to 4095");
    }
  }
  return {};
}

Result<ManifestEntry> ParseEntry(const Json& json) {
  if (!json.is_object()) return Failed("not an object");
  HOWDAH_TRY_STATUS(CheckKeys(json));
  const auto parts = NormalizedParts(json.value("path", "/"));
  if (!parts) return Failed("path is not below the working directory");
  ManifestEntry entry;
  entry.path = Join(*parts);
  entry.resource = json.value("resource", "");
  entry.link = json.value("link", "");
  entry.role = json.value("role", "");
  const bool directory = json.value("directory", false), unpack = json.value("unpack", false);
  if (directory + json.contains("resource") + json.contains("link") != 1) {
    return Failed("expected exactly one of resource, link and directory");
  }
  if (unpack && !json.contains("resource")) return Failed("unpack without a resource");
  const bool has_name = !entry.resource.empty() && entry.resource != "." && entry.resource != "..";
  if (json.contains("resource") &&
      (!has_name || entry.resource.find_first_of(std::string_view("/\0", 2)) != std::string::npos)) {
    return Failed("resource is not a name in the staging directory");
  }
  entry.kind = directory               ? Kind::kDirectory
               : json.contains("link") ? Kind::kLink
               : unpack                ? Kind::kUnpack
                                       : Kind::kCopy;
  if (parts->empty() && (entry.kind == Kind::kLink || entry.kind == Kind::kCopy)) {
    return Failed("path is the working directory itself");
  }
  if (json.contains("offset") != json.contains("size") || (json.contains("offset") && entry.kind != Kind::kCopy)) {
    return Failed("offset and size must be given together, for a resource that is not unpacked");
  }
  if (json.contains("offset")) entry.range.emplace(json["offset"].get<uint64_t>(), json["size"].get<uint64_t>());
  if (entry.kind == Kind::kLink && (entry.link.empty() || entry.link.find('\0') != entry.link.npos)) {
    return Failed("link must be a path: not empty and without NUL");
  }
  // Drop the set-user-id, set-group-id and sticky bits: the owner of the copy may differ from the owner of the
  // original.
  entry.mode = json.value("mode", entry.kind == Kind::kDirectory ? kDirectoryMode : kFileMode) & kPermissions;
  return entry;
}

Status UnpackTo(const std::string& resource, const std::string& target) {
  struct stat info {};
  if (::stat(resource.c_str(), &info) != 0) return os::files::SystemError("reading " + resource);
  return S_ISDIR(info.st_mode) ? os::files::CopyTree(resource, target) : os::files::Unpack(resource, target);
}

Status CopyRange(const std::string& from, std::pair<uint64_t, uint64_t> range, const std::string& to) {
  const os::files::Fd source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!source.valid()) return os::files::SystemError("reading " + from);
  ::unlink(to.c_str());
  const os::files::Fd target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!target.valid()) return os::files::SystemError("making " + to);
  std::string buffer(kStep, '\0');
  for (auto [offset, left] = range; left > 0;) {
    const ssize_t size =
        ::pread(source.get(), buffer.data(), std::min<uint64_t>(left, kStep), static_cast<off_t>(offset));
    if (size < 0) return os::files::SystemError("reading " + from);
    if (size == 0) return Failed(from + " is shorter than the requested range");
    HOWDAH_TRY_STATUS(
        os::files::WriteAll(target.get(), std::string_view(buffer).substr(0, static_cast<size_t>(size)), to));
    offset += static_cast<uint64_t>(size);
    left -= static_cast<uint64_t>(size);
  }
  return {};
}

Status Apply(const ManifestEntry& entry, const std::string& staging_dir, const std::string& work_dir) {
  const std::string target = work_dir + "/" + entry.path, resource = staging_dir + "/" + entry.resource;
  const size_t slash = entry.path.rfind('/');
  const bool is_directory = entry.kind == Kind::kDirectory || entry.kind == Kind::kUnpack;
  const std::string parent = slash == std::string::npos ? "." : entry.path.substr(0, slash);
  // Follow no symbolic link, because a link in the working directory may lead anywhere.
  HOWDAH_TRY(const auto made, os::files::MakeDirectoriesBelow(work_dir, is_directory ? entry.path : parent));
  static_cast<void>(made);
  switch (entry.kind) {
    case Kind::kUnpack:
      return UnpackTo(resource, target);
    case Kind::kDirectory:
      if (::chmod(target.c_str(), entry.mode | 0700) != 0) return os::files::SystemError("making " + target);
      return {};
    case Kind::kLink:
      ::unlink(target.c_str());
      if (::symlink(entry.link.c_str(), target.c_str()) != 0)
        return os::files::SystemError("making the link " + target);
      return {};
    case Kind::kCopy:
      break;
  }
  HOWDAH_TRY_STATUS(entry.range ? CopyRange(resource, *entry.range, target) : os::files::CopyTree(resource, target));
  struct stat info {};
  if (::lstat(target.c_str(), &info) != 0) return os::files::SystemError("copying to " + target);
  if (!S_ISREG(info.st_mode)) return {};  // keep the file modes of a directory that the backend has unpacked
  if (::chmod(target.c_str(), entry.mode | 0600) != 0) return os::files::SystemError("copying to " + target);
  return {};
}

}  // namespace

Result<std::vector<ManifestEntry>> ParseManifest(std::string_view text) {
  constexpr int kMostNesting = 10;  // a valid manifest nests 2 deep
  if (NestsDeeper(text, kMostNesting)) return Failed("nested more than " + std::to_string(kMostNesting) + " deep");
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_array()) return Failed("not a JSON array");
  std::vector<ManifestEntry> entries;
  for (const Json& element : json) {
    auto entry = ParseEntry(element);
    if (!entry) {
      return entry.error().While("entry " + std::to_string(entries.size()) + ", " +
                                 element.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    entries.push_back(std::move(*entry));
  }
  return entries;
}

Status ApplyManifest(const std::vector<ManifestEntry>& manifest, const std::string& role,
                     const std::string& staging_dir, const std::string& work_dir) {
  for (const ManifestEntry& entry : manifest) {
    if (!entry.role.empty() && entry.role != role) continue;
    if (Status done = Apply(entry, staging_dir, work_dir); !done.ok()) return done.error().While(entry.path);
  }
  return {};
}

}  // namespace howdah::executor
