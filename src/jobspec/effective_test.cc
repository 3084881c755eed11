// Random jobs, from fixed seeds, are written and read back in every format in which a job can be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "howdah/jobspec/init_job.h"
#include "howdah/jobspec/quick_job.h"
#include "testing.h"
#include "words.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

using ::testing::HasSubstr;
using testing::Machine;

class Maker {
 public:
  explicit Maker(uint32_t seed) : random_(seed) {}

  JobSpec Job() {
    JobSpec job;
    job.name = NonEmpty();
    job.framework = Pick<Framework>({Framework::kPlain, Framework::kPytorch, Framework::kJax});
    if (Flip()) job.source = Path();
    for (int i = Below(3); i > 0; --i) job.files.push_back({Path() + ".zip", "to" + std::to_string(i) + "$", Flip()});
    if (Flip()) job.python_archive = Path() + ".tar.gz";
    if (Flip()) job.docker = SomeDocker();
    job.env = Env();
    for (int i = Below(3); i > 0; --i) job.env_from.push_back("FROM_" + std::to_string(i));
    for (int i = Below(3); i > 0; --i) job.outputs.push_back("out" + std::to_string(i) + "/*.pt");
    job.keep_new_files_bytes = Below(2) * (int64_t{1} << 30);
    if (Flip()) job.queue = NonEmpty();
    if (Flip()) job.file_systems = {"hdfs://ns2", "viewfs://table"};
    if (Flip()) job.tokens.to_tasks = Flip() ? std::vector<TokenKind>() : std::vector{TokenKind::kRm, TokenKind::kHdfs};
    if (Flip()) job.kerberos = KerberosLogin{Flip() ? "" : "ann@EXAMPLE.COM", "/home/ann/ann.keytab", Flip()};
    if (Flip()) job.tokens.files = {"/d/hive.dt"};
    if (Flip()) job.access = {{"ann", "@ml"}, Flip() ? std::vector<std::string>() : std::vector<std::string>{"*"}};
    if (Flip()) job.priority = Below(100);
    if (Flip()) job.node_label = NonEmpty();
    job.am = {1 + Below(4), Below(2) * (int64_t{64} << 20), 1 + Below(4)};
    for (int i = Below(3); i > 0; --i) job.tags.push_back(NonEmpty());
    const int roles = 1 + Below(4);
    for (int i = 0; i < roles; ++i) job.roles.push_back(Role(i));
    if (Flip()) job.tensorboard_logdir = Path();
    job.checkpoint = {Flip() ? Path() : "", Time(), Pick<std::string>({"SIGTERM", "SIGUSR1", "SIGINT"}), std::nullopt};
    if (Flip()) job.checkpoint.max_grace = job.checkpoint.grace + Time();
    job.restart_max = Below(3);
    job.timeouts = {std::chrono::hours(48), Time(),       Time(),      Time(), Time(), Time(), Time(),
                    std::nullopt,           std::nullopt, std::nullopt};
    if (Flip()) job.timeouts.run = Time();
    if (Flip()) job.metrics_interval = std::chrono::seconds(Below(61));
    job.start = Flip() ? StartMode::kGang : StartMode::kFree;
    job.tony_env = Flip();
    if (Flip()) job.timeouts.queue = Time();
    if (Flip()) job.timeouts.progress = Time();
    if (Flip()) KeepHistory(job);
    for (int i = Below(3); i > 0; --i) job.feeds.push_back(Feed(i, job.roles));
    job.timeouts.feed = Time();
    return job;
  }

 private:
  int Below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool Flip() { return Below(2) == 0; }
  template <typename T>
  T Pick(std::vector<T> of) {
    return of[static_cast<size_t>(Below(static_cast<int>(of.size())))];
  }

