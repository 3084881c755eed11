#include "howdah/hadoop/yarn/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <deque>

#include "test_attempt.h"

namespace howdah::hadoop::yarn {
namespace {

using namespace ::hadoop::yarn;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

Error Remote(const std::string& exception, const std::string& message = "no") {
  return {ErrorCode::kFailed, message, "org.apache.hadoop.yarn.exceptions." + exception};
}

// A ResourceManager that answers calls in the order of a script, and with default answers after its end.
class FakeCalls final : public SchedulerCalls {
 public:
  struct Script {
    std::deque<std::function<Result<std::string>(const std::string&request)>> allocate, register_;
    std::vector<std::string> methods;  // the called methods, in order
    std::vector<AllocateRequestProto> requests;
    std::vector<std::string> tokens;
  };
  FakeCalls(boost::asio::io_context& loop, Script& script) : loop_(loop), script_(script) {}

  void Call(std::string_view method, std::string request, Done done) override {
    script_.methods.emplace_back(method);
    const bool beat = method == "allocate";
    auto& scripted = beat ? script_.allocate : script_.register_;
    if (beat) script_.requests.emplace_back().ParseFromString(request);
    Result<std::string> answer = beat ? Next(script_.requests.back()) : std::string();
    if (!scripted.empty()) {
      answer = scripted.front()(request);
      scripted.pop_front();
    }
    boost::asio::post(loop_, [answer, done = std::move(done)] { done(answer); });
  }
  void SetToken(hadoop::rpc::Token token) override { script_.tokens.push_back(token.identifier); }

  static std::string Next(const AllocateRequestProto& request, AllocateResponseProto response = {}) {
    response.set_response_id(request.response_id() + 1);
    return response.SerializeAsString();
  }

 private:
  boost::asio::io_context& loop_;
  Script& script_;
};

class SchedulerTest : public testing::Test, public SchedulerSink {
 protected:
  void Make(SchedulerOptions options = {}) {
    options.expiry = 30ms;  // at this expiry, idle heartbeats are 10 ms apart
    scheduler_.emplace(loop_, std::make_unique<FakeCalls>(loop_, script_), *this, options);
    scheduler_->Register();
  }
  // Adds the answer to the next heartbeat to the script.
  void Answer(AllocateResponseProto response) {
    script_.allocate.push_back([response](const std::string& bytes) {
      AllocateRequestProto request;
      request.ParseFromString(bytes);
      return FakeCalls::Next(request, response);
    });
  }
  void Fail(const Error& error) {
    script_.allocate.push_back([error](const std::string&) { return Result<std::string>(error); });
  }
  bool RunUntil(const std::function<bool()>& condition) {
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (!condition() && std::chrono::steady_clock::now() < until) loop_.run_one_for(100ms);
    return condition();
  }
  static AllocateResponseProto Grant(int n) {
    AllocateResponseProto response;
    for (int i = 1; i <= n; ++i) {
      ContainerProto& container = *response.add_allocated_containers();
      *container.mutable_id() = ToProto(ContainerId{kAttempt, i});
      container.mutable_nodeid()->set_host("node1");
      container.set_allocation_request_id(0);
    }
    return response;
  }

  void OnRegistered(const std::optional<RegisterApplicationMasterResponseProto>& answer) override {
    events_.emplace_back(answer ? "registered" : "registered, without an answer");
  }
  void OnAnswer(const AllocateResponseProto& response) override {
    if (response.nm_tokens_size() > 0) events_.emplace_back("nm token");
  }
  void OnGranted(const Allocation::Granted&) override { events_.emplace_back("granted"); }
  void OnCompleted(const Allocation::Completed& c) override {
    events_.push_back("completed " + std::to_string(c.status.exit_status()));
  }
  void OnRejected(const Error& error, const std::map<int, int>& containers) override {
    events_.push_back("rejected: " + error.message);
    for (const auto& [key, count] : containers) {
      events_.push_back("asked " + std::to_string(key) + "*" + std::to_string(count));
    }
  }
  void OnUnreachable(const std::string& why) override { events_.push_back("unreachable: " + why); }
  void OnLost(const Error& error) override { events_.push_back("lost: " + error.message); }

