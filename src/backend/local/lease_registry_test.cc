#include "lease_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "howdah/os/files/testing.h"

namespace howdah::backend::local {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kGiB = int64_t{1} << 30;

Instant At(int seconds) { return Instant(std::chrono::seconds(1'000'000 + seconds)); }

JobLeases Job(std::string name, int submitted, std::vector<Lease> held, std::vector<ContainerRequest> requested) {
  return {{.job = std::move(name), .submitted = At(submitted)}, std::move(held), std::move(requested)};
}

struct Row {
  const char* name;
  JobLeases mine;
  std::vector<JobLeases> others;
  bool granted;
  const char* waits_for;
};

void Check(const Capacity& machine, const Row& row) {
  const Admission decision = Admit(machine, row.mine, row.others, At(100));
  EXPECT_EQ(decision.granted.has_value(), row.granted) << row.name << ": " << decision.waits_for;
  EXPECT_THAT(decision.waits_for, HasSubstr(row.waits_for)) << row.name;
}

TEST(Admit, JobsAreAdmittedInOrderOfSubmissionWithinCapacity) {
  const Capacity machine{20 * kGiB, 4, {0, 1}};
  const Row rows[] = {
      {"empty machine", Job("a", 0, {}, {{"c1", 20 * kGiB, 1, 0}}), {}, true, ""},
      {"gang is granted as a whole",
       Job("a", 0, {}, {{"c1", 11 * kGiB, 1, 0}, {"c2", 11 * kGiB, 1, 0}}),
       {},
       false,
       "22 GiB of memory: 20 GiB of 20 GiB are free"},
      {"memory held by another job",
       Job("b", 1, {}, {{"c1", 11 * kGiB, 1, 0}}),
       {Job("a", 0, {{"c1", 12 * kGiB, 1, {}}}, {})},
       false,
       "8 GiB of 20 GiB are free; a holds 12 GiB"},
      {"memory held by the job itself",
       Job("a", 0, {{"c1", 12 * kGiB, 1, {}}}, {{"c2", 11 * kGiB, 1, 0}}),
       {},
       false,
       "8 GiB of 20 GiB"},
      {"earlier waiting job goes first",
       Job("c", 2, {}, {{"c1", kGiB, 1, 0}}),
       {Job("a", 0, {{"c1", 12 * kGiB, 1, {}}}, {}), Job("b", 1, {}, {{"c1", 20 * kGiB, 1, 0}})},
       false,
       "1 job is ahead in the queue: b (needs 20 GiB; waits for 20 GiB)"},
      {"later job that does not delay the earlier one starts",
       Job("c", 2, {}, {{"c1", 8 * kGiB, 1, 0}}),
       {Job("a", 0, {{"c1", 12 * kGiB, 1, {}}}, {}), Job("b", 1, {}, {{"c1", 12 * kGiB, 1, 0}})},
       true,
       ""},
      {"later waiting job does not go first",
       Job("b", 1, {}, {{"c1", kGiB, 1, 0}}),
       {Job("a", 0, {{"c1", 12 * kGiB, 1, {}}}, {}), Job("c", 2, {}, {{"c1", 12 * kGiB, 1, 0}})},
       true,
       ""},
      {"optional request after a required one of a later job",
       Job("b", 1, {}, {{"c1", kGiB, 1, 0, /*optional=*/true}}),
       {Job("a", 0, {{"c1", 12 * kGiB, 1, {}}}, {}), Job("c", 2, {}, {{"c1", 20 * kGiB, 1, 0}})},
       false,
       "1 job is ahead in the queue: c"},
      {"optional request does not block other jobs",
       Job("c", 2, {}, {{"c1", kGiB, 1, 0}}),
       {Job("a", 0, {{"c1", 12 * kGiB, 1, {}}}, {}), Job("b", 1, {}, {{"c1", 12 * kGiB, 1, 0, /*optional=*/true}})},
       true,
       ""},
  };
  for (const auto& row : rows) Check(machine, row);
}

TEST(Admit, GpusAndVcoresOfTheMachine) {
  const Capacity machine{20 * kGiB, 4, {0, 1}};
  const Row rows[] = {
      {"GPUs in use",
       Job("b", 1, {}, {{"c1", kGiB, 1, 2}}),
       {Job("a", 0, {{"c1", kGiB, 1, {1}}}, {})},
       false,
       "2 of the machine's GPUs: 1 of 2 are free"},
      {"vcores do not block", Job("a", 0, {}, {{"c1", kGiB, 100, 0}}), {}, true, ""},
      {"missing vcores move a job back",
       Job("a", 0, {}, {{"c1", kGiB, 5, 0}}),
       {Job("b", 9, {}, {{"c1", 20 * kGiB, 1, 0}})},
       false,
       "1 job is ahead in the queue: b"},
      {"missing vcores move a job back for a limited time",
       Job("a", 0, {}, {{"c1", kGiB, 5, 0}}),
       {Job("b", 11, {}, {{"c1", 20 * kGiB, 1, 0}})},
       true,
       ""},
  };
  for (const auto& row : rows) Check(machine, row);
}

TEST(Admit, GpusAreNotShared) {
  const Capacity machine{20 * kGiB, 4, {0, 1, 2, 3}};
  const Admission decision = Admit(machine, Job("b", 1, {}, {{"c1", kGiB, 1, 1}, {"c2", kGiB, 1, 2}}),
                                   {Job("a", 0, {{"c1", kGiB, 1, {1}}}, {})}, At(100));
  ASSERT_TRUE(decision.granted);
  EXPECT_EQ((*decision.granted)[0].gpus, std::vector<int>{0});
  EXPECT_EQ((*decision.granted)[1].gpus, (std::vector<int>{2, 3}));
}

TEST(Capacity, ImpossibleRequestIsReportedWithNumbers) {
  const Capacity machine{20 * kGiB, 4, {0}};
  EXPECT_EQ(ImpossibleRequest(machine, {{"c1", 20 * kGiB, 99, 1}}), "");
  EXPECT_THAT(ImpossibleRequest(machine, {{"c1", 21 * kGiB, 1, 0}}),
              HasSubstr("one task requests 21 GiB of memory, but this machine offers 20 GiB"));
  EXPECT_THAT(ImpossibleRequest(machine, {{"c1", kGiB, 1, 1}, {"c2", kGiB, 1, 1}}),
              HasSubstr("2 tasks together request 2 GPUs, but this machine has 1"));
  EXPECT_THAT(ImpossibleRequest(machine, {{"c1", INT64_MAX, 1, 0}, {"c2", INT64_MAX, 1, 0}}),
              HasSubstr("2 tasks together request"));
}

class LeaseRegistryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/leases.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  LeaseRegistry Open(const char* job, int submitted) {
    auto leases = LeaseRegistry::Open(directory_, {.job = job, .submitted = At(submitted)});
    EXPECT_TRUE(leases.ok()) << leases.error().message;
    return std::move(*leases);
  }
  static bool Granted(const Result<Admission>& decision) { return decision.ok() && decision->granted; }

