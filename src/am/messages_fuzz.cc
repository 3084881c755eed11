// Fuzzes the AM with messages of executors and clients. The input encodes the kind, length and bytes of each message.
// The job reads one feed, and answers another.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "control.h"
#include "executors.h"
#include "feeds.h"
#include "followers.h"
#include "howdah/base/version.h"
#include "howdah/core/job.h"
#include "howdah/frameworks/framework.h"
#include "howdah/os/files/temporary_directory.h"

namespace howdah::am {
namespace {

jobspec::JobSpec TwoRoles() {
  jobspec::JobSpec spec;
  spec.framework = jobspec::Framework::kPytorch;
  spec.roles.resize(2);
  spec.roles[0].name = "worker";
  spec.roles[0].instances = {1, 3};
  spec.roles[0].processes = 2;
  spec.roles[1].name = "ps";
  spec.feeds.resize(2);
  spec.feeds[0].name = "train";
  spec.feeds[1].name = "ask";
  spec.feeds[1].answers = true;
  return spec;
}

// The AM of a job. Its backend grants each requested container immediately, and ends containers immediately. Connection
// ids are 0 to 15.
class Am {
 public:
  // directory: for the logs of feeds.
  explicit Am(const std::string& directory)
      : feeds_(loop_, spec_, clock_, directory + "/",
               {.order = [this](const ContainerId& to, const wire::ToExecutor& order) { executors_.Order(to, order); },
                .token = [](const std::string&) { return "secret"; },
                .locations_changed = [] {},
                .fail = [](const Error&) { __builtin_trap(); }},
               true) {
    if (!feeds_.Open(false).ok()) __builtin_trap();
    Step(core::AmStarted{.node = "node7"});
    Deliver();
  }

  void OnMessage(unsigned kind, const std::string& bytes) {
    const rpc::ConnectionId connection = kind >> 4;
    wire::FromExecutor message;
    wire::FollowRequest follow;
    wire::ControlRequest control;
    wire::MetricsRequest watch;
    switch (kind & 7) {
      case 0:
        followers_.OnFollow(connection, follow.ParseFromString(bytes) ? follow : wire::FollowRequest());
        break;
      case 1:
        if (control.ParseFromString(bytes)) control_.Answer(control);
        break;
      case 2:
        followers_.OnWritten(connection);
        metrics_.OnWritten(connection);
        break;
      case 3:
        followers_.OnGone(connection);
        metrics_.OnGone(connection);
        break;
      case 4:
        executors_.OnClosed(connection);
        break;
      case 5:
        metrics_.OnWatch(connection, watch.ParseFromString(bytes) ? watch : wire::MetricsRequest());
        break;
      case 6:
        message.mutable_feed_event()->set_feed("train");
        message.mutable_feed_event()->set_event(bytes);
        executors_.OnMessage(connection, std::move(message));
        break;
      default:
        if (!message.ParseFromString(bytes)) break;
        if (message.has_register_()) message.mutable_register_()->set_version(std::string(kVersion));
        executors_.OnMessage(connection, std::move(message));
    }
    Deliver();
    feeds_.OnPassDone(view_, ending_);
    loop_.restart();
    loop_.poll();
    Deliver();
  }

  void Finish() {
    Step(core::StopRequested{.by = "ann", .grace = {}});
    Deliver();
    job_.CheckInvariants();
    feeds_.View();
    feeds_.Finish();
    journal::ToJson(view_, true);
  }

 private:
  void Step(const core::Event& event) {
    now_ += std::chrono::milliseconds(1);
    for (core::Action& action : job_.Step(event, now_).actions) actions_.push_back(std::move(action));
  }

