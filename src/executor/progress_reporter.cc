#include "progress_reporter.h"

#include <utility>

#include "log.h"
#include "micros.h"

namespace howdah::executor {

ProgressReporter::ProgressReporter(boost::asio::io_context& loop, const os::process::Clock& clock, AmConnection& am,
                                   std::function<bool()> extend_grace,
                                   std::function<void(int local_rank, const core::ProgressLine& line)> on_line)
    : am_(am),
      extend_grace_(std::move(extend_grace)),
      on_line_(std::move(on_line)),
      reader_(loop, clock,
              {[this](int rank, const core::ProgressLine& line) { OnLine(rank, line); },
               [this](int rank, const std::string& line) { OnInvalidLine(rank, line); }}),
      ready_probe_(loop, [this] {
        wire::FromExecutor message;
        message.mutable_serves()->set_attempt(attempt_);
        am_.Report(std::move(message));
      }) {}

Status ProgressReporter::Begin(const std::string& work_dir, int attempt, int processes) {
  attempt_ = attempt;
  sent_.reset();
  return reader_.Begin(work_dir, attempt, processes);
}

void ProgressReporter::Probe(ProbeTarget target, const jobspec::Ready& ready) {
  ready_probe_.Begin(std::move(target), ready.interval, ready.timeout);
}

void ProgressReporter::ReadAndSend() {
  reader_.Read();
  Send();
}

void ProgressReporter::Send() {
  if (!changed() || !am_.connected()) return;
  wire::FromExecutor message;
  Fill(*message.mutable_progress());
  am_.Send(message);
}

void ProgressReporter::AddTo(wire::Heartbeat& heartbeat) {
  if (changed() && am_.connected()) Fill(*heartbeat.mutable_progress());
}

void ProgressReporter::End() {
  reader_.End();
  ready_probe_.End();
  if (!changed()) return;
  wire::FromExecutor message;
  Fill(*message.mutable_progress());
  am_.Report(std::move(message));
}

void ProgressReporter::OnLine(int local_rank, const core::ProgressLine& line) {
  using Kind = core::ProgressLine::Kind;
  on_line_(local_rank, line);
  if (line.kind == Kind::kCheckpoint) Send();
  if (line.kind != Kind::kSaving || !extend_grace_()) return;
  wire::FromExecutor message;
  message.mutable_progress()->set_attempt(attempt_);
  message.mutable_progress()->set_saving(true);
  am_.Send(message);
}

void ProgressReporter::OnInvalidLine(int local_rank, const std::string& line) {
  Log("local rank " + std::to_string(local_rank) +
      ": invalid line in HOWDAH_PROGRESS, expected `step N`, `steps N`, `checkpoint N`, `checkpointing`, "
      "`input SECONDS` or `metric NAME VALUE`; it and all further invalid lines are ignored: " +
      line);
}

void ProgressReporter::Fill(wire::Progress& progress) {
  sent_ = reader_.progress();
  progress.set_attempt(attempt_);
  progress.set_at_micros(Micros(sent_->at));
  if (sent_->step) progress.set_step(*sent_->step);
  if (sent_->checkpoint) progress.set_checkpoint(*sent_->checkpoint);
  if (sent_->checkpoint_at) progress.set_checkpoint_at_micros(Micros(*sent_->checkpoint_at));
  if (sent_->steps) progress.set_steps(*sent_->steps);
  if (sent_->checkpoint_cost) {
    progress.set_checkpoints(sent_->checkpoint_cost->count);
    progress.set_checkpointing_micros(sent_->checkpoint_cost->time.count());
  }
}

}  // namespace howdah::executor
