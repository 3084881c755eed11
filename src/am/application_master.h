#pragma once

#include <memory>
#include <optional>

#include "endpoints.h"
#include "event_log.h"
#include "event_loop.h"
#include "executors.h"
#include "feeds.h"
#include "followers.h"
#include "howdah/am/am.h"
#include "howdah/am/loop/job_loop.h"
#include "howdah/rpc/callback/callback.h"
#include "job_record.h"
#include "metrics_keeper.h"
#include "past_containers.h"
#include "rendezvous.h"
#include "tensorboard.h"

namespace howdah::am {

// Connects the loop of the job (am::loop::JobLoop) with the backend, executors, clients and files. Each process creates
// one object, and uses it only on the loop's thread. If the event log has events, Run resumes the job. Run returns when
// the job has finished.
class ApplicationMaster final : public backend::Sink, private loop::Performer {
 public:
  // clock must live longer than this object.
  ApplicationMaster(AmOptions options, const os::process::Clock& clock, JobRecord record, EventLog log);
  ~ApplicationMaster() override;

  Status Run(const MakeBackend& make_backend);

  // backend::Sink
  void OnEvent(const backend::BackendEvent& event) override;
  void OnLost(const Error& error) override { Fail(error); }

 private:
  // loop::Performer
  void Perform(const core::Action& action) override;
  void Replayed(const loop::LoggedEvent& logged, const std::vector<core::Action>& actions) override;
  void OnPassDone() override;
  void OnFailed(const Error& error) override;
  void OnNoSpace(const Error& error) override;
  void OnSpace(Duration full_for) override;
  void FreeReserve() override { options_.free_reserve(); }

  Status Resume(const Listening& listening);
  Status ReplayEvents();
  void StartTensorBoard();
  void OnSignal(int signal);
  void Deliver(core::Event event);
  void StartTask(const core::StartTask& order);
  void PrepareFinish(const core::PrepareFinish& order);
  void FinishJob();
  // Appends text to the output of the process with this rank.
  void Print(int rank, const std::string& text);
  journal::JobView ViewWithUsage() const;
  std::string TrackingUrl(const Listening& listening) const;
  void Fail(const Error& error);
  void OnReplaced();
  void Stop();

  // The parts that talk to executors and clients, each about its own subject.
  struct Parts {
    Followers followers;
    MetricsKeeper metrics;
    Feeds feeds;
  };

  AmOptions options_;
  EventLoop event_loop_;
  JobRecord record_;
  EventLog event_log_;
  Parts parts_;
  Executors executors_;
  Rendezvous rendezvous_;
  Endpoints endpoints_;
  rpc::callback::CallbackClient caller_;
  std::unique_ptr<backend::Backend> backend_;
  std::unique_ptr<TensorBoard> tensorboard_;
  loop::JobLoop job_loop_;
  std::unique_ptr<PastContainers> past_;  // set only during a resume
  std::optional<Error> error_;
};

}  // namespace howdah::am
