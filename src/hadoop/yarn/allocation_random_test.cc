// Runs Allocation against a model of the scheduler that loses messages, grants late and restarts, in random order. The
// owner's process dies, too, and another one takes over.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "howdah/hadoop/yarn/allocation.h"
#include "test_attempt.h"

namespace howdah::hadoop::yarn {
namespace {

using namespace ::hadoop::yarn;
using namespace std::chrono_literals;

// A model of the state that ApplicationMasterService and AppSchedulingInfo keep for one attempt. For each key there are
// rows with absolute counts, which the scheduler lowers when it grants. The last response is the answer to a repeated
// request.
class ModelScheduler {
 public:
  ModelScheduler(std::mt19937& random, int nodes) : random_(random), nodes_(nodes) {}

  // Returns nullopt where YARN throws ApplicationMasterNotRegisteredException.
  std::optional<AllocateResponseProto> Allocate(const AllocateRequestProto& request) {
    if (!registered_) return std::nullopt;
    if (last_ && request.response_id() == ((last_->response_id() - 1) & 0x7fffffff)) return last_;
    EXPECT_EQ(request.response_id(), last_ ? last_->response_id() : 0) << "InvalidApplicationMasterRequestException";
    for (const auto& ask : request.ask()) {
      Row& row = rows_[static_cast<int>(ask.allocation_request_id())][ask.resource_name()];
      row = {ask.num_containers(), ask.relax_locality()};
    }
    for (const auto& name : request.blacklist_request().blacklist_additions()) blacklist_.insert(name);
    for (const auto& name : request.blacklist_request().blacklist_removals()) blacklist_.erase(name);
    for (const auto& id : request.release()) End(id.id(), -100);
    AllocateResponseProto response;
    response.set_response_id((request.response_id() + 1) & 0x7fffffff);
    response.set_num_cluster_nodes(nodes_);
    for (auto& container : granted_) *response.add_allocated_containers() = std::move(container);
    for (auto& status : ended_) *response.add_completed_container_statuses() = std::move(status);
    granted_.clear();
    ended_.clear();
    last_ = response;
    return response;
  }

  // Simulates the heartbeat of a node. It grants at most one container.
  void NodeHeartbeat() {
    const int n = Pick(nodes_) + 1;
    const std::string node = "node" + std::to_string(n);
    if (!registered_ || blacklist_.contains(node)) return;
    for (auto& [key, rows] : rows_) {
      if (!GrantOn(rows, node, n % 2 ? "/odd" : "/even")) continue;
      const int64_t id = ++made_;
      live_[id] = node;
      ContainerProto container;
      *container.mutable_id() = ToProto(ContainerId{kAttempt, id});
      *container.mutable_nodeid() = ToProto(NodeId{node, 1});
      container.set_allocation_request_id(key);
      granted_.push_back(std::move(container));
      return;
    }
  }

  void EndSome() {
    if (live_.empty()) return;
    auto it = live_.begin();
    std::advance(it, Pick(static_cast<int>(live_.size())));
    End(it->first, 1);
  }

  // Simulates a work-preserving restart: running containers stay, all other state is lost. Containers that the owner
  // has not received yet are not running, so they are lost, too. Nodes report ended containers again.
  void Restart(bool last_answer_received) {
    registered_ = false;
    rows_.clear();
    blacklist_.clear();
    for (const auto& container : granted_) live_.erase(container.id().id());
    granted_.clear();
    if (last_ && !last_answer_received) {
      for (const auto& container : last_->allocated_containers()) live_.erase(container.id().id());
      for (const auto& status : last_->completed_container_statuses()) ended_.push_back(status);
    }
    last_.reset();
  }
  void Register() { registered_ = true; }

  const std::map<int64_t, std::string>& live() const { return live_; }
  const std::set<std::string>& blacklist() const { return blacklist_; }

 private:
  struct Row {
    int count = 0;
    bool relax = true;
  };

