#include "howdah/frameworks/horovod/horovod_worlds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::frameworks::horovod {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Answer = HorovodWorlds::Answer;
using Met = HorovodWorlds::Met;

constexpr char kNobody[] = "200 -1,-1,-1,-1,-1,-1";

// Tasks 0:0, 0:1, ... each with one process, or as many as are given.
Seat SeatOf(const std::string& host, int rank, int size, int local_rank = 0, int processes = 1) {
  return {host, rank, size, local_rank, processes, rank / processes, size / processes};
}

class Worlds {
 public:
  HorovodWorlds::Output Ask(const std::string& method, const std::string& path, const std::string& body = "") {
    return worlds_.OnRequest(++last_, {{method, path, body}, "10.0.0.7"}, Instant());
  }
  // How the request itself is answered: "200 body"; empty: not yet.
  std::string Answered(const std::string& method, const std::string& path, const std::string& body = "") {
    const auto output = Ask(method, path, body);
    for (const Answer& answer : output.answers) {
      if (answer.request == last_) return std::to_string(answer.status) + " " + answer.body;
    }
    return "";
  }
  HorovodWorlds::RequestId last() const { return last_; }
  HorovodWorlds* operator->() { return &worlds_; }

  // What a process does from its start, or from being told its seat, until it is connected.
  std::vector<Met> Join(const Seat& seat) {
    std::vector<Met> met;
    const std::string rank = std::to_string(seat.rank), lane = "/cross_" + std::to_string(seat.local_rank);
    const std::string cross = std::to_string(seat.cross_rank), set = "_process_set_hash_512d/";
    const auto does = [&](const std::string& method, const std::string& path) {
      const auto output = Ask(method, path, "v");
      met.insert(met.end(), output.met.begin(), output.met.end());
    };
    does("PUT", "/global/rank_" + rank);
    does("PUT", "/global/" + rank);
    does("DELETE", "/global/" + rank);
    does("DELETE", lane + "/" + cross);
    does("DELETE", lane + set + cross);
    return met;
  }

 private:
  HorovodWorlds worlds_{1000};
  HorovodWorlds::RequestId last_ = 0;
};

TEST(HorovodWorlds, AWorldIsJoinedAndLeftForTheNext) {
  Worlds worlds;
  const Seat a = SeatOf("a.0", 0, 2), b = SeatOf("b.0", 1, 2);
  EXPECT_THAT(worlds->Start(0, {0, 0}, 3, {a}), IsEmpty());
  EXPECT_THAT(worlds->Start(0, {0, 1}, 0, {b}), IsEmpty());
  const Met arrived{{0, 0}, 3, Met::Step::kArrived}, joined{{0, 0}, 3, Met::Step::kJoined};
  EXPECT_THAT(worlds.Join(a), ElementsAre(arrived));
  EXPECT_EQ(worlds->ContactOf({0, 0}, 3), nullptr);
  const auto put = worlds.Ask("PUT", "/worker_addresses/a.0:0", "how");
  EXPECT_THAT(put.met, ElementsAre(joined)) << "who does not say how it is told can never leave";
  EXPECT_THAT(put.answers, ElementsAre(Answer{worlds.last(), 200, ""}));
  ASSERT_NE(worlds->ContactOf({0, 0}, 3), nullptr);
  EXPECT_EQ(worlds->ContactOf({0, 0}, 3)->peer, "10.0.0.7");
  EXPECT_EQ(worlds->ContactOf({0, 0}, 3)->body, "how");

  const auto waits = worlds.Ask("GET", "/rank_and_size/a.0:0");
  const auto asked = worlds.last();
  EXPECT_THAT(waits.met, ElementsAre(Met{{0, 0}, 3, Met::Step::kWaits}));
  EXPECT_THAT(waits.answers, IsEmpty());
  // The other one is not in the next world, and its place is another's.
  EXPECT_THAT(worlds->Start(1, {0, 1}, 1, {SeatOf("b.1", 1, 2)}), IsEmpty());
  EXPECT_THAT(worlds.Join(SeatOf("b.1", 1, 2)), ElementsAre(Met{{0, 1}, 1, Met::Step::kArrived}));
  EXPECT_THAT(worlds->Rejoin(1, {0, 0}, 3, {SeatOf("ignored", 0, 2)}), ElementsAre(Answer{asked, 200, "0,2,0,1,0,2"}));
  EXPECT_THAT(worlds.Join(a), ElementsAre(arrived, joined));
  EXPECT_EQ(worlds.Answered("GET", "/rank_and_size/b.0:0"), kNobody);
}

