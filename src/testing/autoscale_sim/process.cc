#include "process.h"

#include <algorithm>
#include <chrono>
#include <variant>

#include "howdah/autoscale/exclude_file.h"
#include "howdah/base/text.h"

namespace howdah::testing::autoscale_sim {
namespace {

using namespace autoscale;
using std::chrono::seconds;

constexpr Duration kPeriod = seconds(5);
constexpr double kLongStop = 0.2;  // the chance that the process is down for longer than machines may take to join
constexpr const char* kEntryOfOthers = "broken-1";

}  // namespace

Process::Process(World& world, SimCluster& cluster, SimProvider& provider)
    : world_(world), cluster_(cluster), provider_(provider) {
  stored_.prefix = "sim";
  exclude_file_ = world.scenario.provider.exclude.is_xml() ? "<hosts>\n  <host><name>broken-1</name></host>\n</hosts>\n"
                                                           : "# broken since May\nbroken-1\n";
  world.Reach(world.scenario.provider.exclude.is_xml() ? Situation::kXmlFile : Situation::kPlainFile);
  world.Reach(world.scenario.mode == Mode::kGangs ? Situation::kGangMode : Situation::kDataprocMode);
}

void Process::Begin() { Start(); }

bool Process::has_disabled_group() const {
  return scaler_ != nullptr && std::ranges::any_of(scaler_->state().health, &autoscale::GroupHealth::disabled);
}

void Process::Start() {
  ++life_;
  started_ = world_.schedule.now();
  const auto state = ReadState(WriteState(stored_));
  if (!state.ok()) return world_.Violate("The state file can be read", state.error().message);
  scaler_ = std::make_unique<Scaler>(world_.scenario.policy, world_.scenario.provider, world_.scenario.mode, *state);
  Repeat(&Process::List);
  Repeat(&Process::Observe);
}

void Process::Die() {
  scaler_.reset();
  under_way_.clear();
  ++life_;
  const bool is_long = world_.random.Chance(kLongStop);
  if (is_long) world_.Reach(Situation::kDownForLong);
  world_.schedule.After(is_long ? world_.Between(301, 900) : world_.Between(1, 60), [this] { Start(); });
}

void Process::Repeat(void (Process::*action)()) {
  if (scaler_ == nullptr) return;
  const int life = life_;
  (this->*action)();
  world_.schedule.After(kPeriod, [this, action, life] {
    if (life == life_) Repeat(action);
  });
}

void Process::Later(Duration delay, Fact fact) {
  world_.schedule.After(delay, [this, life = life_, fact = std::move(fact)] {
    if (life == life_ && scaler_ != nullptr) Step(fact);
  });
}

void Process::Observe() {
  auto seen = cluster_.Observe();
  const Duration delay = world_.random.Between(Duration(1000), Duration(seconds(1)));
  if (seen) {
    Later(delay, std::move(*seen));
  } else {
    Later(delay, ClusterUnreadable{"the ResourceManager does not answer"});
  }
}

void Process::List() {
  const Duration delay = world_.Between(0, 4);
  if (world_.Fault(world_.faults().list_fails)) {
    world_.Reach(Situation::kListFailed);
    Later(delay, ListFailed{"the list failed"});
  } else {
    Later(delay, MachinesListed{provider_.List()});
  }
}

void Process::CheckOrders(const Fact& fact) {
  if (const auto* done = std::get_if<OrderDone>(&fact)) under_way_.erase(done->token);
  if (const auto* failed = std::get_if<OrderFailed>(&fact)) under_way_.erase(failed->token);
  for (const std::string& token : under_way_) {
    const bool counts = std::ranges::any_of(scaler_->state().adds, [&](const auto& add) { return add.token == token; });
    if (!counts) world_.Violate("An order counts as long as its command runs", token);
  }
}

void Process::Step(const Fact& fact) {
  ++steps_;
  const std::vector<Order> orders = scaler_->Step(fact, world_.schedule.now());
  if (const std::string broken = scaler_->BrokenInvariant(); !broken.empty()) {
    return world_.Violate("The invariants of the autoscaler hold", broken);
  }
  CheckOrders(fact);
  if (world_.Fault(world_.faults().killed)) {
    world_.Reach(Situation::kKilledBeforeStore);
    return Die();
  }
  stored_ = scaler_->state();
  if (!orders.empty() && world_.Fault(world_.faults().killed * 5)) {
    world_.Reach(Situation::kKilledBeforeOrders);
    return Die();
  }
  for (const Order& order : orders) {
    Perform(order);
    if (world_.Fault(world_.faults().killed)) {
      world_.Reach(Situation::kKilledAmongOrders);
      return Die();
    }
  }
}

void Process::Report(const SimProvider::Answer& answer, const std::string& token) {
  const Duration delay = world_.Between(1, 20);
  if (answer.error) {
    Later(delay, OrderFailed{token, *answer.error});
  } else if (answer.lost) {
    Later(world_.scenario.provider.timeout, OrderFailed{token, {Failure::kTransient, "no answer within 1m"}});
  } else {
    Later(delay, OrderDone{token});
  }
}

void Process::Perform(const Order& order) {
  if (const auto* add = std::get_if<AddMachines>(&order)) {
    world_.Digest(add->token + std::to_string(add->count));
    world_.Trace([&] { return "add " + std::to_string(add->count) + " " + std::string(ToText(add->group)); });
    under_way_.insert(add->token);
    Report(provider_.Add(*add), add->token);
  } else if (const auto* remove = std::get_if<RemoveMachines>(&order)) {
    world_.Digest(remove->token);
    world_.Trace([&] { return "remove " + remove->machines.front().host + " and others"; });
    Report(provider_.Remove(*remove), remove->token);
  } else if (const auto* exclude = std::get_if<autoscale::SetExcluded>(&order)) {
    SetExcluded(*exclude);
  } else if (const auto* check = std::get_if<CheckNode>(&order)) {
    Later(Duration(1000), NodeChecked{check->host, cluster_.Check(check->host)});
  } else if (const auto* log = std::get_if<LogDecision>(&order)) {
    world_.Trace(
        [&] { return std::string(ToText(log->decision.verdict)) + ": " + log->decision.reason + log->decision.error; });
  }
}

void Process::SetExcluded(const autoscale::SetExcluded& order) {
  if (world_.Fault(world_.faults().exclude_fails)) {
    world_.Reach(Situation::kExcludeFailed);
    return Later(seconds(1), ExcludeFailed{"cannot write the exclude file"});
  }
  for (const auto& [host, timeout] : order.timeouts) {
    const auto& leaving = scaler_->state().leaving;
    const bool leaves = std::ranges::any_of(leaving, [&, &name = host](const auto& entry) {
      return entry.second.host == name && entry.second.step != LeavingMachine::Step::kCancelled;
    });
    if (!leaves) return world_.Violate("A host is excluded only while it drains or leaves", host);
  }
  const ExcludeFormat format = world_.scenario.provider.exclude.format();
  const auto text = WithExcluded(exclude_file_, format, order.own, order.timeouts);
  if (!text.ok()) return world_.Violate("The exclude file can be read", text.error().message);
  exclude_file_ = *text;
  auto hosts = ExcludedHosts(exclude_file_, format);
  if (!hosts.ok() || !hosts->contains(kEntryOfOthers)) {
    return world_.Violate("Entries of others stay in the exclude file", exclude_file_);
  }
  hosts->erase(kEntryOfOthers);
  if (hosts->size() != order.timeouts.size()) {
    return world_.Violate("The exclude file has the hosts that were ordered", exclude_file_);
  }
  world_.Trace([&] { return "exclude [" + Join(std::vector<std::string>(hosts->begin(), hosts->end()), " ") + "]"; });
  cluster_.SetExcludeFile(*hosts);
  if (cluster_.Refresh(order)) {
    Later(Duration(10'000), ExcludeDone{});
  } else {
    Later(seconds(1), ExcludeFailed{"the ResourceManager does not answer"});
  }
}

bool Process::quiet() const {
  return scaler_ != nullptr && scaler_->state().adds.empty() && scaler_->state().leaving.empty();
}

std::string Process::Describe() const {
  return scaler_ == nullptr ? "" : scaler_->last().reason + scaler_->last().error;
}

}  // namespace howdah::testing::autoscale_sim
