// Tests Followers with simulated executors and clients.
#include "followers.h"

#include <gmock/gmock.h>

#include "howdah/os/files/open_regular.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/testing.h"

namespace howdah::am {
namespace {

using testing::ElementsAre;

const ContainerId kContainer{"c1"};

// A job with roles worker and ps. worker:0 runs in c1. Executors answer pulls from files_ when Answer is called.
class FollowedJob {
 public:
  FollowedJob() { Launch(kContainer, {0, 0}); }
  std::string journal_path() { return scratch_ / "journal.jsonl"; }

  void Launch(const ContainerId& container, TaskId task) {
    followers.OnGranted(container, "node7");
    followers.OnLaunched(container, task);
    followers.OnConnected(container);
    followers.OnStarted(container, 0);
  }
  void Journal(const std::string& lines) {
    journal_ += lines;
    const auto file = os::files::OpenForAppend(journal_path());
    EXPECT_TRUE(os::files::WriteAll(file->get(), lines, "journal").ok());
    followers.OnJournal(static_cast<int64_t>(journal_.size()));
  }
  int64_t journal_size() const { return static_cast<int64_t>(journal_.size()); }

  void Write(const ContainerId& container, bool is_stderr, const std::string& bytes) {
    files_[{container, is_stderr}] += bytes;
    if (watched[container]) TellSizes(container, false);
  }
  void TellSizes(const ContainerId& container, bool all) {
    wire::LogSizes sizes;
    sizes.set_all(all);
    Fill(container, *sizes.mutable_sizes());
    followers.OnSizes(container, sizes);
  }
  void EndAttempt(const ContainerId& container) {
    google::protobuf::RepeatedPtrField<wire::LogFileSize> sizes;
    Fill(container, sizes);
    followers.OnAttemptEnded(container, 0, sizes);
  }
  // Lets executors answer all pulls requested so far.
  void Answer() {
    for (auto asked = std::exchange(pulls_, {}); const auto& [container, pull] : asked) {
      const std::string& file = files_[{container, pull.file().is_stderr()}];
      const auto size = static_cast<int64_t>(file.size());
      wire::LogData data;
      data.set_tag(pull.tag());
      data.set_size(size);
      data.set_offset(pull.tail() ? std::max<int64_t>(0, size - pull.max()) : pull.offset());
      if (data.offset() < size) data.set_bytes(file.substr(data.offset(), pull.max()));
      followers.OnData(container, data);
    }
  }
  // Lets clients read and executors answer until no message is left.
  void Settle() {
    for (bool moved = true; moved;) {
      moved = !pulls_.empty();
      Answer();
      for (auto& [id, count] : unwritten) {
        moved = moved || count > 0;
        for (; count > 0; --count) followers.OnWritten(id);
      }
    }
  }
  size_t pulls() const { return pulls_.size(); }

  // The messages sent to each follower, one line per message.
  std::map<rpc::ConnectionId, std::vector<std::string>> sent;
  std::map<rpc::ConnectionId, int64_t> log_bytes;
  std::map<rpc::ConnectionId, int> unwritten;
  std::map<ContainerId, bool> watched;
  std::vector<std::string> leaves;
  std::vector<rpc::ConnectionId> closed;

 private:
  void Fill(const ContainerId& container, google::protobuf::RepeatedPtrField<wire::LogFileSize>& sizes) {
    for (const bool is_stderr : {false, true}) {
      wire::LogFileSize& size = *sizes.Add();
      size.mutable_file()->set_is_stderr(is_stderr);
      size.set_size(static_cast<int64_t>(files_[{container, is_stderr}].size()));
    }
  }
  static std::string Name(const wire::LogSource& source) {
    return source.role() + ":" + std::to_string(source.index()) + (source.is_stderr() ? " err" : " out");
  }
  void Sent(rpc::ConnectionId id, const wire::FollowReply& reply) {
    ++unwritten[id];
    std::vector<std::string>& lines = sent[id];
    if (reply.has_journal()) lines.push_back("journal " + reply.journal());
    if (reply.has_log()) {
      log_bytes[id] += static_cast<int64_t>(reply.log().bytes().size());
      const bool is_short = reply.log().bytes().size() < 100;
      lines.push_back(Name(reply.log().source()) + " " + (is_short ? reply.log().bytes() : "..."));
    }
    if (reply.has_log_end()) {
      const wire::LogEnd& end = reply.log_end();
      lines.push_back(Name(end.source()) + " ends at " + (end.has_size() ? std::to_string(end.size()) : "?") + ", " +
                      end.container() + " " + end.node());
    }
    if (reply.has_log_size()) {
      lines.push_back(Name(reply.log_size().source()) + " has " + std::to_string(reply.log_size().size()));
    }
    if (reply.has_caught_up()) lines.push_back("caught up");
    if (reply.has_ended()) lines.push_back(reply.ended().job_ended() ? "job ended" : "ended");
  }
  void Ordered(const ContainerId& container, const wire::ToExecutor& order) {
    if (order.has_pull_log()) pulls_.push_back({container, order.pull_log()});
    if (order.has_watch_logs()) watched[container] = order.watch_logs().on();
    if (!order.has_leave()) return;
    leaves.push_back(order.leave().linger_micros() > 0 ? "linger" : "leave");
    if (order.leave().replaced()) leaves.back() += ", replaced";
  }

