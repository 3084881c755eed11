#include "yarn_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>

#include "howdah/os/files/files.h"
#include "howdah/os/process/testing.h"

namespace howdah::backend::yarn::am {
namespace {

using namespace ::hadoop::yarn;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kEarlierEnd[] = "container ended while no application master was running";

hadoop::yarn::ContainerId IdOf(int attempt, int64_t number) { return {{{1700000000000, 1}, attempt}, number}; }

// A ResourceManager that answers registrations as the test says, and grants nothing.
class FakeCalls final : public hadoop::yarn::SchedulerCalls {
 public:
  struct Rm {
    Result<std::string> registration = std::string();
    std::vector<AllocateRequestProto> requests;
    std::optional<Error> rejection;  // of requests for containers
  };
  FakeCalls(boost::asio::io_context& loop, Rm& rm) : loop_(loop), rm_(rm) {}

  void Call(std::string_view method, std::string request, Done done) override {
    Result<std::string> answer = rm_.registration;
    if (method == "allocate") {
      rm_.requests.emplace_back().ParseFromString(request);
      AllocateResponseProto response;
      response.set_response_id(rm_.requests.back().response_id() + 1);
      answer = response.SerializeAsString();
      if (rm_.rejection && rm_.requests.back().ask_size() > 0) answer = *rm_.rejection;
    }
    boost::asio::post(loop_, [answer, done = std::move(done)] { done(answer); });
  }
  void SetToken(hadoop::rpc::Token) override {}

 private:
  boost::asio::io_context& loop_;
  Rm& rm_;
};

class YarnBackendTest : public testing::Test, public backend::Sink {
 protected:
  YarnBackendTest() : configuration_({nullptr, "ann", "/home/ann"}) {
    // Calls that do not concern the allocation fail at once.
    configuration_.Set("yarn.resourcemanager.address", "no address", "yarn-site.xml");
    configuration_.Set("yarn.am.liveness-monitor.expiry-interval-ms", "30", "yarn-site.xml");  // heartbeats every 10 ms
    start_.job = {"application_1700000000000_0001"};
    start_.user = "ann";
    for (const char* host : {"node1", "node2", "node3"}) start_.nodes.push_back({host, 1, "/r", "", {1024, 1, {}}});
    spec_.roles.resize(1);
    spec_.start = jobspec::StartMode::kFree;
  }
  void Make(int attempt, std::vector<backend::Inherited> inherited) {
    std::optional<ResourceManagerCheckpoint::State> restored;
    auto checkpoint = ResourceManagerCheckpoint::Open(scratch_ / std::to_string(attempt), restored);
    ASSERT_TRUE(checkpoint.ok());
    backend_.emplace(loop_, *this,
                     YarnBackend::Options{.start = start_,
                                          .spec = spec_,
                                          .configuration = configuration_,
                                          .credentials = std::make_shared<CredentialStore>(hadoop::rpc::Credentials()),
                                          .own_container = IdOf(attempt, 1),
                                          .own_host = "node1",
                                          .clock = clock_,
                                          .am_address = "127.0.0.1:1",
                                          .tracking_url = "",
                                          .am_rm_token = {},
                                          .on_finish = {},
                                          .store_state = [this] { return stored_; }},
                     std::make_unique<FakeCalls>(loop_, rm_), std::move(*checkpoint), restored);
    if (attempt > 1) backend_->Inherit(inherited, attempt - 1);
  }
  bool RunUntil(const std::function<bool()>& condition) {
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (!condition() && std::chrono::steady_clock::now() < until) loop_.run_one_for(100ms);
    return condition();
  }
  void LoseAnswerToRegistration() {
    rm_.registration = Error{ErrorCode::kFailed, "Application Master is already registered : application_1",
                             "org.apache.hadoop.yarn.exceptions.InvalidApplicationMasterRequestException"};
  }
  std::vector<int64_t> Released() const {
    std::vector<int64_t> numbers;
    for (const auto& request : rm_.requests)
      for (const auto& id : request.release()) numbers.push_back(id.id());
    return numbers;
  }
  static backend::Inherited Running(int64_t number) {
    return {{hadoop::yarn::ToText(IdOf(1, number))}, 0, "node2", TaskId{0, 0}};
  }

