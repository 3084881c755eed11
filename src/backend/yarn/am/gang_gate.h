// Withholds the requests for the job's first gang until it is the job's turn in the queue of gangs.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "background_query.h"
#include "howdah/admission/queue.h"
#include "howdah/backend/yarn/gang_queue.h"
#include "howdah/base/ids.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/yarn/ids.h"
#include "howdah/os/process/clock.h"

namespace howdah::backend::yarn::am {

// Used on the loop's thread only. Looks at the queue while the job waits (admission::PauseBetweenLooks), on a thread of
// its own.
class GangGate {
 public:
  struct Options {
    JobId job;
    std::string label;                // the node label of the job
    hadoop::yarn::AttemptId attempt;  // of this AM
    bool may_step_aside = false;      // YARN starts another AM after this one
  };
  struct Callbacks {
    // The job's turn has changed.
    std::function<void()> on_turn;
    std::function<bool()> on_step_aside;  // releases the AM's own container; returns whether it has done so
  };
  GangGate(boost::asio::io_context& loop, HadoopClient cluster, const os::process::Clock& clock, Options options,
           Callbacks callbacks);

  // Begins to look at the queue. Until the first look is done, the gate is closed. If the queue cannot be read, for
  // example because the AM may not query the ResourceManager, the gate opens.
  void Begin();
  // The first gang is complete: the gate stays open.
  void Complete();
  // Whether the gang must not be requested.
  bool closed() const { return looking_ && !admission::MayRequest(view_.turn); }
  // Which jobs are ahead; empty if none holds this one up.
  const std::string& reason() const { return view_.reason; }
  // Whether only the jobs ahead hold this one up.
  bool fits_alone() const { return view_.fits_alone; }
  // Whether the scheduler counts vcores. Until this is known, the gate takes it that it does not.
  void SetCountsVcores(bool counts) { counts_vcores_ = counts; }

 private:
  // A look at the queue, as this job sees it.
  struct View {
    admission::Turn turn = admission::Turn::kNext;
    std::string reason;
    bool fits_alone = false;
    size_t waiting = 0, nodes = 0;
  };
  class Observer;

  void Look();
  void OnView(const Result<View>& view);
  bool MayStepAside(Instant now) const;

  const os::process::Clock& clock_;
  boost::asio::steady_timer timer_;
  BackgroundQuery query_;
  Options options_;
  Callbacks callbacks_;
  std::shared_ptr<Observer> observer_;  // shared with the thread of the query
  Instant started_;
  bool looking_ = false;
  bool counts_vcores_ = false;
  bool stepping_aside_ = false;
  View view_{.turn = admission::Turn::kWaits};
  std::string problem_;  // why the last look failed
};

}  // namespace howdah::backend::yarn::am
