// The files and outputs that the autoscaler reads: policies, providers, lists of machines, exclude files, its state.
#include <gmock/gmock.h>

#include "howdah/autoscale/exclude_file.h"
#include "howdah/autoscale/node_list.h"
#include "howdah/autoscale/policy.h"
#include "howdah/autoscale/provider.h"
#include "howdah/autoscale/publication.h"
#include "howdah/autoscale/state.h"

namespace howdah::autoscale {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The policy of Google's talk.
constexpr std::string_view kTalk = R"(workerConfig: {minInstances: 2, maxInstances: 10, weight: 50}
secondaryWorkerConfig: {weight: 50}
basicAlgorithm:
  cooldownPeriod: 120s
  yarnConfig: {scaleUpFactor: 1.0, scaleDownFactor: 1.0, gracefulDecommissionTimeout: 900s}
)";

std::vector<std::string> Texts(const std::vector<keyfile::Problem>& problems) {
  std::vector<std::string> texts;
  for (const keyfile::Problem& problem : problems) texts.push_back(problem.ToText());
  return texts;
}

TEST(PolicyFile, PolicyOfTheTalk) {
  const auto parsed = ParsePolicy(kTalk, "p.yaml", ShortPeriods::kRefused);
  ASSERT_THAT(Texts(parsed.problems), IsEmpty());
  EXPECT_EQ(parsed.value.cooldown, Duration(seconds(120)));
  EXPECT_EQ(parsed.value.drain, Duration(minutes(15)));
  EXPECT_EQ(parsed.value.primary.max, 10);
  EXPECT_EQ(parsed.value.secondary.max, 0) << "a block with only a weight means no nodes";
  EXPECT_EQ(Divide(parsed.value, 10), (Sizes{10, 0}));
}

TEST(PolicyFile, ExportedJson) {
  const auto parsed =
      ParsePolicy(R"({"id": "p1", "name": "projects/x/p1", "labels": {"a": "b"}, "clusterType": "ZERO_SCALE",
 "workerConfig": {"minInstances": 0, "maxInstances": 5},
 "secondaryWorkerConfig": {"maxInstances": 7},
 "basicAlgorithm": {"yarnConfig": {"gracefulDecommissionTimeout": "0s", "scaleUpFactor": 0.5, "scaleDownFactor": 0,
                                   "scaleUpMinWorkerFraction": 0.1}}})",
                  "p.json", ShortPeriods::kRefused);
  ASSERT_THAT(Texts(parsed.problems), IsEmpty());
  EXPECT_EQ(parsed.value.id, "p1");
  EXPECT_EQ(parsed.value.cooldown, Duration(minutes(2)));
  EXPECT_DOUBLE_EQ(parsed.value.up_factor, 0.5);
  EXPECT_DOUBLE_EQ(parsed.value.up_fraction, 0.1);
}

TEST(PolicyFile, AllProblemsAreReportedAtOnceWithTheirLines) {
  const auto parsed = ParsePolicy(R"(workerConfig: {minInstances: 1, maxInstances: 0, weight: 0}
secondaryWorkerConfig: {minInstances: 3, maxInstances: 2}
basicAlgorithm:
  cooldownPeriod: 30s
  sparkStandaloneConfig: {}
  yarnConfig:
    gracefulDecommissionTimeout: 25h
    scaleUpFactor: 1.5
    scaleDownMinWorkerFraction: 0.6
    scaleUpMinWorkerFracton: 0.1
)",
                                  "p.yaml", ShortPeriods::kRefused);
  EXPECT_THAT(
      Texts(parsed.problems),
      ElementsAre("p.yaml:1: workerConfig.minInstances: must be at least 2, but is 1; only clusterType ZERO_SCALE "
                  "allows less",
                  "p.yaml:1: workerConfig.weight: the weights of both groups are 0; write a weight above 0 for "
                  "one of them",
                  "p.yaml:2: secondaryWorkerConfig.maxInstances: must be at least minInstances, which is 3, but "
                  "is 2",
                  "p.yaml:4: basicAlgorithm.cooldownPeriod: must be from 2m to 1d, but is 30s",
                  "p.yaml:5: basicAlgorithm.sparkStandaloneConfig: is for Spark without YARN; use yarnConfig",
                  "p.yaml:6: basicAlgorithm.yarnConfig.scaleDownFactor: missing; write for example "
                  "scaleDownFactor: 1.0",
                  "p.yaml:7: basicAlgorithm.yarnConfig.gracefulDecommissionTimeout: must be from 0s to 1d, but "
                  "is 25h",
                  "p.yaml:8: basicAlgorithm.yarnConfig.scaleUpFactor: '1.5' is out of range; write a number from "
                  "0.0 to 1.0",
                  "p.yaml:10: basicAlgorithm.yarnConfig.scaleUpMinWorkerFracton: unknown key; did you mean "
                  "'scaleUpMinWorkerFraction'?"));
  EXPECT_THAT(
      Texts(parsed.hints),
      ElementsAre("p.yaml:9: basicAlgorithm.yarnConfig.scaleDownMinWorkerFraction: changes of less than 60.0 % of "
                  "the cluster are never made"));
}

