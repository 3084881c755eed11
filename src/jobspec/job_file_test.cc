#include "howdah/jobspec/job_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Machine;
using testing::ProblemsOf;
using namespace std::chrono_literals;

JobSpec Parsed(std::string_view text, const SubmitHost& host = Machine()) {
  const ParsedJob job = ParseJobFile(text, host);
  for (const Problem& problem : job.problems) ADD_FAILURE() << problem.ToText() << "\nin\n" << text;
  return job.spec;
}

constexpr char kEveryKey[] = R"(name: mnist
framework: pytorch
source: ./src
files:
  - {from: side.txt, to: beside.txt}
  - {from: hdfs:///models/base.pt, to: base.pt}
  - {from: bundle.zip, to: ./pack/, unpack: true}
outputs: [out/, "*.pt"]
python: {archive: env.tar.gz}
env: {OMP_NUM_THREADS: 1, FLAG: true, EMPTY: "", HOMED: "${HOME}/x"}
env_from: [WANDB_API_KEY]
queue: ml
priority: 7
node_label: gpu
tags: [team-a, 2026]
roles:
  chief:
    instances: 1
    memory: 4GiB
    vcores: 2
    gpus: 1
    command: python train.py --epochs 10
    chief: true
  worker:
    instances: {min: 2, max: 8}
    memory: 4096MiB
    processes: 4
    command: [python, train.py, '${NOT_MINE}', 10]
    env: {ROLE_HINT: w}
    files: [side.txt, {from: bundle.zip, to: wheels, unpack: true}]
    outputs: checkpoints/**
    image: library/python:3.11
    restart: {max: 3, backoff: 500ms}
    on_failure: tolerate
  ps:
    memory: 2g
    command: python train.py $HOME $$
    kind: service
    after: [chief, {role: worker, finished: true}]
tensorboard: {logdir: ./logs}
checkpoint: {dir: hdfs:///ckpt/mnist, grace: 60s, signal: SIGUSR1}
restart: {max: 1}
timeouts: {gang: 20m, hold: 11s, register: 6m, heartbeat: 26s, run: 24h}
metrics: {interval: 20s}
start: free
advice: {off: [vcores-over, node]}
)";

TEST(JobFile, MemorySizesOfOtherToolsAreRead) {
  constexpr int64_t kGi = int64_t{1} << 30;
  const std::pair<std::string, int64_t> rows[] = {
      {"2Gi", 2 * kGi},     {"2gib", 2 * kGi},       {"2GIB", 2 * kGi},      {"2 GiB", 2 * kGi},  {"2  gi", 2 * kGi},
      {"2g", 2 * kGi},      {"2 GB", 2'000'000'000}, {"2gb", 2'000'000'000}, {"512m", kGi / 2},   {"512Mi", kGi / 2},
      {"512 mib", kGi / 2}, {"1Ti", 1024 * kGi},     {"1048576Ki", kGi},     {"\"2Gi\"", 2 * kGi}};
  for (const auto& [text, bytes] : rows)
    EXPECT_EQ(Parsed("roles: {w: {command: date, memory: " + text + "}}").roles[0].memory_bytes, bytes) << text;
}

TEST(JobFile, EveryKeyIsRead) {
  const JobSpec job = Parsed(kEveryKey);
  JobSpec want;
  want.name = "mnist";
  want.framework = Framework::kPytorch;
  want.source = "/jobs/src";
  want.files = {{"/jobs/side.txt", "beside.txt", false},
                {"hdfs:///models/base.pt", "base.pt", false},
                {"/jobs/bundle.zip", "pack", true}};
  want.outputs = {"out/", "*.pt"};
  want.python_archive = "/jobs/env.tar.gz";
  want.env = {{"OMP_NUM_THREADS", "1"}, {"FLAG", "true"}, {"EMPTY", ""}, {"HOMED", "/home/u/x"}};
  want.env_from = {"WANDB_API_KEY"};
  want.queue = "ml";
  want.priority = 7;
  want.node_label = "gpu";
  want.tags = {"team-a", "2026"};
  want.roles.resize(3);
  want.roles[0] = {"chief", {1, 1}, int64_t{4} << 30, 2, 1, 1, {"python train.py --epochs 10", {}}};
  want.roles[0].chief = true;
  want.roles[1] = {"worker", {2, 8}, int64_t{4} << 30, 1, 0, 4, {"", {"python", "train.py", "${NOT_MINE}", "10"}}};
  want.roles[1].env = {{"ROLE_HINT", "w"}};
  want.roles[1].files = {{"/jobs/side.txt", "side.txt", false}, {"/jobs/bundle.zip", "wheels", true}};
  want.roles[1].outputs = {"checkpoints/**"};
  want.roles[1].image = "library/python:3.11";
  want.roles[1].restart = {3, 500ms};
  want.roles[1].on_failure = OnFailure::kTolerate;
  want.roles[2] = {"ps", {1, 1}, int64_t{2} << 30, 1, 0, 1, {"python train.py $HOME $$", {}}};
  want.roles[2].kind = RoleKind::kService;
  want.roles[2].after = {{"chief", false}, {"worker", true}};
  want.tensorboard_logdir = "/jobs/logs";
  want.relative_directories = {"tensorboard.logdir"};
  want.checkpoint = {"hdfs:///ckpt/mnist", 60s, "SIGUSR1"};
  want.restart_max = 1;
  want.timeouts = {20min, 11s, 6min, 26s, 5min, 1min, 30s, 24h};
  want.metrics_interval = 20s;
  want.start = StartMode::kFree;
  want.advice_off = {AdviceCheck::kVcoresOver, AdviceCheck::kNode};
  EXPECT_EQ(job, want) << DescribeEffective(job);
}

TEST(JobFile, ShortFormsEqualFullForms) {
  const JobSpec brief = Parsed(R"(
files: side.txt
python: env.tar.gz
env: [A=1, "B=x=y", C=]
tags: team-a
tensorboard: ./logs
checkpoint: ./ckpt
restart: 1
metrics: 10s
roles:
  w: {memory: 1GiB, command: date, restart: 3, after: v}
  v: {memory: 1GiB, command: date}
)");
  const JobSpec whole = Parsed(R"(
files: [side.txt]
python: {archive: env.tar.gz}
env: {A: 1, B: x=y, C: ""}
tags: [team-a]
tensorboard: {logdir: ./logs}
checkpoint: {dir: ./ckpt}
restart: {max: 1}
metrics: {interval: 10s}
roles:
  w: {memory: 1GiB, command: date, restart: {max: 3}, after: [v]}
  v: {memory: 1GiB, command: date}
)");
  EXPECT_EQ(brief, whole) << DescribeEffective(brief);
}

TEST(JobFile, HoldTimeoutDefaultsToAtMostTheGangTimeout) {
  EXPECT_EQ(Parsed("timeouts: {gang: 5s}\nroles: {w: {memory: 1GiB, command: date}}").timeouts.hold, 5s);
}

TEST(JobFile, LauncherInACommandGivesAHint) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"torchrun --nproc-per-node 2 train.py", "torchrun"},
      {"/opt/env/bin/torchrun train.py", "torchrun"},
      {"cd src && accelerate launch train.py", "accelerate launch"},
      {"python3 -m torch.distributed.run train.py", "torch.distributed.run"},
      {"python3 train.py --launcher torchrunner", ""},
      {"accelerate config", ""},
      {"[bash, -c, 'cd . && torchrun train.py']", "torchrun"},
      {"[/bin/sh, -lc, 'exec torchrun train.py']", "torchrun"},
      {"[echo, -c, 'exec torchrun train.py']", ""},
  };
  for (const auto& [command, launcher] : cases) {
    for (const char* framework : {"plain", "pytorch"}) {
      const auto job = ParseJobFile(
          "framework: " + std::string(framework) + "\nroles: {w: {memory: 1GiB, command: " + command + "}}", Machine());
      const bool expected = !launcher.empty() && framework == std::string("pytorch");
      ASSERT_EQ(job.hints.size(), expected ? 1u : 0u) << command;
      if (!expected) continue;
      EXPECT_EQ(job.hints[0].text.find(launcher + " starts a separate group"), 0u) << job.hints[0].text;
    }
  }
}

TEST(JobFile, LauncherInAPlainJobWithSeveralTasksGivesAHint) {
  for (const int instances : {1, 2}) {
    const auto job = ParseJobFile(
        "roles: {w: {memory: 1GiB, instances: " + std::to_string(instances) + ", command: torchrun train.py}}",
        Machine());
    EXPECT_EQ(job.hints.size(), instances == 1 ? 0u : 1u) << instances;
  }
}

TEST(JobFile, InstallerWhoseFailureIsIgnoredGivesAHint) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"pip install -r requirements.txt\npython3 train.py\n", "pip install"},
      {"cd src; python3 -m pip install -q x; python3 train.py", "pip install"},
      {"/opt/conda/bin/conda install -y x\npython3 train.py", "conda install"},
      {"pip install x && python3 train.py", ""},
      {"pip install x || exit 1\npython3 train.py", ""},
      {"set -e\npip install x\npython3 train.py", ""},
      {"set -o errexit; pip install x; python3 train.py", ""},
      {"python3 train.py\npip install x\n", ""},
      {"python3 install.py\npython3 train.py\n", ""},
  };
  for (const auto& [command, installer] : cases) {
    std::string text = "roles:\n  w:\n    memory: 1GiB\n    command: |\n      ";
    for (const char c : command) text += c == '\n' ? "\n      " : std::string(1, c);
    const auto job = ParseJobFile(text + "\n", Machine());
    ASSERT_TRUE(job.problems.empty()) << text;
    ASSERT_EQ(job.hints.size(), installer.empty() ? 0u : 1u) << command;
    if (installer.empty()) continue;
    EXPECT_EQ(job.hints[0].text, "the command goes on after a failed `" + installer +
                                     "`; begin it with `set -e`, or join the commands with &&");
  }
}

TEST(JobFile, MinimalJobHasTheDocumentedDefaults) {
  const JobSpec job = Parsed("roles: {w: {memory: 1GiB, command: date}}", Machine("runs/first.try.yaml"));
  JobSpec want;
  want.name = "first.try";
  want.roles = {{"w", {1, 1}, int64_t{1} << 30, 1, 0, 1, {"date", {}}}};
  EXPECT_EQ(job, want);
  EXPECT_EQ(want.checkpoint.grace, 10s);
  EXPECT_EQ(want.checkpoint.signal, "SIGTERM");
  EXPECT_EQ(want.timeouts, (Timeouts{15min, 10s, 5min, 25s, 5min, 1min, 30s, std::nullopt}));
  EXPECT_EQ(want.roles[0].restart, (RestartLimit{0, 1s}));
}

TEST(JobFile, JsonIsReadAsAJobFile) {
  const JobSpec job = Parsed("{\n\t\"name\":\"j\",\"roles\":{\"w\":{\"memory\":\"1GiB\",\"command\":[\"a\\nb\"]}}}\n");
  EXPECT_EQ(job.name, "j");
  EXPECT_THAT(job.roles.at(0).command.argv, ElementsAre("a\nb"));
}

TEST(JobFile, ScalarsKeepTheirText) {
  const JobSpec job = Parsed(
      "name: 0x10\nenv: {A: 1.50, B: yes, C: 007, D: 'null', E: 2026-11-21, F: \"\\u00e9\"}\nroles: {w: {memory: "
      "\"${SIZE}\", instances: \"${N}\", chief: \"${NO:-false}\", command: true}}\n");
  EXPECT_EQ(job.name, "0x10");
  EXPECT_EQ(job.env,
            (EnvVars{{"A", "1.50"}, {"B", "yes"}, {"C", "007"}, {"D", "null"}, {"E", "2026-11-21"}, {"F", "é"}}));
  EXPECT_EQ(job.roles[0].command.shell, "true");
  EXPECT_EQ(job.roles[0].instances, (Instances{3, 3}));
}

TEST(JobFile, AliasIsReplacedByItsAnchor) {
  const JobSpec job = Parsed("roles:\n  a: &r {memory: 1GiB, command: date, env: {X: 1}}\n  b: *r\n", Machine());
  ASSERT_EQ(job.roles.size(), 2u);
  RoleSpec b = job.roles[0];
  b.name = "b";
  EXPECT_EQ(job.roles[1], b);
}

TEST(JobFile, EmptyTextOrNullLeavesOptionalKeyUnset) {
  const JobSpec job = Parsed(
      "source: \"${EMPTY}\"\nqueue: ''\nenv:\nfiles: ~\nname: null\ncheckpoint: {dir: \"${NO:-}\"}\nroles: {w: "
      "{memory: 1GiB, command: date, env: }}\n");
  EXPECT_EQ(job.name, "job");
  EXPECT_EQ(job.source + job.queue + job.checkpoint.dir, "");
}

TEST(JobFile, PathsBecomeAbsolute) {
  SubmitHost machine = Machine();
  machine.path_kind = nullptr;
  const struct {
    const char* written;
    const char* path;
  } rows[] = {{"x", "/jobs/x"},     {"./x/", "/jobs/x"}, {"../x", "/jobs/../x"},     {".", "/jobs"},
              {"/x//y/.", "/x/y"},  {"file:///x", "/x"}, {"hdfs:///x", "hdfs:///x"}, {"s3a://b/x/", "s3a://b/x/"},
              {"a:b", "/jobs/a:b"}, {"/", "/"}};
  for (const auto& row : rows) {
    const std::string text = std::string("source: '") + row.written + "'\nroles: {w: {memory: 1GiB, command: date}}";
    EXPECT_EQ(Parsed(text, machine).source, row.path) << row.written;
  }
}

TEST(JobFile, ContractFilesAreRead) {
  for (const std::string& name : testing::ContractFiles()) {
    SCOPED_TRACE(name);
    const JobSpec job = Parsed(testing::ContractText(name), Machine(name));
    EXPECT_EQ(job.name + ".yaml", name);
  }
  EXPECT_EQ(Parsed(testing::ContractText("grace.yaml")).checkpoint.dir, "/out");
  EXPECT_EQ(Parsed(testing::ContractText("env.yaml")).env,
            (EnvVars{{"SHARED", "a,b = c"}, {"GREETING", "good morning"}, {"PRICE", "$5"}}));
}

TEST(JobFile, BadContractFileGivesExactlyTheExpectedProblems) {
  EXPECT_THAT(
      ProblemsOf(testing::ContractText("bad.yaml"), Machine("bad.yaml")),
      ElementsAre(
          "bad.yaml:2: framework: unknown value 'pytorhc'; did you mean 'pytorch'?",
          "bad.yaml:4: roles.worker.memory: missing; write for example memory: 2GiB",
          "bad.yaml:5: roles.worker.instances: 'two' is not a whole number; write a whole number from 1 to 100000",
          "bad.yaml:6: roles.worker.memroy: unknown key; did you mean 'memory'?",
          "bad.yaml:7: roles.worker.gpus: '-1' is negative; write a whole number from 0 to 1000000",
          "bad.yaml:8: roles.worker.after: unknown role 'nobody'; write the name of another role, or remove it",
          "bad.yaml:9: roles.worker.command: is empty; write the command to run, for example: python train.py",
          "bad.yaml:11: roles.chief.instances: the chief must be a single task; write 1",
          "bad.yaml:12: roles.chief.memory: '2' has no unit; write 2GiB or 2048MiB",
          "bad.yaml:15: roles.chief.restart.backof: unknown key; did you mean 'backoff'?"));
}

constexpr char kBase[] = "roles: {w: {memory: 1GiB, command: date}}\n";

TEST(JobFile, SetReplacesExistingAndAddsMissingKeys) {
  SubmitHost machine = Machine();
  machine.sets = {"roles.w.instances=4",    "checkpoint.grace=3s",  "tags=[a, b]", "name=${N}x", "roles.p.memory=1GiB",
                  "roles.p.command=exit 1", "roles.p.kind=sidecar", "env.A=",      "env.B=1=2",  "roles.w.instances=5"};
  const JobSpec job = Parsed(kBase, machine);
  EXPECT_EQ(job.roles.at(0).instances, (Instances{5, 5}));
  EXPECT_EQ(job.checkpoint.grace, 3s);
  EXPECT_THAT(job.tags, ElementsAre("a", "b"));
  EXPECT_EQ(job.name, "3x");
  EXPECT_EQ(job.roles.at(1).name, "p");
  EXPECT_EQ(job.env, (EnvVars{{"A", ""}, {"B", "1=2"}}));
  machine.sets = {"roles={w: {memory: 1GiB, command: date}}"};
  EXPECT_EQ(Parsed("", machine).roles.size(), 1u);
}

TEST(JobFile, SetOnAnAliasedRoleChangesOnlyThatRole) {
  SubmitHost machine = Machine();
  machine.sets = {"roles.b.instances=4"};
  const JobSpec job = Parsed("roles:\n  a: &r {memory: 1GiB, command: date}\n  b: *r\n", machine);
  EXPECT_EQ(job.roles.at(0).instances.max, 1);
  EXPECT_EQ(job.roles.at(1).instances.max, 4);
}

TEST(JobFile, RenamedKeyExcuseIsStillReadWithAHint) {
  const auto parsed = [](const std::string& restart) {
    return ParseJobFile("roles:\n  w: {memory: 1GiB, command: date, restart: " + restart + "}\n", Machine());
  };
  for (const bool excuse : {true, false}) {
    const ParsedJob job = parsed(std::string("{excuse: ") + (excuse ? "true}" : "false}"));
    EXPECT_THAT(job.problems, IsEmpty());
    EXPECT_EQ(job.spec.roles.at(0).restart.charge_infrastructure, !excuse);
    ASSERT_EQ(job.hints.size(), 1u);
    EXPECT_EQ(job.hints[0].ToText(),
              "job.yaml:2: roles.w.restart.excuse: is the old name of 'charge_infrastructure'; write "
              "charge_infrastructure with the opposite value");
    const ParsedJob again = ParseJobFile(WriteEffective(job.spec), Machine());
    EXPECT_EQ(again.spec, job.spec);
    EXPECT_THAT(again.hints, IsEmpty());
  }
  EXPECT_THAT(parsed("{charge_infrastructure: true}").hints, IsEmpty());
  EXPECT_EQ(parsed("{excuse: true, charge_infrastructure: true}").problems.at(0).text,
            "is the old name of 'charge_infrastructure'; remove it");
  EXPECT_EQ(parsed("{excuse: 7}").problems.at(0).text, "invalid value '7'; write true or false");
  EXPECT_EQ(JsonSchema().find("excuse"), std::string::npos);
}

TEST(JobFile, InvalidSetIsReported) {
  const struct {
    const char* set;
    const char* problem;
  } rows[] = {
      {"roles.w.instanecs=4", "--set: roles.w.instanecs: unknown key; did you mean 'instances'?"},
      {"roles.W.instances=4", "--set: roles.W: unknown role 'W'; did you mean 'w'?"},
      {"roles.w.instances=-4", "--set: roles.w.instances: '-4' is negative; write a whole number from 1 to 100000"},
      {"roles.w.memory=2", "--set: roles.w.memory: '2' has no unit; write 2GiB or 2048MiB"},
      {"roles.w.after=[x]", "--set: roles.w.after: unknown role 'x'; write the name of another role, or remove it"},
      {"tags=[a", "--set: tags: not valid YAML: while parsing a flow sequence, did not find expected ',' or ']'"},
      {"instances=4", "--set: instances: unknown key here; did you mean roles.w.instances?"},
      {"roles.w.memory", "--set: 'roles.w.memory' is not KEY=VALUE; write for example roles.worker.instances=4"},
      {"=4", "--set: '=4' is not KEY=VALUE; write for example roles.worker.instances=4"},
      {"roles..x=4", "--set: roles.: the key has an empty part; write for example roles.worker.instances=4"},
      {"roles.w.memory.x=4", "--set: roles.w.memory: must be a memory size such as 4GiB, but is a map"},
  };
  for (const auto& row : rows) {
    SubmitHost machine = Machine();
    machine.sets = {row.set};
    EXPECT_THAT(ProblemsOf(kBase, machine), ElementsAre(row.problem)) << row.set;
  }
}

}  // namespace
}  // namespace howdah::jobspec
