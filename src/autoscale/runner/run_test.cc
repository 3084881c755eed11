#include "howdah/autoscale/runner/run.h"

#include <gmock/gmock.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "howdah/autoscale/publication.h"
#include "howdah/os/files/temporary_directory.h"

namespace howdah::autoscale::runner {
namespace {

using std::chrono::hours;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A cluster without nodes.
class FakeLink final : public ClusterLink {
 public:
  Result<ClusterSeen> Observe() override {
    on_observe();
    return ClusterSeen();
  }
  Status Exclude(const SetExcluded&) override { return {}; }
  NodeChecked::Answer Check(const CheckNode&) override { return NodeChecked::Answer::kUnreadable; }
  Status Publish(const std::string& text) override {
    on_publish(text);
    return {};
  }
  std::vector<Finding> CheckSetup(const Result<ClusterSeen>&) override { return {}; }

  // Called on other threads.
  std::function<void()> on_observe = [] {};
  std::function<void(const std::string&)> on_publish = [](const std::string&) {};
};

class RunTest : public testing::Test {
 protected:
  RunTest() {
    options_.policy.primary.min = 0;
    options_.provider.primary = NodeGroup{.hosts = ".*"};
    options_.provider.list = options_.provider.add = options_.provider.remove = "true";
    options_.period = std::chrono::milliseconds(10);
  }

  void Stop() const {
    const uint64_t one = 1;
    EXPECT_EQ(::write(stop_.get(), &one, sizeof one), ssize_t{sizeof one});
  }
  // Runs the autoscaler until Stop, and returns the reasons of its decisions. If it stops at the first one, others that
  // were due at the same time are left out, and so are the failures of commands that the stop has ended.
  std::vector<std::string> RunUntilStop() {
    std::vector<std::string> reasons;
    const Status ran = runner::Run(options_, link_, directory_, stop_.get(), [&](const Decision& decision) {
      if (!decision.error.empty() || (stops_at_decision_ && !reasons.empty())) return;
      reasons.push_back(decision.reason);
      if (stops_at_decision_) Stop();
    });
    EXPECT_TRUE(ran.ok()) << ran.error().message;
    return reasons;
  }
  void Store(const State& state) { ASSERT_TRUE(directory_.WriteState(WriteState(state)).ok()); }
  State Stored() const { return *directory_.ReadState("x"); }

  os::files::TemporaryDirectory home_ = *os::files::TemporaryDirectory::Make("autoscale");
  Directory directory_ = *Directory::Open(home_.path(), "prod");
  os::files::Fd stop_{::eventfd(0, EFD_CLOEXEC)};
  RunOptions options_;
  FakeLink link_;
  bool stops_at_decision_ = true;
};

State WithDisabledGroup() {
  State state;
  state.prefix = "t";
  state.health_of(Group::kPrimary) = {.disabled = true, .reason = "FATAL: no such project"};
  return state;
}

TEST_F(RunTest, WishOfATimeWithoutAnAutoscalerIsObeyedOnceAtTheStart) {
  Store(WithDisabledGroup());
  ASSERT_TRUE(directory_.WriteWish(/*paused=*/false).ok());
  EXPECT_THAT(RunUntilStop(), ElementsAre("resumed by the user"));
  EXPECT_FALSE(Stored().health_of(Group::kPrimary).disabled);
  State again = WithDisabledGroup();
  again.wish = Stored().wish;
  Store(again);
  stop_ = os::files::Fd(::eventfd(0, EFD_CLOEXEC));
  EXPECT_THAT(RunUntilStop(), ElementsAre(HasSubstr("until `howdah autoscale resume`")));
}

TEST_F(RunTest, PausedAutoscalerStaysPausedIfTheWishCannotBeRead) {
  State state;
  state.prefix = "t";
  state.paused = true;
  Store(state);
  ASSERT_TRUE(os::files::MakeDirectories(directory_.path() + "/wish", 0700).ok());
  int looks = 0;
  link_.on_observe = [&] {
    if (++looks == 2) Stop();
  };
  EXPECT_THAT(RunUntilStop(), IsEmpty());
  EXPECT_TRUE(Stored().paused);
}

TEST_F(RunTest, ReadersGetTheTimeOfTheWallClock) {
  constexpr Instant kNow{hours(24 * 365 * 70)};  // in the year 2039
  options_.wall_time = [&] { return kNow; };
  options_.provider.publish = "/a.json";
  stops_at_decision_ = false;
  Publication published;
  link_.on_publish = [&](const std::string& text) {
    published = *ReadPublication(text);
    Stop();
  };
  EXPECT_THAT(RunUntilStop(), ElementsAre("nothing waits for more nodes"));
  EXPECT_EQ(published.published, kNow);
  EXPECT_GT(published.decided, kNow - hours(24));
  EXPECT_THAT(directory_.LastLogLine(), HasSubstr("\"timestamp\":\"2039-"));
}

}  // namespace
}  // namespace howdah::autoscale::runner
