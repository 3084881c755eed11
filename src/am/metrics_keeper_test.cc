#include "metrics_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <boost/asio/io_context.hpp>

#include "howdah/metrics/file.h"
#include "howdah/os/files/files.h"

namespace howdah::am {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A job with four workers, one executor each. Records replies to clients and orders to executors as text.
class MetricsKeeperTest : public testing::Test {
 protected:
  MetricsKeeperTest() {
    char name[] = "/tmp/howdah-metrics-XXXXXX";
    directory_ = mkdtemp(name);
    spec_.roles.resize(1);
    spec_.roles[0].name = "worker";
    Start();
  }
  ~MetricsKeeperTest() override { EXPECT_TRUE(os::files::RemoveTree(directory_).ok()); }

  // Starts the first AM or the next one, and connects the executors to it.
  void Start() {
    keeper_ = std::make_unique<MetricsKeeper>(
        loop_, spec_, clock_, path(),
        MetricsKeeper::Wires{
            .reply = [this](rpc::ConnectionId to, const wire::MetricsReply& reply) { replies_[to].push_back(reply); },
            .close = [this](rpc::ConnectionId client) { closed_.push_back(client); },
            .order =
                [this](const ContainerId& container, const wire::ToExecutor& order) {
                  orders_.push_back(container.text + (order.watch_metrics().watched() ? " watch" : " rest"));
                }});
    for (int i = 0; i < 4; ++i) {
      keeper_->OnLaunched(Container(i), {0, i});
      keeper_->OnConnected(Container(i));
    }
  }

  std::string path() const { return directory_ + "/metrics"; }
  static ContainerId Container(int i) { return ContainerId{"c" + std::to_string(i)}; }

  // Sends a sample of one series. describe: also describes the series, as the first message of a stream does.
  void Sample(int task, double value, bool describe = true) {
    wire::MetricSamples samples;
    samples.set_at_micros(clock_.Now().time_since_epoch().count());
    if (describe) {
      wire::MetricSeries& series = *samples.add_new_series();
      series.set_id(7);
      series.set_name("cpu_cores");
      series.set_unit("cores");
    }
    samples.add_values()->set_series(7);
    samples.mutable_values(0)->set_value(value);
    keeper_->OnSamples(Container(task), samples);
  }

  void Watch(rpc::ConnectionId client, std::optional<int> index, bool now,
             wire::MetricsRequest::Of of = wire::MetricsRequest::TASK) {
    wire::MetricsRequest request;
    request.set_of(of);
    request.set_role("worker");
    if (index) request.set_index(*index);
    request.set_now(now);
    keeper_->OnWatch(client, request);
  }

  std::vector<std::string> Replies(rpc::ConnectionId client) {
    std::vector<std::string> texts;
    for (const wire::MetricsReply& reply : std::exchange(replies_[client], {})) {
      if (reply.has_table()) texts.push_back("table");
      if (reply.has_column()) texts.push_back("worker:" + std::to_string(reply.column().index()));
      if (reply.has_complete()) texts.push_back("complete");
      if (reply.has_sample()) {
        texts.push_back("sample of worker:" + std::to_string(reply.sample().index()) + " " +
                        std::to_string(static_cast<int>(reply.sample().values(0).value())));
      }
    }
    return texts;
  }

  Result<metrics::Table> Stored() {
    auto bytes = os::files::ReadFile(path());
    if (!bytes.ok()) return bytes.error();
    const auto file = metrics::Open(metrics::BytesOf(*bytes));
    return file.ok() ? file->Read({}) : file.error();
  }