TEST(PolicyFile, TestsHaveShorterPeriods) {
  std::string text(kTalk);
  text.replace(text.find("120s"), 4, "5s");
  EXPECT_THAT(Texts(ParsePolicy(text, "p", ShortPeriods::kAllowed).problems), IsEmpty());
  EXPECT_THAT(Texts(ParsePolicy(text, "p", ShortPeriods::kRefused).problems),
              ElementsAre("p:4: basicAlgorithm.cooldownPeriod: must be from 2m to 1d, but is 5s"));
}

constexpr std::string_view kProvider = R"(groups:
  primary: {hosts: 'w-[0-9]+', node: {memory: 12GiB, vcores: 4, gpus: 1, label: gpu}, cost: 0.75, join: 10m}
  secondary: {hosts: 'sw-[0-9]+', preemptible: true}
list: ./list-nodes "$HOME"
add: ./add-nodes
remove: ./remove-nodes
exclude: {path: /etc/hadoop/conf/exclude.xml, read: ssh rm1 cat /etc/x, write: "ssh rm1 'cat > /etc/x'"}
publish: hdfs:///howdah/autoscale.json
elastic: max
)";

Provider Example() { return ParseProvider(kProvider, "provider.yaml").value; }

TEST(ProviderFile, Example) {
  const auto parsed = ParseProvider(kProvider, "provider.yaml");
  ASSERT_THAT(Texts(parsed.problems), IsEmpty());
  const Provider& provider = parsed.value;
  EXPECT_EQ(provider.primary->node->size, (admission::Resources{12 * 1024, 4, 1, {}}));
  EXPECT_EQ(provider.primary->node->label, "gpu");
  EXPECT_FALSE(provider.secondary->node);
  EXPECT_EQ(provider.secondary->join, Duration(minutes(10)));
  EXPECT_EQ(provider.list, "./list-nodes \"$HOME\"") << "bash expands its variables";
  EXPECT_TRUE(provider.exclude.is_xml());
  EXPECT_EQ(provider.publish, "hdfs:///howdah/autoscale.json");
  EXPECT_TRUE(provider.elastic_max);
  EXPECT_EQ(provider.timeout, Duration(minutes(5)));
}

TEST(ProviderFile, Problems) {
  const auto parsed = ParseProvider(R"(groups:
  primary: {hosts: 'w-[0-9', node: {memory: 12, vcores: 0}, cost: -1}
  third: {}
list: "  "
exclude: {}
)",
                                    "provider.yaml");
  EXPECT_THAT(Texts(parsed.problems),
              ElementsAre(HasSubstr("provider.yaml:1: add: missing"), HasSubstr("provider.yaml:1: remove: missing"),
                          HasSubstr("provider.yaml:2: groups.primary.hosts: invalid regular expression"),
                          HasSubstr("provider.yaml:2: groups.primary.node.memory: '12' has no unit"),
                          HasSubstr("provider.yaml:2: groups.primary.node.vcores: '0' is too small"),
                          HasSubstr("provider.yaml:2: groups.primary.cost: '-1' is out of range"),
                          HasSubstr("provider.yaml:3: groups.third: unknown key"),
                          HasSubstr("provider.yaml:4: list: is empty; write a command for bash"),
                          HasSubstr("provider.yaml:5: exclude.path: missing")));
}

TEST(NodeList, States) {
  const auto machines = ParseNodeList(R"({"id": "1", "host": "w-1", "group": "primary", "state": "running"}

{"id": "2", "group": "secondary", "state": "creating"}
{"id": "3", "host": "sw-3", "group": "secondary", "state": "failed", "error": {"class": "QUOTA", "message": "no\nCPUs"}}
)",
                                      Example());
  ASSERT_TRUE(machines.ok()) << machines.error().message;
  ASSERT_EQ(machines->size(), 3U);
  EXPECT_EQ((*machines)[0].host, "w-1");
  EXPECT_EQ((*machines)[1].state, Machine::State::kCreating);
  EXPECT_EQ((*machines)[2].failure, Failure::kQuota);
  EXPECT_EQ((*machines)[2].message, "no CPUs");
  EXPECT_TRUE(ParseNodeList("", Example())->empty());
}

