#include "howdah/compat/skeinspec/translate.h"

#include <gtest/gtest.h>

#include "howdah/jobspec/job_file.h"
#include "testing.h"

namespace howdah::compat::skeinspec {
namespace {

using testing::Minimal;
using testing::Read;

common::Translation Translated(std::string_view text) {
  const auto read = Read(text);
  for (const keyfile::Problem& problem : read.problems) ADD_FAILURE() << problem.ToText();
  return Translate(read.value, "spec.yaml");
}

// The job file that stands for the specification, as JSON.
jobspec::JobSpec JobFile(std::string_view yaml) {
  jobspec::SubmitHost host;
  host.directory = "/here";
  jobspec::ParsedJob job = jobspec::ParseJobFile(yaml, host);
  for (const keyfile::Problem& problem : job.problems) ADD_FAILURE() << problem.ToText();
  return std::move(job.spec);
}

std::vector<std::string> NotesOf(const common::Translation& translation) {
  std::vector<std::string> texts;
  for (const common::Note& note : translation.notes) texts.push_back(note.ToText());
  return texts;
}

// The specification that dask-yarn 0.9 makes for `dask-yarn submit`: _make_specification and _make_submit_specification
// in its module core.
constexpr char kDaskYarn[] = R"(name: dask
queue: default
services:
  dask.scheduler:
    instances: 1
    resources: {memory: 2048, vcores: 1}
    max_restarts: 0
    files: {environment: env.tar.gz}
    script: |
      source environment/bin/activate
      environment/bin/python -m dask_yarn.cli services scheduler
  dask.worker:
    instances: 4
    resources: {memory: 4096, vcores: 2}
    max_restarts: -1
    depends: [dask.scheduler]
    files: {environment: env.tar.gz}
    env: {worker_class: distributed.Nanny}
    script: |
      source environment/bin/activate
      environment/bin/python -m dask_yarn.cli services worker
  dask.client:
    resources: {memory: 2 GiB, vcores: 1}
    depends: [dask.scheduler]
    files: {environment: env.tar.gz, run.py: run.py}
    script: |
      source environment/bin/activate
      environment/bin/python -m dask_yarn.cli services client run.py
)";

constexpr char kDaskJob[] = R"(name: dask
queue: default
start: free
roles:
  dask-scheduler:
    memory: 2GiB
    env: {SKEIN_RESOURCE_MEMORY: 2048, SKEIN_RESOURCE_VCORES: 1}
    files: [{from: /here/env.tar.gz, to: environment, unpack: true}]
    command: |
      source environment/bin/activate
      environment/bin/python -m dask_yarn.cli services scheduler
  dask-worker:
    instances: 4
    memory: 4GiB
    vcores: 2
    restart: {max: unlimited}
    after: [dask-scheduler]
    env: {SKEIN_RESOURCE_MEMORY: 4096, SKEIN_RESOURCE_VCORES: 2, worker_class: distributed.Nanny}
    files: [{from: /here/env.tar.gz, to: environment, unpack: true}]
    command: |
      source environment/bin/activate
      environment/bin/python -m dask_yarn.cli services worker
  dask-client:
    memory: 2GiB
    after: [dask-scheduler]
    env: {SKEIN_RESOURCE_MEMORY: 2048, SKEIN_RESOURCE_VCORES: 1}
    files: [{from: /here/env.tar.gz, to: environment, unpack: true}, {from: /here/run.py, to: run.py}]
    command: |
      source environment/bin/activate
      environment/bin/python -m dask_yarn.cli services client run.py
)";

TEST(SkeinTranslation, DaskYarnBecomesThreeRolesAndItsClientsAreNamed) {
  const common::Translation translation = Translated(kDaskYarn);
  EXPECT_EQ(jobspec::WriteEffective(translation.job), jobspec::WriteEffective(JobFile(kDaskJob)));
  const std::string note =
      " (spec.yaml) has no effect: Skein's service, which it calls, does not run; for Dask use `dask scheduler` and "
      "`dask worker` as in examples/dask";
  EXPECT_EQ(NotesOf(translation), (std::vector<std::string>{"`dask_yarn` in services.dask.scheduler.script" + note,
                                                            "`dask_yarn` in services.dask.worker.script" + note,
                                                            "`dask_yarn` in services.dask.client.script" + note}));
}

