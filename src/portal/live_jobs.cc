#include "live_jobs.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "howdah/base/ids.h"
#include "job_rows.h"
#include "json_text.h"

namespace howdah::portal {
namespace {

using namespace std::chrono_literals;

constexpr auto kJobPause = 20ms, kRowsPause = 50ms;    // between two events
constexpr size_t kMostRows = 500, kMostEntries = 500;  // in one event; readers fetch more with GET

std::string TopicOf(const std::string& id) { return std::string(kJobTopicPrefix) + id; }

}  // namespace

std::string EntryJson(int64_t number, const core::JournalEntry& entry) {
  return "{\"seq\":" + std::to_string(number) + ",\"text\":" + Dump(Json(journal::DescribeEntry(entry))) +
         ",\"entry\":" + journal::EncodeEntry(entry) + "}";
}

std::string JobEventJson(const journal::JobView& view, const std::string& extra_fields,
                         const std::vector<std::string>& removed_tasks,
                         const std::vector<std::pair<int64_t, core::JournalEntry>>& entries) {
  Json job = ParseJson(journal::ToJson(view, /*with_tasks=*/true));
  const Json tasks = job["tasks"];
  job.erase("tasks");
  std::string events;
  for (const auto& [number, entry] : entries) events += (events.empty() ? "" : ",") + EntryJson(number, entry);
  return "{\"topic\":" + Dump(Json(TopicOf(view.id))) + ",\"job\":" + JoinObjects(Dump(job), extra_fields) +
         ",\"tasks\":" + Dump(tasks) + ",\"removed_tasks\":" + Dump(removed_tasks) + ",\"events\":[" + events + "]}";
}

LiveJobs::LiveJobs(Services& services)
    : services_(services), publish_rows_(services.loop, kRowsPause, [this] { PublishRows(); }) {}

void LiveJobs::Begin(const std::string& topic) {
  const std::string id = topic.substr(kJobTopicPrefix.size());
  Viewed& viewed = viewed_[id];
  const auto job = FindJob(services_, id);
  if (job.ok() && job->id.text == id) {
    viewed.backend = job->backend->name;
    job->backend->feed->Follow(job->id);
  } else {
    OnFollowFailed({id},
                   job.ok() ? Error{ErrorCode::kNotFound, "a topic needs the complete id of a job"} : job.error());
  }
}

void LiveJobs::End(const std::string& topic) {
  const std::string id = topic.substr(kJobTopicPrefix.size());
  const auto viewed = viewed_.extract(id);
  if (viewed.empty()) return;
  if (BackendService* const backend = services_.Find(viewed.mapped().backend)) backend->feed->Unfollow({id});
}

void LiveJobs::OnRows(const std::vector<JobKey>& changed, const std::vector<JobKey>& removed) {
  // Some fields of a job's page come from its row, which may be read after the entries.
  for (const JobKey& job : changed) {
    const auto found = viewed_.find(job.id);
    if (found != viewed_.end() && found->second.backend == job.backend && found->second.caught_up)
      found->second.publish->Request();
  }
  if (!services_.hub->HasTopic(std::string(kJobsTopic))) return;
  for (const JobKey& job : changed) changed_rows_.insert(job), removed_rows_.erase(job);
  for (const JobKey& job : removed) removed_rows_.insert(job), changed_rows_.erase(job);
  if (!changed_rows_.empty() || !removed_rows_.empty()) publish_rows_.Request();
}

void LiveJobs::PublishRows() {
  const std::string topic(kJobsTopic);
  const auto changed = std::exchange(changed_rows_, {});
  const auto removed = std::exchange(removed_rows_, {});
  if (changed.size() + removed.size() > kMostRows) return services_.hub->Resync(topic);
  const Instant now = services_.clock.Now();
  std::string rows;
  for (const JobKey& job : changed) {
    if (const RowPointer row = services_.jobs->Get(job)) rows += (rows.empty() ? "" : ",") + RowJson(*row, now);
  }
  Json removed_ids = Json::array();
  for (const JobKey& job : removed) removed_ids.push_back(job.id);
  services_.hub->Publish(topic, "jobs",
                         "{\"topic\":\"jobs\",\"jobs\":[" + rows + "],\"removed\":" + Dump(removed_ids) + "}");
}

void LiveJobs::OnEntries(const JobId& id, const std::vector<core::JournalEntry>& entries, bool caught_up,
                         bool restarted) {
  const auto found = viewed_.find(id.text);
  if (found == viewed_.end()) return;
  Viewed& viewed = found->second;
  if (restarted && viewed.entry_count > 0) {
    viewed = Viewed{.backend = viewed.backend};
    services_.hub->Resync(TopicOf(id.text));
  }
  viewed.problem.clear();
  for (const core::JournalEntry& entry : entries) TakeEntry(viewed, entry);
  if (!viewed.caught_up) {
    viewed.changed_tasks.clear();
    viewed.removed_tasks.clear();
    viewed.entries.clear();
    if (!caught_up) return;
    viewed.caught_up = true;
    viewed.publish = std::make_unique<PacedAction>(services_.loop, kJobPause, [this, id = id.text] { PublishJob(id); });
    return services_.hub->Open(TopicOf(id.text));
  }
  if (!entries.empty()) viewed.publish->Request();
}

void LiveJobs::TakeEntry(Viewed& viewed, const core::JournalEntry& entry) {
  viewed.view.Apply(entry);
  ++viewed.entry_count;
  if (const auto* task = std::get_if<core::TaskChanged>(&entry.change)) {
    viewed.changed_tasks.emplace(task->role, task->index);
    if (task->type == core::TaskChanged::Type::kRemoved)
      viewed.removed_tasks.push_back(TaskText(task->role, task->index));
  }
  viewed.entries.emplace_back(viewed.entry_count, entry);
  if (viewed.entries.size() > kMostEntries) viewed.entries.erase(viewed.entries.begin());
}

void LiveJobs::PublishJob(const std::string& id) {
  const auto found = viewed_.find(id);
  if (found == viewed_.end()) return;
  Viewed& viewed = found->second;
  journal::JobView changed = viewed.view;
  std::erase_if(changed.tasks, [&](const journal::TaskView& task) {
    return !viewed.changed_tasks.contains({task.role, task.index});
  });
  const RowPointer row = services_.jobs->Get({viewed.backend, id});
  services_.hub->Publish(TopicOf(id), "job",
                         JobEventJson(changed, row ? ExtraFieldsJson(*row, services_.clock.Now()) : "{}",
                                      viewed.removed_tasks, viewed.entries));
  viewed.changed_tasks.clear();
  viewed.removed_tasks.clear();
  viewed.entries.clear();
}

void LiveJobs::OnFollowFailed(const JobId& id, const Error& error) {
  const auto viewed = viewed_.find(id.text);
  if (viewed == viewed_.end() || viewed->second.problem == error.message) return;
  viewed->second.problem = error.message;
  const std::string topic = TopicOf(id.text);
  services_.hub->Publish(topic, "problem", Dump({{"topic", topic}, {"detail", error.message}}));
}

}  // namespace howdah::portal
