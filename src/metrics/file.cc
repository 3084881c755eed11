#include "howdah/metrics/file.h"

#include <algorithm>
#include <utility>

#include "file_reader.h"
#include "howdah/base/crc.h"
#include "howdah/base/ids.h"
#include "recording.h"
#include "table_builder.h"

namespace howdah::metrics {
namespace {

// The memory that the blocks of one read may need. A valid file needs less: 16 MiB, and the overhead of its columns.
constexpr int64_t kBudget = int64_t{192} << 20;

Result<std::string> ReadRegion(const ReadBytes& read, const Region& region) {
  HOWDAH_TRY(std::string bytes, read(static_cast<int64_t>(region.offset), region.size));
  if (bytes.size() != region.size) return Failed("it ends too early");
  if (CrcOf(Crc::kCrc32c, bytes) != region.crc) return Failed("its checksum is wrong");
  return Decompress(bytes, region.raw_size);
}

// Counts the parts that cannot be read.
class Problems {
 public:
  void Add(const std::string& part, const Error& error) {
    if (count_++ == 0) first_ = part + ": " + error.message;
  }
  int count() const { return count_; }
  std::string Text() const {
    if (count_ == 0) return "";
    return count_ == 1 ? first_ : first_ + "; and " + std::to_string(count_ - 1) + " more parts";
  }

 private:
  int count_ = 0;
  std::string first_;
};

// Reports the problems. Returns an error if nothing could be read.
Result<Table> Finish(TableBuilder& builder, const Problems& problems, int read, std::string* problem) {
  if (problem != nullptr) *problem = problems.Text();
  if (problems.count() > 0 && read == 0) return Failed(problems.Text());
  return builder.Take();
}

}  // namespace

ReadBytes BytesOf(std::string content) {
  return [content = std::move(content)](int64_t offset, int64_t size) -> Result<std::string> {
    if (offset < 0 || offset > static_cast<int64_t>(content.size())) return std::string();
    return content.substr(static_cast<size_t>(offset), static_cast<size_t>(size));
  };
}

File::File(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
File::File(File&&) noexcept = default;
File& File::operator=(File&&) noexcept = default;
File::~File() = default;
Instant File::begun() const { return impl_->begun(); }
const std::vector<TaskKey>& File::tasks() const { return impl_->tasks(); }
Result<Table> File::Read(const Query& query, std::string* problem) const { return impl_->Read(query, problem); }

Result<File> Open(ReadBytes read) {
  HOWDAH_TRY(const std::string header, read(0, static_cast<int64_t>(kHeaderSize)));
  HOWDAH_TRY(const Region region, DecodeHeader(header));
  auto bytes = ReadRegion(read, region);
  if (!bytes.ok()) return bytes.error().While("its index");
  HOWDAH_TRY(auto index, DecodeIndex(*bytes));
  return File(std::make_unique<File::Impl>(std::move(read), std::move(index)));
}

File::Impl::Impl(ReadBytes read, FileIndex index) : read_(std::move(read)), index_(std::move(index)) {
  std::stable_sort(index_.tasks.begin(), index_.tasks.end(), [](const auto& a, const auto& b) {
    return std::pair(a.role, a.index) < std::pair(b.role, b.index);
  });
  for (const FileIndex::Block& block : index_.tasks) {
    tasks_.push_back({index_.names.roles()[block.role], block.index});
  }
}

BlockContext File::Impl::ContextOf(size_t buckets, int64_t& budget) const {
  const Names& names = index_.names;
  return {names.series(), names.reasons().size(), names.capacities().size(), buckets, &budget};
}

Result<std::vector<TrackBlock>> File::Impl::ReadTask(const FileIndex::Block& block, int64_t& budget) const {
  HOWDAH_TRY(const std::string bytes, ReadRegion(read_, block.region));
  return DecodeTracks(bytes, ContextOf(index_.buckets, budget));
}

Result<std::vector<QuantileTrack>> File::Impl::ReadRole(const FileIndex::Block& block, int64_t& budget) const {
  HOWDAH_TRY(const std::string bytes, ReadRegion(read_, block.region));
  return DecodeQuantiles(bytes, ContextOf(index_.quantile_buckets, budget));
}

Result<Table> File::Impl::Read(const Query& query, std::string* problem) const {
  return query.of == Query::Of::kRole && !index_.roles.empty() ? ReadRoles(query, problem) : ReadTasks(query, problem);
}

Result<Table> File::Impl::ReadTasks(const Query& query, std::string* problem) const {
  TableBuilder builder(query, index_.names, index_.begun, index_.width, index_.buckets);
  Problems problems;
  int read = 0;
  int64_t budget = kBudget;
  for (size_t i = 0; i < tasks_.size(); ++i) {
    if (!builder.WantsTask(tasks_[i].role, tasks_[i].index)) continue;
    const auto tracks = ReadTask(index_.tasks[i], budget);
    if (!tracks.ok()) {
      problems.Add(TaskText(tasks_[i].role, tasks_[i].index), tracks.error());
      if (budget < 0) break;
      continue;
    }
    ++read;
    for (const TrackBlock& track : *tracks) {
      builder.Add(index_.tasks[i].role, tasks_[i].index,
                  {track.series, track.rank, track.reason, track.capacity, track.buckets, track.step, track.last,
                   track.last_step});
    }
  }
  return Finish(builder, problems, read, problem);
}

Result<Table> File::Impl::ReadRoles(const Query& query, std::string* problem) const {
  TableBuilder builder(query, index_.names, index_.begun, index_.quantile_width, index_.quantile_buckets);
  Problems problems;
  int read = 0;
  int64_t budget = kBudget;
  for (const FileIndex::Block& block : index_.roles) {
    const std::string& role = index_.names.roles()[block.role];
    if (!builder.WantsRole(role)) continue;
    const auto tracks = ReadRole(block, budget);
    if (!tracks.ok()) {
      problems.Add("role " + role, tracks.error());
      if (budget < 0) break;
      continue;
    }
    ++read;
    for (const QuantileTrack& track : *tracks) builder.AddQuantiles(block.role, track.series, track.buckets);
  }
  return Finish(builder, problems, read, problem);
}

// Loads the quantiles first. Otherwise, the recording would compute them from the tasks.
void File::Impl::LoadInto(Recording& recording, std::string* problem) const {
  Problems problems;
  int64_t budget = kBudget;
  for (const FileIndex::Block& block : index_.roles) {
    const std::string& role = index_.names.roles()[block.role];
    const auto tracks = ReadRole(block, budget);
    if (tracks.ok()) recording.Load(role, *tracks, index_.names, index_.quantile_width);
    if (!tracks.ok()) problems.Add("role " + role, tracks.error());
    if (budget < 0) break;
  }
  for (size_t i = 0; i < tasks_.size() && budget >= 0; ++i) {
    const auto tracks = ReadTask(index_.tasks[i], budget);
    if (tracks.ok()) recording.Load(tasks_[i], *tracks, index_.names, index_.width);
    if (!tracks.ok()) problems.Add(TaskText(tasks_[i].role, tasks_[i].index), tracks.error());
  }
  if (problem != nullptr) *problem = problems.Text();
}

}  // namespace howdah::metrics