  os::files::Scratch scratch_;
  const jobspec::JobSpec spec_ = [] {
    jobspec::JobSpec spec;
    spec.roles.resize(2);
    spec.roles[0].name = "worker";
    spec.roles[1].name = "ps";
    return spec;
  }();
  std::string journal_;
  std::map<std::pair<ContainerId, bool>, std::string> files_;
  std::vector<std::pair<ContainerId, wire::PullLog>> pulls_;

 public:
  boost::asio::io_context loop;
  os::process::Clock clock_;
  Followers followers{loop,
                      spec_,
                      clock_,
                      journal_path(),
                      {[this](rpc::ConnectionId id, const wire::FollowReply& reply) { Sent(id, reply); },
                       [this](rpc::ConnectionId id) { closed.push_back(id); },
                       [this](const ContainerId& c, const wire::ToExecutor& order) { Ordered(c, order); }}};
};

wire::FollowRequest AllLogs() {
  wire::FollowRequest request;
  request.mutable_logs();
  return request;
}

TEST(Followers, JournalIsSentFromRequestedOffset) {
  FollowedJob scene;
  scene.Journal("one\ntwo\n");
  wire::FollowRequest request;
  request.set_journal_offset(4);
  scene.followers.OnFollow(1, request);
  EXPECT_THAT(scene.sent[1], ElementsAre("journal two\n", "caught up"));
  scene.Journal("three\n");
  EXPECT_THAT(scene.sent[1], ElementsAre("journal two\n", "caught up", "journal three\n"));
  EXPECT_FALSE(scene.watched[kContainer]) << "no client follows output";
}

TEST(Followers, OutputIsPulledOnlyWhileFollowed) {
  FollowedJob scene;
  scene.Write(kContainer, false, "before ");
  scene.followers.OnFollow(1, AllLogs());
  EXPECT_TRUE(scene.watched[kContainer]);
  EXPECT_THAT(scene.sent[1], ElementsAre()) << "the sizes are not known yet";
  scene.TellSizes(kContainer, true);
  scene.Settle();
  EXPECT_THAT(scene.sent[1], ElementsAre("worker:0 out before ", "caught up"));
  scene.Write(kContainer, true, "error");
  scene.Write(kContainer, false, "after");
  scene.Settle();
  EXPECT_THAT(scene.sent[1],
              ElementsAre("worker:0 out before ", "caught up", "worker:0 err error", "worker:0 out after"));
  scene.followers.OnGone(1);
  EXPECT_FALSE(scene.watched[kContainer]);
}

TEST(Followers, EndOfAttemptIsSentAfterItsOutput) {
  FollowedJob scene;
  scene.followers.OnFollow(1, AllLogs());
  scene.TellSizes(kContainer, true);
  scene.Write(kContainer, false, "last words");
  scene.EndAttempt(kContainer);
  scene.followers.AddAttemptEnd("worker", 0, 0, scene.journal_size());
  scene.Journal("worker:0 ended\n");
  EXPECT_EQ(scene.sent[1].back(), "worker:0 err ends at 0, c1 node7");
  scene.Settle();
  EXPECT_THAT(scene.sent[1], ElementsAre("caught up", "worker:0 err ends at 0, c1 node7", "worker:0 out last words",
                                         "worker:0 out ends at 10, c1 node7", "journal worker:0 ended\n"));
}

TEST(Followers, ReconnectedClientContinuesAtItsPosition) {
  FollowedJob scene;
  scene.Write(kContainer, false, "0123456789");
  wire::FollowRequest request = AllLogs();
  wire::LogPosition& have = *request.mutable_logs()->add_have();
  have.mutable_source()->set_role("worker");
  have.set_offset(4);
  scene.followers.OnFollow(1, request);
  scene.TellSizes(kContainer, true);
  scene.Settle();
  EXPECT_THAT(scene.sent[1], ElementsAre("worker:0 out 456789", "caught up"));
}

TEST(Followers, OnlySelectedOutputIsSent) {
  FollowedJob scene;
  scene.Launch({"c2"}, {1, 0});
  wire::FollowRequest request = AllLogs();
  request.mutable_logs()->set_role("ps");
  request.mutable_logs()->set_no_stdout(true);
  scene.followers.OnFollow(1, request);
  EXPECT_FALSE(scene.watched[kContainer]);
  EXPECT_TRUE(scene.watched[{"c2"}]);
  for (const bool is_stderr : {false, true}) scene.Write({"c2"}, is_stderr, "x");
  scene.TellSizes({"c2"}, true);
  scene.Settle();
  EXPECT_THAT(scene.sent[1], ElementsAre("ps:0 err x", "caught up"));
}

TEST(Followers, FollowThatDoesNotWaitEndsAfterTheCurrentContent) {
  FollowedJob scene;
  scene.Journal("line\n");
  scene.Write(kContainer, false, "abc");
  wire::FollowRequest request = AllLogs();
  request.set_now(true);
  scene.followers.OnFollow(1, request);
  request.mutable_logs()->set_sizes_only(true);
  scene.followers.OnFollow(2, request);
  scene.TellSizes(kContainer, true);
  scene.Settle();
  EXPECT_THAT(scene.sent[1], ElementsAre("journal line\n", "worker:0 out abc", "caught up", "ended"));
  EXPECT_THAT(scene.sent[2],
              ElementsAre("journal line\n", "worker:0 out has 3", "worker:0 err has 0", "caught up", "ended"));
  EXPECT_THAT(scene.closed, testing::UnorderedElementsAre(1, 2));
}

TEST(Followers, ClientThatStopsReadingBuffersOneMebibyteAndDelaysNoOtherClient) {
  FollowedJob scene;
  scene.followers.OnFollow(1, AllLogs());
  scene.TellSizes(kContainer, true);
  const int64_t size = 8 << 20;
  scene.Write(kContainer, false, std::string(size, 'x'));
  for (int round = 0; round < 100; ++round) scene.Answer();  // client 1 reads nothing
  EXPECT_LE(scene.log_bytes[1], 1 << 20);
  EXPECT_EQ(scene.pulls(), 0u) << "the follower requests nothing more";
  scene.followers.OnFollow(2, AllLogs());
  for (int round = 0; round < 1000; ++round) {
    scene.Answer();
    for (; scene.unwritten[2] > 0; --scene.unwritten[2]) scene.followers.OnWritten(2);
  }
  EXPECT_EQ(scene.log_bytes[2], size);
  EXPECT_LE(scene.log_bytes[1], 1 << 20);
  scene.Settle();  // client 1 reads again
  EXPECT_EQ(scene.log_bytes[1], size);
}

TEST(Followers, LargeOutputDoesNotDelaySmallOne) {
  FollowedJob scene;
  scene.Launch({"c2"}, {1, 0});
  scene.followers.OnFollow(1, AllLogs());
  scene.TellSizes(kContainer, true);
  scene.TellSizes({"c2"}, true);
  scene.Write(kContainer, false, std::string(64 << 20, 'x'));
  scene.Write({"c2"}, false, "quiet");
  // Two rounds are enough to send the small output, although the large output always has more bytes.
  for (int round = 0; round < 2; ++round) {
    scene.Answer();
    for (; scene.unwritten[1] > 0; --scene.unwritten[1]) scene.followers.OnWritten(1);
  }
  EXPECT_THAT(scene.sent[1], testing::Contains("ps:0 out quiet"));
}

TEST(Followers, ExecutorLingersOnlyWhileClientsReadItsOutput) {
  FollowedJob scene;
  scene.followers.OnFollow(1, AllLogs());
  scene.TellSizes(kContainer, true);
  scene.Write(kContainer, false, "last");
  scene.EndAttempt(kContainer);
  scene.followers.Leave({kContainer});
  EXPECT_THAT(scene.leaves, ElementsAre("linger"));
  scene.Settle();
  EXPECT_THAT(scene.leaves, ElementsAre("linger", "leave"));
  scene.followers.Leave({kContainer, /*replaced=*/true});  // no client waits any more
  EXPECT_THAT(scene.leaves, ElementsAre("linger", "leave", "leave, replaced"));
}

TEST(Followers, OutputOfLostContainerEndsWithItsLastKnownSize) {
  FollowedJob scene;
  scene.Launch({"c2"}, {1, 0});
  scene.Write(kContainer, false, "lost");
  scene.EndAttempt(kContainer);
  scene.followers.OnContainerGone(kContainer);
  scene.followers.OnFollow(1, AllLogs());
  scene.TellSizes({"c2"}, true);
  scene.Write({"c2"}, false, "gone amid it");
  scene.followers.OnContainerGone({"c2"});  // a pull is unanswered and the final size is not reported
  scene.Settle();
  EXPECT_THAT(scene.sent[1], ElementsAre("worker:0 out ends at 4, c1 node7", "worker:0 err ends at 0, c1 node7",
                                         "caught up", "ps:0 out ends at ?, c2 node7", "ps:0 err ends at ?, c2 node7"));
}

TEST(Followers, FileShorterThanReportedEndsAtTheReportedSize) {
  FollowedJob scene;
  scene.followers.OnFollow(1, AllLogs());
  scene.TellSizes(kContainer, true);
  wire::LogSizes lie;
  wire::LogFileSize& size = *lie.add_sizes();
  size.mutable_file()->set_attempt(0);
  size.set_size(1000);
  scene.followers.OnSizes(kContainer, lie);
  scene.Settle();
  google::protobuf::RepeatedPtrField<wire::LogFileSize> sizes;
  *sizes.Add() = size;
  scene.followers.OnAttemptEnded(kContainer, 0, sizes);
  scene.Settle();
  EXPECT_THAT(scene.sent[1], testing::Contains("worker:0 out ends at 1000, c1 node7"));
}

TEST(Followers, JobEndWaitsForClientsUpToALimit) {
  FollowedJob scene;
  scene.followers.OnFollow(1, AllLogs());
  scene.TellSizes(kContainer, true);
  scene.EndAttempt(kContainer);
  scene.followers.AddAttemptEnd("worker", 0, 0, scene.journal_size());
  scene.Journal("task ended\njob ended\n");
  bool done = false;
  scene.followers.Finish(std::chrono::milliseconds(20), [&] { done = true; });
  EXPECT_EQ(scene.sent[1].back(), "job ended");
  EXPECT_THAT(scene.sent[1], testing::Contains("journal task ended\njob ended\n"));
  EXPECT_FALSE(done) << "the client has not received it yet";
  scene.loop.run();
  EXPECT_TRUE(done);
}

TEST(Followers, JobEndWithoutClientsDoesNotWait) {
  FollowedJob scene;
  bool done = false;
  scene.followers.Finish(std::chrono::hours(1), [&] { done = true; });
  EXPECT_TRUE(done);
}

TEST(Followers, TailReturnsTheLast64KiBOfAnOutput) {
  FollowedJob scene;
  scene.Write(kContainer, false, std::string(100'000, 'x') + "end");
  std::string tail;
  const OutputKey key{{0, 0}, 0, 0, false};
  scene.followers.Tail(key, [&](Result<std::string> bytes) { tail = *bytes; });
  scene.Answer();
  EXPECT_EQ(tail, std::string((64 << 10) - 3, 'x') + "end");
  std::vector<ErrorCode> errors;
  const auto fails = [&](const Result<std::string>& bytes) { errors.push_back(bytes.error().code); };
  scene.followers.Tail({{0, 1}, 0, 0, false}, fails);
  scene.followers.Tail(key, fails);
  scene.followers.OnContainerGone(kContainer);
  scene.followers.Tail(key, fails);
  EXPECT_THAT(errors, ElementsAre(ErrorCode::kNotFound, ErrorCode::kNotFound, ErrorCode::kNotFound));
}

}  // namespace
}  // namespace howdah::am
