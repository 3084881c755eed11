// The scalars that a job's programs write for TensorBoard.
#include <chrono>
#include <cmath>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "api.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/storage/local_files.h"
#include "howdah/storage/mirror.h"
#include "json_text.h"
#include "scalar_reader.h"

namespace howdah::portal {
namespace {

using backend::Cluster;
using web::Arguments;
using web::Request;
using web::Respond;
using web::Response;
using web::ValueType;

// A request must be answered within 10 s. The next request continues where this one stopped.
constexpr std::chrono::seconds kScalarLimit{4};
constexpr size_t kMostReaders = 8;
// A page asks for several tags at the same time. Their answers share one listing of the files.
constexpr Duration kFresh = std::chrono::seconds(2);

struct JobScalars {
  std::mutex reading;  // held by the thread that reads
  ScalarReader reader;
  Instant read_at{};  // the begin of the last read
  explicit JobScalars(const std::string& logdir) : reader(storage::PathOfUri(logdir)) {}
};

// The readers of the jobs that were asked for last. Thread-safe.
class ScalarCache {
 public:
  std::shared_ptr<JobScalars> Of(const JobId& id, const std::string& logdir) {
    const std::lock_guard lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (entry->first != id.text) continue;
      entries_.splice(entries_.begin(), entries_, entry);
      return entry->second;
    }
    entries_.emplace_front(id.text, std::make_shared<JobScalars>(logdir));
    if (entries_.size() > kMostReaders) entries_.pop_back();
    return entries_.front().second;
  }

 private:
  std::mutex mutex_;
  std::list<std::pair<std::string, std::shared_ptr<JobScalars>>> entries_;  // the newest first
};

Json NumberJson(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json PointJson(const std::optional<tfevents::Point>& point) {
  if (!point) return nullptr;
  return {{"step", point->step}, {"time", NumberJson(point->time)}, {"value", NumberJson(point->value)}};
}

Json TagsJson(const ScalarReader& reader) {
  Json tags = Json::array();
  for (const auto& [key, curve] : reader.curves()) {
    if (tags.empty() || tags.back()["tag"] != key.first) tags.push_back({{"tag", key.first}, {"runs", Json::array()}});
    tags.back()["runs"].push_back({{"run", key.second},
                                   {"count", curve.count()},
                                   {"newest", PointJson(curve.newest())},
                                   {"lowest", PointJson(curve.lowest())},
                                   {"highest", PointJson(curve.highest())}});
  }
  return tags;
}

Json RunsJson(const ScalarReader& reader, const std::string& tag) {
  Json runs = Json::array();
  for (const auto& [key, curve] : reader.curves()) {
    if (key.first != tag) continue;
    Json steps = Json::array(), times = Json::array(), values = Json::array();
    for (const tfevents::Point& point : curve.Points()) {
      steps.push_back(point.step);
      times.push_back(NumberJson(point.time));
      values.push_back(NumberJson(point.value));
    }
    runs.push_back({{"run", key.second},
                    {"step", std::move(steps)},
                    {"time", std::move(times)},
                    {"value", std::move(values)},
                    {"newest", PointJson(curve.newest())},
                    {"lowest", PointJson(curve.lowest())},
                    {"highest", PointJson(curve.highest())}});
  }
  return runs;
}

Result<std::unique_ptr<storage::Files>> FilesOf(Cluster& cluster, const std::string& logdir) {
  if (storage::LocalPath(logdir)) return storage::OpenLocalFiles();
  return cluster.OpenFiles(logdir);
}

Status ReadAgain(Cluster& cluster, const std::string& logdir, Instant now, JobScalars& scalars) {
  if (scalars.reader.complete() && now - scalars.read_at < kFresh) return {};
  HOWDAH_TRY(const auto files, FilesOf(cluster, logdir));
  scalars.read_at = now;
  const auto until = std::chrono::steady_clock::now() + kScalarLimit;
  return scalars.reader.Update(*files, now, [until] { return std::chrono::steady_clock::now() > until; });
}

// tag: the tag whose points are wanted; nullopt: the list of tags.
Result<Response> Answer(Cluster& cluster, const JobId& id, ScalarCache& cache, const std::optional<std::string>& tag,
                        Instant now) {
  HOWDAH_TRY(const std::string file, cluster.JobFile(id));
  HOWDAH_TRY(const jobspec::JobSpec spec, jobspec::ReadEffective(file));
  const std::string& logdir = spec.tensorboard_logdir;
  Json json = {{"logdir", OrNull(logdir)}, {"complete", true}, {"problem", nullptr}};
  Json found = Json::array();
  if (!logdir.empty()) {
    const auto scalars = cache.Of(id, logdir);
    // The threads of the backend do not wait for each other: another request may be reading for seconds.
    const std::unique_lock reading(scalars->reading, std::try_to_lock);
    if (reading.owns_lock()) HOWDAH_TRY_STATUS(ReadAgain(cluster, logdir, now, *scalars));
    const std::lock_guard lock(scalars->reader.mutex());
    json["complete"] = scalars->reader.complete();
    json["problem"] = OrNull(scalars->reader.problem());
    found = tag ? RunsJson(scalars->reader, *tag) : TagsJson(scalars->reader);
  }
  if (tag) json["tag"] = *tag;
  json[tag ? "runs" : "tags"] = std::move(found);
  return web::Json(Dump(json) + "\n");
}

constexpr char kTagsSchema[] = R"({"type": "object", "required": ["logdir", "complete", "problem", "tags"],
  "properties": {"logdir": {"type": ["string", "null"]}, "complete": {"type": "boolean"},
    "problem": {"type": ["string", "null"]}, "tags": {"type": "array", "items": {"type": "object",
      "required": ["tag", "runs"], "properties": {"tag": {"type": "string"}, "runs": {"type": "array",
        "items": {"type": "object", "required": ["run", "count", "newest", "lowest", "highest"], "properties": {
          "run": {"type": "string"}, "count": {"type": "integer"}, "newest": {"type": ["object", "null"]},
          "lowest": {"type": ["object", "null"]}, "highest": {"type": ["object", "null"]}}}}}}}}})";