// A chain of services in the form of the example in Skein's documentation, with a driver and every kind of key.
constexpr char kChain[] = R"(name: chain
queue: ml
node_label: large
max_attempts: 3
tags: [nightly, etl]
file_systems: ["hdfs://nn2:8020"]
acls:
  enable: True
  view_users: [ann]
  view_groups: [analysts]
  modify_users: ["*"]
master:
  resources: {memory: 1 GiB, vcores: 2, gpus: 1}
  files: {run.py: run.py}
  env: {MODE: fast}
  script: |
    python run.py | tee log
services:
  store:
    resources: {memory: 2 GiB, vcores: 1}
    script: exec ./store
    files:
      store: {source: "hdfs:///bin/store", type: file}
    nodes: [node1]
    racks: [rack1]
  index:
    instances: 3
    resources: {memory: 1 GiB, vcores: 1, fpgas: 2}
    depends: [store]
    max_restarts: 2
    node_label: fast
    script: exec ./index
  watch:
    resources: {memory: 256 MiB, vcores: 1}
    depends: [store, index]
    allow_failures: True
    relax_locality: True
    nodes: [node2]
    script: exec ./watch
)";

constexpr char kChainJob[] = R"(name: chain
queue: ml
node_label: large
am: {attempts: 3}
tags: [nightly, etl]
file_systems: ["hdfs://nn2:8020"]
access: {view: [ann, "@analysts"], modify: ["*"]}
start: free
roles:
  driver:
    chief: true
    memory: 1GiB
    vcores: 2
    gpus: 1
    env: {SKEIN_RESOURCE_MEMORY: 1024, SKEIN_RESOURCE_VCORES: 2, MODE: fast}
    files: [{from: /here/run.py, to: run.py}]
    command: |
      set +o pipefail
      python run.py | tee log
  store:
    kind: service
    memory: 2GiB
    env: {SKEIN_RESOURCE_MEMORY: 2048, SKEIN_RESOURCE_VCORES: 1}
    files: [{from: "hdfs:///bin/store", to: store}]
    locality: {nodes: [node1], racks: [/rack1], strict: true}
    command: exec ./store
  index:
    kind: service
    instances: 3
    memory: 1GiB
    resources: {yarn.io/fpga: 2}
    after: [store]
    restart: 2
    node_label: fast
    env: {SKEIN_RESOURCE_MEMORY: 1024, SKEIN_RESOURCE_VCORES: 1}
    command: exec ./index
  watch:
    kind: sidecar
    memory: 256MiB
    after: [store, index]
    locality: {nodes: [node2]}
    env: {SKEIN_RESOURCE_MEMORY: 256, SKEIN_RESOURCE_VCORES: 1}
    command: exec ./watch
)";

TEST(SkeinTranslation, ChainOfServicesEndsWithItsDriver) {
  const common::Translation translation = Translated(kChain);
  EXPECT_EQ(jobspec::WriteEffective(translation.job), jobspec::WriteEffective(JobFile(kChainJob)));
  EXPECT_EQ(NotesOf(translation),
            (std::vector<std::string>{"the sum over all instances in services.index.max_restarts (spec.yaml) has no "
                                      "effect: Howdah counts the restarts of each instance"}));
}

TEST(SkeinTranslation, WithoutDriverTheServicesAreWorkers) {
  const auto translation =
      Translated("master: {resources: {memory: 600, vcores: 2}}\nservices:\n  a: " + Minimal("allow_failures: true") +
                 "\n  b: " + Minimal("depends: [a, a]") + "\n");
  ASSERT_EQ(translation.job.roles.size(), 2u);
  EXPECT_EQ(translation.job.roles[0].kind, jobspec::RoleKind::kWorker);
  EXPECT_EQ(translation.job.roles[0].on_failure, jobspec::OnFailure::kIgnore);
  EXPECT_EQ(translation.job.roles[1].on_failure, jobspec::OnFailure::kFail);
  EXPECT_EQ(translation.job.roles[1].after, (std::vector<jobspec::After>{{"a"}}));
  EXPECT_EQ(translation.job.am.memory_bytes, int64_t{600} << 20);
  EXPECT_EQ(translation.job.am.vcores, 2);
  EXPECT_EQ(translation.job.am.attempts, 2);  // Howdah's default
  EXPECT_TRUE(translation.notes.empty());
}

