#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <memory>
#include <set>
#include <utility>

#include "api.h"
#include "howdah/base/ids.h"
#include "howdah/base/text.h"
#include "json_text.h"
#include "live_logs.h"
#include "log_reader.h"

namespace howdah::portal {
namespace {

using backend::Cluster;
using backend::LogSource;
using web::Arguments;
using web::Request;
using web::Respond;
using web::Response;
using web::ValueType;

constexpr int64_t kMostBytes = int64_t{4} << 20;
constexpr int64_t kPiece = int64_t{1} << 20;  // of a download
constexpr int64_t kMostHits = 2000;
constexpr int kMostSearches = 2;  // at once, for each portal: each needs a thread of the backend for some time

Json SourceJson(const LogSource& source) {
  return {{"task", TaskText(source.role, source.index)},
          {"role", source.role},
          {"index", source.index},
          {"attempt", source.attempt},
          {"rank", source.local_rank},
          {"stream", ToText(source.stream)}};
}

Result<Response> SourcesAnswer(Cluster& cluster, const JobId& id) {
  HOWDAH_TRY(const auto sources, cluster.LogSources(id));
  Json list = Json::array();
  for (const LogSource& source : sources) list.push_back(SourceJson(source));
  return web::Json(Dump({{"sources", std::move(list)}, {"location", cluster.LogsLocation(id)}}) + "\n");
}

// The log that a request names.
struct LogRequest {
  std::string role;
  int index = 0;
  std::optional<int64_t> attempt;  // nullopt: the newest
  int rank = 0;
  backend::LogStream stream = backend::LogStream::kStdout;
};

Result<LogRequest> LogRequestOf(const Arguments& arguments) {
  const auto task = ParseTask(arguments.Text("task"));
  if (!task) {
    return Error{ErrorCode::kUsage, "'" + OneLine(arguments.Text("task"), 100) +
                                        "' is not a task; write ROLE:INDEX, for example worker:0"};
  }
  return LogRequest{task->first, task->second, arguments.Integer("attempt"),
                    static_cast<int>(arguments.Integer("rank").value_or(0)),
                    ParseLogStream(arguments.Text("stream")).value_or(backend::LogStream::kStdout)};
}

Error NoSuchLog(const JobId& id, const LogSource& source) {
  return {ErrorCode::kNotFound,
          TaskText(source.role, source.index) + " of " + id.text + " has no " + std::string(ToText(source.stream)) +
              " of rank " + std::to_string(source.local_rank) + " in attempt " + std::to_string(source.attempt)};
}

Result<LogSource> FindSource(Cluster& cluster, const JobId& id, const LogRequest& request) {
  LogSource source{request.role, request.index, 0, request.rank, request.stream};
  HOWDAH_TRY(const auto sources, cluster.LogSources(id));
  bool found = false;
  std::set<std::string> tasks;
  for (const LogSource& each : sources) {
    tasks.insert(TaskText(each.role, each.index));
    if (each.role != request.role || each.index != request.index) continue;
    const bool is_attempt = !request.attempt || *request.attempt == each.attempt;
    if (!is_attempt || each.local_rank != request.rank || each.stream != request.stream) continue;
    source.attempt = std::max(source.attempt, each.attempt);
    found = true;
  }
  if (found) return source;
  source.attempt = static_cast<int>(request.attempt.value_or(0));
  if (tasks.contains(TaskText(request.role, request.index))) return NoSuchLog(id, source);
  return Error{ErrorCode::kNotFound, TaskText(request.role, request.index) + " of " + id.text + " has no output" +
                                         (tasks.empty() ? std::string(", and neither has any other task")
                                                        : "; these tasks have: " + Join(tasks))};
}

Result<std::unique_ptr<backend::LogFile>> Open(Cluster& cluster, const JobId& id, const LogSource& source) {
  auto log = cluster.OpenLog(id, source);
  if (!log.ok() && log.error().code == ErrorCode::kNotFound) return NoSuchLog(id, source);
  return log;
}

// The part of a log that a request names. At most one of the first three is set.
struct LogPart {
  std::optional<int64_t> offset, line, tail;
  int64_t limit = kMostBytes;
};

Result<Response> PartAnswer(Cluster& cluster, const JobId& id, const LogRequest& request, const LogPart& part) {
  HOWDAH_TRY(const LogSource source, FindSource(cluster, id, request));
  HOWDAH_TRY(const auto log, Open(cluster, id, source));
  HOWDAH_TRY(const int64_t size, log->Size());
  int64_t offset = std::min(part.offset.value_or(0), size);
  if (part.line) {
    HOWDAH_TRY(offset, OffsetOfLine(*log, *part.line));
  } else if (part.tail) {
    HOWDAH_TRY(offset, OffsetOfTail(*log, *part.tail));
  }
  HOWDAH_TRY(std::string bytes, log->Read(offset, part.limit));
  Response response{200, {{"Content-Type", "text/plain; charset=utf-8"}}, std::move(bytes)};
  response.headers.Set("Howdah-Offset", std::to_string(offset));
  response.headers.Set("Howdah-Size", std::to_string(std::max(size, offset)));
  response.headers.Set("Howdah-Attempt", std::to_string(source.attempt));
  if (part.line) response.headers.Set("Howdah-Line", std::to_string(*part.line));
  return response;
}

// Sends a log in pieces, as fast as the client takes them. Owned by its writer's callbacks and its calls.
class Download : public std::enable_shared_from_this<Download> {
 public:
  Download(Services& services, BackendService& backend, JobId id, LogSource source, int64_t offset, int64_t size,
           std::shared_ptr<web::BodyWriter> writer)
      : services_(services),
        backend_(backend),
        id_(std::move(id)),
        source_(std::move(source)),
        offset_(offset),
        left_(size),
        writer_(std::move(writer)) {}