  boost::asio::io_context loop_;
  os::process::Clock clock_;
  jobspec::JobSpec spec_;
  std::string directory_;
  std::map<rpc::ConnectionId, std::vector<wire::MetricsReply>> replies_;
  std::vector<rpc::ConnectionId> closed_;
  std::vector<std::string> orders_;
  std::unique_ptr<MetricsKeeper> keeper_;
};

TEST_F(MetricsKeeperTest, ClientGetsTheRangeAndThenSamples) {
  Sample(0, 1);
  Sample(1, 2);
  Watch(5, std::nullopt, false);
  EXPECT_THAT(Replies(5), ElementsAre("table", "worker:0", "worker:1", "complete"));
  Sample(1, 3, false);
  Sample(2, 4);
  EXPECT_THAT(Replies(5), ElementsAre("sample of worker:1 3", "sample of worker:2 4"));
  keeper_->OnGone(5);
  Sample(1, 5, false);
  EXPECT_THAT(Replies(5), IsEmpty());
  EXPECT_THAT(closed_, IsEmpty());
}

TEST_F(MetricsKeeperTest, RequestForCurrentMetricsEndsAfterTheRange) {
  Sample(0, 1);
  Watch(5, 0, true);
  EXPECT_THAT(Replies(5), ElementsAre("table", "worker:0", "complete"));
  EXPECT_THAT(closed_, ElementsAre(5));
  EXPECT_THAT(orders_, IsEmpty()) << "nobody watches";
}

TEST_F(MetricsKeeperTest, JobWithoutSamplesHasAnEmptyTable) {
  Watch(5, std::nullopt, true);
  EXPECT_THAT(Replies(5), ElementsAre("table", "complete"));
  Watch(6, std::nullopt, true, wire::MetricsRequest::ROLE);
  EXPECT_THAT(Replies(6), ElementsAre("table", "complete"));
}

TEST_F(MetricsKeeperTest, OnlyWatchedTasksSampleEverySecond) {
  Watch(5, 1, false);
  EXPECT_THAT(orders_, ElementsAre("c1 watch"));
  Watch(6, 1, false);
  EXPECT_THAT(orders_, ElementsAre("c1 watch"));
  orders_.clear();
  keeper_->OnConnected(Container(1));
  EXPECT_THAT(orders_, ElementsAre("c1 watch")) << "a new connection of the executor";
  orders_.clear();
  keeper_->OnGone(5);
  EXPECT_THAT(orders_, IsEmpty());
  keeper_->OnGone(6);
  EXPECT_THAT(orders_, ElementsAre("c1 rest"));
}

TEST_F(MetricsKeeperTest, ClientThatWatchesManyTasksDoesNotRaiseTheSamplingRate) {
  for (int i = 4; i < 100; ++i) {
    keeper_->OnLaunched(Container(i), {0, i});
    keeper_->OnConnected(Container(i));
  }
  Watch(5, std::nullopt, false);
  Watch(6, std::nullopt, false, wire::MetricsRequest::ROLE);
  EXPECT_THAT(orders_, IsEmpty());
}

TEST_F(MetricsKeeperTest, SlowClientMissesSamplesAndNoOtherDoes) {
  Sample(0, 1);
  Watch(5, 0, false);
  Watch(6, 0, false);
  int sent = 0;
  for (int i = 0; i < 100'000; ++i) {
    const size_t before = replies_[5].size();
    Sample(0, i, false);
    sent += replies_[5].size() > before ? 1 : 0;
    keeper_->OnWritten(6);
  }
  EXPECT_LT(sent, 50'000);
  EXPECT_EQ(replies_[6].size(), 100'003U);
  for (int i = 0; i < sent; ++i) keeper_->OnWritten(5);
  replies_.clear();
  Sample(0, 42, false);
  EXPECT_THAT(Replies(5), ElementsAre("sample of worker:0 42"));
}

TEST_F(MetricsKeeperTest, LongTableWaitsForItsClient) {
  for (int task = 0; task < 6000; ++task) {
    keeper_->OnLaunched(Container(task), {0, task});
    Sample(task, 1);
  }
  Watch(5, std::nullopt, true);
  size_t most = 0, written = 0;
  for (; written < replies_[5].size(); ++written) {
    most = std::max(most, replies_[5].size() - written);
    keeper_->OnWritten(5);
  }
  EXPECT_EQ(written, 6002U);
  EXPECT_TRUE(replies_[5].back().has_complete());
  EXPECT_LT(most, 5000U);
  EXPECT_THAT(closed_, ElementsAre(5));
}

TEST_F(MetricsKeeperTest, SamplesOfAnUnknownContainerOrSeriesAreIgnored) {
  Sample(0, 1, false);
  Sample(77, 1);
  keeper_->OnContainerGone(Container(1));
  Sample(1, 1);
  keeper_->Finish();
  const auto stored = Stored();
  ASSERT_TRUE(stored.ok());
  EXPECT_TRUE(stored->columns.empty());
}

TEST_F(MetricsKeeperTest, SeriesNumbersAreValidWithinOneStream) {
  Sample(0, 1);
  keeper_->OnConnected(Container(0));
  wire::MetricSamples samples;
  samples.add_new_series()->set_id(7);
  samples.mutable_new_series(0)->set_name("threads");
  samples.add_values()->set_series(7);
  keeper_->OnSamples(Container(0), samples);
  keeper_->Finish();
  const auto stored = Stored();
  ASSERT_TRUE(stored.ok());
  ASSERT_EQ(stored->columns.size(), 2U);
  EXPECT_EQ(stored->columns[0].series.name, "cpu_cores");
  EXPECT_EQ(stored->columns[0].Mean(), 1);
  EXPECT_EQ(stored->columns[1].series.name, "threads");
}

TEST_F(MetricsKeeperTest, WrongClockOfANodeDoesNotStretchTheTable) {
  for (const int64_t micros : {int64_t{0}, INT64_MAX, INT64_MIN, int64_t{4'000'000'000'000'000}}) {
    wire::MetricSamples samples;
    samples.set_at_micros(micros);
    samples.add_new_series()->set_name("threads");
    samples.add_values()->set_value(1);
    keeper_->OnSamples(Container(0), samples);
  }
  keeper_->Finish();
  const auto stored = Stored();
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(stored->width, std::chrono::seconds(5));
  EXPECT_LT(stored->buckets, 720U);
}

TEST_F(MetricsKeeperTest, NextAmContinuesTheFile) {
  Sample(0, 1);
  keeper_->Finish();
  Start();
  Sample(0, 3);
  Sample(1, 5);
  Watch(5, std::nullopt, true);
  EXPECT_THAT(Replies(5), ElementsAre("table", "worker:0", "worker:1", "complete"));
  keeper_->Finish();
  const auto stored = Stored();
  ASSERT_TRUE(stored.ok());
  ASSERT_EQ(stored->columns.size(), 2U);
  EXPECT_EQ(stored->columns[0].Mean(), 2);
}

TEST_F(MetricsKeeperTest, NextAmHasTheMetricsWithoutANewSample) {
  Sample(0, 1);
  keeper_->Finish();
  Start();
  Watch(5, 0, true);
  EXPECT_THAT(Replies(5), ElementsAre("table", "worker:0", "complete"));
}

TEST_F(MetricsKeeperTest, DamagedFileCostsOnlyTheMetricsInIt) {
  for (const std::string& bytes : {std::string(), std::string("not a file of metrics"), std::string(5000, 'x')}) {
    ASSERT_TRUE(os::files::WriteFileAtomically(path(), bytes).ok());
    testing::internal::CaptureStderr();
    Start();
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("it is not a metrics file of Howdah"));
    Sample(0, 3);
    keeper_->Finish();
    const auto stored = Stored();
    ASSERT_TRUE(stored.ok());
    EXPECT_EQ(stored->columns[0].Mean(), 3);
  }
}

TEST_F(MetricsKeeperTest, FileIsWrittenWhileTheJobRuns) {
  Sample(0, 1);
  while (!Stored().ok()) loop_.run_one();
  EXPECT_EQ(Stored()->columns[0].Mean(), 1);
}

TEST_F(MetricsKeeperTest, UnwritableFileIsReportedOnceAndChangesNothingElse) {
  ASSERT_TRUE(os::files::RemoveTree(directory_).ok());
  testing::internal::CaptureStderr();
  Sample(0, 1);
  keeper_->Finish();
  keeper_->Finish();
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("writing the metrics: "));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

}  // namespace
}  // namespace howdah::am
