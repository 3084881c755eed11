#include "howdah/autoscale/runner/run.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "commands.h"
#include "fact_queue.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/periodic_timer.h"
#include "worker.h"

namespace howdah::autoscale::runner {
namespace {

struct Workers {
  Worker lister, observer, excluder, checker, publisher;
  std::map<std::string, std::unique_ptr<Worker>> commands;  // by token
};

// The loop of one autoscaler. The scaler runs on the thread of Loop; everything that blocks runs on workers.
class Runner {
 public:
  Runner(const RunOptions& options, ClusterLink& link, const Directory& directory, State state, os::files::Fd event,
         int stop, const std::function<void(const Decision&)>& on_decision)
      : stop_(stop),
        options_(options),
        link_(link),
        directory_(directory),
        on_decision_(on_decision),
        scaler_(NewScaler(std::move(state))),
        commands_(options.provider, options.directory, stop),
        facts_(std::move(event)),
        obeyed_(scaler_->state().wish) {}

  Status Loop() {
    HOWDAH_TRY(const auto timer, os::process::StartPeriodicTimer(options_.period));
    for (;;) {
      std::array<pollfd, 3> waits = {pollfd{stop_, POLLIN, 0}, pollfd{timer.get(), POLLIN, 0},
                                     pollfd{facts_.fd(), POLLIN, 0}};
      if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return os::files::SystemError("waiting");
      if (waits[0].revents != 0) return {};
      if (waits[1].revents != 0 && os::process::TakeExpiration(timer)) Look();
      HOWDAH_TRY_STATUS(Obey());
      while (const auto fact = facts_.Take()) HOWDAH_TRY_STATUS(Step(*fact));
    }
  }

 private:
  // A wish that cannot be read changes nothing.
  Status Obey() {
    const auto wish = directory_.ReadWish();
    if (!wish.ok() || wish->id == obeyed_) return {};
    obeyed_ = wish->id;
    return Step(wish->paused ? Fact(Paused{wish->id}) : Fact(Resumed{wish->id}));
  }

  // A look that has not ended is not repeated.
  void Look() {
    if (workers_.lister.idle()) {
      workers_.lister.Do([this] {
        auto machines = commands_.List();
        facts_.Add(machines.ok() ? Fact(MachinesListed{std::move(*machines)})
                                 : Fact(ListFailed{machines.error().message}));
      });
    }
    if (workers_.observer.idle()) {
      workers_.observer.Do([this] {
        auto seen = link_.Observe();
        facts_.Add(seen.ok() ? Fact(std::move(*seen)) : Fact(ClusterUnreadable{seen.error().message}));
      });
    }
  }

  Status Step(const Fact& fact) {
    if (options_.dry_run) return Try(fact);
    const std::vector<Order> orders = scaler_->Step(fact, clock_.Now());
    if (const std::string broken = scaler_->BrokenInvariant(); !broken.empty()) {
      return Failed("the autoscaler has stopped before it broke a promise: " + broken);
    }
    if (std::string state = WriteState(scaler_->state()); state != stored_) {
      HOWDAH_TRY_STATUS(directory_.WriteState(state));
      stored_ = std::move(state);
    }
    // Checks that have not ended are not repeated.
    const bool may_check = workers_.checker.idle();
    for (const Order& order : orders) {
      if (may_check || !std::holds_alternative<CheckNode>(order)) HOWDAH_TRY_STATUS(Perform(order));
    }
    std::erase_if(workers_.commands, [](const auto& entry) { return entry.second->idle(); });
    Publish();
    return {};
  }

  // Publishes changes, and otherwise once in kPublishedEvery. The first of several errors in a row is logged.
  void Publish() {
    const bool has_decided = scaler_->last().at != Instant();
    if (options_.provider.publish.empty() || !has_decided || !workers_.publisher.idle()) return;
    Publication publication = scaler_->Published(clock_.Now());
    const Instant now = std::exchange(publication.published, published_.published);
    if (publication == published_ && now < published_.published + kPublishedEvery) return;
    publication.published = now;
    published_ = publication;
    const Duration correction = options_.wall_time() - now;
    for (Instant* time : {&publication.published, &publication.coming_since, &publication.decided}) *time += correction;
    workers_.publisher.Do([this, text = WritePublication(publication)] {
      const Status done = link_.Publish(text);
      if (!done.ok() && !publishing_fails_) facts_.Add(PublishFailed{done.error().message});
      publishing_fails_ = !done.ok();
    });
  }

