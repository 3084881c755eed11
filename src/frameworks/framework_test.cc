// Each case has a job, one of its processes, and the whole expected environment of that process, one variable per line.
#include "howdah/frameworks/framework.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "howdah/core/ranks.h"
#include "howdah/frameworks/common/testing.h"
#include "howdah/frameworks/horovod/horovod.h"
#include "howdah/frameworks/mpi/mpi.h"

namespace howdah::frameworks {
namespace {

using namespace common;

using testing::ElementsAre;
using testing::IsEmpty;

// Returns the environment without the variables that all frameworks set. The last of these is TASK_NUM.
std::string OwnLines(const jobspec::JobSpec& spec, const core::PeerGroup& cluster, const ProcessInfo& info) {
  const std::string all = Lines(Environment(spec, cluster, info));
  return all.substr(all.find('\n', all.find("\nTASK_NUM=") + 1) + 1);
}

TEST(Plain, EnvironmentHasOnlyTheCommonVariables) {
  jobspec::JobSpec spec =
      JobOf(Framework::kPlain, {Role("worker"), Role("ps", RoleKind::kService), Role("watcher", RoleKind::kSidecar)});
  spec.checkpoint.dir = "/ckpt";
  spec.tensorboard_logdir = "hdfs:///tb";
  const core::PeerGroup cluster = {{{"n1", 1000}, {"fe80::1", 1001}}, {{"n2", 1002}}, {{"n3", 1003}}};
  EXPECT_EQ(Lines(Environment(spec, cluster, At(0, 1))),
            "HOWDAH_JOB_ID=job-1\n"
            "HOWDAH_JOB_NAME=mnist\n"
            "HOWDAH_ROLE=worker\n"
            "HOWDAH_TASK_INDEX=1\n"
            "HOWDAH_ROLE_SIZE=2\n"
            "HOWDAH_ATTEMPT=2\n"
            "HOWDAH_GENERATION=1\n"
            "HOWDAH_LOCAL_RANK=0\n"
            "HOWDAH_LOCAL_WORLD_SIZE=1\n"
            "HOWDAH_RANK=1\n"
            "HOWDAH_WORLD_SIZE=2\n"
            R"(HOWDAH_CLUSTER={"worker":["n1:1000","[fe80::1]:1001"],"ps":["n2:1002"],"watcher":["n3:1003"]})"
            "\n"
            "HOWDAH_HOSTS_WORKER=n1:1000,[fe80::1]:1001\n"
            "HOWDAH_HOSTS_PS=n2:1002\n"
            "HOWDAH_HOSTS_WATCHER=n3:1003\n"
            "HOWDAH_CHILD_TAG=howdah-parent:job-1\n"
            "HOWDAH_PORT=1001\n"
            "HOWDAH_STOP_SIGNAL=SIGTERM\n"
            "HOWDAH_CHECKPOINT_DIR=/ckpt\n"
            "TB_LOG_DIR=hdfs:///tb\n"
            "PYTHONUNBUFFERED=1\n"
            "OMP_NUM_THREADS=1\n"
            "JOB_NAME=worker\n"
            "TASK_INDEX=1\n"
            "TASK_NUM=2\n");
}

TEST(Plain, HostsVariablesHaveTheNamesOfTheRoles) {
  const jobspec::JobSpec spec = JobOf(Framework::kPlain, {Role("Parameter-server_2"), Role("reader")});
  const std::string env = Lines(Environment(spec, {{{"n1", 1000}, {}, {"n3", 1002}}, {}}, At(0, 0)));
  EXPECT_THAT(env, testing::HasSubstr("\nHOWDAH_HOSTS_PARAMETER_SERVER_2=n1:1000,,n3:1002\nHOWDAH_HOSTS_READER=\n"));
}

TEST(Plain, UnknownPortGivesEmptyAddressInClusterMap) {
  const jobspec::JobSpec spec = JobOf(Framework::kPlain, {Role("worker"), Role("reader")});
  const std::string env = Lines(Environment(spec, {{{"n1", 1000}, {}, {"n3", 1002}}, {}}, At(0, 0)));
  EXPECT_THAT(env, testing::HasSubstr(R"(HOWDAH_CLUSTER={"worker":["n1:1000","","n3:1002"],"reader":[]})"));
  EXPECT_THAT(env, testing::Not(testing::HasSubstr("HOWDAH_CHECKPOINT_DIR")));
  EXPECT_THAT(env, testing::Not(testing::HasSubstr("TB_LOG_DIR")));
}

TEST(Plain, OnlyFirstProcessOfTaskGetsReservedPort) {
  const jobspec::JobSpec spec = JobOf(Framework::kPlain, {Role("worker", RoleKind::kWorker, 2)});
  const core::PeerGroup cluster = {{{"n1", 1000}}};
  EXPECT_THAT(Lines(Environment(spec, cluster, At(0, 0, 0))), testing::HasSubstr("HOWDAH_PORT=1000\n"));
  EXPECT_THAT(Lines(Environment(spec, cluster, At(0, 0, 1))), testing::Not(testing::HasSubstr("HOWDAH_PORT")));
}

TEST(Plain, InvalidUtf8InAHostIsReplaced) {
  const jobspec::JobSpec spec = JobOf(Framework::kPlain, {Role("worker")});
  EXPECT_THAT(Lines(Environment(spec, {{{"n\xff", 1}}}, At(0, 0))), testing::HasSubstr("\"n\xef\xbf\xbd:1\""));
}

// In this job file the chief comes after the workers and has another number of `processes`. The ranks must still be
// contiguous.
jobspec::JobSpec TorchJob() {
  jobspec::JobSpec spec =
      JobOf(Framework::kPytorch, {Role("worker", RoleKind::kWorker, 3), Chief(2), Role("watcher", RoleKind::kSidecar)});
  spec.roles[0].restart.max = 2;
  spec.restart_max = 1;
  return spec;
}
const core::PeerGroup kTorchCluster = {{{"n1", 1001}, {"n2", 1002}}, {{"n0", 1000}}, {{"n3", 1003}}};

TEST(Pytorch, LastRankHasTorchrunsVariables) {
  ProcessInfo info = At(0, 1, 2);
  info.error_file = "/job/error.json";
  EXPECT_EQ(OwnLines(TorchJob(), kTorchCluster, info),
            "MASTER_ADDR=n0\n"
            "MASTER_PORT=1000\n"
            "RANK=7\n"
            "WORLD_SIZE=8\n"
            "LOCAL_RANK=2\n"
            "LOCAL_WORLD_SIZE=3\n"
            "GROUP_RANK=2\n"
            "GROUP_WORLD_SIZE=3\n"
            "ROLE_NAME=worker\n"
            "ROLE_RANK=5\n"
            "ROLE_WORLD_SIZE=6\n"
            "TORCHELASTIC_RESTART_COUNT=1\n"
            "TORCHELASTIC_MAX_RESTARTS=9\n"
            "TORCHELASTIC_RUN_ID=job-1\n"
            "TORCHELASTIC_USE_AGENT_STORE=False\n"
            "TORCHELASTIC_ERROR_FILE=/job/error.json\n"
            "TORCH_NCCL_ASYNC_ERROR_HANDLING=1\n"
            "INIT_METHOD=tcp://n0:1000\n"
            "WORLD=8\n");
}

TEST(Pytorch, SingleProcessWithIpv6HasTorchrunsVariables) {
  const jobspec::JobSpec spec = JobOf(Framework::kPytorch, {Role("worker")});
  EXPECT_EQ(OwnLines(spec, {{{"fe80::1", 1000}, {"n2", 1001}}}, At(0, 0)),
            "MASTER_ADDR=fe80::1\n"
            "MASTER_PORT=1000\n"
            "RANK=0\n"
            "WORLD_SIZE=2\n"
            "LOCAL_RANK=0\n"
            "LOCAL_WORLD_SIZE=1\n"
            "GROUP_RANK=0\n"
            "GROUP_WORLD_SIZE=2\n"
            "ROLE_NAME=worker\n"
            "ROLE_RANK=0\n"
            "ROLE_WORLD_SIZE=2\n"
            "TORCHELASTIC_RESTART_COUNT=1\n"
            "TORCHELASTIC_MAX_RESTARTS=0\n"
            "TORCHELASTIC_RUN_ID=job-1\n"
            "TORCHELASTIC_USE_AGENT_STORE=False\n"
            "TORCH_NCCL_ASYNC_ERROR_HANDLING=1\n"
            "INIT_METHOD=tcp://[fe80::1]:1000\n"
            "WORLD=2\n");
}

TEST(Pytorch, SidecarsHaveNoRank) { EXPECT_EQ(OwnLines(TorchJob(), kTorchCluster, At(2, 0)), ""); }

TEST(Plain, EachProcessGetsItsShareOfTheVcoresAsThreads) {
  struct Case {
    int vcores, processes;
    std::string threads;
  };
  for (const Case& c : {Case{1, 1, "1"}, Case{8, 1, "8"}, Case{8, 4, "2"}, Case{8, 3, "2"}, Case{1, 4, "1"}}) {
    jobspec::JobSpec spec = JobOf(Framework::kPlain, {Role("worker")});
    spec.roles[0].vcores = c.vcores;
    spec.roles[0].processes = c.processes;
    EXPECT_THAT(Lines(Environment(spec, {{{"n1", 1}}}, At(0, 0))),
                testing::HasSubstr("OMP_NUM_THREADS=" + c.threads + "\n"));
  }
}

TEST(Plain, VariablesOfTheSubmitterReplaceDefaults) {
  jobspec::JobSpec spec = JobOf(Framework::kPlain, {Role("worker")});
  spec.env_from = {"OMP_NUM_THREADS", "PYTHONUNBUFFERED"};
  const std::string env = Lines(Environment(spec, {{{"n1", 1}}}, At(0, 0)));
  EXPECT_THAT(env, testing::Not(testing::HasSubstr("OMP_NUM_THREADS")));
  EXPECT_THAT(env, testing::Not(testing::HasSubstr("PYTHONUNBUFFERED")));
}

TEST(Tensorflow, EachKindOfTaskGetsItsTfConfig) {
  const jobspec::JobSpec spec =
      JobOf(Framework::kTensorflow, {Chief(), Role("worker"), Role("ps", RoleKind::kService),
                                     Role("evaluator", RoleKind::kSidecar), Role("viewer", RoleKind::kSidecar)});
  const core::PeerGroup cluster = {{{"n0", 1}}, {{"n1", 2}, {"n2", 3}}, {{"n3", 4}}, {{"n4", 5}}, {{"n5", 6}}};
  const std::string map = R"({"chief":["n0:1"],"worker":["n1:2","n2:3"],"ps":["n3:4"]})";
  EXPECT_EQ(OwnLines(spec, cluster, At(1, 1)), R"(TF_CONFIG={"cluster":)" + map +
                                                   R"(,"task":{"type":"worker","index":1}})"
                                                   "\nCLUSTER_SPEC=" +
                                                   map + "\n");
  EXPECT_EQ(OwnLines(spec, cluster, At(2, 0)), R"(TF_CONFIG={"cluster":)" + map +
                                                   R"(,"task":{"type":"ps","index":0}})"
                                                   "\nCLUSTER_SPEC=" +
                                                   map + "\n");
  const std::string with_evaluator =
      R"({"chief":["n0:1"],"worker":["n1:2","n2:3"],"ps":["n3:4"],"evaluator":["n4:5"]})";
  EXPECT_EQ(OwnLines(spec, cluster, At(3, 0)), R"(TF_CONFIG={"cluster":)" + with_evaluator +
                                                   R"(,"task":{"type":"evaluator","index":0}})"
                                                   "\nCLUSTER_SPEC=" +
                                                   with_evaluator + "\n");
}

TEST(Tony, TasksHaveTonysVariables) {
  jobspec::JobSpec spec = JobOf(Framework::kPlain, {Role("worker"), Role("ps", RoleKind::kService)});
  spec.roles[0].instances = {2, 2};
  spec.tony_env = true;
  const core::PeerGroup cluster = {{{"n1", 2}, {"n2", 3}}, {{"n3", 4}}};
  ProcessInfo chief = At(0, 0);
  chief.tensorboard_port = 6006;
  chief.generation = 0;
  EXPECT_EQ(OwnLines(spec, cluster, chief),
            "appid=" + chief.job_id + "\nJOB_ID=" + chief.job_id +
                "\nDISTRIBUTED_MODE=GANG\nSESSION_ID=0\nATTEMPT_NUMBER=0\nIS_CHIEF=true\nTB_PORT=6006\n");
  ProcessInfo other = At(0, 1);
  other.generation = 2;
  spec.start = jobspec::StartMode::kFree;
  EXPECT_EQ(OwnLines(spec, cluster, other),
            "appid=" + chief.job_id + "\nJOB_ID=" + chief.job_id +
                "\nDISTRIBUTED_MODE=FCFS\nSESSION_ID=2\nATTEMPT_NUMBER=0\nNUM_AM_RETRIES=2\n");
}

TEST(Tony, TensorboardPortIsReservedAsInTony) {
  const auto with = [](std::vector<RoleSpec> roles, std::string logdir = "") {
    jobspec::JobSpec spec = JobOf(Framework::kTensorflow, std::move(roles));
    spec.tony_env = true;
    spec.tensorboard_logdir = std::move(logdir);
    std::string tasks;
    for (int r = 0; r < static_cast<int>(spec.roles.size()); ++r) {
      for (int i = 0; i < 2; ++i) tasks += NeedsTensorboardPort(spec, {r, i}) ? "1" : "0";
      tasks += " ";
    }
    return tasks;
  };
  EXPECT_EQ(with({Role("worker"), Role("ps")}), "10 00 ");
  EXPECT_EQ(with({Role("chief"), Role("worker")}), "11 00 ");
  EXPECT_EQ(with({Role("chief"), Role("tensorboard", RoleKind::kSidecar)}), "00 11 ");
  EXPECT_EQ(with({Role("chief"), Role("worker")}, "/logs"), "00 00 ");
  EXPECT_EQ(with({Role("driver")}), "11 ");
  EXPECT_FALSE(NeedsTensorboardPort(JobOf(Framework::kPlain, {Role("chief")}), {0, 0}));
}

TEST(Tensorflow, EvaluatorIsNotInTheTrainingCluster) {
  const jobspec::JobSpec spec = JobOf(Framework::kTensorflow, {Role("worker"), Role("evaluator")});
  const core::PeerGroup cluster = {{{"n1", 2}}, {{"n2", 3}}};
  EXPECT_THAT(OwnLines(spec, cluster, At(0, 0)), testing::HasSubstr(R"({"cluster":{"worker":["n1:2"]},)"));
  EXPECT_THAT(OwnLines(spec, cluster, At(1, 0)),
              testing::HasSubstr(R"({"cluster":{"worker":["n1:2"],"evaluator":["n2:3"]},)"));
}

TEST(Mxnet, EveryRoleHasTheVariablesOfPsLite) {
  const jobspec::JobSpec spec = JobOf(
      Framework::kMxnet, {Role("worker"), Role("server", RoleKind::kService), Role("scheduler", RoleKind::kService)});
  const core::PeerGroup cluster = {{{"n1", 1}, {"n2", 2}, {"n3", 3}}, {{"n4", 4}, {"n5", 5}}, {{"10.0.0.6", 6}}};
  for (int role = 0; role < 3; ++role) {
    EXPECT_EQ(OwnLines(spec, cluster, At(role, 0)), "DMLC_ROLE=" + spec.roles[static_cast<size_t>(role)].name +
                                                        "\n"
                                                        "DMLC_PS_ROOT_URI=10.0.0.6\n"
                                                        "DMLC_PS_ROOT_PORT=6\n"
                                                        "DMLC_LOCAL=0\n"
                                                        "DMLC_NUM_SERVER=2\n"
                                                        "DMLC_NUM_WORKER=3\n");
  }
}

TEST(Xgboost, VariablesAreTheArgumentsOfCommunicatorContext) {
  const jobspec::JobSpec spec =
      JobOf(Framework::kXgboost, {Role("worker", RoleKind::kWorker, 2), Chief(), Role("watcher", RoleKind::kSidecar)});
  const core::PeerGroup cluster = {{{"n1", 1}, {"n2", 2}}, {{"n0", 4}}, {{"n1", 5}}};
  ProcessInfo info = At(0, 1, 1);
  info.rendezvous = {"10.0.0.7", 99};
  EXPECT_EQ(OwnLines(spec, cluster, info),
            "DMLC_TRACKER_URI=10.0.0.7\n"
            "DMLC_TRACKER_PORT=99\n"
            "DMLC_TASK_ID=4\n"
            "DMLC_NUM_WORKER=5\n");
  EXPECT_EQ(OwnLines(spec, cluster, At(2, 0)), "");
  EXPECT_EQ(WorldSize(spec, cluster), 5);
}

TEST(Jax, ProcessesGetVariablesOfOpenMpiAndKubeflow) {
  const jobspec::JobSpec spec =
      JobOf(Framework::kJax, {Role("worker", RoleKind::kWorker, 2), Role("loader", RoleKind::kService)});
  const core::PeerGroup cluster = {{{"n1", 1001}, {"n2", 1002}}, {{"n3", 1003}}};
  EXPECT_EQ(OwnLines(spec, cluster, At(0, 1, 0)),
            "JAX_COORDINATOR_ADDRESS=n1:1001\n"
            "OMPI_MCA_orte_hnp_uri=0.0;tcp://n1:1001\n"
            "OMPI_COMM_WORLD_SIZE=4\n"
            "OMPI_COMM_WORLD_RANK=2\n"
            "OMPI_COMM_WORLD_LOCAL_SIZE=2\n"
            "OMPI_COMM_WORLD_LOCAL_RANK=0\n"
            "COORDINATOR_ADDRESS=n1\n"
            "COORDINATOR_PORT=1001\n"
            "NUM_PROCESSES=4\n"
            "PROCESS_ID=2\n");
  EXPECT_EQ(OwnLines(spec, cluster, At(1, 0)), "");
  EXPECT_THAT(OwnLines(spec, {{{"fe80::1", 9}, {"n2", 1002}}, {{"n3", 1003}}}, At(0, 1, 0)),
              testing::HasSubstr("\nCOORDINATOR_ADDRESS=[fe80::1]\nCOORDINATOR_PORT=9\n"));
}

TEST(Jax, DevicesAreDividedAmongProcesses) {
  const struct {
    int gpus, processes, local_rank;
    const char* ids;
  } rows[] = {{4, 1, 0, "0,1,2,3"}, {4, 2, 0, "0,1"}, {4, 2, 1, "2,3"}, {2, 2, 1, "1"},
              {3, 2, 0, "0"},       {3, 2, 1, "1,2"}, {1, 2, 0, "0"},   {1, 2, 1, "0"}};
  for (const auto& row : rows) {
    jobspec::JobSpec spec = JobOf(Framework::kJax, {Role("worker", RoleKind::kWorker, row.processes)});
    spec.roles[0].gpus = row.gpus;
    EXPECT_THAT(OwnLines(spec, {{{"fe80::1", 9}}}, At(0, 0, row.local_rank)),
                testing::HasSubstr(std::string("JAX_COORDINATOR_ADDRESS=[fe80::1]:9\nJAX_LOCAL_DEVICE_IDS=") + row.ids +
                                   "\nOMPI_MCA_orte_hnp_uri=0.0;tcp6://[fe80::1]:9\n"));
  }
}

TEST(Ranks, ChiefGetsFirstRankAndOthersFollowFileOrder) {
  const jobspec::JobSpec spec =
      JobOf(Framework::kPytorch, {Role("a", RoleKind::kWorker, 2), Role("ps", RoleKind::kService), Chief(), Role("b"),
                                  Role("eye", RoleKind::kSidecar)});
  const std::vector<int> sizes = {2, 3, 1, 2, 1};
  EXPECT_THAT(core::RanksOf(spec, sizes, {2, 0}), ElementsAre(0));
  EXPECT_THAT(core::RanksOf(spec, sizes, {0, 0}), ElementsAre(1, 2));
  EXPECT_THAT(core::RanksOf(spec, sizes, {0, 1}), ElementsAre(3, 4));
  EXPECT_THAT(core::RanksOf(spec, sizes, {3, 0}), ElementsAre(5));
  EXPECT_THAT(core::RanksOf(spec, sizes, {3, 1}), ElementsAre(6));
  EXPECT_THAT(core::RanksOf(spec, sizes, {1, 2}), IsEmpty());
  EXPECT_THAT(core::RanksOf(spec, sizes, {4, 0}), IsEmpty());
}

TEST(Rules, RankedTasksRestartTogether) {
  const std::vector<RoleSpec> roles = {Chief(), Role("worker"), Role("data", RoleKind::kService),
                                       Role("evaluator", RoleKind::kSidecar)};
  std::vector<RoleSpec> with_ps = roles;
  with_ps.push_back(Role("ps", RoleKind::kService));
  const auto together = [](const jobspec::JobSpec& spec) { return RulesOf(spec).restarts_together; };
  EXPECT_THAT(together(JobOf(Framework::kPlain, roles)), ElementsAre(false, false, false, false));
  EXPECT_THAT(together(JobOf(Framework::kPytorch, roles)), ElementsAre(true, true, false, false));
  EXPECT_THAT(together(JobOf(Framework::kJax, roles)), ElementsAre(true, true, false, false));
  EXPECT_THAT(together(JobOf(Framework::kTensorflow, roles)), ElementsAre(true, true, false, false));
  EXPECT_THAT(together(JobOf(Framework::kTensorflow, with_ps)), ElementsAre(false, false, false, false, false));
  EXPECT_THAT(together(JobOf(Framework::kHorovod, roles)), ElementsAre(true, true, false, false));
  EXPECT_THAT(together(JobOf(Framework::kMpi, roles)), ElementsAre(true, true, false, false));
  EXPECT_THAT(together(JobOf(Framework::kXgboost, roles)), ElementsAre(true, true, false, false));
  EXPECT_THAT(
      together(JobOf(Framework::kMxnet, {Role("worker"), Role("server", RoleKind::kService),
                                         Role("scheduler", RoleKind::kService), Role("s", RoleKind::kService)})),
      ElementsAre(true, true, true, false));
  const auto coordinators = [](const jobspec::JobSpec& spec) { return RulesOf(spec).coordinators; };
  EXPECT_THAT(
      coordinators(JobOf(Framework::kTensorflow, {Role("chief"), Role("worker"), Role("ps", RoleKind::kService)})),
      ElementsAre(true, false, false));
  EXPECT_THAT(coordinators(JobOf(Framework::kTensorflow, {Role("chief"), Role("worker")})), ElementsAre(false, false));
  EXPECT_THAT(coordinators(JobOf(Framework::kPytorch, {Role("chief"), Role("ps")})), ElementsAre(false, false));
  EXPECT_FALSE(RulesOf(JobOf(Framework::kPlain, roles)).needs_whole_cluster);
  EXPECT_TRUE(RulesOf(JobOf(Framework::kTensorflow, with_ps)).needs_whole_cluster);
}

TEST(Horovod, LocalRanksAreCountedPerMachine) {
  const jobspec::JobSpec spec =
      JobOf(Framework::kHorovod, {Role("worker", RoleKind::kWorker, 2), Chief(), Role("watcher", RoleKind::kSidecar)});
  // The chief, worker:1 and the sidecar run on n1; worker:0 and worker:2 run on n2. The chief has rank 0, worker:0
  // ranks 1 and 2, worker:1 ranks 3 and 4, worker:2 ranks 5 and 6.
  const core::PeerGroup cluster = {{{"n2", 1}, {"n1", 2}, {"n2", 3}}, {{"n1", 4}}, {{"n1", 5}}};
  const std::string map = R"({"worker":["n2:1","n1:2","n2:3"],"chief":["n1:4"],"watcher":["n1:5"]})";
  ProcessInfo info = At(0, 2, 1);
  info.rendezvous = {"10.0.0.7", 99};
  info.interface = "eth0";
  EXPECT_EQ(OwnLines(spec, cluster, info), "CLUSTER_SPEC=" + map +
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
  // One row per process, in the order of ranks. `slot` has its local rank, local size, cross rank and cross size. (A
  // slot is Horovod's term for the position of a process on a host.)
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

TEST(Horovod, TaskWithGpusCountsAsSeparateMachine) {
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

// In elastic Horovod the local rank of a process never changes, and no host name is used twice.
TEST(Horovod, ElasticTaskGetsNewHostNameInEachGeneration) {
  jobspec::JobSpec spec =
      JobOf(Framework::kHorovod, {Role("worker", RoleKind::kWorker, 2), Role("eye", RoleKind::kSidecar)});
  EXPECT_EQ(RendezvousKindOf(spec), RendezvousKind::kKeyValueStore);
  EXPECT_FALSE(RulesOf(spec).needs_am);
  spec.roles[0].instances = {1, 3};
  EXPECT_EQ(RendezvousKindOf(spec), RendezvousKind::kElastic);
  EXPECT_TRUE(RulesOf(spec).needs_am);
  const core::PeerGroup cluster = {{{"n1", 1}, {"n1", 2}, {"n2", 3}}, {{"n1", 4}}};
  ProcessInfo info = At(0, 1, 1);
  info.generation = 7;
  info.rendezvous = {"10.0.0.7", 99};
  EXPECT_THAT(OwnLines(spec, cluster, info), testing::EndsWith("HOROVOD_GLOO_TIMEOUT_SECONDS=10\n"
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
  EXPECT_EQ(horovod::RankAssignmentOf(spec, cluster, info), (horovod::RankAssignment{.host = "worker-1.7",
                                                                                     .rank = 3,
                                                                                     .size = 6,
                                                                                     .local_rank = 1,
                                                                                     .local_size = 2,
                                                                                     .cross_rank = 1,
                                                                                     .cross_size = 3}));
  EXPECT_THAT(OwnLines(spec, cluster, At(1, 0)), testing::Not(testing::HasSubstr("ELASTIC")));
}

TEST(Mpi, RankZeroRunsTheCommandAndOthersHoldContainers) {
  jobspec::JobSpec spec = JobOf(Framework::kMpi, {Role("worker"), Chief(), Role("eye", RoleKind::kSidecar)});
  spec.roles[0].vcores = 4;
  const jobspec::Command hold{.shell = "", .argv = {"sleep", "infinity"}};
  EXPECT_EQ(mpi::PlaceholderCommand(spec, {0, 0}), hold);
  EXPECT_EQ(mpi::PlaceholderCommand(spec, {0, 1}), hold);
  EXPECT_EQ(mpi::PlaceholderCommand(spec, {1, 0}), std::nullopt);
  EXPECT_EQ(mpi::PlaceholderCommand(spec, {2, 0}), std::nullopt);
  EXPECT_TRUE(mpi::StartsRemoteProcesses(spec, {1, 0}));
  EXPECT_FALSE(mpi::StartsRemoteProcesses(spec, {0, 0}));
  EXPECT_TRUE(RulesOf(spec).first_rank_decides);
  EXPECT_TRUE(RulesOf(spec).no_gaps);
  EXPECT_FALSE(RulesOf(JobOf(Framework::kPytorch, {Role("worker")})).first_rank_decides);
  EXPECT_EQ(mpi::PlaceholderCommand(JobOf(Framework::kPytorch, {Role("worker")}), {0, 1}), std::nullopt);

  const core::PeerGroup apart = {{{"n1", 1}, {"n2", 2}}, {{"n0", 3}}, {{"n1", 4}}};
  EXPECT_EQ(mpi::Hostfile(spec, apart), "chief-0 slots=1\nworker-0 slots=4\nworker-1 slots=4\n");
  ProcessInfo info = At(1, 0);
  info.remote_start = {"/w/hosts", "/bin/howdah-agent rsh", "/w/tmp"};
  info.interface = "eth0";
  const std::string always =
      "TMPDIR=/w/tmp\n"
      "PWD=/proc/self/fd/230\n"
      "OMPI_MCA_orte_default_hostfile=/w/hosts\n"
      "OMPI_MCA_plm_rsh_agent=/bin/howdah-agent rsh\n"
      "OMPI_MCA_plm_rsh_no_tree_spawn=1\n"
      "OMPI_MCA_orte_leave_session_attached=1\n"
      "OMPI_ALLOW_RUN_AS_ROOT=1\n"
      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n";
  EXPECT_EQ(OwnLines(spec, apart, info), always);
  const std::string shared = "OMPI_MCA_btl=self,tcp\nOMPI_MCA_rtc=^hwloc\n";
  EXPECT_EQ(OwnLines(spec, {{{"n1", 1}, {"n0", 2}}, {{"n0", 3}}, {{"n1", 4}}}, info), always + shared);
  EXPECT_EQ(OwnLines(spec, {{{"n0", 1}, {"n0", 2}}, {{"n0", 3}}, {{"n1", 4}}}, info),
            always + shared + "OMPI_MCA_oob_tcp_if_include=eth0\nOMPI_MCA_btl_tcp_if_include=eth0\n");
  info.task = {0, 1};
  EXPECT_EQ(OwnLines(spec, apart, info), "TMPDIR=/w/tmp\n");
  EXPECT_EQ(OwnLines(spec, apart, At(2, 0)), "");
}

}  // namespace
}  // namespace howdah::frameworks
