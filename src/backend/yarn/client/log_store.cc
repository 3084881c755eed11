#include "log_store.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "howdah/hadoop/yarnlogs/aggregated_log.h"
#include "howdah/hadoop/yarnlogs/locations.h"
#include "node_logs.h"
#include "staging.h"

namespace howdah::backend::yarn::client {
namespace {

constexpr Duration kFirstReadPause = std::chrono::milliseconds(100), kLongestReadPause = std::chrono::seconds(1);

using Clock = std::chrono::steady_clock;

std::string WithoutScheme(const std::string& path) { return IsUri(path) ? hadoop::hdfs::PathOf(path) : path; }

}  // namespace

// One file of gathered logs.
class LogStore::Aggregated {
 public:
  static Result<std::unique_ptr<Aggregated>> Open(hadoop::hdfs::FileSystem& files, const std::string& path) {
    std::unique_ptr<Aggregated> opened(new Aggregated);
    HOWDAH_TRY(auto reader, files.Open(path));
    opened->reader_ = std::move(reader);
    hadoop::yarnlogs::Source source;
    source.size = opened->reader_->size();
    source.read = [raw = opened.get()](int64_t offset, size_t size) { return raw->ReadAt(offset, size); };
    HOWDAH_TRY(auto log, hadoop::yarnlogs::OpenAggregatedLog(std::move(source)));
    opened->log_ = std::move(log);
    return opened;
  }

  // The parts of a log file in their order; none: the container did not run there.
  Result<std::vector<hadoop::yarnlogs::LogEntry>> Parts(const LogFileLocation& place) {
    auto entries = log_->List(place.container);
    if (!entries.ok()) return entries;
    std::erase_if(*entries, [&](const hadoop::yarnlogs::LogEntry& entry) {
      return entry.container != place.container || entry.name != place.file;
    });
    return entries;
  }

  Status Read(const hadoop::yarnlogs::LogEntry& part, int64_t from, const OnBytes& on_bytes) {
    HOWDAH_TRY(auto stream, log_->Read(part, from));
    for (;;) {
      HOWDAH_TRY(const auto bytes, stream->Next());
      if (bytes.empty()) return {};
      on_bytes(bytes);
    }
  }

 private:
  Result<std::string> ReadAt(int64_t offset, size_t size) {
    const bool in_place = std::exchange(at_, -1) == offset;
    if (!in_place) {
      HOWDAH_TRY_STATUS(reader_->Seek(offset));
    }
    std::string bytes;
    while (bytes.size() < size) {
      HOWDAH_TRY(const auto more, reader_->Read(size - bytes.size()));
      if (more.empty()) return Failed("the file of gathered logs ends early");
      bytes += more;
    }
    at_ = offset + static_cast<int64_t>(size);
    return bytes;
  }

  std::unique_ptr<hadoop::hdfs::Reader> reader_;
  int64_t at_ = 0;
  std::unique_ptr<hadoop::yarnlogs::AggregatedLog> log_;
};

LogStore::LogStore(HadoopClient& cluster, JobId id, std::string user)
    : cluster_(cluster), id_(std::move(id)), user_(std::move(user)) {}
LogStore::~LogStore() = default;

Status LogStore::Read(const LogFileLocation& place, int64_t offset, const OnBytes& on_bytes, Duration limit) {
  const auto end = Clock::now() + limit;
  int64_t handed_on = 0;  // by a look that failed in the middle: the next goes on from there
  const OnBytes count = [&](std::string_view bytes) {
    handed_on += static_cast<int64_t>(bytes.size());
    on_bytes(bytes);
  };
  Error last{ErrorCode::kNotFound, "it is neither gathered yet nor on its node any more"};
  for (Duration pause = kFirstReadPause;; pause = std::min(pause * 2, kLongestReadPause)) {
    for (const auto look : {&LogStore::ReadAggregated, &LogStore::ReadFromNode}) {
      const auto read = (this->*look)(place, offset + handed_on, count);
      if (read.ok() && *read) return {};
      if (!read.ok()) last = read.error();
    }
    if (Clock::now() + pause > end || IsNodeLost(cluster_, place.node)) break;
    poll(nullptr, 0, static_cast<int>(pause.count() / 1000));
  }
  return last.While("reading " + place.file + " of " + place.container + " on " + place.node);
}

Result<bool> LogStore::ReadAggregated(const LogFileLocation& place, int64_t offset, const OnBytes& on_bytes) {
  const auto& configuration = cluster_.configuration();
  const auto value = [&](const std::string& key) { return configuration.Get(key); };
  HOWDAH_TRY(const auto files, cluster_.Files());
  for (const std::string& directory : hadoop::yarnlogs::LogDirectories(value, user_, id_.text)) {
    const auto listed = files->List(WithoutScheme(directory));
    if (!listed.ok()) continue;  // another format, or not there yet
    std::vector<std::string> names;
    for (const hadoop::hdfs::FileStatus& file : *listed) names.push_back(file.name);
    for (const std::string& name : hadoop::yarnlogs::LogFilesOf("", names)) {
      if (!place.node.empty() && !name.starts_with(place.node + "_")) continue;
      const std::string path = WithoutScheme(directory) + "/" + name;
      auto& opened = opened_[path];
      if (!opened) {
        auto log = Aggregated::Open(*files, path);
        if (!log.ok()) return log.error().While("reading the gathered logs " + path);
        opened = std::move(*log);
      }
      const auto parts = opened->Parts(place);
      if (!parts.ok()) return parts.error().While("reading the gathered logs " + path);
      int64_t begin = 0;
      for (const hadoop::yarnlogs::LogEntry& part : *parts) {
        const int64_t from = std::clamp<int64_t>(offset - begin, 0, part.length);
        HOWDAH_TRY_STATUS(opened->Read(part, from, on_bytes));
        begin += part.length;
      }
      if (!parts->empty()) return true;
    }
  }
  return false;
}

Result<bool> LogStore::ReadFromNode(const LogFileLocation& place, int64_t offset, const OnBytes& on_bytes) {
  return ReadNodeLog(cluster_, place, offset, on_bytes);
}

}  // namespace howdah::backend::yarn::client
