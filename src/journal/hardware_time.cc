#include "howdah/journal/hardware_time.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "howdah/journal/ledger.h"
#include "json_fields.h"

namespace howdah::journal {
namespace {

constexpr int kSettleInterval = 1024;  // number of entries between two attempts to settle
// The longest time for which a job is counted. Only a damaged journal contains a longer job.
constexpr Duration kLongestJob = std::chrono::days(36'525);
constexpr int kMillion = 1'000'000;

constexpr std::array<Bucket, static_cast<size_t>(Spent::kCount)> kBucketOf = {
    Bucket::kWaiting, Bucket::kLocalization, Bucket::kStart,     Bucket::kRendezvous,
    Bucket::kUseful,  Bucket::kLost,         Bucket::kRecovering};

// While no checkpoint is reported, it is not known which time was lost, so all of it counts as useful.
void CountLostAsUseful(HardwareTime::Buckets& buckets) {
  HardwareTime::Figures lost = std::exchange(buckets[Bucket::kLost], {});
  buckets[Bucket::kUseful].held += lost.held;
  buckets[Bucket::kUseful].wall += lost.wall;
}

// The hardware held at one moment, as amounts held for a microsecond.
struct Rates {
  Held working, ended;                 // ended: held by containers whose last process has ended
  std::map<std::string, Held> labels;  // the sum of both, by label; without containers on nodes without a label
};

// A change of the rates.
struct Step {
  Instant at;
  const core::Resources* granted;
  Held Rates::*rate;
  bool more;
};

// Passes the parts of [from, to) in which the rates do not change to `visit`, in order.
class Sweep {
 public:
  void Hold(const core::Resources& granted, Held Rates::*rate, Instant from, Instant to) {
    if (from >= to) return;
    steps_.push_back({from, &granted, rate, true});
    steps_.push_back({to, &granted, rate, false});
  }
  void Sort() {
    std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) { return a.at < b.at; });
  }
  template <typename Visit>
  void Run(Instant from, Instant to, const Visit& visit) {
    while (from < to) {
      for (; next_ < steps_.size() && steps_[next_].at <= from; ++next_) {
        const Step& step = steps_[next_];
        const Held amount = Over(*step.granted, Duration(1));
        step.more ? rates_.*step.rate += amount : rates_.*step.rate -= amount;
        if (step.granted->label.empty()) continue;
        Held& labelled = rates_.labels[step.granted->label];
        step.more ? labelled += amount : labelled -= amount;
      }
      const Instant until = next_ < steps_.size() ? std::min(to, steps_[next_].at) : to;
      visit(from, until, rates_);
      from = until;
    }
  }

 private:
  std::vector<Step> steps_;
  size_t next_ = 0;
  Rates rates_;
};

void AddProduct(Held& sum, const Held& rate, Duration time) {
  sum.memory += rate.memory * time.count();
  sum.vcores += rate.vcores * time.count();
  sum.gpus += rate.gpus * time.count();
  for (const auto& [type, amount] : rate.others) sum.others[type] += amount * time.count();
}

// Rounds to millionths.
double Rounded(double number) { return std::round(number * 1e6) / 1e6; }

Json ShareJson(const std::optional<double>& share) { return share ? Json(Rounded(*share)) : Json(nullptr); }

Json HeldJson(const Held& held) {
  Json others = Json::object();
  for (const auto& [type, time] : held.others) others[type] = Rounded(Seconds(time));
  return {{"gpu_seconds", Rounded(Seconds(held.gpus))},
          {"memory_gib_seconds", Rounded(GibSeconds(held.memory))},
          {"vcore_seconds", Rounded(Seconds(held.vcores))},
          {"other", std::move(others)}};
}

// Reads a number that HeldJson has written, as microseconds. Returns 0 for anything else.
ResourceTime MicrosOf(const Json& json) {
  constexpr double kMost = 1e30;  // below the range of ResourceTime
  if (!json.is_number()) return 0;
  return static_cast<ResourceTime>(std::round(std::clamp(json.get<double>(), 0.0, kMost) * 1e6));
}

Held HeldOf(const Json& json) {
  const auto micros = [&](const char* name) {
    const Json* field = Field(json, name);
    return field == nullptr ? 0 : MicrosOf(*field);
  };
  Held held{.memory = 0, .vcores = micros("vcore_seconds"), .gpus = micros("gpu_seconds"), .others = {}};
  constexpr ResourceTime kMostGib = ResourceTime{1} << 96;
  held.memory = std::min(micros("memory_gib_seconds"), kMostGib) << 30;
  const Json* others = Field(json, "other");
  if (others == nullptr || !others->is_object()) return held;
  for (const auto& [type, value] : others->items()) {
    if (const ResourceTime time = MicrosOf(value); time > 0) held.others[type] = time;
  }
  return held;
}

}  // namespace