  int Pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  static bool GrantOn(std::map<std::string, Row>& rows, const std::string& node, const std::string& rack) {
    Row& any = rows["*"];
    if (any.count <= 0) return false;
    Row &on_node = rows[node], &on_rack = rows[rack];
    if (on_node.count > 0) {
      --on_node.count;
      --on_rack.count;
    } else if (on_rack.count > 0 && on_rack.relax) {
      --on_rack.count;
    } else if (!any.relax) {
      return false;
    }
    --any.count;
    return true;
  }

  void End(int64_t id, int how) {
    if (live_.erase(id) == 0) return;
    ContainerStatusProto status;
    *status.mutable_container_id() = ToProto(ContainerId{kAttempt, id});
    status.set_exit_status(how);
    ended_.push_back(std::move(status));
  }

  std::mt19937& random_;
  int nodes_;
  bool registered_ = true;
  std::map<int, std::map<std::string, Row>> rows_;
  std::set<std::string> blacklist_;
  std::vector<ContainerProto> granted_;
  std::vector<ContainerStatusProto> ended_;
  std::map<int64_t, std::string> live_;
  std::optional<AllocateResponseProto> last_;
  int64_t made_ = 0;
};

// The owner of the allocation: the containers that it needs, and those that were reported to it.
class Owner {
 public:
  explicit Owner(unsigned seed) : random_(seed), nodes_(2 + Pick(4)), scheduler_(random_, nodes_) {
    for (int i = 1; i <= nodes_; ++i)
      known_.push_back({"node" + std::to_string(i), i % 2 ? "/odd" : "/even", "", {8192, 8, {}}});
    const bool named = Pick(3) > 0;
    if (named) allocation_.SetNodes(known_);
    for (int key = 0; key < 2; ++key) shapes_.push_back({.resource = {1024 * (key + 1), 1, {}}});
    if (named && Pick(3) == 0) shapes_[1].max_per_node = 3;
  }

  void Run() {
    for (int step = 0; step < 200; ++step) Disturb();
    losses_ = false;
    allocation_.CancelAll();
    for (auto& wanted : wanted_) wanted = 0;
    if (shapes_[1].max_per_node)
      for (auto& [id, container] : held_) Release(id, container);  // makes room for later asks
    const int goal = 3;
    for (int key = 0; key < 2; ++key) Want(key, goal);
    const auto done = [&] { return allocation_.outstanding() == 0 && !allocation_.HasChanges(now_) && Settled(); };
    for (int step = 0; step < 5000 && !done(); ++step) {
      for (int i = 0; i < 3; ++i) scheduler_.NodeHeartbeat();
      Exchange();
    }
    EXPECT_TRUE(done()) << "asked " << allocation_.outstanding() << " held " << held_.size();
    std::set<int64_t> live;
    for (const auto& [id, node] : scheduler_.live()) live.insert(id);
    EXPECT_EQ(live, Ids()) << "a container that the owner does not know is held permanently";
    EXPECT_EQ(scheduler_.blacklist(), allocation_.avoided(now_));
  }

 private:
  struct Held {
    int key = 0;
    std::string node;
    bool released = false;
  };

  int Pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  void Want(int key, int count) {
    allocation_.Ask(key, shapes_[static_cast<size_t>(key)], count);
    wanted_[key] += count;
  }

  void Disturb() {
    now_ += 20s;
    switch (Pick(13)) {
      case 0:
        return Want(Pick(2), 1 + Pick(4));
      case 1: {
        allocation_.CancelAll();
        for (auto& wanted : wanted_) wanted = 0;
        return;
      }
      case 2:
        return DropExcess();
      case 3:
        return scheduler_.EndSome();
      case 4:
        return allocation_.NodeFailed("node" + std::to_string(1 + Pick(nodes_)), now_);
      case 5:
        if (Pick(5) == 0) scheduler_.Restart(answer_received_);
        return;
      case 6:
      case 7:
      case 8:
        return scheduler_.NodeHeartbeat();
      case 9:
        if (Pick(3) == 0) ReplaceProcess();
        return;
      default:
        return Exchange();
    }
  }