TEST(HorovodWorlds, WhatWasPutForOneWorldIsNotInTheNext) {
  Worlds worlds;
  worlds->Start(0, {0, 0}, 0, {SeatOf("a.0", 0, 1)});
  worlds.Ask("PUT", "/global/0", "old");
  EXPECT_EQ(worlds.Answered("GET", "/global/0"), "200 old");
  EXPECT_EQ(worlds.Answered("GET", "/global/1"), "") << "held until it comes, however long";
  const auto held = worlds.last();
  EXPECT_THAT(worlds->Start(1, {0, 0}, 1, {SeatOf("a.1", 0, 1)}), ElementsAre(Answer{held, 404, ""}));
  EXPECT_THAT(worlds->Start(1, {0, 0}, 1, {SeatOf("a.1", 0, 1)}), IsEmpty()) << "ordered again";
  EXPECT_EQ(worlds.Answered("GET", "/global/0"), "");
}

TEST(HorovodWorlds, ATaskIsAsFarAsTheLastOfItsProcesses) {
  Worlds worlds;
  const std::vector<Seat> seats = {SeatOf("a.0", 0, 4, 0, 2), SeatOf("a.0", 1, 4, 1, 2)};
  worlds->Start(0, {0, 0}, 0, seats);
  worlds->Start(0, {0, 1}, 0, {SeatOf("b.0", 2, 4, 0, 2), SeatOf("b.0", 3, 4, 1, 2)});
  EXPECT_THAT(worlds.Join(seats[0]), IsEmpty());
  EXPECT_THAT(worlds.Join(seats[1]), ElementsAre(Met{{0, 0}, 0, Met::Step::kArrived}));
  EXPECT_THAT(worlds.Ask("PUT", "/worker_addresses/a.0:1", "1").met, IsEmpty());
  EXPECT_THAT(worlds.Ask("PUT", "/worker_addresses/a.0:0", "0").met, ElementsAre(Met{{0, 0}, 0, Met::Step::kJoined}));
  EXPECT_THAT(worlds.Ask("GET", "/rank_and_size/a.0:1").met, IsEmpty());
  const auto second = worlds.last();
  EXPECT_THAT(worlds.Ask("GET", "/rank_and_size/a.0:0").met, ElementsAre(Met{{0, 0}, 0, Met::Step::kWaits}));
  const auto first = worlds.last();
  EXPECT_THAT(worlds->Rejoin(1, {0, 0}, 0, {SeatOf("x", 0, 2, 0, 2), SeatOf("x", 1, 2, 1, 2)}),
              UnorderedElementsAre(Answer{first, 200, "0,2,0,2,0,1"}, Answer{second, 200, "1,2,1,2,0,1"}));
}

TEST(HorovodWorlds, WhoAsksAgainHasLostItsConnection) {
  Worlds worlds;
  worlds->Start(0, {0, 0}, 0, {SeatOf("a.0", 0, 1)});
  EXPECT_EQ(worlds.Ask("GET", "/rank_and_size/a.0:0").met.size(), 1u);
  const auto lost = worlds.last();
  const auto again = worlds.Ask("GET", "/rank_and_size/a.0:0");
  EXPECT_THAT(again.answers, ElementsAre(Answer{lost, 404, ""}));
  EXPECT_THAT(again.met, IsEmpty());
  EXPECT_THAT(worlds->Rejoin(1, {0, 0}, 0, {SeatOf("x", 0, 1)}),
              ElementsAre(Answer{worlds.last(), 200, "0,1,0,1,0,1"}));
}

TEST(HorovodWorlds, WhoIsNotOfTheJobHasNoPlaceInIt) {
  Worlds worlds;
  worlds->Start(0, {0, 0}, 0, {SeatOf("a.0", 0, 1)});
  EXPECT_EQ(worlds.Answered("GET", "/rank_and_size/z:0"), kNobody);
  EXPECT_EQ(worlds.Answered("GET", "/rank_and_size/"), kNobody);
  EXPECT_THAT(worlds.Ask("PUT", "/worker_addresses/z:0", "x").met, IsEmpty());
  EXPECT_EQ(worlds.Answered("PUT", "/worker_addresses/a.0:0", std::string(100'000, 'x')), "413 ");
  EXPECT_THAT(worlds->Rejoin(0, {0, 5}, 0, {SeatOf("z", 0, 1)}), IsEmpty());
  EXPECT_EQ(worlds.Answered("POST", "/global/0"), "405 ");
}

}  // namespace
}  // namespace howdah::frameworks::horovod