void HardwareTime::Begin(Instant submitted) {
  *this = HardwareTime(std::move(days_), window_);
  submitted_ = settled_ = submitted;
}

void HardwareTime::OnContainer(const core::ContainerChanged& change, Instant now) {
  if (change.type == core::ContainerChanged::Type::kReleased) return Release(change.container, now);
  if (!change.granted) return;
  known_ = true;
  Instant from = now;
  if (change.type == core::ContainerChanged::Type::kAmGranted) {
    // A later application master gets a new container of the same size. Its predecessor's container is lost by then.
    const bool first = am_container_.empty();
    if (!first) Release(am_container_, now);
    am_container_ = change.container;
    if (first && change.since) from = std::clamp(*change.since, settled_, now);
  }
  held_.try_emplace(change.container, Container{*change.granted, from, {}, {}, {}});
}

void HardwareTime::Release(const std::string& id, Instant now) {
  auto held = held_.extract(id);
  if (held.empty()) return;
  held.mapped().released = now;
  released_.push_back(std::move(held.mapped()));
}

void HardwareTime::OnAttemptStarted(const std::string& container, Instant now) {
  const auto at = held_.find(container);
  if (at == held_.end()) return;
  at->second.started = now;
  at->second.ended.reset();
}

void HardwareTime::OnAttemptEnded(const std::string& container, const std::optional<core::Usage>& usage, Instant now) {
  const auto at = held_.find(container);
  if (at == held_.end() || !at->second.started) return;
  at->second.ended = now;
  const Instant started = *std::exchange(at->second.started, std::nullopt);
  if (!usage || !usage->gpu) return;
  const ResourceTime weight = Over(at->second.granted, now - started).gpus;
  const double share = std::clamp(usage->gpu->utilisation_average, 0.0, 1.0);
  busy_ += weight * std::llround(share * kMillion);
  busy_weight_ += weight;
}

void HardwareTime::OnJobEnded(Instant now) {
  while (!held_.empty()) Release(std::string(held_.begin()->first), now);
}

std::optional<double> HardwareTime::busy() const {
  if (busy_weight_ == 0) return std::nullopt;
  return Rounded(static_cast<double>(busy_) / static_cast<double>(busy_weight_) / double{kMillion});
}

const core::Resources* HardwareTime::Find(const std::string& container) const {
  const auto at = held_.find(container);
  return at == held_.end() ? nullptr : &at->second.granted;
}

void HardwareTime::Settle(TimeBreakdown& breakdown) {
  if (++entries_ < kSettleInterval) return;
  entries_ = 0;
  const Instant until = Settled(breakdown);
  if (until <= settled_) return;
  Add(breakdown, until, settled_days_);
  settled_ = until;
  breakdown.DropTimeline(until);
  std::erase_if(released_, [&](const Container& container) { return *container.released <= until; });
}

// Returns the instant before which no time can move to another bucket any more. If another process starts in a
// container whose process has ended, the container's time since that end moves from kTail to the bucket of the job.
Instant HardwareTime::Settled(const TimeBreakdown& breakdown) const {
  Instant settled = breakdown.settled();
  for (const auto& [id, container] : held_) settled = std::min(settled, container.ended.value_or(settled));
  return settled;
}

