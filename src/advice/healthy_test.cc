// Random healthy jobs get no advice.
#include <gtest/gtest.h>

#include <random>

#include "howdah/base/bytes.h"
#include "test_story.h"

namespace howdah::advice {
namespace {

class Healthy {
 public:
  explicit Healthy(unsigned seed) : random_(seed) {}

  Story Make() {
    Story story;
    story.series.clear();
    jobspec::RoleSpec& role = story.Role();
    const int tasks = 1 + static_cast<int>(Below(6));
    role.instances = {tasks, tasks};
    role.vcores = 1 + static_cast<int>(Below(8));
    role.gpus = static_cast<int>(Below(3));
    role.memory_bytes = (int64_t{1} + static_cast<int64_t>(Below(64))) << 30;
    story.ran = Between(400, 3500);
    story.queued = Between(0, 0.08 * story.ran);
    story.localized = Between(0, 0.04 * story.ran);
    story.width = story.ran > 1200 ? 60 : 20;
    width_ = story.width;
    // All ranks pause for an evaluation at the same time. Each task has a warm-up, and some join an elastic role later.
    pause_every_ = Between(0.2, 0.5) * story.ran;
    pause_ = Between(0, 0.08) * pause_every_;
    for (int index = 0; index < tasks; ++index) AddTask(story, role, index);
    return story;
  }

 private:
  double Between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  unsigned Below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  // Returns a series with noise around a level. A wide bucket averages the noise of its samples. During pauses, the
  // series is around pause_level, if that is given.
  Function Around(double level, double noise, double pause_level = NAN) {
    const unsigned seed = static_cast<unsigned>(random_());
    noise *= 2 * std::sqrt(5 / width_);
    const double warm = warm_, every = pause_every_, pause = pause_, from = from_;
    return [=](double t) {
      if (t < from) return double(NAN);
      const bool pauses = t < from + warm || std::fmod(t, every) < pause;
      const double of_phase = pauses && !std::isnan(pause_level) ? pause_level : level;
      // A cheap hash of the time, so that a series is the same in each call.
      const auto mixed = (static_cast<unsigned>(t) + seed) * 2654435761U;
      return of_phase * (1 + noise * (static_cast<double>(mixed >> 8) / (1 << 24) * 2 - 1));
    };
  }

  void AddTask(Story& story, const jobspec::RoleSpec& role, int index) {
    warm_ = Between(0, 0.06) * story.ran;
    from_ = index > 0 && Below(4) == 0 ? Between(0, 0.5) * story.ran : 0;
    const auto add = [&](const std::string& name, Function function, std::optional<int> rank = {}) {
      story.series[{role.name, index, name, rank}] = {std::move(function)};
    };
    const double memory = static_cast<double>(role.memory_bytes);
    add("cpu_cores", Around(Between(0.65, 0.85) * role.vcores, 0.1, 0.3 * role.vcores));
    add("memory_bytes", Around(Between(0.85, 0.92) * memory, 0.02, 0.5 * memory));
    add("cpu_throttled", Around(Between(0, 0.06), 0.5));
    add("cpu_pressure", Around(Between(0, 0.14), 0.5));
    add("io_pressure", Around(Between(0, 0.2), 0.4));
    add("threads", Around(role.vcores * Between(1, 6), 0.2));
    add("stdout_bytes", [bytes = Between(0, 1e6)](double t) { return bytes * t; });
    add("step_s", Around(Between(0.23, 0.25), 0.1, 0.4), 0);
    add("input_wait", Around(Between(0, 0.14), 0.3), 0);
    if (role.gpus == 0) return;
    const Function use = Around(Between(0.75, 0.95), 0.05, 0.05);
    add("gpu_util", use);
    add("gpu_memory", Around(Between(0.5, 0.95), 0.02));
    add("gpu_throttled", Around(Between(0, 0.06), 0.5));
    for (int gpu = 0; gpu < role.gpus; ++gpu) add("gpu" + std::to_string(gpu) + "_util", use);
  }

  std::mt19937 random_;
  double width_ = 5, warm_ = 0, pause_every_ = 1, pause_ = 0, from_ = 0;
};

// A random curve of memory: constant, growing until a plateau, growing until the end, or in periods, with short peaks
// that only the maximum of a bucket shows.
Story::Series RandomMemory(std::mt19937& random, double most) {
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const double base = between(0.05, 0.5) * most, added = between(0, 0.4) * most, period = between(20, 2000);
  const double spike_at = between(0, 3600), spike = between(0, 0.3) * most;
  const auto shape = static_cast<int>(random() % 4);
  const Function mean = [=](double t) {
    const double phases[] = {0.0, std::min(1.0, t / period), t / 3600, std::abs(std::sin(t / period))};
    return base + added * phases[shape];
  };
  return {.mean = mean, .max = [=](double t) { return mean(t) + (std::abs(t - spike_at) < 5 ? spike : 0); }};
}

// The same job needs the same memory again, so it must fit into the recommended request, with 15 % to spare.
TEST(Healthy, RecommendedMemoryIsAlwaysEnoughForTheSameCurve) {
  int advised = 0;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    std::mt19937 random(seed);
    Story story;
    jobspec::RoleSpec& role = story.Role();
    role.memory_bytes = static_cast<int64_t>((2.5 + static_cast<double>(random() % 60)) * kGi);
    story.cluster.memory_step_bytes = int64_t{1} << (20 + random() % 11);
    double peak = 0;
    for (int index = 0; index < 4; ++index) {
      const Story::Series memory = RandomMemory(random, static_cast<double>(role.memory_bytes));
      for (double t = 0; t < story.ran; t += story.width) peak = std::max(peak, memory.max(t));
      story.series[{"worker", index, "memory_bytes"}] = memory;
    }
    const auto findings = story.Findings();
    if (findings.empty() || findings[0].check != jobspec::AdviceCheck::kMemoryOver) continue;
    ++advised;
    const auto memory = ParseBytes(findings[0].change.keys[0].second);
    ASSERT_TRUE(memory) << "seed " << seed;
    ASSERT_GE(static_cast<double>(*memory), 1.15 * peak * (1 - 1e-6)) << "seed " << seed;
    ASSERT_LT(*memory, role.memory_bytes) << "seed " << seed;
    role.memory_bytes = *memory;
    ASSERT_EQ(story.Advised().find("memory-"), std::string::npos) << story.Advised() << ", seed " << seed;
  }
  EXPECT_GE(advised, 30);
}

TEST(Healthy, RandomHealthyJobsGetNoAdvice) {
  for (unsigned seed = 1; seed <= 10'000; ++seed) {
    Story story = Healthy(seed).Make();
    ASSERT_EQ(story.Advised(), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace howdah::advice