  const Capacity machine_{20 * kGiB, 4, {0}};
  std::string directory_;
};

TEST_F(LeaseRegistryTest, SecondJobWaitsForTheFirst) {
  LeaseRegistry a = Open("a", 0), b = Open("b", 1);
  EXPECT_TRUE(Granted(a.Request(machine_, {{"c1", 12 * kGiB, 1, 1}}, At(100))));
  EXPECT_FALSE(Granted(b.Request(machine_, {{"c1", 12 * kGiB, 1, 1}}, At(100))));
  ASSERT_TRUE(a.Release("c1").ok());
  EXPECT_TRUE(Granted(b.Request(machine_, {{"c1", 12 * kGiB, 1, 1}}, At(100))));
  EXPECT_EQ(b.job_leases().held.size(), 1u);
  EXPECT_TRUE(b.job_leases().requested.empty());
}

TEST_F(LeaseRegistryTest, CloseReleasesTheLeases) {
  LeaseRegistry a = Open("a", 0), b = Open("b", 1);
  ASSERT_TRUE(Granted(a.Request(machine_, {{"c1", 12 * kGiB, 1, 0}}, At(100))));
  ASSERT_TRUE(a.Close().ok());
  EXPECT_TRUE(Granted(b.Request(machine_, {{"c1", 12 * kGiB, 1, 0}}, At(100))));
}

