// A file system in memory, for tests.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "howdah/storage/files.h"

namespace howdah::storage::history {

class MemoryFiles final : public storage::Files {
 public:
  Result<std::vector<Entry>> List(const std::string& path) override {
    if (failing) return Failed("listing " + path + ": the disk is broken");
    if (unreadable.contains(path)) return Failed("listing " + path + ": Permission denied");
    std::map<std::string, Entry> entries;
    const std::string prefix = path + "/";
    for (const auto& [name, content] : files) {
      if (!name.starts_with(prefix)) continue;
      const size_t slash = name.find('/', prefix.size());
      const std::string own = name.substr(prefix.size(), slash - prefix.size());
      entries[own] = {own, slash != std::string::npos,
                      modified.contains(prefix + own) ? modified[prefix + own] : Instant()};
    }
    if (entries.empty()) return Error{ErrorCode::kNotFound, path + ": nothing is there"};
    std::vector<Entry> list;
    for (const auto& [own, entry] : entries) list.push_back(entry);
    return list;
  }
  Result<std::string> Read(const std::string& path, size_t limit) override {
    const auto found = files.find(path);
    if (found == files.end()) return Error{ErrorCode::kNotFound, path + ": nothing is there"};
    if (found->second.size() > limit) return Failed("reading " + path + ": it is too large");
    return found->second;
  }
  Status ReadFrom(const std::string& path, int64_t offset, const OnBytes& on_bytes) override {
    HOWDAH_TRY(const auto whole, Read(path, SIZE_MAX));
    return on_bytes(std::string_view(whole).substr(std::min(static_cast<size_t>(offset), whole.size())));
  }
  Status Write(const std::string& path, std::string_view bytes) override {
    if (failing) return Failed("writing " + path + ": the disk is broken");
    files[path] = bytes;
    written.push_back(path.substr(path.rfind('/') + 1));
    return {};
  }
  Status MakeDirectories(const std::string&) override { return {}; }
  Status Rename(const std::string& from, const std::string& to) override {
    std::map<std::string, std::string> renamed;
    for (auto& [name, content] : files) {
      const bool is_it = name == from || name.starts_with(from + "/");
      renamed[is_it ? to + name.substr(from.size()) : name] = content;
    }
    files = std::move(renamed);
    return {};
  }
  Status Delete(const std::string& path) override {
    std::erase_if(files, [&](const auto& file) { return file.first == path || file.first.starts_with(path + "/"); });
    return {};
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, content] : files) names.push_back(name);
    return names;
  }

  std::map<std::string, std::string> files;  // a directory exists if it contains files
  std::map<std::string, Instant> modified;
  std::vector<std::string> written;  // file names in the order in which they were written
  bool failing = false;
  std::set<std::string> unreadable;  // directories
};

}  // namespace howdah::storage::history
