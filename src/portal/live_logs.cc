#include "live_logs.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/number.h"
#include "json_text.h"

namespace howdah::portal {
namespace {

using namespace std::chrono_literals;

constexpr Duration kShortestLogPause = 200ms, kProblemPause = 3s;
constexpr int kLogCostFactor = 10;  // at most a tenth of the time is spent on one log

std::optional<int> ParseCount(std::string_view text) {
  const auto number = ParseNumber<int>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

}  // namespace

std::string_view ToText(backend::LogStream stream) {
  return stream == backend::LogStream::kStdout ? "stdout" : "stderr";
}

std::optional<backend::LogStream> ParseLogStream(std::string_view text) {
  if (text == "stdout") return backend::LogStream::kStdout;
  if (text == "stderr") return backend::LogStream::kStderr;
  return std::nullopt;
}

std::optional<std::pair<std::string, int>> ParseTask(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const auto index = ParseCount(text.substr(colon + 1));
  const std::string_view role = text.substr(0, colon);
  // A role is a part of a path on the local backend.
  const bool is_role = role.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                       std::string_view::npos;
  if (!index || !is_role) return std::nullopt;
  return std::pair(std::string(role), *index);
}

std::optional<LogTopic> ParseLogTopic(std::string_view topic) {
  if (!topic.starts_with(kLogTopicPrefix)) return std::nullopt;
  topic.remove_prefix(kLogTopicPrefix.size());
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= topic.size();) {
    const size_t end = std::min(topic.find('/', begin), topic.size());
    parts.push_back(topic.substr(begin, end - begin));
    begin = end + 1;
  }
  if (parts.size() != 5 || parts[0].empty()) return std::nullopt;
  const auto task = ParseTask(parts[1]);
  const auto attempt = ParseCount(parts[2]), rank = ParseCount(parts[3]);
  const auto stream = ParseLogStream(parts[4]);
  if (!task || !attempt || !rank || !stream) return std::nullopt;
  return LogTopic{{std::string(parts[0])}, {task->first, task->second, *attempt, *rank, *stream}};
}

void LiveLogs::Begin(const std::string& topic) {
  const auto log = ParseLogTopic(topic);
  if (!log) return;
  viewed_[topic].log = *log;
  services_.hub->Open(topic);
  AskAfter(topic, {});
}

void LiveLogs::AskAfter(const std::string& topic, Duration pause) {
  Viewed& viewed = viewed_[topic];
  viewed.timer = std::make_unique<boost::asio::steady_timer>(services_.loop, pause);
  viewed.timer->async_wait([this, topic](const boost::system::error_code& error) {
    if (!error && viewed_.contains(topic)) Ask(topic);
  });
}

void LiveLogs::Ask(const std::string& topic) {
  Viewed& viewed = viewed_[topic];
  const auto job = FindJob(services_, viewed.log.id.text);
  if (!job.ok()) return Take(topic, job.error(), {});
  const RowPointer row = services_.jobs->Get(job->key());
  viewed.job_had_ended = row && core::IsFinal(row->state);
  const auto asked = services_.clock.Now();
  const bool posted = job->backend->pool->Post([this, topic, asked, log = viewed.log](const auto& cluster) {
    const auto size = [&]() -> Result<int64_t> {
      if (!cluster.ok()) return cluster.error();
      HOWDAH_TRY(const auto file, (*cluster)->OpenLog(log.id, log.source));
      return file->Size();
    }();
    boost::asio::post(services_.loop, [this, topic, size, asked] { Take(topic, size, services_.clock.Now() - asked); });
  });
  if (!posted) AskAfter(topic, kProblemPause);
}

void LiveLogs::Take(const std::string& topic, const Result<int64_t>& size, Duration cost) {
  const auto found = viewed_.find(topic);
  if (found == viewed_.end()) return;
  Viewed& viewed = found->second;
  // A task that has not started has no log yet.
  if (!size.ok() && size.error().code != ErrorCode::kNotFound) {
    if (!std::exchange(viewed.problem, true))
      services_.hub->Publish(topic, "problem", Dump({{"topic", topic}, {"detail", size.error().message}}));
    return AskAfter(topic, kProblemPause);
  }
  viewed.problem = false;
  const int64_t now = size.ok() ? *size : 0;
  const bool ended = viewed.job_had_ended;
  if (viewed.size != now || ended) {
    const backend::LogSource& source = viewed.log.source;
    services_.hub->PublishState(topic, "log",
                                Dump({{"topic", topic},
                                      {"task", TaskText(source.role, source.index)},
                                      {"attempt", source.attempt},
                                      {"rank", source.local_rank},
                                      {"stream", ToText(source.stream)},
                                      {"size", now},
                                      {"ended", ended}}));
  }
  viewed.size = now;
  if (!ended) AskAfter(topic, std::max(kShortestLogPause, cost * kLogCostFactor));
}

}  // namespace howdah::portal
