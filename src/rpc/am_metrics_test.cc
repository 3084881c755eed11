// Tests a client that reads the metrics of a job through the AM's server, over loopback.
#include "howdah/rpc/am_metrics.h"

#include <gmock/gmock.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <poll.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "grpc_setup.h"
#include "howdah/rpc/am_server.h"
#include "howdah/rpc/metrics_messages.h"
#include "howdah/rpc/read_metrics.h"
#include "howdah/wire/executor.grpc.pb.h"
#include "test_loop.h"

namespace howdah::rpc {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

metrics::Column LossColumn() {
  metrics::Column column;
  column.series = {"metric.loss", "", metrics::Scope::kNode};
  column.role = "worker";
  column.index = 3;
  column.rank = 1;
  column.weight = {1, 0};
  column.mean = {0.5F, kNan};
  column.max = {0.75F, kNan};
  column.step = {7, 0};
  column.last = 0.25;
  column.last_step = 9;
  column.capacity = 64e9;
  column.absent = "why";
  return column;
}

metrics::Table SomeTable() {
  metrics::Table table;
  table.start = Instant(std::chrono::days(20'000));
  table.width = seconds(10);
  table.buckets = 2;
  table.columns = {LossColumn()};
  return table;
}

TEST(MetricsMessages, QueryIsUnchanged) {
  metrics::Query query;
  query.of = metrics::Query::Of::kRank;
  query.role = "worker";
  query.index = 3;
  query.series = {"cpu_cores", "step"};
  query.from = Instant(std::chrono::days(20'000));
  query.points = 7;
  const metrics::Query read = FromWire(ToWire(query));
  EXPECT_EQ(read.of, query.of);
  EXPECT_EQ(read.role, query.role);
  EXPECT_EQ(read.index, query.index);
  EXPECT_EQ(read.series, query.series);
  EXPECT_EQ(read.from, query.from);
  EXPECT_EQ(read.to, std::nullopt);
  EXPECT_EQ(read.points, 7);
}

TEST(MetricsMessages, VectorsOfAnotherSizeAreTruncatedOrExtended) {
  const wire::MetricsColumn message = ToWire(LossColumn());
  for (const size_t buckets : {size_t{0}, size_t{1}, size_t{5}}) {
    const metrics::Column column = FromWire(message, buckets);
    EXPECT_EQ(column.weight.size(), buckets);
    EXPECT_EQ(column.mean.size(), buckets);
    EXPECT_EQ(column.max.size(), buckets);
    EXPECT_EQ(column.step.size(), buckets);
  }
  EXPECT_EQ(FromWire(message, 5).weight[4], 0);
  wire::MetricsTable table;
  table.set_buckets(int64_t{1} << 60);
  table.set_width_micros(-5);
  EXPECT_LE(FromWire(table).buckets, 10'000U);
  EXPECT_GT(FromWire(table).width.count(), 0);
}

class AmMetricsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { identities_ = new JobIdentities(*MakeJobIdentities("test")); }
  static void TearDownTestSuite() { delete identities_; }

  void Serve(std::function<void(AmServer&, ConnectionId, const wire::MetricsRequest&)> on_metrics) {
    AmServer::Handlers handlers;
    handlers.on_metrics = [this, on_metrics = std::move(on_metrics)](ConnectionId id, wire::MetricsRequest request) {
      on_metrics(*server_, id, request);
    };
    handlers.on_follow_written = [](ConnectionId) {};
    handlers.on_follower_gone = [this](ConnectionId) { ++gone_; };
    auto started = AmServer::Start("127.0.0.1", identities_->am, loop_.post(), handlers);
    ASSERT_TRUE(started.ok()) << started.error().message;
    server_ = std::move(*started);
  }
  AmContact contact() const { return {"127.0.0.1:" + std::to_string(server_->port()), identities_->client}; }

  // Runs the loop until the blocking call has returned.
  Result<metrics::Table> Read(const metrics::Query& query, Duration limit) {
    Result<metrics::Table> table = Failed("not read");
    std::atomic<bool> done = false;
    std::thread reader([&] {
      table = ReadMetrics(contact(), query, limit);
      done = true;
      loop_.post()([] {});
    });
    EXPECT_TRUE(loop_.RunUntil([&] { return done.load(); }));
    reader.join();
    return table;
  }

  static void Send(AmServer& server, ConnectionId to, const metrics::Table& table) {
    wire::MetricsReply reply;
    *reply.mutable_table() = ToWire(table);
    server.SendToFollower(to, reply);
    for (const metrics::Column& column : table.columns) {
      *reply.mutable_column() = ToWire(column);
      server.SendToFollower(to, reply);
    }
  }
  static void SendComplete(AmServer& server, ConnectionId to) {
    wire::MetricsReply reply;
    reply.mutable_complete();
    server.SendToFollower(to, reply);
  }

  static JobIdentities* identities_;
  TestLoop loop_;
  int gone_ = 0;
  std::unique_ptr<AmServer> server_;
};
JobIdentities* AmMetricsTest::identities_ = nullptr;

TEST_F(AmMetricsTest, TableArrivesUnchanged) {
  wire::MetricsRequest asked;
  Serve([&](AmServer& server, ConnectionId id, const wire::MetricsRequest& request) {
    asked = request;
    metrics::Table other = SomeTable();
    other.width = seconds(5);
    Send(server, id, other);  // an incomplete table, which the next table replaces
    Send(server, id, SomeTable());
    SendComplete(server, id);
  });
  metrics::Query query;
  query.role = "worker";
  const auto table = Read(query, seconds(60));
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_TRUE(asked.now());
  EXPECT_EQ(asked.role(), "worker");
  EXPECT_EQ(table->start, SomeTable().start);
  EXPECT_EQ(table->width, seconds(10));
  ASSERT_EQ(table->columns.size(), 1U);
  const metrics::Column &read = table->columns[0], sent = LossColumn();
  EXPECT_EQ(read.series, sent.series);
  EXPECT_EQ(read.role, sent.role);
  EXPECT_EQ(read.index, sent.index);
  EXPECT_EQ(read.rank, sent.rank);
  EXPECT_EQ(read.quantile, std::nullopt);
  EXPECT_THAT(read.weight, ElementsAre(1, 0));
  EXPECT_EQ(read.mean[0], 0.5F);
  EXPECT_TRUE(std::isnan(read.mean[1]));
  EXPECT_EQ(read.max[0], 0.75F);
  EXPECT_EQ(read.step, sent.step);
  EXPECT_EQ(read.last, sent.last);
  EXPECT_EQ(read.last_step, sent.last_step);
  EXPECT_EQ(read.capacity, sent.capacity);
  EXPECT_EQ(read.absent, sent.absent);
}

TEST_F(AmMetricsTest, AmThatEndsTheCallEarlyIsUnavailable) {
  Serve([](AmServer& server, ConnectionId id, const wire::MetricsRequest&) {
    Send(server, id, SomeTable());
    server.Close(id);
  });
  const auto table = Read({}, seconds(60));
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().code, ErrorCode::kUnavailable);
}

TEST_F(AmMetricsTest, SilentAmIsATimeout) {
  Serve([](AmServer&, ConnectionId, const wire::MetricsRequest&) {});
  const auto table = Read({}, std::chrono::milliseconds(500));
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().code, ErrorCode::kTimeout);
  EXPECT_THAT(table.error().message, HasSubstr("reading the metrics of the job at its AM at 127.0.0.1:"));
}

TEST_F(AmMetricsTest, AmWithoutMetricsIsNamedAsAnOlderVersion) {
  PrepareGrpc();
  grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = identities_->am.ca_certificate;
  options.pem_key_cert_pairs.push_back({identities_->am.private_key, identities_->am.certificate});
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(options), &port);
  wire::Executors::Service other;
  builder.RegisterService(&other);
  const auto server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);
  const auto table = ReadMetrics({"127.0.0.1:" + std::to_string(port), identities_->client}, {}, seconds(60));
  server->Shutdown();
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().code, ErrorCode::kFailed);
  EXPECT_THAT(table.error().message, HasSubstr("the job was started by an older version of Howdah"));
}

TEST_F(AmMetricsTest, CallEndsWhenTheClientDisconnects) {
  int calls = 0;
  Serve([&](AmServer& server, ConnectionId id, const wire::MetricsRequest&) {
    ++calls;
    SendComplete(server, id);
  });
  auto stream = AmMetrics::Start(contact().address, identities_->client, {}, seconds(60));
  ASSERT_TRUE(loop_.RunUntil([&] { return calls == 1; }));
  pollfd wanted{stream->fd(), POLLIN, 0};
  ASSERT_EQ(poll(&wanted, 1, 60'000), 1);
  ASSERT_TRUE(stream->Next()) << "the reply";
  EXPECT_FALSE(stream->ended());
  stream.reset();
  EXPECT_TRUE(loop_.RunUntil([&] { return gone_ == 1; }));
}

}  // namespace
}  // namespace howdah::rpc
