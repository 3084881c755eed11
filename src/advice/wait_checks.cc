// Checks of the time and hardware that are spent while no work is done.
#include <algorithm>

#include "checks.h"
#include "howdah/base/text.h"

namespace howdah::advice {
namespace {

constexpr Duration kTenMinutes = std::chrono::minutes(10);

std::string TimeText(double hours) { return FormatDuration(Duration(static_cast<int64_t>(hours * 3.6e9))); }

// Returns the part's share of the whole hardware. Compares GPUs if there are any, otherwise vcores, otherwise memory.
double ShareOf(const Amounts& part, const Amounts& whole) {
  if (whole.gpu_hours > 0) return part.gpu_hours / whole.gpu_hours;
  if (whole.vcore_hours > 0) return part.vcore_hours / whole.vcore_hours;
  return whole.memory_gib_hours > 0 ? part.memory_gib_hours / whole.memory_gib_hours : 0;
}

std::string HardwareText(const Amounts& amounts) {
  if (amounts.gpu_hours > 0) return Number(amounts.gpu_hours) + " GPU h";
  return Number(amounts.vcore_hours) + " vcore h and " + Number(amounts.memory_gib_hours) + " GiB h";
}

// Returns the hardware held in a bucket of the ledger, if that is more than `share` of all hardware that the job held.
std::optional<Amounts> BucketAbove(const Figures& figures, journal::Bucket bucket, double share) {
  if (!figures.facts().ledger.knows_buckets()) return std::nullopt;
  const Amounts part = figures.Held(bucket);
  return ShareOf(part, figures.held()) > share ? std::optional(part) : std::nullopt;
}

// Returns the worker role with most tasks that has a fixed size, or null if no such role has several tasks.
const RoleFigures* LargestFixedRole(const Figures& figures) {
  const RoleFigures* largest = nullptr;
  for (const RoleFigures& role : figures.roles()) {
    const jobspec::RoleSpec& spec = *role.spec;
    if (spec.kind != jobspec::RoleKind::kWorker || spec.instances.max < 2 || spec.instances.elastic()) continue;
    if (largest == nullptr || spec.instances.max > largest->spec->instances.max) largest = &role;
  }
  return largest;
}

int HalfOf(const RoleFigures& role) { return (role.spec->instances.max + 1) / 2; }

// Lets the role start once half of its tasks have containers.
void StartWithHalf(const RoleFigures& role, Finding& finding) {
  finding.role = role.spec->name;
  finding.change.keys = {{RoleKey(role, "instances"), "{min: " + std::to_string(HalfOf(role)) +
                                                          ", max: " + std::to_string(role.spec->instances.max) + "}"}};
}

// Returns by how many hours a job ends earlier if half of the role's tasks work while the job waits for the others. The
// job may end before the others get containers.
double SavedByHalf(const RoleFigures& role, double waited, double ran) {
  const double share = static_cast<double>(HalfOf(role)) / role.spec->instances.max;
  return ran <= waited * share ? waited + ran - ran / share : waited * share;
}

}  // namespace

Findings QueueWait(const Figures& figures) {
  constexpr double kShare = 0.1;
  const Duration waited = figures.facts().job.time_breakdown.Of(journal::Spent::kQueue, figures.now());
  const double share = Hours(waited) / std::max(Hours(figures.wall()), 1e-9);
  if (waited <= kTenMinutes || share <= kShare) return {};
  auto waits = figures.facts().trail.WaitsUntil(figures.now());
  std::stable_sort(waits.begin(), waits.end(),
                   [](const Trail::Wait& a, const Trail::Wait& b) { return a.time > b.time; });
  Finding finding{.severity = share > 0.5 ? Severity::kModerate : Severity::kLow};
  finding.text = "the job waited " + FormatDuration(waited) + " for containers, " + Percent(share) + " of its time";
  for (size_t i = 0; i < std::min<size_t>(waits.size(), 3); ++i)
    finding.evidence.push_back(FormatDuration(waits[i].time) + ": " + OneLine(waits[i].reason, 300));
  const bool fragmented = !waits.empty() && waits.front().reason.find("fragment") != std::string::npos;
  const RoleFigures* const role = LargestFixedRole(figures);
  if (role != nullptr) StartWithHalf(*role, finding);
  finding.change.other = role != nullptr ? "or " : "";
  finding.change.other += fragmented ? "smaller tasks, which fit beside others on a node"
                                     : "another queue with room (`queue:`), or fewer or smaller tasks";
  finding.saving = {.hours = role != nullptr ? SavedByHalf(*role, Hours(waited), Hours(figures.ran())) : Hours(waited)};
  return {std::move(finding)};
}

Findings GangHold(const Figures& figures) {
  const auto waiting = BucketAbove(figures, journal::Bucket::kWaiting, 0.05);
  if (!waiting) return {};
  Finding finding{.severity = Severity::kModerate};
  finding.text = "the job held " + HardwareText(*waiting) + " while its gang was incomplete, " +
                 Percent(ShareOf(*waiting, figures.held())) + " of all it held";
  finding.evidence = {"wait for containers: " + FormatDuration(figures.facts().ledger.Wall(journal::Bucket::kWaiting))};
  if (const RoleFigures* const role = LargestFixedRole(figures)) {
    StartWithHalf(*role, finding);
    finding.change.other = "or a shorter `timeouts.hold`, after which an incomplete gang releases its containers";
  } else {
    const Duration hold = figures.facts().spec.timeouts.hold;
    finding.change.keys = {
        {"timeouts.hold", DurationToText(std::max<Duration>(
                              std::chrono::seconds(1), hold / 2 / std::chrono::seconds(1) * std::chrono::seconds(1)))}};
  }
  finding.saving = *waiting;
  finding.saving.hours = 0;  // the job would wait as long without holding containers
  return {std::move(finding)};
}

Findings Localization(const Figures& figures) {
  constexpr double kShare = 0.05;
  const Duration took = figures.facts().job.time_breakdown.Of(journal::Spent::kLocalization, figures.now());
  const double share = Hours(took) / std::max(Hours(figures.wall()), 1e-9);
  if (took <= std::chrono::seconds(60) || share <= kShare) return {};
  Finding finding{.severity = Severity::kLow};
  finding.text =
      "the job's files took " + FormatDuration(took) + " to reach the nodes, " + Percent(share) + " of its time";
  const jobspec::JobSpec& spec = figures.facts().spec;
  if (!spec.python_archive.empty()) finding.evidence.push_back("python archive: " + spec.python_archive);
  for (const jobspec::FileOfRole& file : jobspec::AllFiles(spec)) {
    if (finding.evidence.size() == 5) break;
    finding.evidence.push_back("file: " + file.file.from);
  }
  if (!spec.source.empty()) finding.evidence.push_back("source: " + spec.source);
  finding.change.other =
      "put files that rarely change into `files:` or `python.archive`, so that nodes keep them, instead of `source:`; "
      "files in HDFS are shared between jobs if all users may read them (o+r) and enter their directories (o+x)";
  finding.saving = figures.Held(journal::Bucket::kLocalization);
  finding.saving.hours = Hours(took);
  return {std::move(finding)};
}

Findings Tail(const Figures& figures) {
  const auto tail = BucketAbove(figures, journal::Bucket::kTail, 0.05);
  Amounts saving = tail.value_or(Amounts());
  const auto last_step = figures.facts().trail.newest_step_at();
  const bool ended = figures.facts().job.finished.has_value();
  const Duration after = ended && last_step ? figures.now() - *last_step : Duration::zero();
  const double after_share = Hours(after) / std::max(Hours(figures.wall()), 1e-9);
  const bool late = after > std::chrono::minutes(5) && after_share > 0.05 && figures.own().succeeded;
  // The hours for which containers were still held after their tasks had ended.
  double container_hours = 0;
  for (const RoleFigures& role : figures.roles()) container_hours += Hours(role.container_time);
  const double tail_hours = tail ? container_hours * ShareOf(*tail, figures.held()) : 0;
  if (tail_hours <= 5.0 / 60 && !late) return {};
  Finding finding{.severity = Severity::kModerate};
  if (tail_hours > 5.0 / 60) {
    finding.text = "containers whose process had ended were held for " + TimeText(tail_hours) + ": " +
                   HardwareText(*tail) + ", " + Percent(ShareOf(*tail, figures.held())) + " of all the job held";
  } else {
    finding.text = "the job ran on for " + FormatDuration(after) + " after its last step";
    saving = figures.ShareOfHeld(Hours(after) / std::max(Hours(figures.ran()), 1e-9));
  }
  finding.change.other =
      "a role that must not keep the job running gets `kind: service` or `kind: sidecar`; `outlive` limits how long a "
      "role runs on after others";
  finding.saving = saving;
  return {std::move(finding)};
}

// A time limit ends runs that hang, so its saving in a normal run is not known.
Findings TimeLimit(const Figures& figures) {
  constexpr double kLittle = 0.6;
  constexpr size_t kFewestRuns = 5;
  const auto& limit = figures.facts().spec.timeouts.run;
  const journal::JobView& job = figures.facts().job;
  if (!limit) return {};
  if (job.cause && job.cause->kind == core::Cause::Kind::kRunTimeout) {
    const auto saved = figures.facts().trail.newest_checkpoint_at();
    if (saved && figures.now() - *saved <= kTenMinutes) return {};
    Finding finding{.severity = Severity::kSevere};
    finding.text = "the job was ended by `timeouts.run` of " + DurationToText(*limit) +
                   (saved ? ", " + FormatDuration(figures.now() - *saved) + " after its last checkpoint"
                          : ", and it had reported no checkpoint");
    finding.change.keys = {{"timeouts.run", DurationToText(2 * *limit)}};
    finding.change.other =
        "save a checkpoint before the limit: the tasks get `checkpoint.signal` and `checkpoint.grace`";
    const Duration lost = saved ? figures.now() - *saved : figures.ran();
    finding.saving = figures.ShareOfHeld(Hours(lost) / std::max(Hours(figures.ran()), 1e-9));
    return {std::move(finding)};
  }
  if (!figures.own().succeeded) return {};
  Duration longest = figures.ran();
  size_t runs = 1;
  for (const RunFacts& run : figures.facts().earlier) {
    if (!run.succeeded) continue;
    longest = std::max(longest, run.ran);
    ++runs;
  }
  if (runs < kFewestRuns || Hours(longest) >= kLittle * Hours(*limit)) return {};
  const Duration minute = std::chrono::minutes(1);
  const Duration enough = std::max(minute, (longest * 3 / 2 + minute - Duration(1)) / minute * minute);
  if (enough >= *limit) return {};
  Finding finding{.severity = Severity::kLow};
  finding.text = CountOf(static_cast<int64_t>(runs), "run") + " took at most " + FormatDuration(longest) + " of " +
                 DurationToText(*limit) + " (timeouts.run); a run that hangs would hold its containers until then";
  finding.change.keys = {{"timeouts.run", DurationToText(enough)}};
  return {std::move(finding)};
}

}  // namespace howdah::advice