constexpr char kDataSchema[] = R"({"type": "object", "required": ["logdir", "complete", "problem", "tag", "runs"],
  "properties": {"logdir": {"type": ["string", "null"]}, "complete": {"type": "boolean"},
    "problem": {"type": ["string", "null"]}, "tag": {"type": "string"}, "runs": {"type": "array",
      "items": {"type": "object", "required": ["run", "step", "time", "value"], "properties": {
        "run": {"type": "string"}, "step": {"type": "array", "items": {"type": "integer"}},
        "time": {"type": "array", "items": {"type": ["number", "string"]}},
        "value": {"type": "array", "items": {"type": ["number", "string"]}}}}}}})";

}  // namespace

void AddScalarRoutes(Services& services, web::Routes& routes) {
  const auto cache = std::make_shared<ScalarCache>();
  const auto handler = [&services, cache](bool with_tag) {
    return [&services, cache, with_tag](const Request&, const Arguments& arguments, Respond respond) {
      std::optional<std::string> tag;
      if (with_tag) tag = arguments.Text("tag");
      const auto make = [cache, tag, now = services.clock.Now()](Cluster& cluster, const JobId& id) {
        return Answer(cluster, id, *cache, tag, now);
      };
      AnswerForJob(services, arguments.Text("id"), make, std::move(respond));
    };
  };
  routes.Add({.method = "GET",
              .pattern = Path("jobs/{id}/scalars"),
              .summary = "List the scalars in a job's TensorBoard event files",
              .parameters = {JobParameter()},
              .answer = "From the event files below `tensorboard.logdir`. `run` is the directory of the files below "
                        "it. `lowest` and `highest` are over all points. `complete` is false while the files are "
                        "being read: ask again.",
              .answer_schema = kTagsSchema,
              .tag = "Job",
              .handler = handler(false)});
  routes.Add(
      {.method = "GET",
       .pattern = Path("jobs/{id}/scalars/data"),
       .summary = "Show the points of a scalar",
       .parameters = {JobParameter(), {.name = "tag", .type = ValueType::kText, .help = "The tag.", .required = true}},
       .answer = "In the order in which they were written, at most 1,000 for each run: of a longer curve every "
                 "n-th point and the newest one. `time` is in seconds since 1970. Values that JSON cannot "
                 "represent are texts: `NaN`, `Infinity`, `-Infinity`.",
       .answer_schema = kDataSchema,
       .tag = "Job",
       .handler = handler(true)});
}

}  // namespace howdah::portal
