#include "backend_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace howdah::portal {
namespace {

Result<std::unique_ptr<backend::Cluster>> NoCluster() {
  return Error{ErrorCode::kUnavailable, "the cluster cannot be reached"};
}

TEST(BackendPool, WorkReceivesTheErrorOfTheConnection) {
  BackendPool pool(NoCluster, 1);
  std::promise<std::string> message;
  ASSERT_TRUE(pool.Post([&](const auto& cluster) { message.set_value(cluster.ok() ? "" : cluster.error().message); }));
  EXPECT_EQ(message.get_future().get(), "the cluster cannot be reached");
}

TEST(BackendPool, FullQueueRefusesWork) {
  BackendPool pool(NoCluster, 1);
  std::promise<void> begun, released;
  ASSERT_TRUE(pool.Post([&](const auto&) {
    begun.set_value();
    released.get_future().wait();
  }));
  begun.get_future().wait();
  for (size_t i = 0; i < BackendPool::kMostWaiting; ++i) ASSERT_TRUE(pool.Post([](const auto&) {}));
  EXPECT_FALSE(pool.Post([](const auto&) {}));
  released.set_value();
}

TEST(BackendPool, StopDropsWaitingWorkAndReportsABusyThread) {
  BackendPool pool(NoCluster, 1);
  std::promise<void> begun, released;
  std::atomic<bool> dropped = true;
  ASSERT_TRUE(pool.Post([&](const auto&) {
    begun.set_value();
    released.get_future().wait();
  }));
  begun.get_future().wait();
  ASSERT_TRUE(pool.Post([&](const auto&) { dropped = false; }));
  EXPECT_FALSE(pool.Stop({}));
  EXPECT_FALSE(pool.Post([](const auto&) {}));
  released.set_value();
  EXPECT_TRUE(pool.Stop(std::chrono::minutes(1)));
  EXPECT_TRUE(dropped);
}

}  // namespace
}  // namespace howdah::portal
