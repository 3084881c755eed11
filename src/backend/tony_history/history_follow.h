// Follows the events of a job in a history of TonY by reading them again, because the file system sends no events.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/os/files/fd.h"

namespace howdah::backend::tony_history {

class HistoryFollow final : public backend::Follow {
 public:
  // The whole journal as it is now. A later journal continues an earlier one, except for its first entry.
  using ReadEntries = std::function<Result<std::vector<core::JournalEntry>>()>;
  static Result<std::unique_ptr<backend::Follow>> Start(ReadEntries read_entries, Duration interval);

  int fd() const override { return timer_.get(); }
  bool Read(backend::FollowSink& sink) override;
  bool ended() const override { return ended_; }

 private:
  HistoryFollow(ReadEntries read_entries, os::files::Fd timer)
      : read_entries_(std::move(read_entries)), timer_(std::move(timer)) {}

  ReadEntries read_entries_;
  os::files::Fd timer_;
  size_t delivered_ = 0;
  bool ended_ = false;
  std::string problem_;  // that the sink has received; empty if the last reading succeeded
};

}  // namespace howdah::backend::tony_history
