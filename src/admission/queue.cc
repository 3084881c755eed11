#include "howdah/admission/queue.h"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "howdah/admission/room.h"
#include "howdah/base/text.h"

namespace howdah::admission {
namespace {

constexpr size_t kMostNamed = 2;    // jobs ahead that a reason describes
constexpr size_t kMostStarts = 20;  // jobs ahead whose start is predicted

// The tasks of a waiting job, with its AM if that has no container yet.
std::vector<Tasks> NeedsOf(const Job& job) {
  std::vector<Tasks> needs = job.demand.tasks;
  if (!job.am) needs.push_back({1, job.am_size});
  return needs;
}

// The whole job: its gang and its AM.
std::vector<Tasks> WholeOf(const Job& job) {
  std::vector<Tasks> whole = job.demand.tasks;
  whole.push_back({1, job.am ? job.am->size : job.am_size});
  return whole;
}

std::vector<const Job*> WaitingInOrder(const Cluster& cluster) {
  std::vector<const Job*> waiting;
  for (const Job& job : cluster.jobs) {
    if (job.waits()) waiting.push_back(&job);
  }
  std::sort(waiting.begin(), waiting.end(), [](const Job* a, const Job* b) { return ComesBefore(*a, *b); });
  return waiting;
}

// The amounts that queues and users may still get.
class Allowance {
 public:
  explicit Allowance(const Limits& limits) : limits_(limits) {}

  bool Allows(const Job& job, const Resources& wanted) const {
    const auto fits = [&](const auto& limits, const auto& key) {
      const auto found = limits.find(key);
      return found == limits.end() || Fits(wanted, found->second);
    };
    return fits(limits_.queue, job.queue) && fits(limits_.user, std::pair(job.queue, job.user));
  }
  // As many of the tasks as the job may still get, in their order.
  std::vector<Tasks> PartFor(const Job& job, std::vector<Tasks> tasks) const {
    Resources sum;
    for (Tasks& some : tasks) {
      int64_t count = 0;
      while (count < some.count && Allows(job, sum + some.each)) sum += some.each, ++count;
      some.count = count;
    }
    return tasks;
  }
  void Take(const Job& job, const Resources& amount) { Add(job, amount * -1); }
  void Return(const Job& job, const Resources& amount) { Add(job, amount); }

 private:
  void Add(const Job& job, const Resources& amount) {
    if (const auto found = limits_.queue.find(job.queue); found != limits_.queue.end()) found->second += amount;
    const auto user = limits_.user.find({job.queue, job.user});
    if (user != limits_.user.end()) user->second += amount;
  }

  Limits limits_;
};

// The time by which running jobs have left enough room for the needs, as far as their limits say.
std::optional<Instant> StartOf(const Cluster& cluster, const Job& job, const std::vector<Tasks>& needs, Room& room,
                               Allowance allowance, Instant now) {
  struct End {
    Instant at;
    const Job* job;
  };
  std::vector<End> ends;
  for (const Job& running : cluster.jobs) {
    if (!running.waits() && running.demand.run) ends.push_back({*running.complete + *running.demand.run, &running});
  }
  std::sort(ends.begin(), ends.end(),
            [](const End& a, const End& b) { return std::tie(a.at, a.job->id) < std::tie(b.at, b.job->id); });
  const size_t mark = room.Mark();
  std::optional<Instant> start;
  for (auto end = ends.begin(); end != ends.end() && !start; ++end) {
    for (const auto& [node, amount] : end->job->held) {
      room.Free(node, amount);
      allowance.Return(*end->job, amount);
    }
    if (allowance.Allows(job, SumOf(needs)) && room.CanStart(needs)) start = std::max(end->at, now);
  }
  room.Rollback(mark);
  return start;
}

// The AM that steps aside so that `first` can start: the last in order, if `first` lacks only the room of AMs of jobs
// that wait behind it. Returns null if there is none.
const Job* WhoStepsAside(std::span<const Job* const> behind, const Job& first, const std::vector<Tasks>& needs,
                         Room& room, Allowance allowance) {
  const size_t mark = room.Mark();
  const Job* last = nullptr;
  for (const Job* job : behind) {
    if (!job->am || !job->may_step_aside) continue;
    room.Free(job->am->node, job->am->size);
    allowance.Return(*job, job->am->size);
    last = job;
  }
  const bool suffices = last != nullptr && allowance.Allows(first, SumOf(needs)) && room.CanStart(needs);
  room.Rollback(mark);
  return suffices ? last : nullptr;
}

// Goes through the waiting jobs in order.
class Turns {
 public:
  Turns(const Cluster& cluster, Instant now)
      : cluster_(cluster),
        now_(now),
        waiting_(WaitingInOrder(cluster)),
        room_(cluster.nodes, Room::Use::kPresent),
        emptied_(cluster.nodes, Room::Use::kNone),
        unreserved_(room_),
        allowance_(cluster.limits),
        unreserved_allowance_(cluster.limits) {}

