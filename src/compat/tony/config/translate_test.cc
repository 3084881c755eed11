// Tables of TonY's flags and keys with the resulting job file.
#include "howdah/compat/tony/config/translate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing.h"

namespace howdah::compat::tony::config {
namespace {

using jobspec::OnFailure;
using jobspec::RoleKind;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Machine;
using ::testing::Pair;
using testing::Runs;
using testing::Translated;
using Conf = std::vector<std::string>;

std::string KindsOf(const jobspec::JobSpec& job) {
  std::string text;
  for (const jobspec::RoleSpec& role : job.roles) {
    static const char* const kFailures[] = {"fail", "tolerate", "ignore", "ignore_others"};
    text += (text.empty() ? "" : " ") + role.name + "*" + std::to_string(role.instances.max) + ":" +
            std::string(jobspec::ToText(role.kind));
    if (role.kind == RoleKind::kWorker) text += "," + std::string(kFailures[static_cast<int>(role.on_failure)]);
  }
  return text;
}

TEST(Translate, JobTypesDetermineKindsAndFailurePolicies) {
  const struct {
    Conf conf;
    const char* roles;
  } rows[] = {
      {{"tony.worker.instances=2", "tony.ps.instances=1"}, "worker*2:worker,ignore_others ps*1:service"},
      {{"tony.worker.instances=1", "tony.ps.instances=0"}, "worker*1:worker,fail"},
      {{"tony.worker.instances=2", "tony.chief.instances=2"}, "chief*2:worker,fail worker*2:worker,ignore"},
      {{"tony.head.instances=1", "tony.slave.instances=3"}, "head*1:worker,tolerate slave*3:worker,tolerate"},
      {{"tony.worker.instances=2", "tony.evaluator.instances=1"},
       "worker*2:worker,ignore_others evaluator*1:worker,ignore"},
      {{"tony.worker.instances=2", "tony.evaluator.instances=1", "tony.application.sidecar.jobtypes=evaluator"},
       "worker*2:worker,ignore_others evaluator*1:sidecar"},
      {{"tony.worker.instances=2", "tony.application.fail-on-worker-failure-enabled=true"}, "worker*2:worker,fail"},
      {{"tony.head.instances=1", "tony.slave.instances=2", "tony.application.stop-on-failure-jobtypes=head"},
       "head*1:worker,fail slave*2:worker,ignore"},
      {{"tony.ps.instances=1", "tony.worker.instances=1", "tony.application.untracked.jobtypes=db"},
       "worker*1:worker,fail ps*1:worker,fail"},
      {{"tony.worker-2.instances=1"}, "worker-2*1:worker,tolerate"},
      {{}, "driver*1:worker,fail"},
  };
  for (const auto& row : rows) {
    const common::Translation made = Translated(Runs("x"), row.conf);
    EXPECT_THAT(made.problems, IsEmpty()) << row.roles;
    EXPECT_EQ(KindsOf(made.job), row.roles);
  }
}

TEST(Translate, KeysOfJobTypeSetItsRole) {
  const common::Translation made =
      Translated(Runs("python a.py"), {"tony.worker.instances=2", "tony.worker.memory=3G", "tony.worker.vcores=4",
                                       "tony.worker.gpus=1", "tony.worker.node-label=gpu", "tony.ps.instances=1",
                                       "tony.ps.memory=512", "tony.ps.command=python ps.py"});
  const jobspec::RoleSpec& worker = made.job.roles[0];
  EXPECT_EQ(worker.memory_bytes, int64_t{3} << 30);
  EXPECT_EQ(worker.vcores, 4);
  EXPECT_EQ(worker.gpus, 1);
  EXPECT_EQ(worker.node_label, "gpu");
  EXPECT_EQ(worker.command.shell, "python a.py");
  EXPECT_EQ(made.job.roles[1].memory_bytes, int64_t{512} << 20);
  EXPECT_EQ(made.job.roles[1].command.shell, "python ps.py");
  EXPECT_EQ(made.job.framework, jobspec::Framework::kTensorflow);
  EXPECT_EQ(made.job.name, "TensorFlowApplication");
  EXPECT_TRUE(made.job.tony_env);
}

TEST(Translate, CommandGetsChmodAndHadoopClasspath) {
  Flags flags = Runs("run.sh --x");
  flags.src_dir = "src";
  Facts facts = Machine();
  facts.on_cluster = true;
  const std::string command = Translated(flags, {"tony.worker.instances=1"}, facts).job.roles[0].command.shell;
  EXPECT_THAT(command, HasSubstr("chmod +x run.sh && "));
  EXPECT_THAT(command, HasSubstr("hadoop\" classpath --glob"));
  EXPECT_TRUE(command.ends_with("\nrun.sh --x")) << command;
  flags.container_env = {{"SKIP_HADOOP_PATH", "true"}};
  EXPECT_EQ(Translated(flags, {"tony.worker.instances=1"}, facts).job.roles[0].command.shell,
            "chmod +x run.sh && run.sh --x");
  EXPECT_EQ(Translated(Runs("x"), {"tony.containers.envs=SKIP_HADOOP_PATH=true"}, facts).job.roles[0].command.shell,
            "x");
}

TEST(Translate, StagesBecomeDependencies) {
  const Conf roles = {"tony.worker.instances=1", "tony.ps.instances=1", "tony.db.instances=1",
                      "tony.loader.instances=1"};
  const auto after = [&](Conf conf) {
    conf.insert(conf.end(), roles.begin(), roles.end());
    const common::Translation made = Translated(Runs("x"), conf);
    std::string text;
    for (const std::string& problem : made.problems) text += problem + " ";
    for (const jobspec::RoleSpec& role : made.job.roles) {
      for (const jobspec::After& a : role.after) text += role.name + "<" + a.role + (a.finished ? "!" : "") + " ";
    }
    return text;
  };
  const std::string both = "worker<loader! worker<db! ps<loader! ps<db! ";
  EXPECT_EQ(after({"tony.application.prepare-stage=loader,db", "tony.application.training-stage=ps,worker"}), both);
  EXPECT_EQ(after({"tony.application.prepare-stage=loader,db"}), both);
  EXPECT_EQ(after({"tony.application.training-stage=worker"}), "worker<db! worker<loader! ");
  EXPECT_THAT(after({"tony.application.prepare-stage=db", "tony.application.training-stage=ps,worker"}),
              HasSubstr("do not name loader; add each role to one of them"));
}

TEST(Translate, TimeoutsAreTranslated) {
  const common::Translation made =
      Translated(Runs("x"), {"tony.worker.instances=1", "tony.application.timeout=60000",
                             "tony.am.startup-timeout=10000", "tony.container.allocation.timeout=1000",
                             "tony.container.registration.timeout=30000", "tony.task.executor.registry-timeout-sec=20",
                             "tony.task.heartbeat-interval-ms=500", "tony.task.max-missed-heartbeats=2",
                             "tony.task.executor.execution-timeout-ms=7000", "tony.am.retry-count=2"});
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  EXPECT_EQ(made.job.timeouts.run, seconds(60));
  EXPECT_EQ(made.job.timeouts.queue, seconds(10));
  EXPECT_EQ(made.job.timeouts.gang, seconds(1));
  EXPECT_EQ(made.job.timeouts.hold, seconds(1));
  EXPECT_EQ(made.job.timeouts.register_, seconds(20));
  EXPECT_EQ(made.job.timeouts.heartbeat, milliseconds(1500));
  EXPECT_EQ(made.job.roles[0].timeout, seconds(7));
  EXPECT_EQ(made.job.restart_max, 2);
  const common::Translation defaults = Translated(Runs("x"), {"tony.worker.instances=1"});
  EXPECT_EQ(defaults.job.timeouts.gang, std::chrono::days(365));
  EXPECT_EQ(defaults.job.timeouts.heartbeat, seconds(25));
  EXPECT_FALSE(defaults.job.timeouts.run);
  Flags notebook = Runs("jupyter");
  notebook.submitter = Submitter::kNotebook;
  EXPECT_EQ(Translated(notebook, {}).job.timeouts.run, std::chrono::hours(24));
}

TEST(Translate, TimeoutAfterGroupIsTranslatedToOutlive) {
  const Conf base = {"tony.chief.instances=1", "tony.worker.instances=1", "tony.ps.instances=1",
                     "tony.application.group.A=chief", "tony.application.group.B=ps"};
  const auto with = [&](Conf conf) {
    conf.insert(conf.end(), base.begin(), base.end());
    return Translated(Runs("x"), conf);
  };
  const std::string after_a = "tony.application.dependency.worker.timeout.after.A";
  EXPECT_EQ(with({after_a + "=10"}).job.roles[1].outlive,
            (jobspec::Outlive{{"chief"}, std::chrono::seconds(10), jobspec::Outlive::Then::kFail}));
  EXPECT_EQ(with({after_a + "=10", after_a + ".ignored=true"}).job.roles[1].outlive->then,
            jobspec::Outlive::Then::kIgnore);
  EXPECT_EQ(with({after_a + "=10", after_a + ".ignored=true", "tony.application.stop-on-failure-jobtypes=worker"})
                .job.roles[1]
                .outlive->then,
            jobspec::Outlive::Then::kService);
  for (const char* name : {"worker.timeout.after.B", "worker.timeout.after.C", "nobody.timeout.after.A"}) {
    const std::string key = std::string("tony.application.dependency.") + name;
    const common::Translation made = with({key + "=10"});
    EXPECT_FALSE(made.job.roles[1].outlive) << name;
    ASSERT_FALSE(made.notes.empty()) << name;
    EXPECT_EQ(made.notes[0].key, key);
  }
}

TEST(Translate, ResourcesBecomeFiles) {
  Flags flags = Runs("x");
  flags.src_dir = "src";
  flags.python_venv = "venv.zip";
  const common::Translation made = Translated(
      flags,
      {"tony.worker.instances=1", "tony.containers.resources=a.zip,a.zip::ok.zip,a.zip#archive,a.zip::dir#ARCHIVE",
       "tony.worker.resources=data,a.zip,hdfs:///dir,hdfs:///one::two,data", "tony.am.resources=b.txt"});
  EXPECT_THAT(made.problems, IsEmpty());
  EXPECT_EQ(made.job.source, "/here/src");
  const std::vector<jobspec::File> files = {{"/here/venv.zip", "venv", true},
                                            {"/here/a.zip", "a.zip", false},
                                            {"/here/a.zip", "ok.zip", false},
                                            {"/here/a.zip", "a.zip", true},
                                            {"/here/a.zip", "dir", true}};
  const std::vector<jobspec::File> of_worker = {{"/here/data", "data", false},
                                                {"hdfs:///dir/x", "x", false},
                                                {"hdfs:///dir/y", "y", false},
                                                {"hdfs:///one", "two", false}};
  const std::vector<jobspec::File> of_am = {{"/here/b.txt", "b.txt", false}};
  EXPECT_EQ(made.job.files, files);
  EXPECT_EQ(made.job.roles[0].files, of_worker);
  ASSERT_EQ(made.notes.size(), 1U);
  EXPECT_EQ(made.notes[0].key, "tony.am.resources");
  EXPECT_EQ(Translated(Runs("x"), {"tony.am.resources=b.txt,/here/b.txt"}).job.roles[0].files, of_am);
  EXPECT_EQ(Translated(Runs("x"), {"tony.worker.instances=1", "tony.application.enable-preprocess=true",
                                   "tony.am.resources=b.txt"})
                .job.roles[1]
                .files,
            of_am);
  EXPECT_THAT(
      Translated(Runs("x"), {"tony.containers.resources=hdfs:///gone,nowhere"}).problems,
      ElementsAre(HasSubstr("hdfs:///gone: no such directory"), HasSubstr("no such file or directory: /here/nowhere")));
}

TEST(Translate, EnvironmentValuesMayContainCommas) {
  Flags flags = Runs("x");
  flags.shell_env = {{"A", "1,2"}, {"C", "shell"}};
  flags.container_env = {{"B", "b"}, {"C", "container"}};
  const common::Translation made = Translated(flags, {"tony.execution.envs=D=4,E", "tony.containers.envs=D=3"});
  EXPECT_THAT(made.job.env,
              ElementsAre(Pair("D", "4"), Pair("B", "b"), Pair("C", "shell"), Pair("E", ""), Pair("A", "1,2")));
}

TEST(Translate, DockerKeysSetImagesAndMounts) {
  const common::Translation made =
      Translated(Runs("x"), {"tony.worker.instances=1", "tony.docker.enabled=true", "tony.docker.worker.image=torch:2",
                             "tony.docker.containers.mount=/a:/b:ro,/c:/d"});
  EXPECT_EQ(made.job.docker->image, "torch:2");
  EXPECT_THAT(made.job.docker->mounts, ElementsAre("/a:/b:ro", "/c:/d:rw"));
  EXPECT_FALSE(Translated(Runs("x"), {"tony.docker.containers.image=a"}).job.docker);
  const std::vector<std::string> two = {"tony.worker.instances=1", "tony.ps.instances=1", "tony.docker.enabled=true",
                                        "tony.docker.ps.image=b"};
  const common::Translation unnamed = Translated(Runs("x"), two);
  EXPECT_THAT(unnamed.problems, ElementsAre(HasSubstr("set tony.docker.containers.image or tony.docker.worker.image")));
  std::vector<std::string> named = two;
  named.push_back("tony.docker.containers.image=a");
  const common::Translation made_of_two = Translated(Runs("x"), named);
  EXPECT_EQ(made_of_two.job.docker->image, "a");
  EXPECT_EQ(made_of_two.job.roles[0].image, std::nullopt);  // the role worker has no image of its own
  EXPECT_EQ(made_of_two.job.roles[1].image, "b");
}

TEST(Translate, TensorboardIsManagedUnlessItHasItsOwnCommand) {
  Flags flags = Runs("x");
  flags.tensorboard_log_dir = "/logs";
  const common::Translation managed = Translated(flags, {"tony.worker.instances=1"});
  EXPECT_EQ(managed.job.tensorboard_logdir, "/logs");
  EXPECT_EQ(managed.job.roles.size(), 1u);
  const common::Translation own = Translated(flags, {"tony.worker.instances=1", "tony.tensorboard.command=tb"});
  EXPECT_EQ(own.job.tensorboard_logdir, "");
  EXPECT_EQ(KindsOf(own.job), "worker*1:worker,fail tensorboard*1:sidecar");
  EXPECT_THAT(own.job.env, ElementsAre(Pair("TB_LOG_DIR", "/logs")));  // the tasks write there
}

TEST(Translate, SingleNodePreprocessFcfsAndStandaloneModesAreTranslated) {
  const common::Translation alone =
      Translated(Runs("x"), {"tony.am.memory=4g", "tony.am.gpus=2", "tony.am.retry-count=3"});
  EXPECT_EQ(alone.job.framework, jobspec::Framework::kPlain);
  EXPECT_EQ(alone.job.roles[0].memory_bytes, int64_t{4} << 30);
  EXPECT_EQ(alone.job.roles[0].gpus, 2);
  EXPECT_EQ(alone.job.restart_max, 0);
  EXPECT_THAT(alone.job.roles[0].env, ElementsAre(Pair("PREPROCESSING_JOB", "true")));

  const common::Translation prepared = Translated(
      Runs("x"), {"tony.worker.instances=1", "tony.application.enable-preprocess=true", "tony.am.command=pre"});
  EXPECT_EQ(KindsOf(prepared.job), "worker*1:worker,fail preprocess*1:setup");
  EXPECT_THAT(prepared.job.roles[1].exports, ElementsAre(Pair("MODEL_PARAMS", "Model parameters: ")));
  EXPECT_EQ(prepared.job.roles[1].command.shell, "pre");

  const common::Translation free =
      Translated(Runs("x"), {"tony.worker.instances=1", "tony.application.distributed-mode=FCFS"});
  EXPECT_EQ(free.job.start, jobspec::StartMode::kFree);
  EXPECT_EQ(free.job.framework, jobspec::Framework::kPlain);

  const Conf standalone = {"tony.worker.instances=1", "tony.application.framework=standalone"};
  EXPECT_THAT(Translated(Runs("x"), standalone).problems, IsEmpty());
  Conf two = standalone;
  two.push_back("tony.slave.instances=1");
  EXPECT_THAT(Translated(Runs("x"), two).problems,
              ElementsAre(HasSubstr("a standalone job has exactly 1 task, but this one has 2")));
}

TEST(Translate, HorovodDriverExistsOnlyIfConfigured) {
  const Conf job = {"tony.worker.instances=1", "tony.application.framework=horovod"};
  const auto with = [&](Conf more) {
    more.insert(more.end(), job.begin(), job.end());
    return Translated(Runs("x"), more);
  };
  EXPECT_EQ(KindsOf(with({}).job), "worker*1:worker,fail");
  EXPECT_THAT(with({"tony.driver.command=d"}).problems, ElementsAre(HasSubstr("TonY reserves the Horovod driver")));
  const common::Translation own = with({"tony.driver.command=d", "tony.horovod.driver.mode.debug=true"});
  EXPECT_EQ(KindsOf(own.job), "worker*1:worker,fail driver*1:service");
  EXPECT_THAT(own.job.roles[0].after, ElementsAre(jobspec::After{"driver", /*finished=*/false}));
  EXPECT_THAT(with({"tony.driver.instances=1", "tony.horovod.driver.mode.debug=true"}).job.roles[0].after,
              ElementsAre(jobspec::After{"driver", /*finished=*/false}));
  EXPECT_THAT(with({"tony.horovod.mode.test.fast.fail=true"}).job.roles[1].command.shell, HasSubstr("exit 1"));
}

TEST(Translate, ExceededLimitsAreProblems) {
  const Conf job = {"tony.worker.instances=4", "tony.worker.gpus=2", "tony.worker.memory=1g", "tony.ps.instances=1"};
  const struct {
    const char* limit;
    const char* problem;  // nullptr if there is no problem
  } rows[] = {{"tony.worker.max-instances=3", "tony.worker.instances is 4; lower it"},
              {"tony.worker.max-instances=4", nullptr},
              {"tony.worker.max-instances=-1", nullptr},
              {"tony.task.max-total-instances=5", nullptr},
              {"tony.task.max-total-instances=4", "request 5"},
              {"tony.task.max-total-gpus=7", "request 8"},
              {"tony.task.max-total-memory=6144", nullptr},
              {"tony.task.max-total-memory=6143", "request 6144"},
              {"tony.task.max-total-vcores=x", "is 'x': write a whole number"}};
  for (const auto& row : rows) {
    Conf conf = job;
    conf.push_back(row.limit);
    const common::Translation made = Translated(Runs("x"), conf);
    if (row.problem == nullptr) {
      EXPECT_THAT(made.problems, IsEmpty()) << row.limit;
    } else {
      EXPECT_THAT(made.problems, ElementsAre(HasSubstr(row.problem))) << row.limit;
    }
  }
}

TEST(Translate, InvalidValuesAreProblems) {
  const struct {
    Conf conf;
    const char* problem;
  } rows[] = {{{"tony.worker.instances=1", "tony.worker.memory=2t"}, "tony.worker.memory in -conf is '2t'"},
              {{"tony.worker.instances=1", "tony.application.framework=pytroch"}, "did you mean pytorch?"},
              {{"tony.worker.instances=1", "tony.application.distributed-mode=X"}, "write GANG or FCFS"},
              {{"tony.worker.instances=two"}, "is 'two': write a whole number"},
              {{"tony.docker.enabled=maybe"}, "tony.docker.enabled"}};
  for (const auto& row : rows) EXPECT_THAT(Translated(Runs("x"), row.conf).problems, Contains(HasSubstr(row.problem)));
  EXPECT_THAT(Translated({}, {"tony.worker.instances=1"}).problems,
              ElementsAre(HasSubstr("role worker has no command; set -executes")));
}

TEST(Translate, KeysWithoutEffectAreNoted) {
  const struct {
    const char* conf;
    const char* note;
  } rows[] = {
      {"tony.task.executor.jvm.opts=-Xmx1g", "tony.task.executor.jvm.opts (-conf) has no effect: Howdah runs no JVM"},
      {"tony.worker.memroy=2g", "TonY has no such key; did you mean 'tony.worker.memory'?"},
      {"tony.wroker.memory=2g", "unknown role wroker (tony.wroker.instances is not set or 0); did you mean worker?"},
      {"tony.task.max-total-fpgas=1", "tasks never request fpgas"},
      {"yarn.x=1", "not a key of TonY"}};
  for (const auto& row : rows) {
    const common::Translation made = Translated(Runs("x"), {"tony.worker.instances=1", row.conf});
    EXPECT_THAT(made.problems, IsEmpty());
    ASSERT_EQ(made.notes.size(), 1u) << row.conf;
    EXPECT_THAT(made.notes[0].ToText(), HasSubstr(row.note));
  }
  EXPECT_THAT(Translated(Runs("x"), {"tony.worker.instances=1", "tony.ps.instances=0"}).notes, IsEmpty());
}

TEST(Translate, HistoryHasTheWholeConfiguration) {
  Flags flags = Runs("x");
  flags.shell_env = {{"A", "1"}};
  const common::Translation made = Translated(flags, {"tony.worker.instances=1", "tony.history.location=/h"});
  EXPECT_EQ(made.job.tony_history, "/h");
  EXPECT_THAT(made.job.configuration, Contains(jobspec::Configured{"tony.worker.instances", "1", "-conf"}));
  EXPECT_THAT(made.job.configuration, Contains(jobspec::Configured{"tony.containers.command", "x", "-executes"}));
  EXPECT_THAT(made.job.configuration, Contains(jobspec::Configured{"tony.execution.envs", "A=1", "-shell_env"}));
  EXPECT_THAT(made.job.configuration,
              Contains(jobspec::Configured{"tony.task.heartbeat-interval-ms", "1000", "tony-default.xml"}));
  EXPECT_THAT(Translated(flags, {"tony.worker.instances=1"}).job.configuration, IsEmpty());
}

}  // namespace
}  // namespace howdah::compat::tony::config