TEST(NodeList, EveryFaultNamesItsLine) {
  const struct {
    const char* output;
    const char* fault;
  } cases[] = {
      {"nothing", "line 1: is not a JSON object: 'nothing'"},
      {"[]", "line 1: is not a JSON object: '[]'"},
      {"\n{}", R"(line 2: has no "id")"},
      {R"({"id": "1", "host": "w-1", "group": "primry", "state": "running"})",
       "line 1: unknown group 'primry'; did you mean 'primary'?"},
      {R"({"id": "1", "host": "w-1", "group": "primary", "state": "up"})",
       "line 1: unknown state 'up'; write one of creating, running, deleting, failed"},
      {R"({"id": "1", "group": "primary", "state": "running"})", R"(line 1: has no "host")"},
      {R"({"id": "1", "host": "w-1.evil", "group": "primary", "state": "running"})",
       "line 1: the host 'w-1.evil' does not match groups.primary.hosts, which is 'w-[0-9]+'"},
      {R"({"id": "1", "host": "w-1", "group": "primary", "state": "failed", "error": {"class": "quota"}})",
       "line 1: unknown error class 'quota'; did you mean 'QUOTA'?"},
      {R"({"id": "1", "host": "w-1", "group": "primary", "state": "running"}
{"id": "2", "host": "w-1", "group": "primary", "state": "running"})",
       "line 2: the host 'w-1' is listed twice"},
      {R"({"id": "1", "host": "w-1", "group": "primary", "state": "running"}
{"id": "1", "host": "w-2", "group": "primary", "state": "running"})",
       "line 2: the id '1' is listed twice"},
  };
  for (const auto& c : cases) {
    const auto machines = ParseNodeList(c.output, Example());
    ASSERT_FALSE(machines.ok()) << c.output;
    EXPECT_EQ(machines.error().message, std::string("the output of `list`, ") + c.fault);
  }
}

TEST(NodeList, ErrorsOfCommands) {
  const CommandError quota =
      ParseCommandError("text\n{\"error\": {\"class\": \"QUOTA\", \"message\": \"no CPUs\"}}\n", "x\n");
  EXPECT_EQ(quota.failure, Failure::kQuota);
  EXPECT_EQ(quota.message, "no CPUs");
  const CommandError other = ParseCommandError("", "\nfirst line\nsecond\n");
  EXPECT_EQ(other.failure, Failure::kTransient);
  EXPECT_EQ(other.message, "first line");
}

TEST(ExcludeFile, PlainEntriesOfOthersStay) {
  const std::string text = "# broken since May\nold-1 old-2\nw-1\nw-9 # ours?\n";
  const auto written =
      WithExcluded(text, ExcludeFormat::kPlain, {"w-1", "w-9"}, {{"w-2", minutes(1)}, {"old-2", minutes(1)}});
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(*written, "# broken since May\nold-1 old-2\nw-9 # ours?\nw-2\n");
  EXPECT_THAT(*ExcludedHosts(*written, ExcludeFormat::kPlain), ElementsAre("old-1", "old-2", "w-2", "w-9"));
  EXPECT_EQ(*WithExcluded("last", ExcludeFormat::kPlain, {}, {{"w-2", minutes(1)}}), "last\nw-2\n");
}

TEST(ExcludeFile, XmlHasATimeoutForEachHost) {
  const std::string text =
      "<?xml version=\"1.0\"?>\n<!-- ours -->\n<hosts>\n  <host><name>old-1, old-2</name></host>\n"
      "  <host><name>w-1</name><timeout>900</timeout></host>\n</hosts>\n";
  const auto written = WithExcluded(text, ExcludeFormat::kXml, {"w-1"}, {{"w-2", minutes(15)}});
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(*written,
            "<?xml version=\"1.0\"?>\n<!-- ours -->\n<hosts>\n  <host><name>old-1, old-2</name></host>\n"
            "  <host><name>w-2</name><timeout>900</timeout></host>\n</hosts>\n");
  EXPECT_THAT(*ExcludedHosts(*written, ExcludeFormat::kXml), ElementsAre("old-1", "old-2", "w-2"));
  EXPECT_EQ(*WithExcluded(*written, ExcludeFormat::kXml, {"w-2"}, {}),
            "<?xml version=\"1.0\"?>\n<!-- ours -->\n<hosts>\n  <host><name>old-1, old-2</name></host>\n</hosts>\n");
  EXPECT_EQ(*WithExcluded("", ExcludeFormat::kXml, {}, {{"w-2", seconds(1)}}),
            "<hosts>\n  <host><name>w-2</name><timeout>1</timeout></host>\n</hosts>\n");
}

