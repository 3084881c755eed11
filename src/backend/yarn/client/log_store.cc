#include "log_store.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "howdah/base/text.h"
#include "howdah/hadoop/web/authorities.h"
#include "howdah/hadoop/yarnlogs/aggregated_log.h"
#include "howdah/hadoop/yarnlogs/locations.h"
#include "howdah/hadoop/yarnlogs/node_text.h"
#include "staging.h"

namespace howdah::backend::yarn::client {
namespace {

using backend::LogSource;
using backend::LogStream;

constexpr Duration kFirstReadPause = std::chrono::milliseconds(100), kMaxReadPause = std::chrono::seconds(1);

constexpr int kOk = 200, kUnauthorized = 401, kForbidden = 403, kNotThere = 404;
constexpr size_t kReadBlock = size_t{1} << 20;
constexpr size_t kShown = 300;  // bytes of an answer in a message

using Clock = std::chrono::steady_clock;

std::string WithoutScheme(const std::string& path) { return IsUri(path) ? hadoop::hdfs::PathOf(path) : path; }

std::string LogUrl(const std::string& scheme, const std::string& address, const LogFileLocation& location,
                   const std::string& user) {
  return scheme + "://" + address + "/ws/v1/node/containers/" + location.container + "/logs/" + location.file +
         "?user.name=" + user;
}

}  // namespace

std::string LogFileName(const LogSource& source, bool several_processes) {
  std::string name = "attempt-" + std::to_string(source.attempt);
  if (several_processes) name += ".rank-" + std::to_string(source.local_rank);
  return name + (source.stream == LogStream::kStdout ? ".stdout" : ".stderr");
}

std::map<LogSource, LogFileLocation> LogLocations(const std::vector<core::JournalEntry>& journal) {
  struct Home {
    std::string container, node;
  };
  std::map<std::pair<std::string, int>, Home> homes;
  std::map<LogSource, LogFileLocation> locations;
  for (const core::JournalEntry& entry : journal) {
    const auto* task = std::get_if<core::TaskChanged>(&entry.change);
    if (task == nullptr) continue;
    Home& home = homes[{task->role, task->index}];
    if (task->container) home.container = *task->container;
    if (task->node) home.node = *task->node;
    using Type = core::TaskChanged::Type;
    const bool began = task->type == Type::kStarted || (task->type == Type::kExited && task->exit);
    if (!began || home.container.empty()) continue;
    const int processes = task->pids ? std::max(1, static_cast<int>(task->pids->size())) : 1;
    for (int rank = 0; rank < processes; ++rank) {
      for (const LogStream stream : {LogStream::kStdout, LogStream::kStderr}) {
        const LogSource source{task->role, task->index, task->attempt, rank, stream};
        // Include kExited: an attempt that failed to start has no entry kStarted, but its stderr may show the cause.
        locations.try_emplace(source, LogFileLocation{home.container, home.node, LogFileName(source, processes > 1)});
      }
    }
  }
  return locations;
}

LogSource FromWire(const wire::LogSource& source) {
  return {source.role(), source.index(), source.attempt(), source.local_rank(),
          source.is_stderr() ? LogStream::kStderr : LogStream::kStdout};
}

wire::LogSource ToWire(const LogSource& source) {
  wire::LogSource wire;
  wire.set_role(source.role);
  wire.set_index(source.index);
  wire.set_attempt(source.attempt);
  wire.set_local_rank(source.local_rank);
  wire.set_is_stderr(source.stream == LogStream::kStderr);
  return wire;
}

bool Matches(const backend::LogSelection& selection, const LogSource& source) {
  if (selection.role && *selection.role != source.role) return false;
  if (selection.index && *selection.index != source.index) return false;
  if (selection.attempt && *selection.attempt != source.attempt) return false;
  return source.stream == LogStream::kStdout ? selection.want_stdout : selection.want_stderr;
}

// One file of aggregated logs. It has the logs of one node.
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

  // Returns the parts of a log file in order, or no parts if the container did not run on that node.
  Result<std::vector<hadoop::yarnlogs::LogEntry>> Parts(const LogFileLocation& location) {
    HOWDAH_TRY(auto entries, log_->List(location.container));
    std::erase_if(entries, [&](const hadoop::yarnlogs::LogEntry& entry) {
      return entry.container != location.container || entry.name != location.file;
    });
    return entries;
  }