  // Passes the events of executors to the core, and performs the resulting actions, until none are left.
  void Deliver() {
    while (!events_.empty() || !actions_.empty()) {
      for (const core::Event& event : std::exchange(events_, {})) Step(event);
      for (const core::Action& action : std::exchange(actions_, {})) Perform(action);
    }
  }
  void Perform(const core::Action& action) {
    if (const auto* request = std::get_if<core::RequestContainers>(&action)) {
      for (const auto& [role, count] : request->asks) {
        for (int i = 0; i < count; ++i) {
          const ContainerId container{"c" + std::to_string(containers_++)};
          followers_.OnGranted(container, "node7");
          events_.push_back(core::ContainerGranted{container, role, "node7"});
        }
      }
    } else if (const auto* launch = std::get_if<core::LaunchExecutor>(&action)) {
      followers_.OnLaunched(launch->container, launch->task);
      metrics_.OnLaunched(launch->container, launch->task);
    } else if (const auto* release = std::get_if<core::ReleaseContainer>(&action)) {
      followers_.Leave(*release);
      OnGone(release->container);
    } else if (const auto* kill = std::get_if<core::KillContainer>(&action)) {
      OnGone(kill->container);
    } else if (const auto* start = std::get_if<core::StartTask>(&action)) {
      executors_.SetCluster(static_cast<uint64_t>(now_.time_since_epoch().count()), job_.peers(), job_.exports());
      executors_.Start(*start, std::nullopt, feeds_.Start(*start, job_.peers()));
      feeds_.Started(*start);
    } else if (const auto* stop = std::get_if<core::StopTask>(&action)) {
      executors_.Stop(*stop);
    } else if (const auto* record = std::get_if<core::Record>(&action)) {
      const core::JournalEntry entry{now_, record->change};
      if (!journal::DecodeEntry(journal::EncodeEntry(entry))) __builtin_trap();
      view_.Apply(entry);
      using Type = core::JobChanged::Type;
      const auto* changed = std::get_if<core::JobChanged>(&record->change);
      if (changed && (changed->type == Type::kStopping || changed->type == Type::kFinished)) ending_ = true;
    } else if (std::holds_alternative<core::PrepareFinish>(action)) {
      events_.push_back(core::FinishPrepared{});
    }
  }
  void OnGone(const ContainerId& container) {
    executors_.Forget(container, [] {});
    events_.push_back(core::ContainerExited{.container = container, .how = ""});
  }

  boost::asio::io_context loop_;
  os::process::Clock clock_;
  jobspec::JobSpec spec_ = TwoRoles();
  core::Job job_{spec_, frameworks::RulesOf(spec_), Instant(), 7};
  journal::JobView view_;
  Instant now_{};
  bool ending_ = false;
  int containers_ = 0;
  std::vector<core::Event> events_;
  std::vector<core::Action> actions_;
  Followers followers_{
      loop_,
      spec_,
      clock_,
      "/dev/null",
      {.reply = [](rpc::ConnectionId, const wire::FollowReply&) {},
       .close = [](rpc::ConnectionId) {},
       .order = [this](const ContainerId& to, const wire::ToExecutor& order) { executors_.Order(to, order); }}};
  MetricsKeeper metrics_{
      loop_,
      spec_,
      clock_,
      "",
      {.reply = [](rpc::ConnectionId, const wire::MetricsReply&) {},
       .close = [](rpc::ConnectionId) {},
       .order = [this](const ContainerId& to, const wire::ToExecutor& order) { executors_.Order(to, order); }}};
  Feeds feeds_;
  Executors executors_{loop_,
                       {.heartbeat = std::chrono::seconds(25),
                        .await_am = std::chrono::minutes(5),
                        .progress = Duration(0),
                        .leave = std::chrono::seconds(1)},
                       clock_,
                       {followers_, metrics_, feeds_},
                       [this](core::Event event) {
                         feeds_.OnEvent(event);
                         feeds_.AddNoRestart(event);
                         events_.push_back(std::move(event));
                       },
                       [](rpc::ConnectionId, const wire::ToExecutor&, const auto&) {},
                       [](const ContainerId&) {},
                       [] {}};
  Control control_{
      spec_, [this] { return view_; }, [this](core::Event event) { events_.push_back(std::move(event)); },
      [](const std::string&) -> Result<backend::Backend::ReplacedTokens> { return Failed("this job has no tokens"); }};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static const os::files::TemporaryDirectory directory = *os::files::TemporaryDirectory::Make("am-messages");
  Am am(directory.path());
  for (std::string_view left = text; left.size() >= 2;) {
    const unsigned kind = static_cast<unsigned char>(left[0]);
    const std::string_view bytes = left.substr(2, static_cast<unsigned char>(left[1]));
    left.remove_prefix(2 + bytes.size());
    am.OnMessage(kind, std::string(bytes));
  }
  am.Finish();
  return 0;
}

}  // namespace howdah::am
