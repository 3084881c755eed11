// The keys of policy files.
#include "howdah/autoscale/policy.h"
#include "howdah/keyfile/read_file.h"
#include "howdah/keyfile/value_types.h"

namespace howdah::autoscale {

using namespace keyfile;

namespace {

constexpr Duration kShortestPeriod = std::chrono::minutes(2), kLongestPeriod = std::chrono::hours(24);
constexpr double kHighFraction = 0.5;  // above it, only changes of more than half of the cluster are made
constexpr int kLeastPrimary = 2;
constexpr int kMostNodes = 100'000;
constexpr int kMostWeight = 1'000'000;
constexpr std::string_view kCooldown = "basicAlgorithm.cooldownPeriod";
constexpr std::string_view kYarn = "basicAlgorithm.yarnConfig.";

// A key of Google's resource that has no effect here.
Key<Policy> WithoutEffect(std::string_view name) {
  Key<Policy> key;
  key.name = name;
  key.help = "No effect";
  key.read = [](Reader&, const Node&, Policy&) { return true; };
  return key;
}

Key<Policy> SparkKey() {
  Key<Policy> key;
  key.name = "sparkStandaloneConfig";
  key.help = "Refused";
  key.read = [](Reader& r, const Node& n, Policy&) { return r.Fail(n, "is for Spark without YARN; use yarnConfig"); };
  return key;
}

Section<Bounds> BoundsKeys(std::string_view example_of_max) {
  return {{Row("minInstances", &Bounds::min, WholeNumber(0, kMostNodes), "Smallest number of nodes"),
           Row("maxInstances", &Bounds::max, WholeNumber(0, kMostNodes), "Largest number of nodes", example_of_max),
           Row("weight", &Bounds::weight, Optional(WholeNumber(0, kMostWeight)), "Share of the nodes")}};
}

const Section<Bounds>& PrimaryKeys() {
  static const Section<Bounds> keys = BoundsKeys("10");
  return keys;
}

const Section<Bounds>& SecondaryKeys() {
  static const Section<Bounds> keys = BoundsKeys("");
  return keys;
}

const Words<bool>& ClusterTypes() {
  static const Words<bool> words = {{false, "STANDARD"}, {true, "ZERO_SCALE"}};
  return words;
}

Section<Policy> YarnKeys() {
  return {{Row("gracefulDecommissionTimeout", &Policy::drain, TimeSpan(Zero::kAllowed),
               "Longest time for a node to become free before it is removed", "15m"),
           Row("scaleUpFactor", &Policy::up_factor, Number(0, 1), "Share of the missing nodes that are added", "1.0"),
           Row("scaleDownFactor", &Policy::down_factor, Number(0, 1), "Share of the superfluous nodes that are removed",
               "1.0"),
           Row("scaleUpMinWorkerFraction", &Policy::up_fraction, Number(0, 1), "Smaller additions are not made"),
           Row("scaleDownMinWorkerFraction", &Policy::down_fraction, Number(0, 1), "Smaller removals are not made")}};
}

const Section<Policy>& PolicyKeys() {
  static const Section<Policy> keys = [] {
    Key<Policy> yarn = keyfile::Group("yarnConfig", YarnKeys(), "The rule");
    yarn.example = "{gracefulDecommissionTimeout: 15m, scaleUpFactor: 1.0, scaleDownFactor: 1.0}";
    Section<Policy> algorithm_keys{
        {Row("cooldownPeriod", &Policy::cooldown, TimeSpan(Zero::kAllowed), "Time between two decisions"),
         std::move(yarn), SparkKey()}};
    Key<Policy> algorithm = keyfile::Group("basicAlgorithm", std::move(algorithm_keys), "The rule and its period");
    algorithm.example = "{yarnConfig: {gracefulDecommissionTimeout: 15m, scaleUpFactor: 1.0, scaleDownFactor: 1.0}}";
    return Section<Policy>{
        {Row("id", &Policy::id, OptionalText(), "Name of the policy"), WithoutEffect("name"), WithoutEffect("labels"),
         Row("clusterType", &Policy::zero_scale, OneOf(ClusterTypes()), "ZERO_SCALE allows 0 primary nodes"),
         Row("workerConfig", &Policy::primary, SectionType(&PrimaryKeys), "Primary nodes",
             "{minInstances: 2, maxInstances: 10}"),
         Row("secondaryWorkerConfig", &Policy::secondary, SectionType(&SecondaryKeys), "Secondary nodes"),
         std::move(algorithm)}};
  }();
  return keys;
}

// The rules that are more than the type of one value.
class Check {
 public:
  explicit Check(Reader& reader) : reader_(reader) {}

  void Period(std::string_view key, Duration value, Duration least) {
    if (value >= least && value <= kLongestPeriod) return;
    Fail(key, "must be from " + DurationToText(least) + " to " + DurationToText(kLongestPeriod) + ", but is " +
                  DurationToText(value));
  }
  void HighFraction(std::string_view name, double value) {
    if (value <= kHighFraction) return;
    reader_.HintAt(std::string(kYarn) + std::string(name),
                   "changes of less than " + Json(100 * value).dump() + " % of the cluster are never made");
  }
  void Of(std::string_view group, const Bounds& bounds, int least) {
    const std::string path(group);
    if (bounds.min < least) {
      Fail(path + ".minInstances", "must be at least " + std::to_string(least) + ", but is " +
                                       std::to_string(bounds.min) +
                                       (least > 0 ? "; only clusterType ZERO_SCALE allows less" : ""));
    } else if (bounds.max < bounds.min) {
      Fail(path + ".maxInstances", "must be at least minInstances, which is " + std::to_string(bounds.min) +
                                       ", but is " + std::to_string(bounds.max));
    }
  }
  void Fail(std::string_view path, std::string text) {
    if (!reader_.WasBad(std::string(path))) reader_.FailAt(std::string(path), std::move(text));
  }

 private:
  Reader& reader_;
};

void CheckRules(const Policy& policy, ShortPeriods short_periods, Reader& reader) {
  Check check(reader);
  check.Period(kCooldown, policy.cooldown,
               short_periods == ShortPeriods::kAllowed ? std::chrono::seconds(1) : kShortestPeriod);
  check.Period(std::string(kYarn) + "gracefulDecommissionTimeout", policy.drain, Duration(0));
  check.HighFraction("scaleUpMinWorkerFraction", policy.up_fraction);
  check.HighFraction("scaleDownMinWorkerFraction", policy.down_fraction);
  check.Of("workerConfig", policy.primary, policy.zero_scale ? 0 : kLeastPrimary);
  check.Of("secondaryWorkerConfig", policy.secondary, 0);
  // If only one group has a weight, that of the other is 0.
  if (policy.primary.weight.value_or(0) == 0 && policy.secondary.weight.value_or(0) == 0 &&
      (policy.primary.weight || policy.secondary.weight)) {
    check.Fail("workerConfig.weight", "the weights of both groups are 0; write a weight above 0 for one of them");
  }
}

}  // namespace

Contents<Policy> ParsePolicy(std::string_view text, const std::string& file, ShortPeriods short_periods) {
  return ReadFile<Policy>(
      text, {.file_name = file}, PolicyKeys(),
      [short_periods](const Policy& policy, Reader& reader) { CheckRules(policy, short_periods, reader); });
}

}  // namespace howdah::autoscale
