#include "howdah/compat/skeinspec/specification.h"

#include <gtest/gtest.h>

#include "testing.h"

namespace howdah::compat::skeinspec {
namespace {

using testing::Minimal;
using testing::Read;

std::vector<std::string> ProblemsOf(std::string_view text) {
  std::vector<std::string> texts;
  for (const keyfile::Problem& problem : Read(text).problems) texts.push_back(problem.ToText());
  return texts;
}

TEST(SkeinSpecification, DefaultsAreThoseOfSkein) {
  const auto read = Read("services: {work: " + Minimal() + "}");
  ASSERT_TRUE(read.problems.empty());
  Specification expected;
  expected.services.resize(1);
  Service& service = expected.services[0];
  service.name = "work";
  service.script = "run";
  service.resources = {.memory_mib = 1024, .vcores = 1, .gpus = 0, .fpgas = 0};
  service.instances = 1;
  service.max_restarts = 0;
  EXPECT_EQ(read.value, expected);
  EXPECT_EQ(read.value.name, "skein");
}

TEST(SkeinSpecification, JsonIsReadAsYamlIs) {
  const auto json = Read(R"({"name": "a", "tags": ["t"], "services": {"w": {"script": "run",
    "resources": {"memory": 2048, "vcores": 2}, "relax_locality": true, "nodes": ["n1"], "max_restarts": -1}}})");
  const auto yaml = Read(
      "name: a\ntags:\n  - t\nservices:\n  w:\n    script: run\n    resources:\n      memory: 2 GiB\n      vcores: 2\n"
      "    relax_locality: True\n    nodes:\n      - n1\n    max_restarts: -1\n");
  ASSERT_TRUE(json.problems.empty() && yaml.problems.empty());
  EXPECT_EQ(json.value, yaml.value);
  EXPECT_EQ(json.value.services[0].max_restarts, kAlwaysRestart);
}

// Skein's function parse_memory: MiB without a unit, powers of 1000 or 1024 by the unit, rounded up to MiB.
TEST(SkeinSpecification, MemoryIsReadAsSkeinDoes) {
  const struct {
    const char* text;
    int64_t mib;
  } rows[] = {{"512", 512},      {"1.5", 2},       {"5 GiB", 5120},    {"5GiB", 5120},  {"5 gib", 5120},
              {"1.5 GiB", 1536}, {"2 Gi", 2048},   {"1 TiB", 1 << 20}, {"1024 KiB", 1}, {"1 GB", 954},
              {"1 g", 954},      {"1000 mb", 954}, {"1048576 b", 1},   {"1048577b", 2}, {"'100'", 100}};
  for (const auto& row : rows) {
    const auto read =
        Read("services: {w: {script: run, resources: {vcores: 1, memory: " + std::string(row.text) + "}}}");
    ASSERT_TRUE(read.problems.empty()) << row.text << read.problems[0].ToText();
    EXPECT_EQ(read.value.services[0].resources.memory_mib, row.mib) << row.text;
  }
}

TEST(SkeinSpecification, FilesAreRelativeToTheSpecificationAndArchivesAreInferred) {
  const auto read = Read("services: {w: " +
                         Minimal("files: {env: env.tar.gz, ./plain: {source: ./data.zip, type: FILE}, "
                                 "labels: 'file:///opt/labels.csv', remote.tgz: 'hdfs:///e.tgz', "
                                 "x: {source: 'hdfs:///x.jar', type: archive, visibility: Public, size: 7, "
                                 "timestamp: 1690000000000}}") +
                         "}");
  ASSERT_TRUE(read.problems.empty()) << read.problems[0].ToText();
  const std::vector<File>& files = read.value.services[0].files;
  const struct {
    const char* name;
    const char* source;
    bool archive;
  } rows[] = {{"env", "/here/env.tar.gz", true},
              {"plain", "/here/data.zip", false},
              {"labels", "/opt/labels.csv", false},
              {"remote.tgz", "hdfs:///e.tgz", true},
              {"x", "hdfs:///x.jar", true}};
  ASSERT_EQ(files.size(), std::size(rows));
  for (size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(files[i].name, rows[i].name);
    EXPECT_EQ(files[i].source, rows[i].source);
    EXPECT_EQ(files[i].IsArchive(), rows[i].archive) << rows[i].name;
  }
  EXPECT_EQ(files[4].visibility, "public");
  EXPECT_EQ(files[4].size, 7);
  EXPECT_EQ(files[4].timestamp, 1690000000000);
}

