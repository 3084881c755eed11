#include "howdah/cli/output/goodput_text.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "howdah/cli/output/text_table.h"

namespace howdah::cli::output {
namespace {

using client::GoodputGroup;
using journal::Bucket;
using journal::Held;

constexpr char kUnknown[] = "–";
constexpr std::array kBuckets = {Bucket::kUseful,     Bucket::kWaiting, Bucket::kLocalization, Bucket::kStart,
                                 Bucket::kRendezvous, Bucket::kLost,    Bucket::kRecovering,   Bucket::kTail};

constexpr std::array<const char*, 8> kTitles = {"GROUP", "USER", "QUEUE", "NAME", "FRAMEWORK", "TAG", "DAY", "BACKEND"};

// Formats with a comma between groups of three digits: "1,204.0".
std::string Grouped(double number, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, number);
  const std::string_view digits = text;
  const size_t point = std::min(digits.find('.'), digits.size());
  std::string grouped;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i < point && (point - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

// Formats small values with two significant digits: "0.042", "3.1", "1,051".
std::string NumberText(double number) {
  if (number == 0) return "0";
  if (number < 0.00005) return "<0.0001";
  if (number >= 99.95) return Grouped(number, 0);
  if (number >= 0.995) return Grouped(number, 1);
  return Grouped(number, number >= 0.0995 ? 2 : number >= 0.00995 ? 3 : 4);
}

std::string PercentText(const std::optional<double>& share) {
  if (!share) return kUnknown;
  char text[16];
  std::snprintf(text, sizeof text, "%.0f%%", *share * 100);
  return text;
}

// The resource whose amounts a table shows for each bucket.
struct Unit {
  const char* name;
  journal::ResourceTime Held::*time;
  double Hours(const Held& held) const { return journal::Seconds(held.*time) / 3600; }
};
constexpr Unit kGpu{"GPU", &Held::gpus}, kVcore{"VCORE", &Held::vcores};

double GibHours(const Held& held) { return journal::GibSeconds(held.memory) / 3600; }

Row RowOf(const GoodputGroup& group, const Unit& unit, const std::optional<jobspec::Prices>& prices) {
  const auto hours = [&](bool known, std::initializer_list<Bucket> buckets) {
    if (!known) return std::string(kUnknown);
    double sum = 0;
    for (const Bucket bucket : buckets) sum += unit.Hours(group.buckets[bucket].held);
    return NumberText(sum);
  };
  const auto held = [&](double amount) { return group.known ? NumberText(amount) : std::string(kUnknown); };
  const bool known = group.knows_buckets;
  Row row = {group.name,
             Grouped(static_cast<double>(group.jobs), 0),
             Grouped(static_cast<double>(group.failed), 0),
             FormatDuration(group.queue()),
             held(unit.Hours(group.held)),
             hours(known, {Bucket::kUseful}),
             hours(known, {Bucket::kWaiting}),
             hours(known, {Bucket::kLocalization, Bucket::kStart, Bucket::kRendezvous}),
             hours(known && group.knows_lost, {Bucket::kLost}),
             hours(known, {Bucket::kRecovering}),
             hours(known, {Bucket::kTail}),
             PercentText(group.goodput()),
             PercentText(group.busy_share()),
             held(GibHours(group.held))};
  if (unit.time != &Held::vcores) row.push_back(held(kVcore.Hours(group.held)));
  if (prices) {
    const auto cost = group.Cost(*prices);
    row.push_back(cost ? Grouped(*cost, 2) : kUnknown);
  }
  return row;
}

// Formats an amount in hours, such as "1.2 GPU h", or in seconds if it is small, such as "12.2 vcore s".
std::string AmountText(double seconds, const std::string& unit) {
  constexpr double kFewSeconds = 100;
  return seconds < kFewSeconds ? NumberText(seconds) + " " + unit + " s"
                               : NumberText(seconds / 3600) + " " + unit + " h";
}

std::string HeldText(const Held& held) {
  std::string text = held.gpus > 0 ? AmountText(journal::Seconds(held.gpus), "GPU") + ", " : "";
  text +=
      AmountText(journal::Seconds(held.vcores), "vcore") + ", " + AmountText(journal::GibSeconds(held.memory), "GiB");
  for (const auto& [type, time] : held.others) text += ", " + AmountText(journal::Seconds(time), type);
  return text;
}

}  // namespace

std::string GoodputTable(const GoodputView& view) {
  const GoodputGroup& total = view.report.total();
  const Unit& unit = total.held.gpus > 0 ? kGpu : kVcore;
  const bool by_job = view.report.by() == client::GroupBy::kJob;
  Row titles = {by_job ? "JOB" : kTitles[static_cast<size_t>(view.report.by())],
                "JOBS",
                "FAILED",
                "QUEUE",
                std::string("HELD ") + unit.name + " h",
                "USEFUL",
                "WAITING",
                "START",
                "LOST",
                "RECOVERING",
                "TAIL",
                "GOODPUT",
                "BUSY",
                "MEMORY GiB h"};
  if (unit.time != &Held::vcores) titles.push_back("VCORE h");
  if (view.prices) titles.push_back("COST " + view.prices->currency);
  std::vector<Row> rows = {std::move(titles)};
  for (const GoodputGroup& group : view.report.Groups()) rows.push_back(RowOf(group, unit, view.prices));
  rows.push_back(RowOf(total, unit, view.prices));
  return FormatTable(rows);
}

std::string GoodputOfJob(const GoodputView& view) {
  const GoodputGroup& job = view.report.total();
  const std::vector<GoodputGroup> groups = view.report.Groups();
  std::string text = groups.empty() ? "" : Shown(groups.front().name) + "\n";
  if (!job.known) {
    return text +
           "which hardware the job held is not known; its journal was written by a version that did not record it, "
           "or nothing was granted yet\n";
  }
  text += "held " + HeldText(job.held) + "\n";
  const auto cost = view.prices ? job.Cost(*view.prices) : std::nullopt;
  if (cost) text += "cost " + Grouped(*cost, 2) + " " + view.prices->currency + "\n";
  text += "goodput " + PercentText(job.goodput()) + ", GPUs busy " + PercentText(job.busy_share()) + "\n\n";
  std::vector<Row> rows = {{"BUCKET", "TIME", "GPU h", "VCORE h", "GiB h", "SHARE"}};
  for (size_t i = 0; i < kBuckets.size(); ++i) {
    const auto bucket = static_cast<Bucket>(i);  // the order is that of the life of a job
    const Held& held = job.buckets[bucket].held;
    if (bucket == Bucket::kLost && !job.knows_lost) {
      rows.push_back({std::string(journal::ToText(bucket)), kUnknown, kUnknown, kUnknown, kUnknown, kUnknown});
      continue;
    }
    const std::string time = bucket == Bucket::kTail ? kUnknown : FormatDuration(job.buckets[bucket].wall);
    rows.push_back({std::string(journal::ToText(bucket)), time, NumberText(kGpu.Hours(held)),
                    NumberText(kVcore.Hours(held)), NumberText(GibHours(held)), PercentText(Goodput(held, job.held))});
  }
  return text + FormatTable(rows);
}

std::string HardwareText(const journal::JobView& view) {
  if (!view.hardware.known()) return "";
  const auto whole = view.hardware.Whole(view.time_breakdown);
  const Held held = whole.Total();
  std::string text = "held " + HeldText(held);
  if (const auto goodput = Goodput(whole[Bucket::kUseful].held, held)) text += "; goodput " + PercentText(goodput);
  if (const auto busy = view.hardware.busy()) text += ", GPUs busy " + PercentText(busy);
  return text;
}

}  // namespace howdah::cli::output