  void DropExcess() {
    if (!held_.empty()) Release(held_.begin()->first, held_.begin()->second);
  }

  void Release(int64_t id, Held& container) {
    allocation_.Release({kAttempt, id});
    if (!std::exchange(container.released, true) && container.key == 1) --on_node_[container.node];
  }

  // The process dies, possibly while a request is under way. The next one knows the answers that this one has received,
  // and the containers that its owner needs.
  void ReplaceProcess() {
    allocation_ = Allocation({.inherits_blacklist = true});
    allocation_.SetNodes(known_);
    allocation_.Resume(response_id_);
    for (const auto& [id, node] : received_) {
      const auto held = held_.find(id);
      if (held != held_.end() && !held->second.released) {
        allocation_.Adopt(held->second.key, shapes_[static_cast<size_t>(held->second.key)], {kAttempt, id}, node);
      } else {
        allocation_.AdoptSurplus({kAttempt, id}, node);
        held_.erase(id);
      }
    }
    for (int key = 0; key < 2; ++key) {
      if (wanted_[key] > 0) allocation_.Ask(key, shapes_[static_cast<size_t>(key)], wanted_[key]);
    }
  }

  void Exchange() {
    const AllocateRequestProto request = allocation_.Request(now_);
    if (losses_ && Pick(6) == 0) return;  // the request is lost
    const auto response = scheduler_.Allocate(request);
    answer_received_ = false;
    if (losses_ && Pick(6) == 0) return;  // the answer is lost
    answer_received_ = true;
    if (!response) {
      scheduler_.Register();
      allocation_.Resync();
      response_id_ = 0;
      // The scheduler has restarted. The containers that it had granted and not delivered are lost. wanted_ still
      // counts them, so nothing is added to it.
      return;
    }
    response_id_ = response->response_id();
    for (const auto& container : response->allocated_containers())
      received_[container.id().id()] = container.nodeid().host();
    for (const auto& status : response->completed_container_statuses()) received_.erase(status.container_id().id());
    const auto effects = allocation_.Apply(*response);
    for (const auto& granted : effects.granted) {
      EXPECT_GT(wanted_[granted.shape]--, 0) << "more containers than asked for";
      const Held held{granted.shape, granted.node};
      EXPECT_TRUE(held_.emplace(granted.container.id().id(), held).second) << "granted twice";
      if (granted.shape == 1) ++on_node_[granted.node];
      const auto& most = shapes_[1].max_per_node;
      if (most) {
        EXPECT_LE(on_node_[granted.node], *most);
      }
    }
    for (const auto& completed : effects.completed) {
      const auto held = held_.extract(completed.status.container_id().id());
      ASSERT_TRUE(held) << "ended twice or never granted";
      if (completed.shape == 1 && !held.mapped().released) --on_node_[completed.node];
    }
  }

  std::set<int64_t> Ids() const {
    std::set<int64_t> ids;
    for (const auto& [id, container] : held_) ids.insert(id);
    return ids;
  }

  bool Settled() const {
    return scheduler_.live().size() == held_.size() && static_cast<int>(held_.size()) == allocation_.held();
  }

  std::mt19937 random_;
  int nodes_;
  ModelScheduler scheduler_;
  Allocation allocation_;
  std::vector<Shape> shapes_;
  int wanted_[2] = {0, 0};
  std::map<int64_t, Held> held_;
  std::map<std::string, int> on_node_;  // containers of key 1 that are held and not released
  bool losses_ = true;
  bool answer_received_ = true;  // whether the owner has received the scheduler's last answer
  Instant now_{1000s};
  std::vector<KnownNode> known_;
  // The last response that the owner has received, and all containers that it has received and that have not ended.
  int32_t response_id_ = 0;
  std::map<int64_t, std::string> received_;
};

TEST(AllocationRandom, HeldContainersMatchScheduler) {
  for (unsigned seed = 1; seed <= 400 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Owner(seed).Run();
  }
}

}  // namespace
}  // namespace howdah::hadoop::yarn