TEST(SkeinSpecification, DollarsHaveNoMeaning) {
  const auto read = Read(
      "name: $HOME\nservices: {w: {script: 'echo ${X} $$', resources: {memory: 1, vcores: 1}, "
      "env: {A: '${B}'}}}");
  ASSERT_TRUE(read.problems.empty());
  EXPECT_EQ(read.value.name, "$HOME");
  EXPECT_EQ(read.value.services[0].script, "echo ${X} $$");
  EXPECT_EQ(read.value.services[0].env, (Pairs{{"A", "${B}"}}));
}

TEST(SkeinSpecification, RoleNamesHaveOnlyAllowedCharacters) {
  EXPECT_EQ(RoleName("dask.worker"), "dask-worker");
  EXPECT_EQ(RoleName("a_b-C9"), "a_b-C9");
  EXPECT_EQ(RoleName("9 lives"), "service-9-lives");
  EXPECT_EQ(RoleName(""), "service-");
}

TEST(SkeinSpecification, MistakesHaveLineKeyAndRemedy) {
  const struct {
    std::string text;
    std::vector<std::string> problems;
  } rows[] = {
      {"", {"spec.yaml:1: the file is empty"}},
      {"name: a\n",
       {"spec.yaml: services: the specification has neither services nor master.script; write one of them"}},
      {"nmae: a\nservices: {w: " + Minimal() + "}", {"spec.yaml:1: nmae: unknown key; did you mean 'name'?"}},
      {"services:\n  w: " + Minimal("commands: [a]"),
       {"spec.yaml:2: services.w.commands: unknown key here; did you mean script (Skein 0.6 removed 'commands'; write "
        "one script with a command per line)?"}},
      {"services:\n  w: {instances: 2}\n",
       {"spec.yaml:2: services.w.resources: missing; write for example resources: {memory: 2 GiB, vcores: 1}",
        "spec.yaml:2: services.w.script: missing; write for example script: python work.py"}},
      {"services:\n  w:\n", {"spec.yaml:2: services.w: has no keys; write resources and script"}},
      {"services:\n  w: " + Minimal("max_restarts: -2"),
       {"spec.yaml:2: services.w.max_restarts: '-2' is out of range; write a whole number from -1 to 1000000"}},
      {"services:\n  w: " + Minimal("instances: many"),
       {"spec.yaml:2: services.w.instances: 'many' is not a whole number; write a whole number from 0 to 100000"}},
      {"services:\n  w: " + Minimal("instances: 0"),
       {"spec.yaml:2: services.w.instances: 0 instances are added later through Skein's service, which Howdah does not "
        "run; write the number that the application needs, or remove the service"}},
      {"services:\n  w: " + Minimal("allow_failures: maybe"),
       {"spec.yaml:2: services.w.allow_failures: invalid value 'maybe'; write true or false"}},
      {"services:\n  w: " + Minimal("depends: w2"), {"spec.yaml:2: services.w.depends: must be a list, as in [a, b]"}},
      {"services:\n  w: {script: ' ', resources: {memory: 1 XB, vcores: 0}}",
       {"spec.yaml:2: services.w.script: is empty; write a script for bash",
        "spec.yaml:2: services.w.resources.memory: unknown unit in the memory size '1 XB'; write for example 2 GiB, or "
        "the number of MiB",
        "spec.yaml:2: services.w.resources.vcores: '0' is out of range; write a whole number from 1 to 1000000"}},
      {"services:\n  w: " + Minimal("files: {a/b: run.py, c: gone.py, d: {type: link, source: run.py}, e: {}}"),
       {"spec.yaml:2: services.w.files.a/b: must be the name of a file in the working directory, without a directory",
        "spec.yaml:2: services.w.files.c: no such file: '/here/gone.py'; relative paths start at the directory of the "
        "specification",
        "spec.yaml:2: services.w.files.d.type: unknown value 'link'; write one of file, archive",
        "spec.yaml:2: services.w.files.e.source: missing; write for example source: env.tar.gz"}},
      {"master:\n  script: run\n  log_level: inof\n  security: {cert: tls.crt}\n",
       {"spec.yaml:3: master.log_level: unknown value 'inof'; did you mean 'info'?",
        "spec.yaml:4: master.security.cert: unknown key; did you mean 'cert_file'?"}},
      {"master: {script: run, env: {1A: x}}",
       {"spec.yaml:1: master.env.1A: invalid variable name; use letters, digits and _, not starting with a digit"}},
  };
  for (const auto& row : rows) EXPECT_EQ(ProblemsOf(row.text), row.problems) << row.text;
}