  // Reports the decisions only, and forgets the orders.
  Status Try(const Fact& fact) {
    State before = scaler_->state();
    bool ordered = false;
    for (const Order& order : scaler_->Step(fact, clock_.Now())) {
      const auto* log = std::get_if<LogDecision>(&order);
      ordered = ordered || log == nullptr;
      if (log == nullptr || log->decision.SaysSame(reported_)) continue;
      reported_ = InWallTime(log->decision);
      on_decision_(reported_);
    }
    if (ordered) scaler_ = NewScaler(std::move(before));
    return {};
  }

  Decision InWallTime(Decision decision) const {
    decision.at += options_.wall_time() - clock_.Now();
    return decision;
  }

  std::unique_ptr<Scaler> NewScaler(State state) const {
    return std::make_unique<Scaler>(options_.policy, options_.provider, options_.mode, std::move(state));
  }

  Status Perform(const Order& order) {
    if (const auto* log = std::get_if<LogDecision>(&order)) {
      const Decision decision = InWallTime(log->decision);
      on_decision_(decision);
      return directory_.AppendLog(ToLogLine(decision));
    }
    if (const auto* add = std::get_if<AddMachines>(&order)) {
      RunCommand(add->token, [this, add = *add] { return commands_.Add(add); });
    } else if (const auto* remove = std::get_if<RemoveMachines>(&order)) {
      RunCommand(remove->token, [this, remove = *remove] { return commands_.Remove(remove); });
    } else if (const auto* exclude = std::get_if<SetExcluded>(&order)) {
      workers_.excluder.Do([this, exclude = *exclude] {
        const Status done = link_.Exclude(exclude);
        facts_.Add(done.ok() ? Fact(ExcludeDone()) : Fact(ExcludeFailed{done.error().message}));
      });
    } else if (const auto* check = std::get_if<CheckNode>(&order)) {
      workers_.checker.Do([this, check = *check] { facts_.Add(NodeChecked{check.host, link_.Check(check)}); });
    }
    return {};
  }

  // Commands for different orders run at the same time.
  void RunCommand(const std::string& token, std::function<std::optional<CommandError>()> command) {
    auto& worker = workers_.commands[token];
    if (!worker) worker = std::make_unique<Worker>();
    worker->Do([this, token, command = std::move(command)] {
      auto error = command();
      facts_.Add(error ? Fact(OrderFailed{token, std::move(*error)}) : Fact(OrderDone{token}));
    });
  }

  const int stop_;
  const RunOptions& options_;
  ClusterLink& link_;
  const Directory& directory_;
  const std::function<void(const Decision&)>& on_decision_;
  const os::process::Clock clock_;
  std::unique_ptr<Scaler> scaler_;
  std::string stored_;  // the text of the state
  Decision reported_;   // the last one of a dry run
  Publication published_;
  bool publishing_fails_ = false;  // used by the publisher's thread
  const Commands commands_;
  FactQueue facts_;
  std::string obeyed_;  // the id of the last wish
  Workers workers_;     // the last member: the threads use the others
};

}  // namespace

Status Run(const RunOptions& options, ClusterLink& link, const Directory& directory, int stop,
           const std::function<void(const Decision&)>& on_decision) {
  HOWDAH_TRY(State state, directory.ReadState("howdah"));
  os::files::Fd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event.valid()) return os::files::SystemError("making an event");
  Runner runner(options, link, directory, std::move(state), std::move(event), stop, on_decision);
  return runner.Loop();
}

Result<std::vector<Machine>> ListMachines(const Provider& provider, const std::string& directory) {
  return Commands(provider, directory, /*stop=*/-1).List();
}

}  // namespace howdah::autoscale::runner
