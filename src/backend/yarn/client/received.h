// The part of a job's journal and output that a follow has received. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "howdah/backend/cluster.h"
#include "howdah/wire/control.pb.h"

namespace howdah::backend::yarn::client {

struct Received {
  struct Output {
    int64_t bytes = 0;
    bool complete = false;  // nothing is missing, or the rest cannot be read
  };

  // Adds the next lines of the journal, and pieces and ends of output, as the AM sends them.
  void AddJournal(std::string_view lines) { journal += lines; }
  void Add(const wire::LogChunk& chunk);
  void Add(const wire::LogEnd& end);
  // Returns the part of the whole journal that has not been received.
  std::string_view RestOf(std::string_view whole_journal) const;
  // Returns the request for everything else. logs: the selected output; nullopt for none.
  wire::FollowRequest RequestForRest(const std::optional<backend::LogSelection>& logs) const;

  std::string journal;
  std::map<backend::LogSource, Output> outputs;
};

}  // namespace howdah::backend::yarn::client
