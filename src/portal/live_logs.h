// Publishes the sizes of the logs that are being viewed: the topics "log:ID/ROLE:INDEX/ATTEMPT/RANK/STREAM".
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/backend/cluster.h"
#include "services.h"

namespace howdah::portal {

inline constexpr std::string_view kLogTopicPrefix = "log:";

struct LogTopic {
  JobId id;
  backend::LogSource source;
  friend bool operator==(const LogTopic&, const LogTopic&) = default;
};
// Returns nullopt for a text that is not such a topic.
std::optional<LogTopic> ParseLogTopic(std::string_view topic);
std::string_view ToText(backend::LogStream stream);  // "stdout"
std::optional<backend::LogStream> ParseLogStream(std::string_view text);
// Reads "worker:1". nullopt for any other text.
std::optional<std::pair<std::string, int>> ParseTask(std::string_view text);

// Asks for the size of each log several times per second, less often if the answer takes long. However many browsers
// view a log, it is asked for once. Used on the loop's thread only.
class LiveLogs {
 public:
  explicit LiveLogs(Services& services) : services_(services) {}

  void Begin(const std::string& topic);
  void End(const std::string& topic) { viewed_.erase(topic); }

 private:
  struct Viewed {
    LogTopic log;
    std::optional<int64_t> size;
    bool job_had_ended = false;  // at the last question
    bool problem = false;        // the last answer was an error
    std::unique_ptr<boost::asio::steady_timer> timer;
  };
  void Ask(const std::string& topic);
  void Take(const std::string& topic, const Result<int64_t>& size, Duration cost);
  void AskAfter(const std::string& topic, Duration pause);

  Services& services_;
  std::map<std::string, Viewed> viewed_;
};

}  // namespace howdah::portal
