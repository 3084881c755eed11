// What an attempt says of its progress, and what is done when it shows no sign of life.
#include <boost/asio/post.hpp>

#include "executor.h"
#include "say.h"

namespace howdah::executor {
namespace {

int64_t MicrosOf(Instant t) { return t.time_since_epoch().count(); }

}  // namespace

void Executor::BeginWatching() {
  progress_told_.reset();
  stalled_ = false;
  std::vector<std::string> outputs;
  for (RankPlace place = place_; place.local_rank < plan_.role().processes; ++place.local_rank) {
    const LogFiles logs = plan_.logs(place);
    outputs.push_back(logs.out);
    outputs.push_back(logs.err);
  }
  liveness_.Begin(clock_.Now(), std::move(outputs));
}

void Executor::EndWatching() {
  stacks_.Cancel();
  stop_after_look_.reset();
  look_limit_.cancel();
  progress_.End();
  if (!ProgressChanged()) return;
  wire::FromExecutor message;
  FillProgress(*message.mutable_progress());
  Report(std::move(message));
}

void Executor::OnProgressLine(core::ProgressLine::Kind kind) {
  // What a process says once it has ended is its last word only to EndWatching.
  if (!attempt_) return;
  using Kind = core::ProgressLine::Kind;
  if (kind == Kind::kCheckpoint) SendProgress();
  if (kind != Kind::kSaving || !attempt_->Extend()) return;
  wire::FromExecutor message;
  message.mutable_progress()->set_attempt(attempt_->number());
  message.mutable_progress()->set_saving(true);
  Send(message);
}

void Executor::FillProgress(wire::Progress& progress) {
  progress_told_ = progress_.progress();
  const core::TaskProgress& now = *progress_told_;
  progress.set_attempt(place_.attempt);
  progress.set_at_micros(MicrosOf(now.at));
  if (now.step) progress.set_step(*now.step);
  if (now.checkpoint) progress.set_checkpoint(*now.checkpoint);
  if (now.checkpoint_at) progress.set_checkpoint_at_micros(MicrosOf(*now.checkpoint_at));
}

void Executor::SendProgress() {
  if (!ProgressChanged() || !connected_) return;
  wire::FromExecutor message;
  FillProgress(*message.mutable_progress());
  Send(message);
}

void Executor::LookForLife(const wire::Usage& usage) {
  const auto limit = core::ProgressLimit(plan_.spec, plan_.role());
  if (!attempt_ || attempt_->stopping() || stalled_ || stop_after_look_ || !limit) return;
  const Instant now = clock_.Now();
  const std::vector<os::process::GpuUsage> none;
  liveness_.Look({now, usage.cpu_seconds(), gpus_ ? gpus_->last() : none, progress_.last()});
  if (now - liveness_.last().at < *limit) return;
  stalled_ = true;
  Say("attempt " + std::to_string(place_.attempt) + " shows no sign of life; where it stands is in its stderr");
  SeeWhereItStands("no sign of life");
}

void Executor::SeeWhereItStands(const std::string& why) {
  Stacks::Request request{attempt_->pids(), {}, path_, why};
  for (RankPlace place = place_; place.local_rank < plan_.role().processes; ++place.local_rank) {
    request.stderrs.push_back(plan_.logs(place).err);
  }
  stacks_.Collect(std::move(request),
                  [this, attempt = place_.attempt](const std::string& where) { OnStands(attempt, where); });
}

// Others hang: who looks at the job afterwards wants to know where this one stood. What is collected already, because
// it hangs too, will do.
void Executor::StopAfterLook(const wire::Stop& stop) {
  if (stop_after_look_) return;
  stop_after_look_ = stop;
  if (!stacks_.collecting()) SeeWhereItStands("stopped because another task hangs");
  look_limit_.expires_after(core::kProbeLimit);
  look_limit_.async_wait([this](const boost::system::error_code& error) {
    if (!error) stacks_.Hurry();
  });
}

void Executor::OnStands(int attempt, const std::string& where) {
  if (!attempt_ || attempt_->number() != attempt || attempt_->stopping()) return;
  if (!stop_after_look_) return SendStalled(where);
  wire::FromExecutor message;
  message.mutable_stands()->set_attempt(attempt);
  message.mutable_stands()->set_where(where);
  Report(std::move(message));
  const wire::Stop stop = *std::exchange(stop_after_look_, std::nullopt);
  look_limit_.cancel();
  attempt_->Stop(Duration(stop.grace_micros()), Duration(stop.limit_micros()));
}

void Executor::SendStalled(const std::string& where) {
  wire::FromExecutor message;
  wire::Stalled& stalled = *message.mutable_stalled();
  const core::Activity last = liveness_.last();
  stalled.set_attempt(place_.attempt);
  stalled.set_at_micros(MicrosOf(clock_.Now()));
  stalled.set_since_micros(MicrosOf(last.at));
  stalled.set_sign(std::string(last.what));
  stalled.set_where(where);
  SendProgress();
  Report(std::move(message));
}

}  // namespace howdah::executor