TEST_F(LeaseRegistryTest, LeasesOfAKilledJobAreReleased) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    auto a = LeaseRegistry::Open(directory_, {.job = "a", .submitted = At(0)});
    const bool granted = a.ok() && Granted(a->Request(machine_, {{"c1", 12 * kGiB, 1, 1}}, At(100)));
    if (write(ready[1], granted ? "y" : "n", 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char word = 0;
  ASSERT_EQ(read(ready[0], &word, 1), 1);
  ASSERT_EQ(word, 'y');
  LeaseRegistry b = Open("b", 1);
  EXPECT_FALSE(Granted(b.Request(machine_, {{"c1", 12 * kGiB, 1, 1}}, At(100))));
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  EXPECT_TRUE(Granted(b.Request(machine_, {{"c1", 12 * kGiB, 1, 1}}, At(100))));
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/a.lease"));
  close(ready[0]);
  close(ready[1]);
}

TEST_F(LeaseRegistryTest, WithdrawnRequestDoesNotBlockOtherJobs) {
  LeaseRegistry a = Open("a", 0), b = Open("b", 1), c = Open("c", 2);
  ASSERT_TRUE(Granted(a.Request(machine_, {{"c1", 12 * kGiB, 1, 0}}, At(100))));
  ASSERT_FALSE(Granted(b.Request(machine_, {{"c1", 20 * kGiB, 1, 0}}, At(100))));
  EXPECT_FALSE(Granted(c.Request(machine_, {{"c1", kGiB, 1, 0}}, At(100))));
  ASSERT_TRUE(b.Request({}, {}, At(100)).ok());
  EXPECT_TRUE(Granted(c.Request(machine_, {{"c1", kGiB, 1, 0}}, At(100))));
}

TEST_F(LeaseRegistryTest, JobWithHigherPriorityGoesFirst) {
  LeaseRegistry a = Open("a", 0), b = Open("b", 1), c = Open("c", 2);
  ASSERT_TRUE(Granted(a.Request(machine_, {{"c1", 12 * kGiB, 1, 0}}, At(100))));
  ASSERT_FALSE(Granted(b.Request(machine_, {{"c1", 20 * kGiB, 1, 0}}, At(100))));
  ASSERT_FALSE(Granted(c.Request(machine_, {{"c1", kGiB, 1, 0}}, At(100))));
  ASSERT_TRUE(SetPriority(directory_, JobId{"c"}, 5).ok());
  EXPECT_TRUE(Granted(c.Request(machine_, {{"c1", kGiB, 1, 0}}, At(100))));
  EXPECT_EQ(ReadLeases(directory_)->back().priority, 5);
  ASSERT_TRUE(c.Close().ok());
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/c.priority"));
  EXPECT_EQ(SetPriority(directory_, JobId{"c"}, 5).error().code, ErrorCode::kNotFound);
}

TEST(Admit, JobThatEndsInTimeMayUseReservedRoom) {
  const Capacity machine{20 * kGiB, 4, {}};
  JobLeases running = Job("a", 0, {{"c1", 12 * kGiB, 1, {}}}, {});
  running.granted = At(0);
  running.run = std::chrono::seconds(600);
  const JobLeases large = Job("b", 1, {}, {{"c1", 20 * kGiB, 1, 0}});
  JobLeases mine = Job("c", 2, {}, {{"c1", kGiB, 1, 0}});
  EXPECT_FALSE(Admit(machine, mine, {running, large}, At(100)).granted) << "it has no time limit";
  mine.run = std::chrono::seconds(500);
  EXPECT_TRUE(Admit(machine, mine, {running, large}, At(100)).granted);
  EXPECT_FALSE(Admit(machine, mine, {running, large}, At(101)).granted) << "b could start before it ends";
}

TEST_F(LeaseRegistryTest, InvalidLeaseFileOfADeadJobIsRemoved) {
  LeaseRegistry a = Open("a", 0);
  std::filesystem::copy_file(directory_ + "/lock", directory_ + "/zz.lease");
  EXPECT_TRUE(Granted(a.Request(machine_, {{"c1", 12 * kGiB, 1, 0}}, At(100))));
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/zz.lease"));
}

TEST_F(LeaseRegistryTest, ObserverSeesTheLeasesOfRunningJobsAndChangesNothing) {
  EXPECT_TRUE(ReadLeases(directory_)->empty());
  LeaseRegistry a = Open("a", 0), b = Open("b", 1);
  ASSERT_TRUE(Granted(a.Request(machine_, {{"c1", 12 * kGiB, 1, 1}}, At(100))));
  ASSERT_FALSE(Granted(b.Request(machine_, {{"c1", 12 * kGiB, 1, 0}}, At(100))));
  std::filesystem::copy_file(directory_ + "/a.lease", directory_ + "/dead.lease");
  const auto leases = ReadLeases(directory_);
  ASSERT_TRUE(leases.ok()) << leases.error().message;
  ASSERT_EQ(leases->size(), 2u);
  EXPECT_EQ(leases->front().job, "a");
  EXPECT_EQ(leases->front().held.size(), 1u);
  EXPECT_EQ(leases->back().requested.size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(directory_ + "/dead.lease"));
}

TEST_F(LeaseRegistryTest, ObserverOfADirectoryWithoutJobsSeesNone) {
  EXPECT_TRUE(ReadLeases(directory_ + "/none")->empty());
}

TEST_F(LeaseRegistryTest, DamagedLeaseOfALivingJobIsAnErrorAndItsGpusAreNotGrantedAgain) {
  LeaseRegistry a = Open("a", 0), b = Open("b", 1);
  ASSERT_TRUE(Granted(a.Request(machine_, {{"c1", kGiB, 1, 1}}, At(100))));
  const std::string path = directory_ + "/a.lease";
  const std::string whole = os::files::Content(path);
  std::string other = whole;
  other[other.find("\"gpus\":[0]") + 8] = '7';
  const std::string rows[] = {"", whole.substr(0, whole.size() / 2), whole.substr(0, whole.size() - 1), other};
  const auto write = [&](const std::string& text) {  // writes in place: a new file would not be locked
    std::ofstream(path, std::ios::trunc | std::ios::binary) << text;
  };
  for (const std::string& damaged : rows) {
    write(damaged);
    const auto decision = b.Request(machine_, {{"c1", kGiB, 1, 1}}, At(100));
    ASSERT_FALSE(decision.ok()) << damaged;
    EXPECT_THAT(decision.error().message, HasSubstr(path + ": it is damaged"));
    EXPECT_FALSE(a.Reload().ok());
  }
  write(whole);
  EXPECT_FALSE(Granted(b.Request(machine_, {{"c1", kGiB, 1, 1}}, At(100))));
  EXPECT_TRUE(a.Reload().ok());
  ASSERT_TRUE(b.Request({}, {}, At(100)).ok());
  const std::string content = whole.substr(0, whole.find('\n'));
  write(content);  // versions without checksums wrote only this content
  EXPECT_FALSE(Granted(b.Request(machine_, {{"c1", kGiB, 1, 1}}, At(100))));
  // These amounts cannot be converted, or their sum would overflow.
  const auto with = [&](const std::string& before, const std::string& after) {
    std::string text = content;
    return text.replace(text.find(before), before.size(), after);
  };
  for (const std::string& damaged :
       {with("\"memory\":1073741824", "\"memory\":1e300"),
        with("\"memory\":1073741824", "\"memory\":9223372036854775807"), with("\"vcores\":1", "\"vcores\":-1"),
        with("\"gpus\":[0]", "\"gpus\":[1e300]"), with("\"submitted\":", "\"submitted\":1e300,\"x\":")}) {
    write(damaged);
    EXPECT_FALSE(b.Request(machine_, {{"c1", kGiB, 1, 1}}, At(100)).ok()) << damaged;
  }
}

}  // namespace
}  // namespace howdah::backend::local