  // Returns whether to go on with the next part.
  Result<bool> Read(const hadoop::yarnlogs::LogEntry& part, int64_t from, const OnBytes& on_bytes) {
    HOWDAH_TRY(auto stream, log_->Read(part, from));
    for (;;) {
      HOWDAH_TRY(const auto bytes, stream->Next());
      if (bytes.empty()) return true;
      if (!on_bytes(bytes)) return false;
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
      if (more.empty()) return Failed("the file of aggregated logs is truncated");
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

Status LogStore::Read(const LogFileLocation& location, int64_t offset, const OnBytes& on_bytes, Duration limit) {
  const auto end = Clock::now() + limit;
  int64_t delivered = 0;  // a failed read may have delivered a part; the next read continues after it
  const OnBytes count = [&](std::string_view bytes) {
    delivered += static_cast<int64_t>(bytes.size());
    return on_bytes(bytes);
  };
  const auto enabled = cluster_.configuration().Bool("yarn.log-aggregation-enable", false);
  const bool aggregates = enabled.ok() && *enabled;
  Error last{ErrorCode::kNotFound, aggregates
                                       ? "the log is not aggregated yet and no longer on its node"
                                       : "the log is no longer on its node, and yarn.log-aggregation-enable is off"};
  for (Duration pause = kFirstReadPause;; pause = std::min(pause * 2, kMaxReadPause)) {
    const bool fresh = !stored_;
    for (const auto read_from : {&LogStore::ReadStored, &LogStore::ReadAggregated, &LogStore::ReadFromNode}) {
      const auto read = (this->*read_from)(location, offset + delivered, count);
      if (read.ok() && *read) return {};
      if (!read.ok()) last = read.error();
    }
    stored_.reset();
    if (!fresh) continue;  // an executor may have stored the file after an earlier call listed the directories
    if (!aggregates && !last.remedy.empty()) break;  // waiting does not help: the user must do something
    if (Clock::now() + pause > end || IsNodeLost(location.node)) break;
    poll(nullptr, 0, static_cast<int>(pause.count() / 1000));
  }
  return last.While("reading " + location.file + " of " + location.container + " on " + location.node);
}

// Most jobs store no logs, so one listing for all files replaces an attempt to open each of them.
Status LogStore::ListStored() {
  HOWDAH_TRY(const auto files, cluster_.Files());
  HOWDAH_TRY(const auto layout, cluster_.StagingLayout());
  std::vector<Stored> found;
  for (const std::string& directory : {layout.history_logs(id_), layout.logs(id_)}) {
    const auto listed = files->List(directory);
    if (!listed.ok() && listed.error().code == ErrorCode::kNotFound) continue;
    if (!listed.ok()) return listed.error();
    Stored& stored = found.emplace_back(Stored{directory, {}});
    for (const hadoop::hdfs::FileStatus& container : *listed) stored.containers.insert(container.name);
  }
  stored_ = std::move(found);
  return {};
}

Result<bool> LogStore::ReadStored(const LogFileLocation& location, int64_t offset, const OnBytes& on_bytes) {
  if (!stored_) HOWDAH_TRY_STATUS(ListStored());
  HOWDAH_TRY(const auto files, cluster_.Files());
  for (const Stored& stored : *stored_) {
    if (!stored.containers.contains(location.container)) continue;
    const auto reader = files->Open(stored.directory + "/" + location.container + "/" + location.file);
    if (!reader.ok() && reader.error().code == ErrorCode::kNotFound) continue;
    if (!reader.ok()) return reader.error();
    HOWDAH_TRY_STATUS((*reader)->Seek(std::min(offset, (*reader)->size())));
    for (;;) {
      HOWDAH_TRY(const auto bytes, (*reader)->Read(kReadBlock));
      if (bytes.empty() || !on_bytes(bytes)) return true;
    }
  }
  return false;
}

Result<bool> LogStore::ReadAggregated(const LogFileLocation& location, int64_t offset, const OnBytes& on_bytes) {
  const auto& configuration = cluster_.configuration();
  const auto value = [&](const std::string& key) { return configuration.Get(key); };
  HOWDAH_TRY(const auto files, cluster_.Files());
  for (const std::string& directory : hadoop::yarnlogs::LogDirectories(value, user_, id_.text)) {
    const auto listed = files->List(WithoutScheme(directory));
    if (!listed.ok()) continue;  // this log format is not in use, or the directory does not exist yet
    std::vector<std::string> names;
    for (const hadoop::hdfs::FileStatus& file : *listed) names.push_back(file.name);
    for (const std::string& name : hadoop::yarnlogs::LogFilesOf("", names)) {
      if (!location.node.empty() && !name.starts_with(location.node + "_")) continue;
      const std::string path = WithoutScheme(directory) + "/" + name;
      auto& opened = opened_[path];
      if (!opened) {
        auto log = Aggregated::Open(*files, path);
        if (!log.ok()) return log.error().While("reading the aggregated logs " + path);
        opened = std::move(*log);
      }
      const auto parts = opened->Parts(location);
      if (!parts.ok()) return parts.error().While("reading the aggregated logs " + path);
      int64_t begin = 0;
      for (const hadoop::yarnlogs::LogEntry& part : *parts) {
        const int64_t from = std::clamp<int64_t>(offset - begin, 0, part.length);
        HOWDAH_TRY(const bool goes_on, opened->Read(part, from, on_bytes));
        if (!goes_on) return true;
        begin += part.length;
      }
      if (!parts->empty()) return true;
    }
  }
  return false;
}

Result<bool> LogStore::ReadFromNode(const LogFileLocation& location, int64_t offset, const OnBytes& on_bytes) {
  HOWDAH_TRY(const auto rm, cluster_.Rm());
  HOWDAH_TRY(const auto nodes, rm->ClusterNodes({}));
  const std::string scheme = cluster_.configuration().Text("yarn.http.policy") == "HTTPS_ONLY" ? "https" : "http";
  Error last{ErrorCode::kNotFound, ""};
  for (const auto& node : nodes) {
    if (node.nodeid().host() != location.node || node.httpaddress().empty()) continue;
    bool enough = false;
    hadoop::yarnlogs::NodeText text(offset, [&](std::string_view bytes) { enough = enough || !on_bytes(bytes); });
    Status parsed;
    const std::string url = LogUrl(scheme, node.httpaddress(), location, cluster_.user());
    const auto got = web().Get(url, {}, [&](std::string_view bytes) {
      parsed = text.Add(bytes);
      return parsed.ok() && !text.whole() && !enough;
    });
    if (!parsed.ok()) return parsed.error();
    if (text.whole() || enough) return true;
    if (!got.ok()) last = got.error();
    if (got.ok() && got->status != kOk && got->status != kNotThere) {
      const std::string what = "reading " + url + ": the NodeManager answered with status " +
                               std::to_string(got->status) + ": " + OneLine(got->error_text, kShown);
      const bool refused = got->status == kUnauthorized || got->status == kForbidden;
      last = refused ? Error::WithRemedy(ErrorCode::kUnavailable, what, "log in as the owner of the job: kinit")
                     : Failed(what);
    }
  }
  if (!last.message.empty()) return last;
  return false;
}

hadoop::web::WebClient& LogStore::web() {
  if (!web_) {
    const auto& login = cluster_.kerberos();
    web_ = std::make_unique<hadoop::web::WebClient>(hadoop::web::AuthoritiesOf(cluster_.configuration()),
                                                    login && login->ok() ? (*login)->login : nullptr);
  }
  return *web_;
}

bool LogStore::IsNodeLost(const std::string& node) {
  const auto rm = cluster_.Rm();
  const auto nodes = rm.ok() ? (*rm)->ClusterNodes({}) : rm.error();
  if (!nodes.ok()) return false;
  bool lost = false;
  for (const auto& report : *nodes) {
    if (report.nodeid().host() != node) continue;
    if (report.node_state() != ::hadoop::yarn::NS_LOST) return false;  // another NodeManager of that host is not lost
    lost = true;
  }
  return lost;
}

}  // namespace howdah::backend::yarn::client