  std::vector<Place> Take() {
    for (size_t i = 0; i < waiting_.size(); ++i) {
      const Job& job = *waiting_[i];
      places_.push_back({.id = job.id, .jobs_ahead = ahead_.size()});
      Place& place = places_.back();
      place.ahead.assign(ahead_.begin(), ahead_.begin() + std::min(ahead_.size(), kMostNamed));
      TakeTurn(job, i, place);
      if (place.turn != Turn::kTooLarge && !job.is_late) ahead_.push_back(job.id);
    }
    if (steps_aside_ == nullptr && late_ != nullptr) steps_aside_ = LastThatWaitsIn(late_->queue);
    for (Place& place : places_) {
      if (steps_aside_ != nullptr && place.id == steps_aside_->id && place.turn == Turn::kWaits) {
        place.turn = Turn::kStepsAside;
      }
    }
    return std::move(places_);
  }

 private:
  void TakeTurn(const Job& job, size_t position, Place& place) {
    const std::vector<Tasks> needs = NeedsOf(job);
    if (!emptied_.CanStart(WholeOf(job))) {
      place.turn = Turn::kTooLarge;
      place.lacks = room_.Lacking(needs);
      return;
    }
    const auto behind = std::span(waiting_).subspan(position + 1);
    if (job.is_late) {
      // A reservation for it could keep the room unused permanently.
      place.turn = Turn::kNext;
      if (!allowance_.Allows(job, SumOf(needs)) || !room_.CanStart(needs)) place.lacks = room_.Lacking(needs);
      if (!job.am && late_ == nullptr) late_ = &job;
      return;
    }
    if (job.am) {
      // The AMs of jobs behind may step aside, but this one stays.
      room_.Occupy(job.am->node, job.am->size);
      unreserved_.Occupy(job.am->node, job.am->size);
    }
    const Resources sum = SumOf(needs);
    const bool is_first = !has_first_;
    has_first_ = true;
    const auto started = allowance_.Allows(job, sum) ? room_.Start(needs) : std::nullopt;
    if (started) {
      place.turn = is_first ? Turn::kNext : Turn::kFits;
      allowance_.Take(job, sum);
      unreserved_.Take(*started);
      unreserved_allowance_.Take(job, sum);
      return;
    }
    place.lacks = room_.Lacking(needs);
    place.fits_alone = unreserved_.CanStart(needs);
    // A job with so many jobs ahead does not backfill.
    if (starts_.size() < kMostStarts) place.starts = StartOf(cluster_, job, needs, room_, allowance_, now_);
    if (is_first) {
      place.turn = Turn::kNext;
      if (steps_aside_ == nullptr) steps_aside_ = WhoStepsAside(behind, job, needs, room_, allowance_);
    } else if (MayBackfill(job, needs, sum)) {
      place.turn = Turn::kBackfills;
      return;
    }
    starts_.push_back(place.starts);
    // Jobs of other queues and users are held up only by what this one may still get.
    room_.Reserve(allowance_.PartFor(job, needs));
    allowance_.Take(job, sum);
  }

