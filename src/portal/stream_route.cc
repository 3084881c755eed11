#include <algorithm>
#include <utility>

#include "api.h"
#include "howdah/base/text.h"
#include "howdah/web/events.h"
#include "json_text.h"
#include "live_cluster.h"
#include "live_jobs.h"
#include "live_logs.h"

namespace howdah::portal {
namespace {

using web::Arguments;
using web::Request;
using web::Respond;

constexpr size_t kMostTopics = 16;

// The topic without the position that a reader of a log has reached: the hub sends the size of a log in any case.
// Returns an error for a text that is not a topic.
Result<std::string> CheckedTopic(const std::string& text) {
  if (text == kJobsTopic || text == kClusterTopic) return text;
  const bool is_job = text.starts_with(kJobTopicPrefix) && text.size() > kJobTopicPrefix.size();
  if (is_job) return text;
  const std::string topic = text.substr(0, text.rfind('@'));
  if (ParseLogTopic(topic)) return topic;
  return Error{ErrorCode::kUsage,
               "topics: '" + OneLine(text, 200) +
                   "' is not a topic; write jobs, cluster, job:ID or log:ID/worker:0/ATTEMPT/RANK/stdout"};
}

void Subscribe(Services& services, const Request& request, const Arguments& arguments, Respond respond) {
  std::vector<std::string> topics;
  for (const std::string& text : arguments.Texts("topics")) {
    auto topic = CheckedTopic(text);
    if (!topic.ok()) return respond(web::ToResponse(ToProblem(topic.error())));
    if (std::find(topics.begin(), topics.end(), *topic) == topics.end()) topics.push_back(std::move(*topic));
  }
  if (topics.empty() || topics.size() > kMostTopics) {
    const Error wrong{ErrorCode::kUsage, "topics: write 1 to " + std::to_string(kMostTopics) + " topics"};
    return respond(web::ToResponse(ToProblem(wrong)));
  }
  const std::string browser = std::string(request.headers.Get("User-Agent")) + " " + request.peer.address;
  // A browser has six connections to a server. It must keep some for requests.
  if (!services.hub->Admits(browser)) return respond({.status = 204});
  const auto last = ParseEventPosition(request.headers.Get("Last-Event-ID"));
  respond(web::EventStream([&services, browser, topics, last](const auto& writer) {
    services.hub->Subscribe(browser, topics, last, writer);
  }));
}

}  // namespace

void AddStreamRoute(Services& services, web::Routes& routes) {
  routes.Add(
      {.method = "GET",
       .pattern = Path("stream"),
       .summary = "Receive changes as they happen",
       .parameters = {{.name = "topics",
                       .type = web::ValueType::kTexts,
                       .help = "`jobs`, `cluster`, `job:ID` and `log:ID/ROLE:INDEX/ATTEMPT/RANK/STREAM`, at most 16. A "
                               "position `@OFFSET` after a log is allowed and ignored.",
                       .required = true}},
       .answer =
           "Server-sent events; `data` is a JSON object with `topic`. `open`: the topic is watched from now on, so "
           "that a GET after it misses nothing. `jobs`: `{topic, jobs, removed}`, new and changed rows. `job`: "
           "`{topic, job, tasks, removed_tasks, events}`: the head of the job, changed tasks, and new entries of the "
           "journal. `log`: `{topic, task, attempt, rank, stream, size, ended}`: read the new bytes with GET; "
           "`ended`: the job has ended. `cluster`: `{topic, backends}`: read the state of the clusters with GET. "
           "`resync`: events were lost, GET everything again. `problem`: `{topic, "
           "detail}`, the other topics go on. `Last-Event-ID` continues after an event. A browser may have 4 streams; "
           "a further one is answered with 204.",
       .answer_type = "text/event-stream",
       .tag = "Live",
       .handler = [&services](const Request& request, const Arguments& arguments, Respond respond) {
         Subscribe(services, request, arguments, std::move(respond));
       }});
}

}  // namespace howdah::portal