  void Start() {
    writer_->OnReady([self = shared_from_this()] { self->SendNext(); });
    SendNext();
  }

 private:
  void SendNext() {
    if (reading_ || writer_->closed()) return;
    if (left_ == 0) return writer_->End();
    reading_ = true;
    const int64_t size = std::min(left_, kPiece);
    const bool posted = backend_.pool->Post([self = shared_from_this(), size](const auto& cluster) {
      auto bytes = [&]() -> Result<std::string> {
        if (!cluster.ok()) return cluster.error();
        HOWDAH_TRY(const auto log, (*cluster)->OpenLog(self->id_, self->source_));
        return log->Read(self->offset_, size);
      }();
      boost::asio::post(self->services_.loop,
                        [self, bytes = std::move(bytes)]() mutable { self->Take(std::move(bytes)); });
    });
    if (!posted) writer_->Abort();
  }

  void Take(Result<std::string> bytes) {
    reading_ = false;
    if (!bytes.ok() || bytes->empty()) return writer_->Abort();  // the client sees that the file is incomplete
    offset_ += static_cast<int64_t>(bytes->size());
    left_ -= static_cast<int64_t>(bytes->size());
    if (writer_->Write(std::move(*bytes)) || left_ == 0) SendNext();
  }

  Services& services_;
  BackendService& backend_;
  JobId id_;
  LogSource source_;
  int64_t offset_, left_;
  std::shared_ptr<web::BodyWriter> writer_;
  bool reading_ = false;
};

void StartDownload(Services& services, const FoundJob& job, const LogRequest& request, Respond respond) {
  const auto make = [&services, job, request](Cluster& cluster) -> Result<Response> {
    HOWDAH_TRY(const LogSource source, FindSource(cluster, job.id, request));
    HOWDAH_TRY(const auto log, Open(cluster, job.id, source));
    HOWDAH_TRY(const int64_t size, log->Size());
    web::RangedBody body{
        size, [&services, job, source](int64_t offset, int64_t count, const auto& writer) {
          std::make_shared<Download>(services, *job.backend, job.id, source, offset, count, writer)->Start();
        }};
    const std::string name = job.id.text + "-" + source.role + "-" + std::to_string(source.index) + "-" +
                             std::to_string(source.attempt) + "-" + std::string(ToText(source.stream)) + ".txt";
    Response response{200, {{"Content-Type", "text/plain; charset=utf-8"}}, std::move(body)};
    response.headers.Set("Content-Disposition", "attachment; filename=\"" + name + "\"");
    return response;
  };
  AnswerForJob(services, job, make, std::move(respond));
}

void ReadLog(Services& services, const Request&, const Arguments& arguments, Respond respond) {
  const auto job = FindJob(services, arguments.Text("id"));
  if (!job.ok()) return respond(web::ToResponse(ToProblem(job.error())));
  const auto request = LogRequestOf(arguments);
  if (!request.ok()) return respond(web::ToResponse(ToProblem(request.error())));
  if (arguments.Flag("download")) return StartDownload(services, *job, *request, std::move(respond));
  const LogPart part{arguments.Integer("offset"), arguments.Integer("line"), arguments.Integer("tail"),
                     arguments.Integer("limit").value_or(kMostBytes)};
  if ((part.offset ? 1 : 0) + (part.line ? 1 : 0) + (part.tail ? 1 : 0) > 1) {
    const Error both{ErrorCode::kUsage, "offset, line and tail each name a position; send one of them"};
    return respond(web::ToResponse(ToProblem(both)));
  }
  const auto make = [id = job->id, request = *request, part](Cluster& cluster) {
    return PartAnswer(cluster, id, request, part);
  };
  AnswerForJob(services, *job, make, std::move(respond));
}

// Which logs of a job are searched.
struct SearchScope {
  std::vector<std::string> tasks;  // roles and tasks; empty: all
  std::optional<backend::LogStream> stream;
  bool Has(const LogSource& source) const {
    const bool has_task = tasks.empty() || std::any_of(tasks.begin(), tasks.end(), [&](const std::string& task) {
                            return task == source.role || task == TaskText(source.role, source.index);
                          });
    return has_task && (!stream || *stream == source.stream);
  }
};

std::string HitJson(const LogSource& source, const LogHit& hit) {
  return Dump({{"task", TaskText(source.role, source.index)},
               {"attempt", source.attempt},
               {"rank", source.local_rank},
               {"stream", ToText(source.stream)},
               {"offset", hit.offset},
               {"line", hit.line},
               {"text", hit.text}}) +
         "\n";
}

// Searches the logs of a job on a thread of its backend, and sends each hit as it is found.
class Search : public std::enable_shared_from_this<Search> {
 public:
  Search(boost::asio::io_context& loop, JobId id, SearchScope scope, LineMatcher matcher, int64_t limit)
      : loop_(loop), id_(std::move(id)), scope_(std::move(scope)), matcher_(std::move(matcher)), limit_(limit) {}