  std::string NonEmpty() {
    static const std::vector<std::string> pieces = {"a", "Z",  "0", " ", "\n", "\t",   "$",    "${A}", "$$",   "\"",
                                                    "'", "\\", ":", "#", " #", ": ",   "- ",   "é",    "日本", "🚀",
                                                    "{", "}",  "[", "]", ",",  "&",    "*",    "!",    "|",    ">",
                                                    "%", "@",  "~", "=", "\r", "\x01", "\x7f", "null", "true"};
    std::string text = Pick(pieces);
    for (int i = Below(6); i > 0; --i) text += Pick(pieces);
    return text;
  }
  std::string Path() {
    return Flip() ? "hdfs:///p/" + std::to_string(Below(9)) + "$x" : "/p/" + std::to_string(Below(9)) + " ${x}/..";
  }
  Duration Time() { return std::chrono::milliseconds(1 + Below(3) * 59'999 + Below(100'000)); }
  EnvVars Env() {
    EnvVars env;
    for (int i = Below(4); i > 0; --i) env.emplace_back("V" + std::to_string(i), Flip() ? NonEmpty() : "");
    return env;
  }
  struct Command Command() {
    struct Command command;
    if (Flip()) {
      command.shell = "x" + NonEmpty() + (Flip() ? "\nline two\n" : "");
    } else {
      command.argv = {NonEmpty(), "", NonEmpty()};
    }
    return command;
  }
  Docker SomeDocker() {
    Docker docker;
    docker.image = Pick<std::string>({"python:3.11", "registry.example.com:5000/ml/torch@sha256:0123456789abcdef"});
    docker.network = Pick<std::string>({"", "host"});
    for (int i = Below(3); i > 0; --i)
      docker.mounts.push_back("/a $" + std::to_string(i) + ":/b:" + (Flip() ? "ro" : "rw"));
    for (int i = Below(3); i > 0; --i) docker.tmpfs.push_back("/tmp/" + std::to_string(i));
    docker.runtime = Pick<std::string>({"", "nvidia"});
    docker.privileged = Flip();
    if (Flip()) docker.client_config = "/home/ann/config $.json";
    return docker;
  }
  void KeepHistory(JobSpec& job) {
    job.tony_history = Path();
    if (Flip()) job.advice_off = {AdviceCheck::kMemoryOver, AdviceCheck::kNode};
    for (int i = Below(3); i > 0; --i) {
      job.configuration.push_back(
          {"tony." + std::to_string(i) + NonEmpty(), Flip() ? NonEmpty() : "", Flip() ? NonEmpty() : ""});
    }
  }
  void PlaceInCluster(RoleSpec& role) {
    if (Flip()) role.resources.push_back({"yarn.io/fpga", 1 + Below(3)});
    if (Flip()) role.resources.push_back({"disk_io", 2'147'483'647});
    if (Flip()) role.node_label = NonEmpty();
    for (int i = Below(3); i > 0; --i) role.locality.nodes.push_back("node" + std::to_string(i) + ".example.com");
    for (int i = Below(3); i > 0; --i) role.locality.racks.push_back("/dc/rack" + std::to_string(i));
    role.locality.strict = !role.locality.empty() && Flip();
    if (Flip()) role.max_per_node = 1 + Below(3);
    if (Flip()) role.placement.attributes.push_back({"gen", {"v100"}, Flip()});
    if (Flip()) role.placement.attributes.push_back({"nm.yarn.io/disk", {"ssd", "nvme"}, Flip()});
    if (Flip() && role.name != first_name_) role.placement.near = {first_name_};
    if (Flip() && role.placement.near.empty()) role.placement.apart = {first_name_, role.name};
    if (Flip()) role.placement.max_per_rack = 1 + Below(3);
  }
  FeedSpec Feed(int i, const std::vector<RoleSpec>& roles) {
    FeedSpec feed;
    feed.name = "f" + std::to_string(i) + Pick<std::string>({"", "-x", "_y"});
    if (Flip()) feed.roles = {roles.back().name};
    feed.buffer_bytes = (1 + Below(9)) * (int64_t{1} << 20);
    feed.answers = Flip();
    if (feed.answers) return feed;
    if (Flip()) feed.split = Pick<FeedSplit>({FeedSplit::kEqual, FeedSplit::kDynamic, FeedSplit::kAll});
    feed.remainder = Pick<FeedRemainder>({FeedRemainder::kDrop, FeedRemainder::kShort, FeedRemainder::kRepeat});
    feed.stream = Flip();
    if (!feed.stream) feed.epochs = 1 + Below(9);
    feed.shuffle = Below(2) * 10'000;
    feed.seed = Below(9);
    feed.spool_bytes = (1 + Below(9)) * (int64_t{1} << 30);
    feed.recompute = Flip();
    if (Flip()) feed.changed = FeedChanged::kAccept;
    if (feed.stream || Flip()) return feed;
    feed.from = {Pick<std::string>({"hdfs:///data/*.csv", "/data/$x"}), "file:///shared"};
    if (Flip()) feed.format = Pick<FeedFormat>({FeedFormat::kParquet, FeedFormat::kTfrecord});
    if (Flip()) feed.columns = {"x", "a.$b"};
    return feed;
  }
  RoleSpec Role(int i) {
    RoleSpec role;
    role.name = "r" + std::to_string(i) + Pick<std::string>({"", "-x", "_Y"});
    role.instances.min = 1 + Below(4);
    role.instances.max = role.instances.min + (i > 0 ? Below(2) : 0);
    role.memory_bytes = (1 + Below(5000)) * Pick<int64_t>({1000, 1024, 1 << 20, 1 << 30, 1'000'000'000});
    role.vcores = 1 + Below(9);
    role.gpus = Below(9);
    role.processes = 1 + Below(9);
    role.command = Command();
    role.env = Env();
    role.kind =
        i == 0 ? RoleKind::kWorker : Pick<RoleKind>({RoleKind::kWorker, RoleKind::kService, RoleKind::kSidecar});
    if (i == 0 && role.instances == Instances{1, 1}) role.chief = Flip();
    role.restart = {Flip() ? Below(5) : kUnlimitedRestarts, Time()};
    if (Flip()) role.restart.window = Time();
    role.restart.always = role.kind == RoleKind::kService && Flip();
    if (Flip()) role.ready = Ready{.http = "http://127.0.0.1:${HOWDAH_PORT}/$x", .interval = Time(), .timeout = Time()};
    if (i == 0) role.ready = Ready{.port = Pick<std::string>({"80", "${HOWDAH_PORT}"})};
    if (Flip()) role.restart.rules = {{"out of (memory|space)$", 3, "", RestartRule::Then::kElsewhere}};
    if (Flip()) role.restart.rules.push_back({"", std::nullopt, "SIGKILL", RestartRule::Then::kRestartFree});
    if (role.kind == RoleKind::kWorker && Flip()) {
      role.on_failure = Pick<OnFailure>({OnFailure::kTolerate, OnFailure::kIgnore, OnFailure::kIgnoreOthers});
    }
    if (Flip()) role.timeout = Time();
    if (Flip()) role.progress_timeout = Time();
    if (i > 0 && role.kind == RoleKind::kWorker && Flip()) {
      role.outlive =
          Outlive{{first_name_}, Time(), Pick<Outlive::Then>({Outlive::Then::kFail, Outlive::Then::kIgnore})};
    }
    if (i > 0 && Flip()) role.after.push_back({"r0", Flip()});
    if (i > 0 && !role.after.empty()) role.after[0].ready = !role.after[0].finished && Flip();
    if (i > 0 && !role.after.empty()) role.after[0].role = first_name_;
    if (i == 0) first_name_ = role.name;
    PlaceInCluster(role);
    return role;
  }

  std::mt19937 random_;
  std::string first_name_;
};

TEST(Effective, RandomJobsAreUnchangedByARoundTrip) {
  SubmitHost machine = Machine();
  machine.path_kind = nullptr;
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    const JobSpec job = Maker(seed).Job();
    const std::string json = WriteEffective(job);
    const Result<JobSpec> read = ReadEffective(json);
    ASSERT_TRUE(read.ok()) << "seed " << seed << ": " << read.error().message << "\n" << json;
    ASSERT_EQ(read.value(), job) << "seed " << seed << "\n" << json;

    const std::string yaml = DescribeEffective(job);
    for (const std::string& text : {json, yaml}) {
      const ParsedJob parsed = ParseJobFile(text, machine);
      ASSERT_TRUE(parsed.problems.empty()) << "seed " << seed << ": " << parsed.problems[0].ToText() << "\n" << text;
      ASSERT_EQ(parsed.spec, job) << "seed " << seed << "\n" << text << "\n" << WriteEffective(parsed.spec);
    }
  }
}

TEST(Effective, ReadEffectiveRejectsInvalidText) {
  const struct {
    const char* json;
    const char* error;
  } rows[] = {{"", "not valid JSON at byte"},
              {"{\"roles\"", "not valid JSON at byte"},
              {"[]", "must be a map"},
              {"null", "must be a map"},
              {"{}", "roles: missing"},
              {R"({"roles": {"w": {"memory": "1GiB", "command": "x", "nmae": 1}}})", "roles.w.nmae: unknown key"}};
  for (const auto& row : rows) {
    const Result<JobSpec> read = ReadEffective(row.json);
    ASSERT_FALSE(read.ok()) << row.json;
    EXPECT_THAT(read.error().message, HasSubstr(row.error));
  }
}

TEST(Effective, DescriptionIsReadableYaml) {
  const ParsedJob job = ParseJobFile(
      "name: mnist\nenv: {A: '$x'}\nfiles: [side.txt]\n"
      "roles: {w: {memory: 1GiB, instances: {max: 3}, command: \"a $x\\nb\\n\"}}\n",
      Machine());
  ASSERT_TRUE(job.problems.empty());
  EXPECT_EQ(DescribeEffective(job.spec), R"(name: mnist
framework: plain
files:
  - {from: /jobs/side.txt, to: side.txt, unpack: false}
env: {A: $$x}
am: {attempts: 2, vcores: 1}
roles:
  w:
    instances: {min: 1, max: 3}
    memory: 1GiB
    vcores: 1
    gpus: 0
    processes: 1
    command: |
      a $x
      b
    kind: worker
    chief: false
    restart: {max: 0, backoff: 1s, charge_infrastructure: false}
    on_failure: fail
checkpoint: {grace: 10s, signal: SIGTERM}
restart: {max: 0}
timeouts:
  gang: 15m
  hold: 10s
  register: 5m
  heartbeat: 25s
  am: 5m
  replacement: 1m
  settle: 30s
  feed: 10m
metrics: {interval: 5s}
start: gang
)");
}

TEST(InitJob, EveryFrameworkHasAValidTemplate) {
  for (const auto& [framework, word] : FrameworkWords()) {
    const std::string text = InitJobFile(framework);
    const ParsedJob job = ParseJobFile(text, Machine());
    EXPECT_THAT(job.problems, ::testing::IsEmpty()) << word << ": " << job.problems.front().ToText();
    EXPECT_EQ(job.spec.framework, framework);
    EXPECT_EQ(FrameworkFromText(word), framework);
  }
}

TEST(InitJob, CommentedOutKeysAreValid) {
  std::string text = InitJobFile(Framework::kPlain);
  for (const std::string key :
       {"source", "files", "python", "env", "tensorboard", "checkpoint", "restart", "timeouts", "queue"}) {
    const size_t at = text.find("\n# " + key + ":");
    ASSERT_NE(at, std::string::npos) << key;
    text.erase(at + 1, 2);
  }
  SubmitHost machine = Machine();
  machine.path_kind = nullptr;
  EXPECT_THAT(testing::ProblemsOf(text, machine), ::testing::IsEmpty());
}

TEST(QuickJob, IsParsedAsAJobFile) {
  QuickJob quick;
  quick.framework = "pytorch";
  quick.workers = 2;
  quick.gpus = 1;
  quick.env = {{"PRICE", "$5"}};
  quick.outputs = {"*.pt"};
  quick.command = {"python3", "-u", "./train.py", "--x", "$HOME ${A}"};
  const ParsedJob job = ParseJobFile(*JobFileFor(quick), Machine());
  EXPECT_THAT(job.problems, ::testing::IsEmpty());
  JobSpec want;
  want.name = "train";
  want.framework = Framework::kPytorch;
  want.source = "/jobs";
  want.outputs = {"*.pt"};
  want.keep_new_files_bytes = int64_t{1} << 30;
  want.env = quick.env;
  want.roles = {{"worker", {2, 2}, int64_t{2} << 30, 1, 1, 1, {"", quick.command}}};
  EXPECT_EQ(job.spec, want);
  quick.command.clear();
  quick.memory = "2";
  const ParsedJob bad = ParseJobFile(*JobFileFor(quick), Machine("(command line)"));
  ASSERT_EQ(bad.problems.size(), 2u);
  EXPECT_EQ(OptionOf(bad.problems[0].key), "--memory");
  EXPECT_EQ(OptionOf("env.A"), "--env");
  EXPECT_EQ(OptionOf("outputs[0]"), "--outputs");
  EXPECT_EQ(OptionOf("roles.worker.command"), "");
  EXPECT_EQ(OptionOf("names"), "");
}

TEST(QuickJob, NameComesFromTheProgram) {
  const std::pair<std::vector<std::string>, std::string> rows[] = {
      {{"python3", "-u", "./train.py"}, "train"},
      {{"python3", "-c", "import os\nprint(1)"}, "python3"},
      {{"python3", "-uc", "print(1)"}, "python3"},
      {{"/bin/date"}, "date"},
  };
  for (const auto& [command, name] : rows) {
    QuickJob quick;
    quick.command = command;
    EXPECT_EQ(ParseJobFile(*JobFileFor(quick), Machine()).spec.name, name);
  }
}

TEST(QuickJob, ArgumentsAreAppended) {
  const struct {
    const char* shell;
    const char* result;
  } rows[] = {{"python a.py", R"(python a.py --lr 0.1 'two words' 'it'\''s' '' '$HOME')"},
              {"python a.py\n", R"(python a.py --lr 0.1 'two words' 'it'\''s' '' '$HOME')"}};
  const std::vector<std::string> words = {"--lr", "0.1", "two words", "it's", "", "$HOME"};
  for (const auto& row : rows) {
    JobSpec job;
    job.roles.resize(2);
    job.roles[0].command.shell = row.shell;
    job.roles[1].command.argv = {"a"};
    ASSERT_TRUE(AppendArguments(job, words).ok());
    EXPECT_EQ(job.roles[0].command.shell, row.result);
    EXPECT_THAT(job.roles[1].command.argv,
                ::testing::ElementsAre("a", "--lr", "0.1", "two words", "it's", "", "$HOME"));
  }
}

TEST(QuickJob, ArgumentsThatBashWouldNotReadAsArgumentsAreRefused) {
  for (const char* script : {"train --lr 1   # baseline\n", "exec python3 - <<'EOF'\nimport os\nEOF\n"}) {
    JobSpec job;
    job.roles.resize(1);
    job.roles[0].name = "worker";
    job.roles[0].command.shell = script;
    EXPECT_TRUE(AppendArguments(job, {}).ok()) << script;
    const Status appended = AppendArguments(job, {"--lr", "2"});
    ASSERT_FALSE(appended.ok()) << script;
    EXPECT_EQ(appended.error().code, ErrorCode::kUsage);
    EXPECT_THAT(appended.error().message, ::testing::StartsWith("roles.worker.command: ")) << script;
    EXPECT_THAT(appended.error().message, ::testing::HasSubstr(R"([bash, -c, 'python train.py "$@"', bash])"));
    EXPECT_EQ(job.roles[0].command.shell, script);
  }
}

TEST(QuickJob, ValuesThatAreNotUtf8AreRefused) {
  const std::string bad = "caf\xe9";
  JobSpec job;
  EXPECT_EQ(AppendArguments(job, {bad}).error().code, ErrorCode::kUsage);
  for (const auto& set : std::vector<std::function<void(QuickJob&)>>{
           [&](QuickJob& quick) { quick.command.push_back(bad); },
           [&](QuickJob& quick) {
             quick.env = {{"A", bad}};
           },
           [&](QuickJob& quick) { quick.source = bad; },
           [&](QuickJob& quick) { quick.outputs = {bad}; },
       }) {
    QuickJob quick;
    quick.command = {"cat"};
    set(quick);
    const auto text = JobFileFor(quick);
    ASSERT_FALSE(text.ok()) << *text;
    EXPECT_EQ(text.error().code, ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace howdah::jobspec
