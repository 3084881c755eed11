#include "howdah/admission/gang_tag.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "howdah/base/text.h"

namespace howdah::admission {
namespace {

using std::chrono::seconds;

constexpr std::string_view kPrefix = "howdah-gang:", kOptionalPrefix = "howdah-gang:optional:";
constexpr std::string_view kSum = "sum:", kRun = ";run=", kOther = "r.";
// Bounds of foreign tags: with these, sums cannot overflow.
constexpr int64_t kMostTasks = 100'000, kMostAmount = 1'000'000'000'000;
constexpr size_t kMostShapes = 50;

std::string AmountsText(const Resources& each) {
  std::string text = std::to_string(each.memory_mib) + "m";
  if (each.vcores != 0) text += std::to_string(each.vcores) + "c";
  if (each.gpus != 0) text += std::to_string(each.gpus) + "g";
  for (const auto& [type, amount] : each.others) {
    text += std::string(kOther) + LowerCase(type) + "=" + std::to_string(amount);
  }
  return text;
}

std::string TasksText(const Tasks& tasks) { return std::to_string(tasks.count) + "x" + AmountsText(tasks.each); }

// Reads the parts of a tag from its beginning.
class Text {
 public:
  explicit Text(std::string_view rest) : rest_(rest) {}

  bool empty() const { return rest_.empty(); }
  bool Skip(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }
  std::optional<int64_t> Number(int64_t most) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc() || number < 0 || number > most) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return number;
  }
  // The text before the next `end`, which is skipped, too.
  std::optional<std::string> Until(char end) {
    const size_t at = rest_.find(end);
    if (at == 0 || at == std::string_view::npos) return std::nullopt;
    std::string text(rest_.substr(0, at));
    rest_.remove_prefix(at + 1);
    return text;
  }

 private:
  std::string_view rest_;
};

// Each amount has a unit, and appears at most once.
bool ReadAmounts(Text& text, Resources& each) {
  struct Unit {
    const char* name;
    int64_t* amount;
  };
  const auto memory = text.Number(kMostAmount);
  if (!memory || !text.Skip("m")) return false;
  each.memory_mib = *memory;
  Unit units[] = {{"c", &each.vcores}, {"g", &each.gpus}};
  for (const Unit& unit : units) {
    Text before = text;
    const auto amount = text.Number(kMostAmount);
    if (amount && text.Skip(unit.name)) {
      *unit.amount = *amount;
    } else {
      text = before;
    }
  }
  while (text.Skip(kOther)) {
    const auto type = text.Until('=');
    const auto amount = type ? text.Number(kMostAmount) : std::nullopt;
    if (!amount || each.others.contains(*type)) return false;
    if (*amount != 0) each.others[*type] = *amount;
  }
  return true;
}

bool ReadTasks(Text& text, Tasks& tasks) {
  const auto count = text.Number(kMostTasks);
  if (!count || *count == 0 || !text.Skip("x")) return false;
  tasks.count = *count;
  return ReadAmounts(text, tasks.each);
}

// A sum may exceed the amounts that a tag can have.
void LimitAmounts(Resources& sum) {
  for (int64_t* amount : {&sum.memory_mib, &sum.vcores, &sum.gpus}) *amount = std::min(*amount, kMostAmount);
  for (auto& [type, amount] : sum.others) amount = std::min(amount, kMostAmount);
}

int64_t Share(int64_t sum, int64_t count) { return (sum + count - 1) / count; }

Resources Share(const Resources& sum, int64_t count) {
  Resources each{Share(sum.memory_mib, count), Share(sum.vcores, count), Share(sum.gpus, count), {}};
  for (const auto& [type, amount] : sum.others) each.others[type] = Share(amount, count);
  return each;
}

std::string Write(std::string_view prefix, const Demand& demand) {
  std::string text;
  Tasks sum;
  for (const Tasks& tasks : demand.tasks) {
    text += (text.empty() ? "" : "+") + TasksText(tasks);
    sum.count += tasks.count;
    sum.each += tasks.each * tasks.count;
  }
  const std::string run =
      demand.run ? std::string(kRun) + std::to_string(std::chrono::ceil<seconds>(*demand.run).count()) : "";
  std::string tag = std::string(prefix) + text + run;
  if (tag.size() <= kTagLimit) return tag;
  LimitAmounts(sum.each);
  const auto sum_tag = [&] { return std::string(prefix) + std::string(kSum) + TasksText(sum) + run; };
  if (sum_tag().size() > kTagLimit) sum.each.others.clear();
  return sum_tag();
}

std::optional<Demand> Parse(std::string_view prefix, std::string_view tag) {
  Text text(tag);
  if (!text.Skip(prefix)) return std::nullopt;
  const bool is_sum = text.Skip(kSum);
  Demand demand;
  int64_t count = 0;
  do {
    Tasks& tasks = demand.tasks.emplace_back();
    if (demand.tasks.size() > kMostShapes || !ReadTasks(text, tasks)) return std::nullopt;
    if ((count += tasks.count) > kMostTasks) return std::nullopt;
    if (is_sum) tasks.each = Share(tasks.each, tasks.count);
  } while (!is_sum && text.Skip("+"));
  if (text.Skip(kRun)) {
    const auto run = text.Number(kMostAmount / 1'000'000);
    if (!run) return std::nullopt;
    demand.run = seconds(*run);
  }
  if (!text.empty()) return std::nullopt;
  return demand;
}

}  // namespace

void Demand::Add(int64_t count, const Resources& each) {
  const auto equal = std::ranges::find_if(tasks, [&](const Tasks& some) { return some.each == each; });
  if (equal != tasks.end()) {
    equal->count += count;
  } else {
    tasks.push_back({count, each});
  }
}

Resources SumOf(const std::vector<Tasks>& tasks) {
  Resources sum;
  for (const Tasks& some : tasks) sum += some.each * some.count;
  return sum;
}

std::string ToText(const std::vector<Tasks>& tasks) {
  std::vector<std::string> parts;
  for (const Tasks& some : tasks) parts.push_back(ToText(some.each, some.count));
  return Join(parts, " + ");
}

std::string ToTag(const Demand& demand) { return Write(kPrefix, demand); }

std::optional<Demand> ParseTag(std::string_view tag) { return Parse(kPrefix, tag); }

std::string ToOptionalTag(const std::vector<Tasks>& tasks) { return Write(kOptionalPrefix, {tasks, std::nullopt}); }

std::optional<std::vector<Tasks>> ParseOptionalTag(std::string_view tag) {
  auto demand = Parse(kOptionalPrefix, tag);
  if (!demand) return std::nullopt;
  return std::move(demand->tasks);
}

}  // namespace howdah::admission
