// The two whose environment depends on which tasks share a machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "howdah/frameworks/seat.h"
#include "testing.h"

namespace howdah::frameworks {
namespace {

TEST(Horovod, SlotsAreCountedByMachine) {
  const jobspec::JobSpec spec =
      JobOf(Framework::kHorovod, {Role("worker", RoleKind::kWorker, 2), Chief(), Role("watcher", RoleKind::kSidecar)});
  // n1 has the chief, worker:1 and the sidecar, n2 worker:0 and worker:2: ranks 0; 3, 4 and 1, 2; 5, 6.
  const core::PeerGroup cluster = {{{"n2", 1}, {"n1", 2}, {"n2", 3}}, {{"n1", 4}}, {{"n1", 5}}};
  const std::string map = R"({"worker":["n2:1","n1:2","n2:3"],"chief":["n1:4"],"watcher":["n1:5"]})";
  ProcessPlace place = At(0, 2, 1);
  place.rendezvous = {"10.0.0.7", 99};
  place.interface = "eth0";
  EXPECT_EQ(OwnLines(spec, cluster, place), "CLUSTER_SPEC=" + map +
                                                "\n"
                                                "HOROVOD_CONTROLLER=gloo\n"
                                                "HOROVOD_CPU_OPERATIONS=gloo\n"
                                                "HOROVOD_GLOO_TIMEOUT_SECONDS=2000\n"
                                                "HOROVOD_GLOO_RENDEZVOUS_ADDR=10.0.0.7\n"
                                                "HOROVOD_GLOO_RENDEZVOUS_PORT=99\n"
                                                "HOROVOD_GLOO_IFACE=eth0\n"
                                                "HOROVOD_RANK=6\n"
                                                "HOROVOD_SIZE=7\n"
                                                "HOROVOD_LOCAL_RANK=3\n"
                                                "HOROVOD_LOCAL_SIZE=4\n"
                                                "HOROVOD_CROSS_RANK=0\n"
                                                "HOROVOD_CROSS_SIZE=1\n"
                                                "HOROVOD_HOSTNAME=n2\n");
  EXPECT_EQ(OwnLines(spec, cluster, At(2, 0)), "CLUSTER_SPEC=" + map + "\n");
  // Local rank, local size, cross rank, cross size of each process, in the order of ranks.
  const struct {
    int role, index, local_rank;
    const char* slot;
  } rows[] = {{1, 0, 0, "0 3 0 2"}, {0, 0, 0, "0 4 1 2"}, {0, 0, 1, "1 4 1 2"}, {0, 1, 0, "1 3 0 2"},
              {0, 1, 1, "2 3 0 2"}, {0, 2, 0, "2 4 1 2"}, {0, 2, 1, "3 4 0 1"}};
  for (const auto& row : rows) {
    std::string slot;
    for (const auto& [name, value] : Environment(spec, cluster, At(row.role, row.index, row.local_rank))) {
      const bool counts = name.starts_with("HOROVOD_LOCAL_") || name.starts_with("HOROVOD_CROSS_");
      if (counts) slot += (slot.empty() ? "" : " ") + value;
    }
    EXPECT_EQ(slot, row.slot) << row.role << ":" << row.index << "/" << row.local_rank;
  }
}

TEST(Horovod, TasksWithGpusOfTheirOwnCountAsMachines) {
  jobspec::JobSpec spec = JobOf(Framework::kHorovod, {Role("worker", RoleKind::kWorker, 2)});
  spec.roles[0].gpus = 2;
  EXPECT_THAT(OwnLines(spec, {{{"n1", 1}, {"n1", 2}}}, At(0, 1, 1)),
              testing::HasSubstr("HOROVOD_RANK=3\n"
                                 "HOROVOD_SIZE=4\n"
                                 "HOROVOD_LOCAL_RANK=1\n"
                                 "HOROVOD_LOCAL_SIZE=2\n"
                                 "HOROVOD_CROSS_RANK=1\n"
                                 "HOROVOD_CROSS_SIZE=2\n"
                                 "HOROVOD_HOSTNAME=n1-worker-1\n"));
}

// Whoever shares a machine, and whatever places they had before: no local rank changes, and no name comes twice.
TEST(Horovod, TasksOfAnElasticRoleCountAsMachinesAndAreNamedByTheGenerationThatTheyStartedIn) {
  jobspec::JobSpec spec =
      JobOf(Framework::kHorovod, {Role("worker", RoleKind::kWorker, 2), Role("eye", RoleKind::kSidecar)});
  EXPECT_EQ(RendezvousOf(spec), Rendezvous::kKeyValueStore);
  EXPECT_FALSE(RulesOf(spec).needs_am);
  spec.roles[0].instances = {1, 3};
  EXPECT_EQ(RendezvousOf(spec), Rendezvous::kWorlds);
  EXPECT_TRUE(RulesOf(spec).needs_am);
  const core::PeerGroup cluster = {{{"n1", 1}, {"n1", 2}, {"n2", 3}}, {{"n1", 4}}};
  ProcessPlace place = At(0, 1, 1);
  place.generation = 7;
  place.rendezvous = {"10.0.0.7", 99};
  EXPECT_THAT(OwnLines(spec, cluster, place), testing::EndsWith("HOROVOD_GLOO_TIMEOUT_SECONDS=10\n"
                                                                "HOROVOD_GLOO_RENDEZVOUS_ADDR=10.0.0.7\n"
                                                                "HOROVOD_GLOO_RENDEZVOUS_PORT=99\n"
                                                                "HOROVOD_RANK=3\n"
                                                                "HOROVOD_SIZE=6\n"
                                                                "HOROVOD_LOCAL_RANK=1\n"
                                                                "HOROVOD_LOCAL_SIZE=2\n"
                                                                "HOROVOD_CROSS_RANK=1\n"
                                                                "HOROVOD_CROSS_SIZE=3\n"
                                                                "HOROVOD_HOSTNAME=worker-1.7\n"
                                                                "HOROVOD_ELASTIC=1\n"));
  EXPECT_EQ(SeatOf(spec, cluster, place), (frameworks::horovod::Seat{.host = "worker-1.7",
                                                                     .rank = 3,
                                                                     .size = 6,
                                                                     .local_rank = 1,
                                                                     .local_size = 2,
                                                                     .cross_rank = 1,
                                                                     .cross_size = 3}));
  EXPECT_THAT(OwnLines(spec, cluster, At(1, 0)), testing::Not(testing::HasSubstr("ELASTIC")));
}

TEST(Mpi, WhoRunsTheCommandAndWhoHoldsAPlace) {
  jobspec::JobSpec spec = JobOf(Framework::kMpi, {Role("worker"), Chief(), Role("eye", RoleKind::kSidecar)});
  spec.roles[0].vcores = 4;
  const jobspec::Command hold{.shell = "", .argv = {"sleep", "infinity"}};
  EXPECT_EQ(HoldsPlace(spec, {0, 0}), hold);
  EXPECT_EQ(HoldsPlace(spec, {0, 1}), hold);
  EXPECT_EQ(HoldsPlace(spec, {1, 0}), std::nullopt);
  EXPECT_EQ(HoldsPlace(spec, {2, 0}), std::nullopt);
  EXPECT_TRUE(StartsInOthers(spec, {1, 0}));
  EXPECT_FALSE(StartsInOthers(spec, {0, 0}));
  EXPECT_TRUE(RulesOf(spec).first_rank_decides);
  EXPECT_TRUE(RulesOf(spec).no_gaps);
  EXPECT_FALSE(RulesOf(JobOf(Framework::kPytorch, {Role("worker")})).first_rank_decides);
  EXPECT_EQ(HoldsPlace(JobOf(Framework::kPytorch, {Role("worker")}), {0, 1}), std::nullopt);

  const core::PeerGroup apart = {{{"n1", 1}, {"n2", 2}}, {{"n0", 3}}, {{"n1", 4}}};
  EXPECT_EQ(Hostfile(spec, apart), "chief-0 slots=1\nworker-0 slots=4\nworker-1 slots=4\n");
  ProcessPlace place = At(1, 0);
  place.start_support = {"/w/hosts", "/bin/howdah-agent rsh", "/w/tmp"};
  place.interface = "eth0";
  const std::string always =
      "TMPDIR=/w/tmp\n"
      "PWD=/proc/self/cwd\n"
      "OMPI_MCA_orte_default_hostfile=/w/hosts\n"
      "OMPI_MCA_plm_rsh_agent=/bin/howdah-agent rsh\n"
      "OMPI_MCA_plm_rsh_no_tree_spawn=1\n"
      "OMPI_MCA_orte_leave_session_attached=1\n"
      "OMPI_ALLOW_RUN_AS_ROOT=1\n"
      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n";
  EXPECT_EQ(OwnLines(spec, apart, place), always);
  const std::string shared = "OMPI_MCA_btl=self,tcp\nOMPI_MCA_rtc=^hwloc\n";
  EXPECT_EQ(OwnLines(spec, {{{"n1", 1}, {"n0", 2}}, {{"n0", 3}}, {{"n1", 4}}}, place), always + shared);
  EXPECT_EQ(OwnLines(spec, {{{"n0", 1}, {"n0", 2}}, {{"n0", 3}}, {{"n1", 4}}}, place),
            always + shared + "OMPI_MCA_oob_tcp_if_include=eth0\nOMPI_MCA_btl_tcp_if_include=eth0\n");
  place.task = {0, 1};
  EXPECT_EQ(OwnLines(spec, apart, place), "TMPDIR=/w/tmp\n");
  EXPECT_EQ(OwnLines(spec, apart, At(2, 0)), "");
}

}  // namespace
}  // namespace howdah::frameworks
