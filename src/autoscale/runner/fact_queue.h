// Facts from the threads that wait for the cluster and the provider.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "howdah/autoscale/facts.h"
#include "howdah/os/files/fd.h"

namespace howdah::autoscale::runner {

// Thread-safe.
class FactQueue {
 public:
  // event: an eventfd that becomes readable with each fact.
  explicit FactQueue(os::files::Fd event) : event_(std::move(event)) {}

  void Add(Fact fact);
  std::optional<Fact> Take();
  int fd() const { return event_.get(); }

 private:
  const os::files::Fd event_;
  std::mutex mutex_;
  std::deque<Fact> facts_;
};

}  // namespace howdah::autoscale::runner
