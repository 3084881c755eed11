#include "outside_history.h"

#include "howdah/historyfiles/write.h"
#include "howdah/process/clock.h"
#include "job_record.h"

namespace howdah::yarnplace {
namespace {

constexpr size_t kPiece = size_t{1} << 20;

class TreeFiles final : public backend::Files {
 public:
  explicit TreeFiles(std::unique_ptr<hdfs::FileSystem> files) : files_(std::move(files)) {}

  Result<std::vector<Entry>> List(const std::string& path) override {
    const auto listed = files_->List(path);
    if (!listed.ok()) return listed.error();
    std::vector<Entry> entries;
    for (const hdfs::FileStatus& file : *listed) {
      entries.push_back({file.name, file.directory, Instant(std::chrono::milliseconds(file.modified_millis))});
    }
    return entries;
  }
  Result<std::string> Read(const std::string& path) override { return ReadWhole(*files_, path); }
  Status ReadFrom(const std::string& path, int64_t offset, const OnBytes& on_bytes) override {
    const auto reader = files_->Open(path);
    if (!reader.ok()) return reader.error();
    if (offset >= (*reader)->size()) return {};
    if (const Status sought = (*reader)->Seek(offset); !sought.ok()) return sought;
    for (;;) {
      const auto bytes = (*reader)->Read(kPiece);
      if (!bytes.ok()) return bytes.error();
      if (bytes->empty()) return {};
      if (const Status taken = on_bytes(*bytes); !taken.ok()) return taken;
    }
  }
  Status Write(const std::string& path, std::string_view bytes) override {
    return WriteWhole(*files_, path, bytes, backend::kSharedFile);
  }
  Status MakeDirectories(const std::string& path) override {
    return files_->MakeDirectories(path, backend::kSharedDirectory);
  }
  Status Rename(const std::string& from, const std::string& to) override {
    return files_->Rename(from, to, /*overwrite=*/false);
  }
  Status Delete(const std::string& path) override { return files_->Delete(path, /*recursive=*/true); }

 private:
  std::unique_ptr<hdfs::FileSystem> files_;
};

}  // namespace

Result<std::unique_ptr<backend::Files>> OpenTree(const Cluster& cluster, const std::string& uri) {
  auto opened = hdfs::Open(cluster.configuration(), uri, cluster.open_options());
  if (!opened.ok()) return opened.error();
  return std::unique_ptr<backend::Files>(std::make_unique<TreeFiles>(std::move(*opened)));
}

Status BeginHistory(const Cluster& cluster, const spec::JobSpec& spec, const std::string& journal,
                    const tonyhistory::AmPlace& am) {
  if (spec.tony_history.empty()) return {};
  const auto files = OpenTree(cluster, spec.tony_history);
  if (!files.ok()) return files.error();
  return historyfiles::Begin(**files, {spec, DecodeJournal(journal), am}, process::Clock().Now());
}

Status EndHistory(const Cluster& cluster, const spec::JobSpec& spec, const std::string& journal,
                  const tonyhistory::AmPlace& am) {
  if (spec.tony_history.empty()) return {};
  const auto files = OpenTree(cluster, spec.tony_history);
  if (!files.ok()) return files.error();
  return historyfiles::End(**files, {spec, DecodeJournal(journal), am});
}

}  // namespace howdah::yarnplace
