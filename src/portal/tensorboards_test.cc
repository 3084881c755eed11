#include "tensorboards.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <future>
#include <semaphore>

#include "test_cluster.h"

namespace howdah::portal {
namespace {

constexpr std::chrono::minutes kPatience{1};

// An event file that grows for as long as it is read.
class EndlessFile final : public EventFile {
 public:
  explicit EndlessFile(std::counting_semaphore<>& begun) : begun_(begun) {}
  Status ReadFrom(const std::string&, int64_t, const OnBytes& on_bytes) override {
    begun_.release();
    for (;;) HOWDAH_TRY_STATUS(on_bytes("x"));
  }

 private:
  std::counting_semaphore<>& begun_;
};

// A portal with the backend "yarn", whose jobs have endless event files.
struct TensorBoardsTest : testing::Test {
  TensorBoardsTest() { backend.name = "yarn"; }
  void MakePool(size_t threads) {
    const auto make = [this] {
      return ClusterWithEvents::Make([this] { return std::make_unique<EndlessFile>(begun); });
    };
    backend.pool = std::make_unique<BackendPool>(make, threads);
  }

  std::counting_semaphore<> begun{0};  // copies
  boost::asio::io_context loop;
  Services services{loop, {}};
  BackendService& backend = services.backends.emplace_back();
};

TEST_F(TensorBoardsTest, OneCopyRunsAtATimeAndEndsWithItsTensorBoard) {
  constexpr size_t kThreads = 4;
  MakePool(kThreads);
  TensorBoards boards(services);
  std::vector<std::string> ids;
  for (size_t i = 0; i < kThreads; ++i) {
    const auto id = boards.Start({{&backend, JobId{"job-" + std::to_string(i)}}});
    ASSERT_TRUE(id.ok()) << id.error().message;
    ids.push_back(*id);
  }
  const auto await_copy = [&] {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end) {
      loop.poll();
      if (begun.try_acquire_for(std::chrono::milliseconds(1))) return true;
    }
    return false;
  };
  for (const std::string& id : ids) {
    ASSERT_TRUE(await_copy()) << "of the next job";
    std::promise<void> answered;
    ASSERT_TRUE(backend.pool->Post([&](const auto&) { answered.set_value(); }));
    ASSERT_EQ(answered.get_future().wait_for(kPatience), std::future_status::ready) << "another request is served";
    EXPECT_FALSE(begun.try_acquire()) << "only one job is copied";
    ASSERT_TRUE(boards.Stop(id));
  }
  EXPECT_TRUE(backend.pool->Stop(kPatience));
}

TEST_F(TensorBoardsTest, CopyEndsWithThePortal) {
  MakePool(1);
  {
    TensorBoards boards(services);
    ASSERT_TRUE(boards.Start({{&backend, JobId{"job"}}}).ok());
    ASSERT_TRUE(begun.try_acquire_for(kPatience));
  }
  EXPECT_TRUE(backend.pool->Stop(kPatience));
}

}  // namespace
}  // namespace howdah::portal
