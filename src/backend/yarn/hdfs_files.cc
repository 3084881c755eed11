#include "howdah/backend/yarn/hdfs_files.h"

#include "howdah/backend/yarn/job_record.h"
#include "howdah/os/process/clock.h"
#include "howdah/storage/history/write.h"

namespace howdah::backend::yarn {
namespace {

constexpr size_t kPiece = size_t{1} << 20;

class HdfsFiles final : public storage::Files {
 public:
  explicit HdfsFiles(std::unique_ptr<hadoop::hdfs::FileSystem> files) : files_(std::move(files)) {}

  Result<std::vector<Entry>> List(const std::string& path) override {
    HOWDAH_TRY(const auto listed, files_->List(path));
    std::vector<Entry> entries;
    for (const hadoop::hdfs::FileStatus& file : listed) {
      entries.push_back({file.name, file.directory, Instant(std::chrono::milliseconds(file.modified_millis))});
    }
    return entries;
  }
  Result<std::string> Read(const std::string& path) override { return ReadWhole(*files_, path); }
  Status ReadFrom(const std::string& path, int64_t offset, const OnBytes& on_bytes) override {
    HOWDAH_TRY(const auto reader, files_->Open(path));
    if (offset >= reader->size()) return {};
    HOWDAH_TRY_STATUS(reader->Seek(offset));
    for (;;) {
      HOWDAH_TRY(const auto bytes, reader->Read(kPiece));
      if (bytes.empty()) return {};
      HOWDAH_TRY_STATUS(on_bytes(bytes));
    }
  }
  Status Write(const std::string& path, std::string_view bytes) override {
    return WriteWhole(*files_, path, bytes, storage::kSharedFile);
  }
  Status MakeDirectories(const std::string& path) override {
    return files_->MakeDirectories(path, storage::kSharedDirectory);
  }
  Status Rename(const std::string& from, const std::string& to) override {
    return files_->Rename(from, to, /*overwrite=*/false);
  }
  Status Delete(const std::string& path) override { return files_->Delete(path, /*recursive=*/true); }

 private:
  std::unique_ptr<hadoop::hdfs::FileSystem> files_;
};

}  // namespace

Result<std::unique_ptr<storage::Files>> OpenHdfsFiles(const HadoopClient& cluster, const std::string& uri) {
  HOWDAH_TRY(auto opened, hadoop::hdfs::Open(cluster.configuration(), uri, cluster.open_options()));
  return std::unique_ptr<storage::Files>(std::make_unique<HdfsFiles>(std::move(opened)));
}

Status BeginTonyHistory(const HadoopClient& cluster, const jobspec::JobSpec& spec, const std::string& journal,
                        const compat::tony::history::AmPlace& am) {
  if (spec.tony_history.empty()) return {};
  HOWDAH_TRY(const auto files, OpenHdfsFiles(cluster, spec.tony_history));
  return storage::history::Begin(*files, {spec, DecodeJournal(journal), am}, os::process::Clock().Now());
}

Status FinishTonyHistory(const HadoopClient& cluster, const jobspec::JobSpec& spec, const std::string& journal,
                         const compat::tony::history::AmPlace& am) {
  if (spec.tony_history.empty()) return {};
  HOWDAH_TRY(const auto files, OpenHdfsFiles(cluster, spec.tony_history));
  return storage::history::End(*files, {spec, DecodeJournal(journal), am});
}

}  // namespace howdah::backend::yarn