void HardwareTime::Add(const TimeBreakdown& breakdown, Instant until, std::map<Day, Buckets>& days) const {
  until = std::min(until, submitted_ + kLongestJob);
  if (window_.until) until = std::min(until, *window_.until);
  const Instant since = window_.since ? std::max(*window_.since, settled_) : settled_;
  // While the job recovers, the next process may start in the same container.
  const bool recovers = breakdown.phase() == Spent::kRecovering;
  Sweep sweep;
  const auto hold = [&](const Container& container) {
    const Instant to = container.released.value_or(until);
    const bool counts = container.ended && (container.released || !recovers);
    const Instant ended = counts ? std::min(*container.ended, to) : to;
    sweep.Hold(container.granted, &Rates::working, container.from, ended);
    sweep.Hold(container.granted, &Rates::ended, ended, to);
  };
  for (const Container& container : released_) hold(container);
  for (const auto& [id, container] : held_) hold(container);
  sweep.Sort();
  for (const Stretch& stretch : breakdown.timeline().stretches()) {
    Instant from = std::max(stretch.from, since);
    const Instant to = std::min(stretch.to, until);
    while (from < to) {
      const Instant end = std::min(to, days_.EndAfter(from));
      Buckets& buckets = days[days_.Of(from)];
      Figures& figures = buckets[kBucketOf[static_cast<size_t>(stretch.what)]];
      figures.wall += end - from;
      sweep.Run(from, end, [&](Instant begin, Instant stop, const Rates& rates) {
        AddProduct(figures.held, rates.working, stop - begin);
        AddProduct(buckets[Bucket::kTail].held, rates.ended, stop - begin);
        for (const auto& [label, rate] : rates.labels) AddProduct(buckets.labels[label], rate, stop - begin);
      });
      from = end;
    }
  }
}

Held HardwareTime::Buckets::Total() const {
  Held total;
  for (const Figures& figures : all) total += figures.held;
  return total;
}

HardwareTime::Buckets& HardwareTime::Buckets::operator+=(const Buckets& more) {
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].held += more.all[i].held;
    all[i].wall += more.all[i].wall;
  }
  for (const auto& [label, held] : more.labels) labels[label] += held;
  return *this;
}

std::map<Day, HardwareTime::Buckets> HardwareTime::ByDay(const TimeBreakdown& breakdown) const {
  std::map<Day, Buckets> days = settled_days_;
  if (!breakdown.empty()) Add(breakdown, breakdown.now(), days);
  if (!breakdown.checkpointed()) {
    for (auto& [day, buckets] : days) CountLostAsUseful(buckets);
  }
  return days;
}

HardwareTime::Buckets HardwareTime::Whole(const TimeBreakdown& breakdown) const {
  Buckets whole;
  for (const auto& [day, buckets] : ByDay(breakdown)) whole += buckets;
  return whole;
}

std::string HardwareTime::ToJson(const TimeBreakdown& breakdown) const {
  if (!known_) return "null";
  const Buckets whole = Whole(breakdown);
  const Held held = whole.Total();
  const Held& useful = whole[Bucket::kUseful].held;
  Json json = {{"held", HeldJson(held)}};
  for (size_t i = 0; i < whole.all.size(); ++i) {
    const auto bucket = static_cast<Bucket>(i);
    const bool is_known = bucket != Bucket::kLost || breakdown.checkpointed();
    json[std::string(journal::ToText(bucket))] = is_known ? HeldJson(whole[bucket].held) : Json(nullptr);
  }
  const auto share = busy();
  json["busy_gpu_seconds"] = share ? Json(Rounded(journal::Seconds(useful.gpus) * *share)) : Json(nullptr);
  json["goodput"] = ShareJson(Goodput(useful, held));
  json["busy"] = ShareJson(share);
  return Dump(json);
}

HardwareTime HardwareTime::FromJson(const std::string& text) {
  HardwareTime hardware;
  const Json json = Parse(text);
  if (!json.is_object()) return hardware;
  hardware.known_ = true;
  Buckets& whole = hardware.settled_days_[Day()];
  for (size_t i = 0; i < whole.all.size(); ++i) {
    const Json* field = Field(json, std::string(journal::ToText(static_cast<Bucket>(i))).c_str());
    if (field != nullptr && field->is_object()) whole.all[i].held = HeldOf(*field);
  }
  if (const Json* share = Field(json, "busy"); share != nullptr && share->is_number()) {
    hardware.busy_ = std::llround(std::clamp(share->get<double>(), 0.0, 1.0) * kMillion);
    hardware.busy_weight_ = 1;
  }
  return hardware;
}

}  // namespace howdah::journal