  // The AM that steps aside so that the ResourceManager can start the AM of a job in the same queue.
  const Job* LastThatWaitsIn(const std::string& queue) const {
    for (size_t i = places_.size(); i-- > 0;) {
      const Job& job = *waiting_[i];
      if (places_[i].turn == Turn::kWaits && job.am && job.may_step_aside && job.queue == queue) return &job;
    }
    return nullptr;
  }

  // Whether the job fits into free room, reserved or not, and ends before each job ahead could start.
  bool MayBackfill(const Job& job, const std::vector<Tasks>& needs, const Resources& sum) {
    if (!job.demand.run) return false;
    for (const auto& start : starts_) {
      if (!start || *start < now_ + *job.demand.run) return false;
    }
    const auto started = unreserved_allowance_.Allows(job, sum) ? unreserved_.Start(needs) : std::nullopt;
    if (!started) return false;
    unreserved_allowance_.Take(job, sum);
    room_.TakeForNow(*started);
    return true;
  }

  const Cluster& cluster_;
  const Instant now_;
  const std::vector<const Job*> waiting_;
  Room room_;        // beside the jobs that start, and the reservations of those that wait
  Room emptied_;     // of all tasks
  Room unreserved_;  // beside the jobs that start
  Allowance allowance_, unreserved_allowance_;
  bool has_first_ = false;
  std::vector<std::string> ahead_;
  std::vector<std::optional<Instant>> starts_;  // of the jobs so far that have reservations
  const Job* steps_aside_ = nullptr;
  const Job* late_ = nullptr;  // the first job whose AM is late
  std::vector<Place> places_;
};

const Job& Find(const Cluster& cluster, const std::string& id) {
  return *std::ranges::find_if(cluster.jobs, [&](const Job& job) { return job.id == id; });
}

std::string LacksText(const Resources& lacks) { return lacks == Resources() ? "" : "; waits for " + ToText(lacks); }

}  // namespace

bool ComesBefore(const Job& job, const Job& other) {
  return std::tuple(-int64_t{job.priority}, job.submitted, job.id) <
         std::tuple(-int64_t{other.priority}, other.submitted, other.id);
}

bool MayRequest(Turn turn) { return turn == Turn::kNext || turn == Turn::kFits || turn == Turn::kBackfills; }

std::vector<Place> Order(const Cluster& cluster, Instant now) { return Turns(cluster, now).Take(); }

std::string ReasonText(const Cluster& cluster, const std::vector<Place>& places, const std::string& id) {
  const auto own = std::ranges::find_if(places, [&](const Place& place) { return place.id == id; });
  if (own == places.end() || MayRequest(own->turn)) return "";
  const Job& job = Find(cluster, id);
  if (own->turn == Turn::kTooLarge) {
    return "the job needs " + ToText(job.demand.tasks) +
           ", which the nodes of the cluster cannot hold even when they are empty";
  }
  const size_t count = own->jobs_ahead;
  std::string text = CountOf(static_cast<int64_t>(count), "job is", "jobs are") + " ahead in the queue" +
                     (job.queue.empty() ? "" : " '" + job.queue + "'") + ": ";
  for (size_t i = 0; i < std::min(count, kMostNamed); ++i) {
    text += (i == 0 ? "" : " and ") + own->ahead[i];
    if (i > 0) continue;
    const auto first = std::ranges::find_if(places, [&](const Place& place) { return place.id == own->ahead[i]; });
    text += " (needs " + ToText(Find(cluster, own->ahead[i]).demand.tasks) + LacksText(first->lacks) + ")";
  }
  if (count > kMostNamed) text += " and " + std::to_string(count - kMostNamed) + " more";
  if (own->turn == Turn::kStepsAside) text += "; the application master makes room for the first of them";
  return text;
}

}  // namespace howdah::admission
