#include "journal_follow.h"

#include <chrono>

#include "shell.h"
#include "waiting.h"

namespace howdah::cli {
namespace {

class Sink final : public backend::FollowSink {
 public:
  explicit Sink(const std::function<void(const core::JournalEntry&)>& on_entry) : on_entry_(on_entry) {}
  void OnEntry(const core::JournalEntry& entry) override {
    view.Apply(entry);
    if (on_entry_) on_entry_(entry);
  }
  void OnLog(const backend::LogSource&, std::string_view) override {}
  void OnNote(const std::string& line) override { Say("howdah: " + line); }
  history::JobView view;

 private:
  const std::function<void(const core::JournalEntry&)>& on_entry_;
};

}  // namespace

Result<history::JobView> FollowJournal(backend::Place& place, const JobId& id, Until until,
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

}  // namespace howdah::cli