  boost::asio::io_context loop_;
  FakeCalls::Script script_;
  std::optional<Scheduler> scheduler_;
  std::vector<std::string> events_;
};

TEST_F(SchedulerTest, ContainersAreRequestedAndGranted) {
  Make();
  scheduler_->Ask(0, {.resource = {64, 1, {}}}, 2);
  AllocateResponseProto grant = Grant(2);
  grant.add_nm_tokens();
  Answer(grant);
  ASSERT_TRUE(RunUntil([&] { return events_.size() == 4; }));
  EXPECT_THAT(events_, ElementsAre("registered", "nm token", "granted", "granted"));
  EXPECT_EQ(script_.methods.front(), "registerApplicationMaster");
  ASSERT_EQ(script_.requests.front().ask_size(), 1);
  EXPECT_EQ(script_.requests.front().ask(0).num_containers(), 2);
  AllocateResponseProto end;
  auto& status = *end.add_completed_container_statuses();
  *status.mutable_container_id() = ToProto(ContainerId{kAttempt, 1});
  status.set_exit_status(7);
  Answer(end);
  ASSERT_TRUE(RunUntil([&] { return events_.size() == 5; }));
  EXPECT_EQ(events_.back(), "completed 7");
}

TEST_F(SchedulerTest, RestartedResourceManagerReceivesRegistrationAndFullState) {
  Make();
  scheduler_->Ask(0, {.resource = {64, 1, {}}}, 3);
  Answer(Grant(1));
  ASSERT_TRUE(RunUntil([&] { return events_.size() == 2; }));
  Fail(Remote("ApplicationMasterNotRegisteredException"));
  const size_t before = script_.requests.size();
  ASSERT_TRUE(RunUntil([&] { return script_.requests.size() >= before + 2; }));
  EXPECT_EQ(std::count(script_.methods.begin(), script_.methods.end(), "registerApplicationMaster"), 2);
  const AllocateRequestProto& again = script_.requests[before + 1];
  EXPECT_EQ(again.response_id(), 0);
  ASSERT_EQ(again.ask_size(), 1);
  EXPECT_EQ(again.ask(0).num_containers(), 2);
  EXPECT_THAT(events_, ElementsAre("registered", "granted")) << "the owner is not notified";
}

TEST_F(SchedulerTest, NewProcessResumesFromResponseId) {
  SchedulerOptions options;
  options.expiry = 30ms;
  options.tracking_url = "http://example.com:4000";
  scheduler_.emplace(loop_, std::make_unique<FakeCalls>(loop_, script_), *this, options);
  scheduler_->Resume(7);
  scheduler_->Adopt(0, {.resource = {64, 1, {}}}, {kAttempt, 1}, "node1");
  scheduler_->AdoptSurplus({kAttempt, 1}, "node1");  // this container is already held
  scheduler_->AdoptSurplus({kAttempt, 2}, "node1");
  scheduler_->AdoptSurplus({kAttempt, 3}, "node1");
  AllocateResponseProto ends;
  for (const int id : {1, 2}) {
    auto& status = *ends.add_completed_container_statuses();
    *status.mutable_container_id() = ToProto(ContainerId{kAttempt, id});
    status.set_exit_status(id);
  }
  Answer(ends);
  ASSERT_TRUE(RunUntil([&] { return script_.requests.size() == 3; }));
  EXPECT_EQ(std::count(script_.methods.begin(), script_.methods.end(), "registerApplicationMaster"), 0);
  EXPECT_THAT(events_, ElementsAre("completed 1"));
  const AllocateRequestProto &first = script_.requests[0], &second = script_.requests[1];
  EXPECT_EQ(first.response_id(), 7);
  EXPECT_EQ(first.release_size(), 0);
  EXPECT_EQ(second.tracking_url(), "http://example.com:4000") << "the page has a new port";
  ASSERT_EQ(second.release_size(), 1);
  EXPECT_EQ(FromProto(second.release(0)), (ContainerId{kAttempt, 3}));
}

// The earlier process was killed after it had registered with a restarted ResourceManager.
TEST_F(SchedulerTest, NewProcessResumesAfterReregistration) {
  SchedulerOptions options;
  options.expiry = 30ms;
  scheduler_.emplace(loop_, std::make_unique<FakeCalls>(loop_, script_), *this, options);
  Fail(Remote("InvalidApplicationMasterRequestException",
              "Invalid responseId in AllocateRequest from application attempt: appattempt_1_0001_000001 expect "
              "responseId to be 0 but get 19"));
  scheduler_->Resume(19);
  scheduler_->Ask(0, {.resource = {64, 1, {}}}, 1);
  ASSERT_TRUE(RunUntil([&] { return script_.requests.size() >= 2; }));
  EXPECT_EQ(script_.requests[0].response_id(), 19);
  EXPECT_EQ(script_.requests[1].response_id(), 0);
  EXPECT_EQ(script_.requests[1].ask_size(), 1);
  EXPECT_THAT(events_, testing::IsEmpty());
}

TEST_F(SchedulerTest, LostAnswerToRegistrationIsTolerated) {
  script_.register_.push_back([](const std::string&) {
    return Result<std::string>(
        Remote("InvalidApplicationMasterRequestException", "Application Master is already registered : application_1"));
  });
  Make();
  ASSERT_TRUE(RunUntil([&] { return script_.requests.size() >= 2; }));
  EXPECT_THAT(events_, ElementsAre("registered, without an answer"));
}

TEST_F(SchedulerTest, RejectedAskIsReportedAndNotRepeated) {
  Make();
  scheduler_->Ask(0, {.resource = {1 << 30, 1, {}}}, 3);
  Fail(Remote("InvalidResourceRequestException", "Invalid resource request!"));
  ASSERT_TRUE(RunUntil([&] { return events_.size() == 3 && script_.requests.size() >= 3; }));
  EXPECT_EQ(events_[2], "asked 0*3");
  EXPECT_EQ(events_[1], "rejected: the heartbeat to the ResourceManager: Invalid resource request!");
  EXPECT_EQ(script_.requests.back().ask_size(), 0);
  EXPECT_EQ(scheduler_->allocation().outstanding(), 3);
}

TEST_F(SchedulerTest, SameRequestIsRepeatedUntilResourceManagerAnswers) {
  Make();
  scheduler_->Ask(0, {.resource = {64, 1, {}}}, 1);
  Fail({ErrorCode::kUnavailable, "connection refused"});
  Fail({ErrorCode::kTimeout, "no answer"});
  ASSERT_TRUE(RunUntil([&] { return events_.size() == 3; }));
  EXPECT_THAT(events_, ElementsAre("registered", HasSubstr("unreachable: the heartbeat"), "unreachable: "));
  ASSERT_GE(script_.requests.size(), 3u);
  EXPECT_EQ(script_.requests[0].SerializeAsString(), script_.requests[2].SerializeAsString());
}

TEST_F(SchedulerTest, LongOutageIsReportedAsLost) {
  SchedulerOptions options;
  options.give_up = 0ms;
  Fail({ErrorCode::kUnavailable, "connection refused"});
  Make(options);
  ASSERT_TRUE(RunUntil([&] { return events_.size() == 2; }));
  EXPECT_THAT(events_[1], HasSubstr("lost: the ResourceManager could not be reached"));
}

TEST_F(SchedulerTest, UnknownAttemptIsReportedAsLost) {
  for (const Error& error :
       {Remote("ApplicationAttemptNotFoundException"), Remote("InvalidApplicationMasterRequestException"),
        Error{ErrorCode::kFailed, "not found", "org.apache.hadoop.security.token.SecretManager$InvalidToken"}}) {
    events_.clear();
    script_ = {};
    Fail(error);
    Make();
    ASSERT_TRUE(RunUntil([&] { return events_.size() == 2; })) << error.remote_class;
    EXPECT_THAT(events_[1], HasSubstr("lost: ")) << error.remote_class;
    const size_t calls = script_.methods.size();
    loop_.run_for(30ms);
    EXPECT_EQ(script_.methods.size(), calls) << "no call after the end";
    loop_.restart();
  }
}

TEST_F(SchedulerTest, RenewedTokenIsSetOnce) {
  AllocateResponseProto response;
  auto& token = *response.mutable_am_rm_token();
  token.set_identifier("new");
  token.set_password("p");
  token.set_kind("YARN_AM_RM_TOKEN");
  token.set_service("");
  Answer(response);
  Answer(response);
  Make();
  ASSERT_TRUE(RunUntil([&] { return script_.requests.size() >= 3; }));
  EXPECT_THAT(script_.tokens, ElementsAre("new"));
}

TEST_F(SchedulerTest, AvoidedNodeIsBlacklistedUntilLimit) {
  Make();
  std::vector<KnownNode> nodes;
  for (const char* name : {"node1", "node2", "node3"}) nodes.push_back({name, "", "", {1024, 4, {}}});
  scheduler_->SetNodes(nodes);
  scheduler_->Avoid("node2", 100ms);
  scheduler_->Avoid("elsewhere", 1h);
  const auto list = [&](bool added) {
    std::vector<std::string> names;
    for (const AllocateRequestProto& request : script_.requests) {
      const auto& changes = request.blacklist_request();
      const auto& all = added ? changes.blacklist_additions() : changes.blacklist_removals();
      names.insert(names.end(), all.begin(), all.end());
    }
    return names;
  };
  ASSERT_TRUE(RunUntil([&] { return !list(false).empty(); }));
  EXPECT_THAT(list(true), ElementsAre("node2"));
  EXPECT_THAT(list(false), ElementsAre("node2"));
  scheduler_->Avoid("node1", 1h);
  scheduler_->Avoid("node3", 1h);
  EXPECT_THAT(scheduler_->allocation().avoided({}), ElementsAre("node1")) << "half of the cluster stays in use";
}

TEST_F(SchedulerTest, StoppedSchedulerMakesNoCalls) {
  Make();
  ASSERT_TRUE(RunUntil([&] { return script_.requests.size() >= 2; }));
  scheduler_->Stop();
  const size_t calls = script_.methods.size();
  scheduler_->Ask(0, {.resource = {64, 1, {}}}, 1);
  loop_.run_for(30ms);
  EXPECT_EQ(script_.methods.size(), calls);
}

TEST(Pauses, PauseBetweenHeartbeatsGrowsWithoutEvents) {
  EXPECT_EQ(PauseWhileExpecting(0s), 50ms);
  EXPECT_EQ(PauseWhileExpecting(5s), 100ms);
  EXPECT_EQ(PauseWhileExpecting(20s), 250ms);
  EXPECT_EQ(PauseWhileExpecting(1min), 500ms);
  EXPECT_EQ(PauseWhileExpecting(1h), 1s);
  EXPECT_EQ(PauseWhenIdle(10min), 1s);
  EXPECT_EQ(PauseWhenIdle(1500ms), 500ms) << "heartbeats must come long before the expiry";
}

TEST(Unregister, CallIsRepeatedUntilAccepted) {
  std::vector<std::string> methods;
  std::deque<Result<std::string>> answers;
  FinishApplicationMasterResponseProto yes;
  yes.set_isunregistered(true);
  const BlockingCall call = [&](std::string_view method, const std::string&) {
    methods.emplace_back(method);
    if (method == "registerApplicationMaster" || answers.empty()) return Result<std::string>(std::string());
    auto answer = answers.front();
    answers.pop_front();
    return answer;
  };
  answers = {std::string(), Remote("ApplicationMasterNotRegisteredException"), yes.SerializeAsString()};
  EXPECT_TRUE(Unregister(call, {}, {}, 10s).ok());
  EXPECT_THAT(methods, ElementsAre("finishApplicationMaster", "finishApplicationMaster", "registerApplicationMaster",
                                   "finishApplicationMaster"));
  answers = {Remote("ApplicationAttemptNotFoundException", "unknown")};
  const Status forgotten = Unregister(call, {}, {}, 10s);
  ASSERT_FALSE(forgotten.ok());
  EXPECT_THAT(forgotten.error().message, HasSubstr("unknown"));
  EXPECT_EQ(Unregister(call, {}, {}, 1ms).error().code, ErrorCode::kTimeout);
}

}  // namespace
}  // namespace howdah::hadoop::yarn
