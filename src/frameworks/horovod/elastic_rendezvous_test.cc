#include "howdah/frameworks/horovod/elastic_rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::frameworks::horovod {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Answer = ElasticRendezvous::Answer;
using StepReached = ElasticRendezvous::StepReached;
using Step = StepReached::Step;

constexpr char kNoRanks[] = "200 -1,-1,-1,-1,-1,-1";

// Returns the ranks of a process of a job in which every task has `processes` processes.
RankAssignment RanksOf(const std::string& host, int rank, int size, int local_rank = 0, int processes = 1) {
  return {host, rank, size, local_rank, processes, rank / processes, size / processes};
}

class Rendezvous {
 public:
  ElasticRendezvous::Output Ask(const std::string& method, const std::string& path, const std::string& body = "") {
    return rendezvous_.OnRequest(++last_, {{method, path, body}, "10.0.0.7"}, Instant());
  }
  // Returns the answer to this request, such as "200 body", or "" while the request is unanswered.
  std::string Answered(const std::string& method, const std::string& path, const std::string& body = "") {
    const auto output = Ask(method, path, body);
    for (const Answer& answer : output.answers) {
      if (answer.request == last_) return std::to_string(answer.status) + " " + answer.body;
    }
    return "";
  }
  ElasticRendezvous::RequestId last() const { return last_; }
  ElasticRendezvous* operator->() { return &rendezvous_; }

  // Sends all requests of a process from its start, or from the receipt of its new ranks, until it is connected.
  std::vector<StepReached> Join(const RankAssignment& ranks) {
    std::vector<StepReached> steps;
    const std::string rank = std::to_string(ranks.rank), lane = "/cross_" + std::to_string(ranks.local_rank);
    const std::string cross = std::to_string(ranks.cross_rank), set = "_process_set_hash_512d/";
    const auto request = [&](const std::string& method, const std::string& path) {
      const auto output = Ask(method, path, "v");
      steps.insert(steps.end(), output.steps.begin(), output.steps.end());
    };
    request("PUT", "/global/rank_" + rank);
    request("PUT", "/global/" + rank);
    request("DELETE", "/global/" + rank);
    request("DELETE", lane + "/" + cross);
    request("DELETE", lane + set + cross);
    return steps;
  }

 private:
  ElasticRendezvous rendezvous_{1000};
  ElasticRendezvous::RequestId last_ = 0;
};

TEST(ElasticRendezvous, AttemptJoinsLeavesAndRejoins) {
  Rendezvous rendezvous;
  const RankAssignment a = RanksOf("a.0", 0, 2), b = RanksOf("b.0", 1, 2);
  EXPECT_THAT(rendezvous->Start(0, {0, 0}, 3, {a}), IsEmpty());
  EXPECT_THAT(rendezvous->Start(0, {0, 1}, 0, {b}), IsEmpty());
  const StepReached ready{{0, 0}, 3, Step::kReady}, joined{{0, 0}, 3, Step::kJoined};
  EXPECT_THAT(rendezvous.Join(a), ElementsAre(ready));
  EXPECT_EQ(rendezvous->ContactOf({0, 0}, 3), nullptr);
  const auto put = rendezvous.Ask("PUT", "/worker_addresses/a.0:0", "how");
  EXPECT_THAT(put.steps, ElementsAre(joined)) << "a process without a contact cannot be notified";
  EXPECT_THAT(put.answers, ElementsAre(Answer{rendezvous.last(), 200, ""}));
  ASSERT_NE(rendezvous->ContactOf({0, 0}, 3), nullptr);
  EXPECT_EQ(rendezvous->ContactOf({0, 0}, 3)->peer, "10.0.0.7");
  EXPECT_EQ(rendezvous->ContactOf({0, 0}, 3)->body, "how");

  const auto rejoining = rendezvous.Ask("GET", "/rank_and_size/a.0:0");
  const auto asked = rendezvous.last();
  EXPECT_THAT(rejoining.steps, ElementsAre(StepReached{{0, 0}, 3, Step::kRejoining}));
  EXPECT_THAT(rejoining.answers, IsEmpty());
  // The attempt of b.0 does not rejoin. A new attempt gets its ranks in the next generation.
  EXPECT_THAT(rendezvous->Start(1, {0, 1}, 1, {RanksOf("b.1", 1, 2)}), IsEmpty());
  EXPECT_THAT(rendezvous.Join(RanksOf("b.1", 1, 2)), ElementsAre(StepReached{{0, 1}, 1, Step::kReady}));
  EXPECT_THAT(rendezvous->Rejoin(1, {0, 0}, 3, {RanksOf("ignored", 0, 2)}),
              ElementsAre(Answer{asked, 200, "0,2,0,1,0,2"}));
  EXPECT_THAT(rendezvous.Join(a), ElementsAre(ready, joined));
  EXPECT_EQ(rendezvous.Answered("GET", "/rank_and_size/b.0:0"), kNoRanks);
}

