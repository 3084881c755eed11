// Each row is a job, a process in it, and the whole environment that it is given, one variable a line.
#include "howdah/frameworks/framework.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "howdah/core/ranks.h"
#include "testing.h"

namespace howdah::frameworks {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Plain, WholeEnvironment) {
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
            R"(HOWDAH_CLUSTER={"worker":["n1:1000","[fe80::1]:1001"],"ps":["n2:1002"],"watcher":["n3:1003"]})"
            "\n"
            "HOWDAH_PORT=1001\n"
            "HOWDAH_CHECKPOINT_DIR=/ckpt\n"
            "TB_LOG_DIR=hdfs:///tb\n"
            "JOB_NAME=worker\n"
            "TASK_INDEX=1\n"
            "TASK_NUM=2\n");
}

TEST(Plain, WhatIsNotKnownKeepsItsPlace) {
  const jobspec::JobSpec spec = JobOf(Framework::kPlain, {Role("worker"), Role("reader")});
  const std::string env = Lines(Environment(spec, {{{"n1", 1000}, {}, {"n3", 1002}}, {}}, At(0, 0)));
  EXPECT_THAT(env, testing::HasSubstr(R"(HOWDAH_CLUSTER={"worker":["n1:1000","","n3:1002"],"reader":[]})"));
  EXPECT_THAT(env, testing::Not(testing::HasSubstr("HOWDAH_CHECKPOINT_DIR")));
  EXPECT_THAT(env, testing::Not(testing::HasSubstr("TB_LOG_DIR")));
}

TEST(Plain, OnlyTheFirstProcessHasThePort) {
  const jobspec::JobSpec spec = JobOf(Framework::kPlain, {Role("worker", RoleKind::kWorker, 2)});
  const core::PeerGroup cluster = {{{"n1", 1000}}};
  EXPECT_THAT(Lines(Environment(spec, cluster, At(0, 0, 0))), testing::HasSubstr("HOWDAH_PORT=1000\n"));
  EXPECT_THAT(Lines(Environment(spec, cluster, At(0, 0, 1))), testing::Not(testing::HasSubstr("HOWDAH_PORT")));
}

TEST(Plain, AHostThatIsNoUtf8DoesNoHarm) {
  const jobspec::JobSpec spec = JobOf(Framework::kPlain, {Role("worker")});
  EXPECT_THAT(Lines(Environment(spec, {{{"n\xff", 1}}}, At(0, 0))), testing::HasSubstr("\"n\xef\xbf\xbd:1\""));
}

// The chief stands behind the workers in the file and has other `processes` than they; ranks are contiguous all the
// same.
jobspec::JobSpec TorchJob() {
  jobspec::JobSpec spec =
      JobOf(Framework::kPytorch, {Role("worker", RoleKind::kWorker, 3), Chief(2), Role("watcher", RoleKind::kSidecar)});
  spec.roles[0].restart.max = 2;
  spec.restart_max = 1;
  return spec;
}
const core::PeerGroup kTorchCluster = {{{"n1", 1001}, {"n2", 1002}}, {{"n0", 1000}}, {{"n3", 1003}}};

TEST(Pytorch, LastProcess) {
  ProcessPlace place = At(0, 1, 2);
  place.error_file = "/job/error.json";
  EXPECT_EQ(OwnLines(TorchJob(), kTorchCluster, place),
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
            "OMP_NUM_THREADS=1\n"
            "INIT_METHOD=tcp://n0:1000\n"
            "WORLD=8\n");
}

