#include "fact_queue.h"

#include <unistd.h>

#include <cstdint>

namespace howdah::autoscale::runner {

void FactQueue::Add(Fact fact) {
  const std::lock_guard lock(mutex_);
  facts_.push_back(std::move(fact));
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(event_.get(), &one, sizeof one);
}

std::optional<Fact> FactQueue::Take() {
  const std::lock_guard lock(mutex_);
  if (facts_.empty()) {
    uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(event_.get(), &count, sizeof count);
    return std::nullopt;
  }
  Fact fact = std::move(facts_.front());
  facts_.pop_front();
  return fact;
}

}  // namespace howdah::autoscale::runner
