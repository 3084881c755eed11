// The newest records of the logs of feeds, which this executor keeps for the next AM (log_tail.h).
#pragma once

#include <map>
#include <string>

#include "howdah/feed/log_tail.h"
#include "howdah/wire/executor.pb.h"

namespace howdah::feed::server {

class LogTails {
 public:
  void OnMessage(const wire::ToExecutor& message);
  // The message for an AM with which this executor has registered.
  wire::FromExecutor Message() const;

 private:
  std::map<std::string, LogTail> tails_;  // by feed
};

}  // namespace howdah::feed::server