TEST(SkeinTranslation, DriverNeedsNoServiceAndHasTheMastersDefaultSize) {
  const auto translation = Translated("master: {script: run}");
  ASSERT_EQ(translation.job.roles.size(), 1u);
  EXPECT_EQ(translation.job.name, "skein");
  EXPECT_TRUE(translation.job.roles[0].chief);
  EXPECT_EQ(translation.job.roles[0].memory_bytes, int64_t{512} << 20);  // the default in Skein's class Master
  EXPECT_EQ(translation.job.roles[0].vcores, 1);
}

TEST(SkeinTranslation, DriverGetsAFreeName) {
  const auto translation = Translated("master: {script: run}\nservices: {driver: " + Minimal() + "}");
  ASSERT_EQ(translation.job.roles.size(), 2u);
  EXPECT_EQ(translation.job.roles[0].name, "driver-1");
  EXPECT_EQ(translation.job.roles[1].name, "driver");
}

TEST(SkeinTranslation, KeysWithoutEffectAreNamedWithTheReason) {
  const struct {
    std::string text;
    std::string keys;
  } rows[] = {
      {"user: bob\nmaster: {script: run}", "user"},
      {"acls: {view_users: [a], modify_groups: [b], ui_users: [c]}\nmaster: {script: run}",
       "acls.view_users acls.modify_groups acls.ui_users"},
      {"acls: {enable: true, view_users: [a], ui_users: [c]}\nmaster: {script: run}", "acls.ui_users"},
      {"master: {script: run, log_level: DEBUG, log_config: run.py, security: {cert_file: tls.crt, key_bytes: x}}",
       "master.log_level master.log_config master.security.cert_file master.security.key_bytes"},
      {"master: {env: {A: b}, files: {run.py: run.py}, resources: {memory: 1, vcores: 1, gpus: 1, fpgas: 1}}\n"
       "services: {w: " +
           Minimal() + "}",
       "master.files master.env master.resources.gpus master.resources.fpgas"},
      {"services: {w: " + Minimal("files: {a: {source: run.py, visibility: application, size: 1, timestamp: 2}}") + "}",
       "services.w.files.a.visibility services.w.files.a.size services.w.files.a.timestamp"},
      {"services: {w: " + Minimal("max_restarts: 2") + "}", ""},
      {"services: {w: " + Minimal("max_restarts: -1, instances: 2") + "}", ""},
  };
  for (const auto& row : rows) {
    std::string keys;
    for (const common::Note& note : Translated(row.text).notes) {
      keys += (keys.empty() ? "" : " ") + note.key;
      EXPECT_FALSE(note.text.empty()) << note.key;
      EXPECT_EQ(note.origin, "spec.yaml");
    }
    EXPECT_EQ(keys, row.keys) << row.text;
  }
}

TEST(SkeinTranslation, ScriptsThatCallSkeinAreNamed) {
  const struct {
    const char* script;
    const char* client;
  } rows[] = {
      {"skein kv put current", "skein"},
      {"set -e; dask-yarn services worker", "dask-yarn"},
      {"python -m dask_yarn.cli", "dask_yarn"},
      {"python -c 'import skein'", "skein"},
      {"python skeins.py", ""},
      {"./my-skein", ""},
      {"cat spec.skein", ""},
      {"dask worker", ""},
      {"cat skein.yaml", ""},
  };
  for (const auto& row : rows) {
    Specification specification;
    specification.master.script = row.script;
    const auto notes = Translate(specification, "s.yaml").notes;
    ASSERT_EQ(notes.size(), *row.client == '\0' ? 0u : 1u) << row.script;
    if (!notes.empty()) {
      EXPECT_EQ(notes[0].key, "`" + std::string(row.client) + "` in master.script");
    }
  }
}

}  // namespace
}  // namespace howdah::compat::skeinspec
