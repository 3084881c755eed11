#include "watchdog.h"

#include <utility>

#include "log.h"
#include "micros.h"

namespace howdah::executor {

Watchdog::Watchdog(boost::asio::io_context& loop, const os::process::Clock& clock, AmConnection& am, Handlers handlers)
    : clock_(clock), am_(am), handlers_(std::move(handlers)), stacks_(loop), probe_limit_(loop) {}

void Watchdog::Begin(Target target) {
  target_ = std::move(target);
  hung_ = false;
  std::vector<std::string> outputs;
  for (const LogFiles& logs : target_.logs) {
    outputs.push_back(logs.out);
    outputs.push_back(logs.err);
  }
  activity_.Begin(clock_.Now(), std::move(outputs));
}

void Watchdog::End() { CancelProbe(); }

void Watchdog::CancelProbe() {
  stacks_.Cancel();
  stop_after_probe_.reset();
  probe_limit_.cancel();
}

void Watchdog::Check(const std::vector<pid_t>& pids, const Measurements& measurements) {
  if (hung_ || stop_after_probe_ || !target_.limit) return;
  const Instant now = clock_.Now();
  activity_.Update({now, measurements.cpu_seconds, measurements.gpus, measurements.last_progress});
  if (now - activity_.last().at < *target_.limit) return;
  hung_ = true;
  Log("attempt " + std::to_string(target_.attempt) + " shows no activity; its stack locations are in its stderr");
  SampleStacks(pids, "no activity");
}

void Watchdog::ProbeThenStop(const std::vector<pid_t>& pids, const wire::Stop& stop) {
  if (stop_after_probe_) return;
  stop_after_probe_ = stop;
  // If this attempt hangs as well, a sample may already be in progress; its result then serves as the probe.
  if (!stacks_.sampling()) SampleStacks(pids, "stopped because another task hangs");
  probe_limit_.expires_after(core::kProbeLimit);
  probe_limit_.async_wait([this](const boost::system::error_code& error) {
    if (!error) stacks_.FinishEarly();
  });
}

void Watchdog::SampleStacks(const std::vector<pid_t>& pids, const std::string& why) {
  StackSampler::Request request{pids, {}, target_.path, why};
  for (const LogFiles& logs : target_.logs) request.stderrs.push_back(logs.err);
  stacks_.Sample(std::move(request), [this](const std::string& where) { OnSampled(where); });
}

void Watchdog::OnSampled(const std::string& where) {
  if (!stop_after_probe_) return ReportHang(where);
  wire::FromExecutor message;
  message.mutable_stands()->set_attempt(target_.attempt);
  message.mutable_stands()->set_where(where);
  am_.Report(std::move(message));
  const wire::Stop stop = *std::exchange(stop_after_probe_, std::nullopt);
  probe_limit_.cancel();
  handlers_.stop(stop);
}

void Watchdog::ReportHang(const std::string& where) {
  const core::Activity last = activity_.last();
  wire::FromExecutor message;
  wire::Stalled& hung = *message.mutable_stalled();
  hung.set_attempt(target_.attempt);
  hung.set_at_micros(Micros(clock_.Now()));
  hung.set_since_micros(Micros(last.at));
  hung.set_sign(std::string(last.what));
  hung.set_where(where);
  handlers_.send_progress();
  am_.Report(std::move(message));
}

}  // namespace howdah::executor
