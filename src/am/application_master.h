#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "event_log.h"
#include "executors.h"
#include "followers.h"
#include "howdah/am/am.h"
#include "howdah/core/job.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/process/clock.h"
#include "howdah/rpc/am_server.h"
#include "howdah/rpc/callback/callback.h"
#include "journal_file.h"
#include "rendezvous.h"
#include "tensorboard.h"
#include "tracking.h"
#include "tunnels.h"

namespace howdah::am {

// What an AM goes on with.
struct Resumption {
  EventLog::Past past;
  size_t recorded = 0;  // how many of the entries that follow from it are in the journal
};

// One object a process, one thread: the loop's. Ends when the job has finished.
class ApplicationMaster final : public backend::Sink {
 public:
  // submitted: as core::Job takes it.
  ApplicationMaster(AmOptions options, JournalFile journal, EventLog log, journal::JobView view, Instant submitted);
  ~ApplicationMaster() override;

  Status Run(const MakeBackend& make_backend, const std::optional<Resumption>& resumption);

  // backend::Sink
  void OnGranted(const ContainerId& container, int role, const std::string& node) override;
  void OnStarting(const ContainerId& container, const std::string& how_far) override;
  void OnExited(const ContainerId& container, const std::string& how, bool excused, bool taken) override;
  void OnWarned(const ContainerId& container, const std::string& why, bool taken) override;
  void OnWaiting(const std::string& reason) override;
  void OnRefused(const std::string& reason) override;
  void OnLost(const Error& error) override;

 private:
  // Queues a fact. Facts are stepped one by one, from the loop, never from within a step.
  void Post(core::Event event);
  void Drain();
  Status Log(const core::Event& event, Instant now, bool changed);
  // Brings the core to where the AM before this one left it. Its orders were given, but for entries of the journal.
  void Resume(const Resumption& resumption, const Listening& listening);
  void Perform(const core::Action& action);
  void PerformStart(const core::StartTask& order);
  void PerformRecord(core::Change change);
  // Into the output of the rank's process.
  void Print(int rank, const std::string& text);
  // Where the job file says, for others. What cannot be written is told in the advice.
  void WriteHistory(Instant now, core::JobChanged& finished);
  void FinishPlace(const core::JobChanged& final);
  void AddUsage(core::TaskChanged& ended);
  // Who submits again wants to know from where.
  void AddCheckpoint(core::JobChanged& finished) const;
  void AddWaste(core::JobChanged& finished) const;
  void ArmTimer();
  void Fail(Error error);

  void FinishFollowers();

  void OnControl(const wire::ControlRequest& request, const std::function<void(wire::ControlReply)>& reply);
  Result<Listening> Listen();
  Tunnels::World TunnelWorld();
  journal::JobView ViewWithUsage() const;
  wire::ControlReply StatusReply() const;
  wire::ControlReply Stop(const wire::StopRequest& request);
  wire::ControlReply Scale(const wire::ScaleRequest& request);

  AmOptions options_;
  os::process::Clock clock_;
  boost::asio::io_context loop_;
  boost::asio::steady_timer timer_;
  boost::asio::signal_set signals_;
  JournalFile journal_;
  EventLog log_;
  journal::JobView view_;
  core::Job job_;
  Instant told_at_;  // when it was told something last; as it takes time, never back
  Followers followers_;
  Executors executors_;
  Rendezvous rendezvous_;
  Tunnels tunnels_;
  rpc::callback::CallbackClient caller_{loop_};
  std::unique_ptr<backend::Backend> backend_;
  std::unique_ptr<rpc::AmServer> server_;
  std::unique_ptr<TrackingServer> tracking_;
  std::unique_ptr<TensorBoard> tensorboard_;
  std::deque<core::Event> queue_;
  bool draining_ = false;
  bool cluster_sent_ = false;  // the cluster has been encoded for the current step
  bool finishing_ = false;     // the job has ended, and clients are told
  std::optional<Error> error_;
};

}  // namespace howdah::am
