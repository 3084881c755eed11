#include "follow.h"

#include <chrono>

#include "connection.h"
#include "interrupts.h"

namespace howdah::cli {
namespace {

class Sink final : public JournalSink {
 public:
  explicit Sink(const std::function<void(const core::JournalEntry&)>& on_entry) : on_entry_(on_entry) {}
  void OnEntry(const core::JournalEntry& entry) override {
    JournalSink::OnEntry(entry);
    if (on_entry_) on_entry_(entry);
  }

 private:
  const std::function<void(const core::JournalEntry&)>& on_entry_;
};

}  // namespace

void JournalSink::OnNote(const std::string& line) { Say("howdah: " + line); }

Result<journal::JobView> FollowJournal(backend::Cluster& place, const JobId& id, Until until,
                                       std::optional<Duration> limit,
                                       const std::function<void(const core::JournalEntry&)>& on_entry) {
  using std::chrono::steady_clock;
  auto follow = place.FollowJob(id, std::nullopt);
  if (!follow.ok()) return follow.error();
  const auto start = steady_clock::now();
  Sink sink(on_entry);
  while (!(*follow)->ended()) {
    while ((*follow)->Read(sink)) {
    }
    if ((*follow)->ended() || until == Until::kNow) break;
    std::optional<Duration> left;
    if (limit) left = *limit - std::chrono::duration_cast<Duration>(steady_clock::now() - start);
    if (WaitFor(**follow, -1, left) == Woke::kTime) {
      return Error{ErrorCode::kTimeout, id.text + " is still " + std::string(core::ToText(sink.view.state)) +
                                            " after " + DurationToText(*limit)};
    }
  }
  if (until == Until::kEnd && !core::IsFinal(sink.view.state)) {
    return Failed("following " + id.text + ": somebody has removed it");
  }
  return std::move(sink.view);
}

Result<bool> AwaitJob(backend::Cluster& place, const JobId& id, JournalSink& sink,
                      const std::function<bool(const journal::JobView&)>& enough) {
  const auto follow = place.FollowJob(id, std::nullopt);
  if (!follow.ok()) return follow.error();
  const Interrupts interrupts;
  for (;;) {
    while ((*follow)->Read(sink)) {
    }
    if (enough(sink.view) || core::IsFinal(sink.view.state) || (*follow)->ended()) return true;
    if (WaitFor(**follow, interrupts.fd(), std::nullopt) == Woke::kInterrupt) return false;
  }
}

}  // namespace howdah::cli
