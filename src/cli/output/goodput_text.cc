#include "howdah/cli/output/goodput_text.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "howdah/cli/output/text_table.h"

namespace howdah::cli::output {
namespace {

using client::GoodputGroup;
using journal::Bucket;
using journal::Held;
using Json = nlohmann::ordered_json;

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

double Rounded(double number) { return std::round(number * 1e6) / 1e6; }

Json HeldJson(const Held& held) {
  Json others = Json::object();
  for (const auto& [type, time] : held.others) others[type] = Rounded(journal::Seconds(time));
  return {{"gpu_seconds", Rounded(journal::Seconds(held.gpus))},
          {"memory_gib_seconds", Rounded(journal::GibSeconds(held.memory))},
          {"vcore_seconds", Rounded(journal::Seconds(held.vcores))},
          {"other", std::move(others)}};
}

Json ShareJson(const std::optional<double>& share) { return share ? Json(Rounded(*share)) : Json(nullptr); }

Json ToJson(const GoodputGroup& group, const std::optional<jobspec::Prices>& prices) {
  Json json = {{"group", group.name},
               {"jobs", group.jobs},
               {"succeeded", group.succeeded},
               {"failed", group.failed},
               {"killed", group.killed},
               {"queue_seconds", Rounded(static_cast<double>(group.queue().count()) / 1e6)},
               {"held", group.known ? HeldJson(group.held) : Json(nullptr)}};
  for (const Bucket bucket : kBuckets) {
    const bool known = group.knows_buckets && (bucket != Bucket::kLost || group.knows_lost);
    json[std::string(journal::ToText(bucket))] = known ? HeldJson(group.buckets[bucket].held) : Json(nullptr);
  }
  json["busy_gpu_seconds"] = group.busy_of == 0 ? Json(nullptr) : Json(Rounded(journal::Seconds(group.busy)));
  json["goodput"] = ShareJson(group.goodput());
  json["busy"] = ShareJson(group.busy_share());
  const auto cost = prices ? group.Cost(*prices) : std::nullopt;
  json["cost"] = ShareJson(cost);
  json["currency"] = prices ? Json(prices->currency) : Json(nullptr);
  return json;
}

std::string Dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Quotes a field if necessary (RFC 4180).
std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// Appends the fields of an object as columns: {"held": {"gpu_seconds": 1}} becomes the column held_gpu_seconds. Other
// resource types share one column, as in "fpga=3 tpu=1". `like` has every field, so that all objects have the same
// columns.
void AddColumns(const Json& object, const Json& like, const std::string& prefix, std::vector<std::string>& names,
                std::vector<std::string>& values) {
  for (const auto& [key, shape] : like.items()) {
    const bool known = object.is_object();
    const Json value = known ? object[key] : Json(nullptr);
    if (shape.is_object() && key != "other") {
      AddColumns(value, shape, prefix + key + "_", names, values);
      continue;
    }
    std::string text;
    if (value.is_object()) {
      for (const auto& [type, time] : value.items()) text += (text.empty() ? "" : " ") + type + "=" + time.dump();
    } else if (value.is_string()) {
      text = value.get<std::string>();
    } else if (!value.is_null()) {
      text = value.dump();
    }
    names.push_back(prefix + key);
    values.push_back(CsvField(text));
  }
}

std::string Joined(const std::vector<std::string>& fields) {
  std::string line;
  for (size_t i = 0; i < fields.size(); ++i) line += (i == 0 ? "" : ",") + fields[i];
  return line + "\n";
}

// Returns the JSON of a group that has every field. The columns of the CSV are its fields.
Json Shape() {
  Json shape = ToJson({}, std::nullopt);
  for (const char* name :
       {"held", "useful", "waiting", "localization", "start", "rendezvous", "lost", "recovering", "tail"})
    shape[name] = HeldJson({});
  return shape;
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

std::string GoodputJson(const GoodputView& view) {
  std::string text = "{\"groups\": [";
  bool first = true;
  for (const GoodputGroup& group : view.report.Groups()) {
    text += (std::exchange(first, false) ? "" : ",\n ") + Dump(ToJson(group, view.prices));
  }
  return text + "],\n \"total\": " + Dump(ToJson(view.report.total(), view.prices)) + "}\n";
}

std::string GoodputCsv(const GoodputView& view) {
  const Json shape = Shape();
  std::string titles, lines;
  const auto add = [&](const GoodputGroup& group) {
    std::vector<std::string> names, values;
    AddColumns(ToJson(group, view.prices), shape, "", names, values);
    titles = Joined(names);
    lines += Joined(values);
  };
  for (const GoodputGroup& group : view.report.Groups()) add(group);
  add(view.report.total());
  return titles + lines;
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