  // done: called on the loop's thread when the thread is free again.
  void Start(BackendPool& pool, std::shared_ptr<web::BodyWriter> writer, std::function<void()> done) {
    writer_ = std::move(writer);
    writer_->OnClosed([self = shared_from_this()] { self->cancelled_ = true; });
    const bool posted = pool.Post([self = shared_from_this(), done](const auto& cluster) {
      std::string counts;
      if (cluster.ok()) {
        counts = self->Run(**cluster);
      } else {
        counts = self->Counts(false, cluster.error().message);
      }
      self->Send(counts);
      boost::asio::post(self->loop_, [self, done] {
        self->writer_->End();
        done();
      });
    });
    if (posted) return;
    writer_->Write(Counts(false, "too many requests wait for the backend; try again in a few seconds"));
    writer_->End();
    done();
  }

 private:
  void Send(const std::string& text) {
    boost::asio::post(loop_, [self = shared_from_this(), text] { self->writer_->Write(text); });
  }

  // Returns the last line.
  std::string Run(Cluster& cluster) {
    const auto sources = cluster.LogSources(id_);
    if (!sources.ok()) return Counts(false, sources.error().message);
    std::string note;
    bool complete = true;
    for (const LogSource& source : *sources) {
      if (!scope_.Has(source)) continue;
      int64_t hits = 0;
      const auto on_hit = [&](const LogHit& hit) {
        if (total_ == limit_) return false;
        ++total_, ++hits;
        Send(HitJson(source, hit));
        return true;
      };
      const auto searched = [&]() -> Result<bool> {
        HOWDAH_TRY(const auto log, cluster.OpenLog(id_, source));
        return SearchLog(*log, matcher_, on_hit, cancelled_);
      }();
      Json count = SourceJson(source);
      count["hits"] = hits;
      counts_.push_back(std::move(count));
      if (!searched.ok()) note = TaskText(source.role, source.index) + ": " + searched.error().message;
      complete = complete && searched.ok() && *searched;
      if (cancelled_ || total_ == limit_) return Counts(false, note);
    }
    return Counts(complete, note);
  }