  void OnEvent(const backend::BackendEvent& event) override {
    if (const auto* exited = std::get_if<core::ContainerExited>(&event)) ends_.push_back(exited->how);
    if (const auto* delayed = std::get_if<core::RequestsDelayed>(&event)) delays_.push_back(delayed->reason);
    if (const auto* refused = std::get_if<core::RequestsRefused>(&event)) refusals_.push_back(refused->reason);
  }
  void OnLost(const Error& error) override { ADD_FAILURE() << error.message; }

  const os::files::Scratch scratch_;
  const os::process::Clock clock_;
  boost::asio::io_context loop_;
  hadoop::conf::Configuration configuration_;
  AmStart start_;
  jobspec::JobSpec spec_;
  Status stored_;
  FakeCalls::Rm rm_;
  std::vector<std::string> ends_, refusals_, delays_;
  std::optional<YarnBackend> backend_;
};

// The ResourceManager lists the containers again when the next attempt registers.
TEST_F(YarnBackendTest, AttemptWithoutAnswerToItsRegistrationMakesRoomForTheNext) {
  LoseAnswerToRegistration();
  Make(2, {Running(2), Running(3)});
  ASSERT_TRUE(RunUntil([&] { return rm_.requests.size() >= 3; }));
  EXPECT_THAT(Released(), ElementsAre(1)) << "its own container";
  EXPECT_THAT(ends_, IsEmpty());
  backend_.reset();
  std::optional<ResourceManagerCheckpoint::State> restored;
  ASSERT_TRUE(ResourceManagerCheckpoint::Open(scratch_ / "2", restored).ok());
  EXPECT_FALSE(restored) << "another process of the attempt would take the containers for lost";
}

TEST_F(YarnBackendTest, ContainersThatNoAnswerListsAreReleasedAndReported) {
  LoseAnswerToRegistration();
  stored_ = Failed("no NameNode");
  Make(2, {Running(2), Running(3)});
  ASSERT_TRUE(RunUntil([&] { return Released().size() == 2; }));
  EXPECT_THAT(Released(), ElementsAre(2, 3));
  EXPECT_THAT(ends_, ElementsAre(kEarlierEnd, kEarlierEnd));
}

TEST_F(YarnBackendTest, LostAnswerToTheRegistrationOfAJobWithoutContainersIsTolerated) {
  LoseAnswerToRegistration();
  Make(2, {});
  ASSERT_TRUE(RunUntil([&] { return rm_.requests.size() >= 3; }));
  EXPECT_THAT(Released(), IsEmpty());
}

TEST_F(YarnBackendTest, LaterAttemptReplacesTheBlacklistOfEarlierOnes) {
  for (const int attempt : {1, 2}) {
    rm_ = {};
    Make(attempt, {});
    ASSERT_TRUE(RunUntil([&] { return rm_.requests.size() >= 2; }));
    EXPECT_EQ(rm_.requests[0].blacklist_request().blacklist_removals_size(), attempt == 1 ? 0 : 3) << attempt;
  }
}

// No other node may be large enough at present, because a node was lost.
TEST_F(YarnBackendTest, RequestThatIsTooLargeAtPresentIsRepeated) {
  rm_.rejection = Error{ErrorCode::kFailed, "Invalid resource request!",
                        "org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException"};
  Make(1, {});
  backend_->Request({.asks = {{.role = 0, .count = 2}}});
  const auto asks = [&] {
    return std::ranges::count_if(rm_.requests, [](const auto& request) { return request.ask_size() > 0; });
  };
  ASSERT_TRUE(RunUntil([&] { return asks() >= 2; }));
  EXPECT_THAT(refusals_, IsEmpty());
  EXPECT_THAT(delays_, ElementsAre("the heartbeat to the ResourceManager: Invalid resource request!"));
}

TEST_F(YarnBackendTest, RequestWithAnotherFaultIsRefused) {
  rm_.rejection = Error{ErrorCode::kFailed, "Invalid label resource request",
                        "org.apache.hadoop.yarn.exceptions.InvalidLabelResourceRequestException"};
  Make(1, {});
  backend_->Request({.asks = {{.role = 0, .count = 2}}});
  ASSERT_TRUE(RunUntil([&] { return !refusals_.empty(); }));
  EXPECT_THAT(refusals_, ElementsAre("the cluster can never grant these containers: the heartbeat to the "
                                     "ResourceManager: Invalid label resource request"));
}

}  // namespace
}  // namespace howdah::backend::yarn::am
