#include "gang_gate.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "howdah/admission/queue_watch.h"

namespace howdah::backend::yarn::am {
namespace {

// Other applications release containers without a change in the queue, so the nodes are read again after this time even
// if the queue is the same.
constexpr Duration kNodesAreOldAfter = std::chrono::seconds(20);

// A text that changes when the queue does.
std::string DigestOf(const QueueReports& reports) {
  std::string digest;
  for (const auto& report : reports.applications) {
    const auto& usage = report.app_resource_usage();
    digest += hadoop::yarn::ToText(hadoop::yarn::FromProto(report.currentapplicationattemptid())) + " " +
              std::to_string(usage.num_used_containers()) + " " + std::to_string(usage.used_resources().memory()) +
              " " + std::to_string(report.priority().priority()) + " " + report.queue() +
              (report.progress() > 0 ? " runs\n" : "\n");
  }
  return digest;
}

}  // namespace

// Used by one thread at a time.
class GangGate::Observer {
 public:
  Observer(std::string job, std::string label) : job_(std::move(job)) { scope_.label = std::move(label); }

  Result<View> Look(HadoopClient& cluster, bool counts_vcores, bool may_step_aside, Instant now) {
    scope_.counts_vcores = counts_vcores;
    HOWDAH_TRY(const auto rm, cluster.Rm());
    HOWDAH_TRY_STATUS(reader_.ReadApplications(*rm));
    admission::Cluster queue = ClusterOf(reader_.reports(), scope_);
    const admission::Job* own = Find(queue);
    // An application that the ResourceManager does not list, or whose tag it has not kept, is not in the queue.
    if (own == nullptr || !own->waits() || IsFirst(queue, *own)) return View{};
    if (own->am) scope_.am_size = own->am->size;
    if (std::string digest = DigestOf(reader_.reports()); digest != digest_ || now >= read_nodes_ + kNodesAreOldAfter) {
      HOWDAH_TRY_STATUS(reader_.ReadNodes(*rm));
      HOWDAH_TRY_STATUS(reader_.ReadJobs(*rm, scope_, own->demand.run.has_value()));
      digest_ = std::move(digest);
      read_nodes_ = now;
    }
    queue = ClusterOf(reader_.reports(), scope_);
    for (admission::Job& job : queue.jobs) {
      if (job.id == job_) job.may_step_aside = job.may_step_aside && may_step_aside;
    }
    return ViewOf(queue, now);
  }

 private:
  const admission::Job* Find(const admission::Cluster& queue) const {
    const auto found = std::ranges::find_if(queue.jobs, [&](const admission::Job& job) { return job.id == job_; });
    return found == queue.jobs.end() ? nullptr : &*found;
  }
  static bool IsFirst(const admission::Cluster& queue, const admission::Job& own) {
    return std::ranges::none_of(
        queue.jobs, [&](const admission::Job& job) { return job.waits() && admission::ComesBefore(job, own); });
  }
  View ViewOf(admission::Cluster& queue, Instant now) {
    const std::vector<admission::Place> places = watch_.Look(queue, now);
    View view{.waiting = places.size(), .nodes = queue.nodes.size()};
    for (const admission::Place& place : places) {
      if (place.id != job_) continue;
      view.turn = place.turn;
      view.fits_alone = place.fits_alone;
    }
    // A gang that is too large for the cluster waits for nodes, not for other jobs.
    if (view.turn != admission::Turn::kTooLarge) view.reason = admission::ReasonText(queue, places, job_);
    return view;
  }

  std::string job_;
  QueueScope scope_;
  QueueReader reader_;
  admission::QueueWatch watch_;
  std::string digest_;
  Instant read_nodes_;
};

GangGate::GangGate(boost::asio::io_context& loop, HadoopClient cluster, const os::process::Clock& clock,
                   Options options, Callbacks callbacks)
    : clock_(clock),
      timer_(loop),
      query_(loop, std::move(cluster)),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      observer_(std::make_shared<Observer>(options_.job.text, options_.label)),
      started_(clock_.Now()) {}

void GangGate::Begin() {
  looking_ = true;
  Look();
}

void GangGate::Complete() {
  looking_ = false;
  timer_.cancel();
}

bool GangGate::MayStepAside(Instant now) const {
  return options_.may_step_aside && now >= started_ + admission::PauseBeforeStep(options_.attempt.attempt);
}

void GangGate::Look() {
  const Instant now = clock_.Now();
  query_.Start([this, observer = observer_, counts = counts_vcores_, may_step_aside = MayStepAside(now),
                now](HadoopClient& cluster) {
    return [this, view = observer->Look(cluster, counts, may_step_aside, now)] { OnView(view); };
  });
}

void GangGate::OnView(const Result<View>& view) {
  if (!looking_ || stepping_aside_) return;
  const std::string problem = view.ok() ? "" : view.error().message;
  if (problem != std::exchange(problem_, problem) && !problem.empty()) {
    std::cerr << "reading the queue of jobs: " << problem << "; the job does not wait for others\n";
  }
  const View now = view.ok() ? *view : View{};
  stepping_aside_ = now.turn == admission::Turn::kStepsAside && callbacks_.on_step_aside();
  if (stepping_aside_) return;
  const View before = std::exchange(view_, now);
  if (before.turn != now.turn || before.reason != now.reason || before.fits_alone != now.fits_alone) {
    callbacks_.on_turn();
  }
  timer_.expires_after(admission::PauseBetweenLooks(now.waiting, now.nodes));
  timer_.async_wait([this](const boost::system::error_code& stopped) {
    if (!stopped) Look();
  });
}

}  // namespace howdah::backend::yarn::am