TEST(SkeinSpecification, ServicesMustStartInSomeOrder) {
  const auto with = [](const std::string& services) { return ProblemsOf("services:\n" + services); };
  EXPECT_EQ(
      with("  a: " + Minimal("depends: [wroker]") + "\n  worker: " + Minimal() + "\n"),
      (std::vector<std::string>{"spec.yaml:2: services.a.depends: unknown service 'wroker'; did you mean 'worker'?"}));
  EXPECT_EQ(
      with("  a: " + Minimal("depends: [zzzzzzzz]")),
      (std::vector<std::string>{"spec.yaml:2: services.a.depends: unknown service 'zzzzzzzz'; write the name of a "
                                "service of this specification, or remove it"}));
  EXPECT_EQ(with("  a: " + Minimal("depends: [b]") + "\n  b: " + Minimal("depends: [c]") +
                 "\n  c: " + Minimal("depends: [b]") + "\n"),
            (std::vector<std::string>{"spec.yaml:3: services.b.depends: the services wait for each other: b -> c -> b; "
                                      "remove one of these dependencies"}));
  EXPECT_EQ(with("  a: " + Minimal("depends: [a]")),
            (std::vector<std::string>{"spec.yaml:2: services.a.depends: the services wait for each other: a -> a; "
                                      "remove one of these dependencies"}));
}

TEST(SkeinSpecification, ServicesMustHaveDifferentRoles) {
  EXPECT_EQ(ProblemsOf("services:\n  a.b: " + Minimal() + "\n  a-b: " + Minimal() + "\n"),
            (std::vector<std::string>{
                "spec.yaml:3: services.a-b: would run as the role 'a-b', as the service 'a.b' does, because a role's "
                "name has only letters, digits, _ and -; rename one of them"}));
  EXPECT_EQ(ProblemsOf("services:\n  " + std::string(64, 'a') + ": " + Minimal() + "\n").size(), 1u);
  EXPECT_EQ(ProblemsOf("services:\n  " + std::string(63, 'a') + ": " + Minimal() + "\n").size(), 0u);
}

TEST(SkeinSpecification, LimitsAreErrors) {
  std::string services = "services:\n";
  for (int i = 0; i < 1001; ++i) services += "  s" + std::to_string(i) + ": " + Minimal() + "\n";
  EXPECT_EQ(ProblemsOf(services),
            (std::vector<std::string>{"spec.yaml:1: services: has 1001 services; at most 1000 are supported"}));
  services.resize(services.rfind("  s1000"));
  EXPECT_EQ(Read(services).value.services.size(), 1000u);
  EXPECT_EQ(ProblemsOf(services), std::vector<std::string>());
  ASSERT_EQ(ProblemsOf(std::string((1 << 20) + 1, '#')).size(), 1u);
  EXPECT_NE(ProblemsOf(std::string((1 << 20) + 1, '#'))[0].find("1 MiB"), std::string::npos);
}

}  // namespace
}  // namespace howdah::compat::skeinspec
