#include "refusals.h"

#include <gtest/gtest.h>

#include <functional>

namespace howdah::backend::yarn::client {
namespace {

constexpr int64_t kMib = int64_t{1} << 20;

ClusterFacts Cluster() {
  ClusterFacts facts;
  facts.user = "ann";
  facts.nodes = {{"n1", 1, "/r", "", "RUNNING", "", {1024, 8, {{hadoop::yarn::kGpu, 2}}}, {}},
                 {"n2", 1, "/r", "", "LOST", "", {4096, 4, {}}, {}},
                 {"n3", 1, "/r", "fast", "RUNNING", "", {512, 8, {}}, {}},
                 {"n4", 1, "/r", "", "DECOMMISSIONED", "", {65536, 64, {}}, {}}};
  facts.queue.name = "q";
  facts.queue.exists = true;
  facts.queue.most = hadoop::yarn::Resource{2048, 16, {}};
  facts.queue.labels = {"*"};
  facts.allowed_queues = {"root.q", "root.other"};
  facts.labels = {"fast", "empty"};
  facts.resource_types = {"memory-mb", "vcores", hadoop::yarn::kGpu};
  return facts;
}

jobspec::JobSpec Job() {
  jobspec::JobSpec spec;
  jobspec::RoleSpec& role = spec.roles.emplace_back();
  role.name = "worker";
  role.memory_bytes = 256 * kMib;
  role.vcores = 1;
  role.instances = {2, 2};
  return spec;
}

struct Row {
  const char* name;
  std::function<void(jobspec::JobSpec& spec, ClusterFacts& facts)> change;
  std::vector<std::string> why;
};

void Check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    jobspec::JobSpec spec = Job();
    ClusterFacts facts = Cluster();
    row.change(spec, facts);
    EXPECT_EQ(RefusalsOf(spec, facts), row.why) << row.name;
  }
}

TEST(Refusals, OfTheQueue) {
  Check({
      {"it can be", [](auto&, auto&) {}, {}},
      {"no such queue",
       [](auto&, auto& f) { f.queue.exists = false; },
       {"the queue 'q' does not exist; ann may submit to root.q, root.other"}},
      {"no right",
       [](auto&, auto& f) { f.allowed_queues = {"root.qq"}; },
       {"ann may not submit to the queue 'q'; ann may submit to root.qq"}},
      {"no right anywhere",
       [](auto&, auto& f) { f.allowed_queues.clear(); },
       {"ann may not submit to the queue 'q'; ann may submit to no queue of this cluster"}},
      {"named by its path",
       [](auto&, auto& f) {
         f.queue.name = "root.q";
         f.allowed_queues = {"q"};
       },
       {}},
      {"stopped",
       [](auto&, auto& f) { f.queue.stopped = true; },
       {"the queue 'q' is stopped and takes no jobs; ann may submit to root.q, root.other"}},
  });
}

TEST(Refusals, OfNodesAndOfTheWhole) {
  Check({
      {"a node that is lost may come back",
       [](auto& s, auto&) {
         s.roles[0].memory_bytes = 1025 * kMib, s.roles[0].instances = {1, 1};
       },
       {}},
      {"too large for every node",
       [](auto& s, auto& f) {
         s.roles[0].memory_bytes = 8192 * kMib;
         f.queue.most = std::nullopt;
       },
       {"no node is large enough: roles.worker asks for 8 GiB, 1 core a task; the largest node, n2, has 4 GiB, 4 "
        "cores"}},
      {"too many GPUs",
       [](auto& s, auto&) { s.roles[0].gpus = 3; },
       {"no node is large enough: roles.worker asks for 256 MiB, 1 core, 3 yarn.io/gpu a task; the largest node, n1, "
        "has 1 GiB, 8 cores, 2 yarn.io/gpu"}},
      {"a type that is not counted",
       [](auto& s, auto&) {
         s.roles[0].resources = {{"yarn.io/fpga", 1}};
       },
       {"roles.worker asks for 1 yarn.io/fpga, which this cluster does not count; it counts memory-mb, vcores, "
        "yarn.io/gpu"}},
      {"no such label",
       [](auto& s, auto&) { s.roles[0].node_label = "slow"; },
       {"roles.worker: the node label 'slow' does not exist; there are fast, empty"}},
      {"a label the queue may not use",
       [](auto& s, auto& f) {
         s.roles[0].node_label = "fast";
         f.queue.labels = {"empty"};
       },
       {"roles.worker: the queue 'q' may not use nodes with the label 'fast'; it may use empty"}},
      {"too large for the label's nodes",
       [](auto& s, auto&) {
         s.node_label = "fast";
         s.roles[0].memory_bytes = 600 * kMib;
       },
       {"no node is large enough: roles.worker asks for 600 MiB, 1 core a task; the largest node with the label "
        "'fast', n3, has 512 MiB, 8 cores"}},
      {"a label without nodes may get some", [](auto& s, auto&) { s.node_label = "empty"; }, {}},
      {"more than the queue",
       [](auto& s, auto&) {
         s.roles[0].instances = {9, 9};
       },
       {"the job asks for 2.2 GiB, 9 cores in all, and all of it has to be there before it starts; the queue 'q' can "
        "never have more than 2 GiB, 16 cores; ask for less, use another queue, or set start: free"}},
      {"more than the queue, but not at once",
       [](auto& s, auto&) {
         s.roles[0].instances = {9, 9};
         s.start = jobspec::StartMode::kFree;
       },
       {}},
  });
}

TEST(Refusals, WhatOneContainerMayHave) {
  EXPECT_EQ(OversizedContainers(Job(), {256, 1, {}}), std::vector<std::string>());
  EXPECT_EQ(OversizedContainers(Job(), {255, 4, {}}),
            std::vector<std::string>{"roles.worker asks for 256 MiB, 1 core a task; the ResourceManager gives one "
                                     "container 255 MiB, 4 cores at most (yarn.scheduler.maximum-allocation-mb, "
                                     "-vcores)"});
}

}  // namespace
}  // namespace howdah::backend::yarn::client