TEST(ElasticRendezvous, NewGenerationDiscardsValues) {
  Rendezvous rendezvous;
  rendezvous->Start(0, {0, 0}, 0, {RanksOf("a.0", 0, 1)});
  rendezvous.Ask("PUT", "/global/0", "old");
  EXPECT_EQ(rendezvous.Answered("GET", "/global/0"), "200 old");
  EXPECT_EQ(rendezvous.Answered("GET", "/global/1"), "") << "held until the key is put";
  const auto held = rendezvous.last();
  EXPECT_THAT(rendezvous->Start(1, {0, 0}, 1, {RanksOf("a.1", 0, 1)}), ElementsAre(Answer{held, 404, ""}));
  EXPECT_THAT(rendezvous->Start(1, {0, 0}, 1, {RanksOf("a.1", 0, 1)}), IsEmpty()) << "repeated order";
  EXPECT_EQ(rendezvous.Answered("GET", "/global/0"), "");
}

TEST(ElasticRendezvous, StepIsReportedWhenAllProcessesOfTheTaskHaveReachedIt) {
  Rendezvous rendezvous;
  const std::vector<RankAssignment> ranks = {RanksOf("a.0", 0, 4, 0, 2), RanksOf("a.0", 1, 4, 1, 2)};
  rendezvous->Start(0, {0, 0}, 0, ranks);
  rendezvous->Start(0, {0, 1}, 0, {RanksOf("b.0", 2, 4, 0, 2), RanksOf("b.0", 3, 4, 1, 2)});
  EXPECT_THAT(rendezvous.Join(ranks[0]), IsEmpty());
  EXPECT_THAT(rendezvous.Join(ranks[1]), ElementsAre(StepReached{{0, 0}, 0, Step::kReady}));
  EXPECT_THAT(rendezvous.Ask("PUT", "/worker_addresses/a.0:1", "1").steps, IsEmpty());
  EXPECT_THAT(rendezvous.Ask("PUT", "/worker_addresses/a.0:0", "0").steps,
              ElementsAre(StepReached{{0, 0}, 0, Step::kJoined}));
  EXPECT_THAT(rendezvous.Ask("GET", "/rank_and_size/a.0:1").steps, IsEmpty());
  const auto second = rendezvous.last();
  EXPECT_THAT(rendezvous.Ask("GET", "/rank_and_size/a.0:0").steps,
              ElementsAre(StepReached{{0, 0}, 0, Step::kRejoining}));
  const auto first = rendezvous.last();
  EXPECT_THAT(rendezvous->Rejoin(1, {0, 0}, 0, {RanksOf("x", 0, 2, 0, 2), RanksOf("x", 1, 2, 1, 2)}),
              UnorderedElementsAre(Answer{first, 200, "0,2,0,2,0,1"}, Answer{second, 200, "1,2,1,2,0,1"}));
}

TEST(ElasticRendezvous, RepeatedRankRequestReplacesFirstRequest) {
  Rendezvous rendezvous;
  rendezvous->Start(0, {0, 0}, 0, {RanksOf("a.0", 0, 1)});
  EXPECT_EQ(rendezvous.Ask("GET", "/rank_and_size/a.0:0").steps.size(), 1u);
  const auto lost = rendezvous.last();
  const auto again = rendezvous.Ask("GET", "/rank_and_size/a.0:0");
  EXPECT_THAT(again.answers, ElementsAre(Answer{lost, 404, ""}));
  EXPECT_THAT(again.steps, IsEmpty());
  EXPECT_THAT(rendezvous->Rejoin(1, {0, 0}, 0, {RanksOf("x", 0, 1)}),
              ElementsAre(Answer{rendezvous.last(), 200, "0,1,0,1,0,1"}));
}

TEST(ElasticRendezvous, UnknownProcessGetsNoRanks) {
  Rendezvous rendezvous;
  rendezvous->Start(0, {0, 0}, 0, {RanksOf("a.0", 0, 1)});
  EXPECT_EQ(rendezvous.Answered("GET", "/rank_and_size/z:0"), kNoRanks);
  EXPECT_EQ(rendezvous.Answered("GET", "/rank_and_size/"), kNoRanks);
  EXPECT_THAT(rendezvous.Ask("PUT", "/worker_addresses/z:0", "x").steps, IsEmpty());
  EXPECT_EQ(rendezvous.Answered("PUT", "/worker_addresses/a.0:0", std::string(100'000, 'x')), "413 ");
  EXPECT_THAT(rendezvous->Rejoin(0, {0, 5}, 0, {RanksOf("z", 0, 1)}), IsEmpty());
  EXPECT_EQ(rendezvous.Answered("POST", "/global/0"), "405 ");
}

}  // namespace
}  // namespace howdah::frameworks::horovod