TEST(Pytorch, OneProcessATaskAndIpv6) {
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

TEST(Pytorch, ThreadsThatTheSubmitterPassesOnStay) {
  jobspec::JobSpec spec = TorchJob();
  spec.env_from = {"OMP_NUM_THREADS"};
  EXPECT_THAT(OwnLines(spec, kTorchCluster, At(0, 0)), testing::Not(testing::HasSubstr("OMP_NUM_THREADS")));
}

TEST(Tensorflow, ConfigOfEachKind) {
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

TEST(Tony, VariablesOfItsTasks) {
  jobspec::JobSpec spec = JobOf(Framework::kPlain, {Role("worker"), Role("ps", RoleKind::kService)});
  spec.roles[0].instances = {2, 2};
  spec.tony_env = true;
  const core::PeerGroup cluster = {{{"n1", 2}, {"n2", 3}}, {{"n3", 4}}};
  ProcessPlace chief = At(0, 0);
  chief.tensorboard_port = 6006;
  chief.generation = 0;
  EXPECT_EQ(OwnLines(spec, cluster, chief),
            "appid=" + chief.job_id + "\nJOB_ID=" + chief.job_id +
                "\nDISTRIBUTED_MODE=GANG\nSESSION_ID=0\nATTEMPT_NUMBER=0\nIS_CHIEF=true\nTB_PORT=6006\n");
  ProcessPlace other = At(0, 1);
  other.generation = 2;
  spec.start = jobspec::StartMode::kFree;
  EXPECT_EQ(OwnLines(spec, cluster, other),
            "appid=" + chief.job_id + "\nJOB_ID=" + chief.job_id +
                "\nDISTRIBUTED_MODE=FCFS\nSESSION_ID=2\nATTEMPT_NUMBER=0\nNUM_AM_RETRIES=2\n");
}

TEST(Tony, WhoHasAPortForATensorboard) {
  const auto with = [](std::vector<RoleSpec> roles, std::string logdir = "") {
    jobspec::JobSpec spec = JobOf(Framework::kTensorflow, std::move(roles));
    spec.tony_env = true;
    spec.tensorboard_logdir = std::move(logdir);
    std::string who;
    for (int r = 0; r < static_cast<int>(spec.roles.size()); ++r) {
      for (int i = 0; i < 2; ++i) who += NeedsTensorboardPort(spec, {r, i}) ? "1" : "0";
      who += " ";
    }
    return who;
  };
  EXPECT_EQ(with({Role("worker"), Role("ps")}), "10 00 ");
  EXPECT_EQ(with({Role("chief"), Role("worker")}), "11 00 ");
  EXPECT_EQ(with({Role("chief"), Role("tensorboard", RoleKind::kSidecar)}), "00 11 ");
  EXPECT_EQ(with({Role("chief"), Role("worker")}, "/logs"), "00 00 ");
  EXPECT_EQ(with({Role("driver")}), "11 ");
  EXPECT_FALSE(NeedsTensorboardPort(JobOf(Framework::kPlain, {Role("chief")}), {0, 0}));
}

TEST(Tensorflow, AnEvaluatorIsInNobodyElsesClusterThoughTheJobWaitsForIt) {
  const jobspec::JobSpec spec = JobOf(Framework::kTensorflow, {Role("worker"), Role("evaluator")});
  const core::PeerGroup cluster = {{{"n1", 2}}, {{"n2", 3}}};
  EXPECT_THAT(OwnLines(spec, cluster, At(0, 0)), testing::HasSubstr(R"({"cluster":{"worker":["n1:2"]},)"));
  EXPECT_THAT(OwnLines(spec, cluster, At(1, 0)),
              testing::HasSubstr(R"({"cluster":{"worker":["n1:2"],"evaluator":["n2:3"]},)"));
}

TEST(Mxnet, EveryRole) {
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

TEST(Xgboost, WhatItsCommunicatorTakes) {
  const jobspec::JobSpec spec =
      JobOf(Framework::kXgboost, {Role("worker", RoleKind::kWorker, 2), Chief(), Role("watcher", RoleKind::kSidecar)});
  const core::PeerGroup cluster = {{{"n1", 1}, {"n2", 2}}, {{"n0", 4}}, {{"n1", 5}}};
  ProcessPlace place = At(0, 1, 1);
  place.rendezvous = {"10.0.0.7", 99};
  EXPECT_EQ(OwnLines(spec, cluster, place),
            "DMLC_TRACKER_URI=10.0.0.7\n"
            "DMLC_TRACKER_PORT=99\n"
            "DMLC_TASK_ID=4\n"
            "DMLC_NUM_WORKER=5\n");
  EXPECT_EQ(OwnLines(spec, cluster, At(2, 0)), "");
  EXPECT_EQ(WorldSize(spec, cluster), 5);
}

TEST(Jax, SeveralProcessesATask) {
  const jobspec::JobSpec spec =
      JobOf(Framework::kJax, {Role("worker", RoleKind::kWorker, 2), Role("loader", RoleKind::kService)});
  const core::PeerGroup cluster = {{{"n1", 1001}, {"n2", 1002}}, {{"n3", 1003}}};
  EXPECT_EQ(OwnLines(spec, cluster, At(0, 1, 0)),
            "JAX_COORDINATOR_ADDRESS=n1:1001\n"
            "OMPI_MCA_orte_hnp_uri=0.0;tcp://n1:1001\n"
            "OMPI_COMM_WORLD_SIZE=4\n"
            "OMPI_COMM_WORLD_RANK=2\n"
            "OMPI_COMM_WORLD_LOCAL_SIZE=2\n"
            "OMPI_COMM_WORLD_LOCAL_RANK=0\n");
  EXPECT_EQ(OwnLines(spec, cluster, At(1, 0)), "");
}

TEST(Jax, DevicesAreSharedOut) {
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

TEST(Ranks, ChiefFirstThenAsInTheFile) {
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

TEST(Rules, WhoRestartsTogether) {
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
  const auto directs = [](const jobspec::JobSpec& spec) { return RulesOf(spec).coordinators; };
  EXPECT_THAT(directs(JobOf(Framework::kTensorflow, {Role("chief"), Role("worker"), Role("ps", RoleKind::kService)})),
              ElementsAre(true, false, false));
  EXPECT_THAT(directs(JobOf(Framework::kTensorflow, {Role("chief"), Role("worker")})), ElementsAre(false, false));
  EXPECT_THAT(directs(JobOf(Framework::kPytorch, {Role("chief"), Role("ps")})), ElementsAre(false, false));
  EXPECT_FALSE(RulesOf(JobOf(Framework::kPlain, roles)).needs_whole_cluster);
  EXPECT_TRUE(RulesOf(JobOf(Framework::kTensorflow, with_ps)).needs_whole_cluster);
}

}  // namespace
}  // namespace howdah::frameworks