  std::string Counts(bool complete, const std::string& note) const {
    Json json = {{"counts", counts_}, {"total", total_}, {"complete", complete}};
    if (!note.empty()) json["note"] = note;
    return Dump(json) + "\n";
  }

  boost::asio::io_context& loop_;
  JobId id_;
  SearchScope scope_;
  LineMatcher matcher_;
  int64_t limit_, total_ = 0;
  Json counts_ = Json::array();
  std::atomic<bool> cancelled_ = false;
  std::shared_ptr<web::BodyWriter> writer_;
};

void SearchLogs(Services& services, const std::shared_ptr<int>& searches, const Arguments& arguments, Respond respond) {
  const auto job = FindJob(services, arguments.Text("id"));
  if (!job.ok()) return respond(web::ToResponse(ToProblem(job.error())));
  auto matcher = LineMatcher::Make(arguments.Text("q"), arguments.Flag("regex"));
  if (!matcher.ok()) return respond(web::ToResponse(ToProblem(matcher.error())));
  if (*searches == kMostSearches) {
    return respond(web::ToResponse({.status = 429,
                                    .detail = std::to_string(kMostSearches) + " searches are running already",
                                    .advice = "wait until one has ended, or close its page"}));
  }
  const SearchScope scope{arguments.Texts("tasks"), ParseLogStream(arguments.Text("stream"))};
  const auto search = std::make_shared<Search>(services.loop, job->id, scope, std::move(*matcher),
                                               arguments.Integer("limit").value_or(kMostHits));
  respond({200,
           {{"Content-Type", "application/x-ndjson"}},
           web::StreamedBody{.produce = [search, searches, pool = job->backend->pool.get()](const auto& writer) {
             ++*searches;
             search->Start(*pool, writer, [searches] { --*searches; });
           }}});
}

void AddSearchRoute(Services& services, web::Routes& routes) {
  routes.Add({.method = "GET",
              .pattern = Path("jobs/{id}/logs/search"),
              .summary = "Search the logs of a job",
              .parameters = {JobParameter(),
                             {.name = "q",
                              .help = "A text. Letter case is ignored if it has no capitals.",
                              .max_bytes = 1000,
                              .required = true},
                             {.name = "regex",
                              .type = ValueType::kFlag,
                              .help = "`q` is a regular expression in the syntax of RE2.",
                              .default_text = "0"},
                             {.name = "tasks",
                              .type = ValueType::kTexts,
                              .help = "Roles and tasks (`worker`, `ps:0`); default: all."},
                             {.name = "stream",
                              .type = ValueType::kChoice,
                              .help = "Only this stream.",
                              .choices = {"stdout", "stderr"}},
                             {.name = "limit",
                              .type = ValueType::kInteger,
                              .help = "The greatest number of hits.",
                              .default_text = "1000",
                              .min = 1,
                              .max = kMostHits}},
              .answer = "One JSON object per line: each hit as it is found, `{task, attempt, rank, stream, offset, "
                        "line, text}` (`offset` is that of the line, `text` has at most 2,000 bytes), and at the end "
                        "`{counts, total, complete}`. `complete` is false if the limit was reached, or if `note` "
                        "says what could not be read. Only the first 1 MiB of a line is searched.",
              .answer_type = "application/x-ndjson",
              .errors = {{429, "Two searches are running already."}},
              .tag = "Logs",
              .handler = [&services, searches = std::make_shared<int>(0)](const Request&, const Arguments& arguments,
                                                                          Respond respond) {
                SearchLogs(services, searches, arguments, std::move(respond));
              }});
}

}  // namespace

void AddLogRoutes(Services& services, web::Routes& routes) {
  routes.Add({.method = "GET",
              .pattern = Path("jobs/{id}/logs"),
              .summary = "List the logs of a job",
              .parameters = {JobParameter()},
              .answer = "By role, index, attempt and rank. `location` is where the files are.",
              .answer_schema = R"({"type": "object", "required": ["sources", "location"], "properties": {"sources": {
  "type": "array", "items": {"$ref": "#/components/schemas/LogSource"}}, "location": {"type": "string"}}})",
              .tag = "Logs",
              .handler = [&services](const Request&, const Arguments& arguments, Respond respond) {
                AnswerForJob(services, arguments.Text("id"), SourcesAnswer, std::move(respond));
              }});
  const auto position = [](const char* name, const char* help, int64_t min) {
    return web::Parameter{.name = name, .type = ValueType::kInteger, .help = help, .min = min};
  };
  routes.Add({.method = "GET",
              .pattern = Path("jobs/{id}/logs/{task}"),
              .summary = "Read a part of a log",
              .parameters = {JobParameter(),
                             {.name = "task", .help = "ROLE:INDEX, for example `worker:0`.", .max_bytes = 200},
                             {.name = "attempt",
                              .type = ValueType::kInteger,
                              .help = "The number of the attempt; default: the newest with output.",
                              .min = 0,
                              .max = 1'000'000'000},
                             {.name = "rank",
                              .type = ValueType::kInteger,
                              .help = "The local rank of the process.",
                              .default_text = "0",
                              .min = 0,
                              .max = 1'000'000},
                             {.name = "stream",
                              .type = ValueType::kChoice,
                              .help = "The stream.",
                              .default_text = "stdout",
                              .choices = {"stdout", "stderr"}},
                             position("offset", "Begin at this byte; default: 0.", 0),
                             position("line", "Begin at this line; the first is 1.", 1),
                             position("tail", "Begin so that this many lines are left.", 0),
                             {.name = "limit",
                              .type = ValueType::kInteger,
                              .help = "The greatest number of bytes.",
                              .default_text = std::to_string(kMostBytes),
                              .min = 0,
                              .max = kMostBytes},
                             {.name = "download",
                              .type = ValueType::kFlag,
                              .help = "Answer with the whole log, as a file for the browser to save. `Range` works.",
                              .default_text = "0"}},
              .answer =
                  "The bytes as the process wrote them, in any encoding. The headers `Howdah-Offset` (of the first "
                  "byte), `Howdah-Size` (of the whole log now), `Howdah-Attempt` and, with `line`, `Howdah-Line` say "
                  "which part it is. Behind the end of the log the answer is empty.",
              .answer_type = "text/plain",
              .tag = "Logs",
              .handler = [&services](const Request& request, const Arguments& arguments, Respond respond) {
                ReadLog(services, request, arguments, std::move(respond));
              }});
  AddSearchRoute(services, routes);
}

}  // namespace howdah::portal