TEST(ExcludeFile, InvalidXmlIsNotReplaced) {
  EXPECT_THAT(WithExcluded("<hosts><host>", ExcludeFormat::kXml, {}, {}).error().message, HasSubstr("not valid XML"));
  EXPECT_THAT(WithExcluded("<nodes/>", ExcludeFormat::kXml, {}, {}).error().message,
              HasSubstr("outermost element is <nodes>, not <hosts>"));
}

TEST(StateFile, RoundTrip) {
  State state;
  state.prefix = "cluster-1";
  state.NewToken();
  state.paused = true;
  state.window = Instant(hours(24 * 365));
  state.machines["i-1"] = {.host = "w-1", .group = Group::kSecondary, .since = Instant(hours(1)), .joined = true};
  state.adds.push_back(
      {.token = "t", .group = Group::kSecondary, .count = 3, .arrived = 1, .accepted = true, .failures = 2});
  state.leaving["i-1"] = {.host = "w-1", .step = LeavingMachine::Step::kRemoving, .token = "u", .skips_drain = true};
  state.health_of(Group::kPrimary) = {.failures = 3, .disabled = true, .reason = "FATAL: \"x\""};
  state.excluded = {"w-1"};
  state.wish = "paused 1a2b";
  const std::string text = WriteState(state);
  const auto read = ReadState(text);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(WriteState(*read), text);
  EXPECT_EQ(read->leaving.at("i-1").step, LeavingMachine::Step::kRemoving);
  EXPECT_EQ(State(*read).NewToken(), "cluster-1-2");
  EXPECT_EQ(read->wish, "paused 1a2b");
}

TEST(StateFile, EarlierVersionsWroteNoWish) {
  std::string text = WriteState(State());
  const std::string wish = " \"wish\": \"\",\n";
  const size_t found = text.find(wish);
  ASSERT_NE(found, std::string::npos) << text;
  const auto read = ReadState(text.erase(found, wish.size()));
  ASSERT_TRUE(read.ok()) << text;
  EXPECT_EQ(read->wish, "");
}

TEST(Publication, RoundTrip) {
  const Publication publication{
      .published = Instant(hours(2)),
      .groups = {{Group::kPrimary, 10, 8, NodeShape{{12288, 4, 1, {{"example.com/fpga", 2}}}, "gpu"}},
                 {Group::kSecondary, 5, 0, std::nullopt}},
      .coming = 3,
      .coming_since = Instant(hours(1)),
      .decided = Instant(hours(1)),
      .verdict = "SCALE_UP",
      .reason = "3 nodes are \"missing\""};
  const auto read = ReadPublication(WritePublication(publication));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, publication);
  EXPECT_EQ(ComingText(*read, Instant(hours(1) + seconds(40))), "3 nodes have been ordered 40.0s ago");
  EXPECT_EQ(ComingText({.coming = 0}, Instant()), "");
}

TEST(Publication, DamagedTextsAreRefused) {
  const std::string text = WritePublication({.groups = {{Group::kPrimary, 10, 8, NodeShape{}}}});
  ASSERT_TRUE(ReadPublication(text).ok());
  for (size_t at = 0; at + 2 < text.size(); ++at) EXPECT_FALSE(ReadPublication(text.substr(0, at)).ok()) << at;
  for (const auto& [from, to] :
       {std::pair("\"more\": 8", "\"more\": -1"), std::pair("\"more\": 8", "\"more\": 1.5"),
        std::pair("1970-01-01T", "1970-13-01T"), std::pair("\"label\": \"\"", "\"label\": 1")}) {
    std::string damaged = text;
    const size_t found = damaged.find(from);
    ASSERT_NE(found, std::string::npos) << from;
    damaged.replace(found, std::string(from).size(), to);
    EXPECT_FALSE(ReadPublication(damaged).ok()) << damaged;
  }
}

TEST(StateFile, DamagedTextsAreRefused) {
  const std::string text = WriteState(State());
  for (size_t at = 0; at + 2 < text.size(); ++at) EXPECT_FALSE(ReadState(text.substr(0, at)).ok()) << at;
  for (const char* some : {"", "null", "[]", "{}", R"({"version": 2})", R"({"version": "1"})"}) {
    EXPECT_FALSE(ReadState(some).ok()) << some;
  }
}

}  // namespace
}  // namespace howdah::autoscale
