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
  std::promise<std::string> message;
  BackendPool pool(NoCluster, 1);
  ASSERT_TRUE(pool.Post([&](const auto& cluster) { message.set_value(cluster.ok() ? "" : cluster.error().message); }));
  EXPECT_EQ(message.get_future().get(), "the cluster cannot be reached");
}

TEST(BackendPool, FullQueueRefusesWork) {
  std::promise<void> begun, released;
  BackendPool pool(NoCluster, 1);
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
  std::atomic<bool> dropped = true;
  std::promise<void> begun, released;
  BackendPool pool(NoCluster, 1);
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
