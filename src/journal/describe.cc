#include <variant>

#include "entry_types.h"
#include "howdah/base/bytes.h"
#include "howdah/base/ids.h"
#include "howdah/base/text.h"
#include "howdah/journal/job_view.h"

namespace howdah::journal {
namespace {

// Collects the parts of a line and separates them by two spaces. Empty parts are skipped.
class Parts {
 public:
  void Add(std::string_view part) {
    if (part.empty()) return;
    if (!text_.empty()) text_ += "  ";
    text_ += part;
  }
  // Returns a single line, even if a reason contains control characters from a program's output.
  std::string TakeLine() const { return Shown(text_); }

 private:
  std::string text_;
};

std::string Numbers(std::string_view before, const std::vector<int>& numbers) {
  std::string text(before);
  for (size_t i = 0; i < numbers.size(); ++i) text += (i == 0 ? " " : ",") + std::to_string(numbers[i]);
  return text;
}

void Describe(Parts& parts, const core::JobSubmitted& change) {
  parts.Add(change.id);
  parts.Add(change.name);
  std::string roles;
  for (const auto& role : change.roles) {
    roles += (roles.empty() ? "" : ", ") + role.name + " x " + std::to_string(role.instances);
  }
  parts.Add(roles);
  if (!change.user.empty()) parts.Add("by " + change.user + (change.host.empty() ? "" : " on " + change.host));
}

void Describe(Parts& parts, const core::JobChanged& change) {
  if (change.state) parts.Add(core::ToText(*change.state));
  if (change.generation) parts.Add("generation " + std::to_string(*change.generation));
  if (change.am_attempt.value_or(0) > 0) parts.Add("application master attempt " + std::to_string(*change.am_attempt));
  if (change.exit_code) parts.Add("exit code " + std::to_string(*change.exit_code));
  if (change.tracking_url) parts.Add(*change.tracking_url);
  if (change.tensorboard_url) parts.Add(*change.tensorboard_url);
  if (change.reason) parts.Add(*change.reason);
  if (change.advice) parts.Add(*change.advice);
}

void Describe(Parts& parts, const core::TaskChanged& change) {
  parts.Add(TaskText(change.role, change.index));
  parts.Add(core::ToText(change.state));
  parts.Add("attempt " + std::to_string(change.attempt));
  if (change.node && !change.node->empty()) parts.Add("on " + *change.node);
  if (change.container) parts.Add(*change.container);
  if (change.host && change.port) parts.Add(*change.host + ":" + std::to_string(*change.port));
  if (change.ranks && !change.ranks->empty())
    parts.Add(Numbers(change.ranks->size() == 1 ? "rank" : "ranks", *change.ranks));
  if (change.pids && !change.pids->empty()) parts.Add(Numbers(change.pids->size() == 1 ? "pid" : "pids", *change.pids));
  if (change.exit) parts.Add(ToText(*change.exit));
  if (change.progress) parts.Add(core::ToText(*change.progress));
  if (change.reason) parts.Add(*change.reason);
}

void Describe(Parts& parts, const core::RoleScaled& change) {
  parts.Add(change.role);
  parts.Add("from " + std::to_string(change.from) + " to " + std::to_string(change.to));
  if (!change.by.empty()) parts.Add("by " + change.by);
}

void Describe(Parts& parts, const core::TokensChanged& change) {
  const bool expiring = change.type == core::TokensChanged::Type::kExpiring;
  parts.Add(expiring ? "at " + FormatMinute(change.until) + " UTC" : DescribeTokens(change.until, change.by));
}

void Describe(Parts& parts, const core::ContainerChanged& change) {
  parts.Add(change.container);
  if (change.node && !change.node->empty()) parts.Add("on " + *change.node);
  if (!change.granted) return;
  std::string granted = FormatBytes(change.granted->memory_bytes) + ", " + std::to_string(change.granted->vcores) +
                        (change.granted->vcores == 1 ? " vcore" : " vcores");
  if (change.granted->gpus > 0) {
    granted += ", " + std::to_string(change.granted->gpus) + (change.granted->gpus == 1 ? " GPU" : " GPUs");
  }
  for (const auto& [type, amount] : change.granted->others) granted += ", " + std::to_string(amount) + " " + type;
  parts.Add(granted);
}

}  // namespace

std::string FormatMinute(Instant time) {
  constexpr size_t kDateSize = 10, kMinuteSize = 5;  // of "2026-11-21T06:45:12.301Z"
  const std::string text = FormatInstant(time);
  return text.substr(0, kDateSize) + " " + text.substr(kDateSize + 1, kMinuteSize);
}

std::string DescribeTokens(Instant until, const std::string& by) {
  const std::string text = "until " + FormatMinute(until) + " UTC, ";
  if (by == core::kRenewedByRm) return text + "renewed daily by the ResourceManager";
  if (by == core::kRenewedByKeytab) return text + "replaced by the application master";
  return text + "not renewed";
}

std::string DescribeEntry(const core::JournalEntry& entry) {
  constexpr size_t kTimeAt = 11, kTimeSize = 12;  // "06:45:12.301" within "2026-11-21T06:45:12.301Z"
  Parts parts;
  parts.Add(FormatInstant(entry.time).substr(kTimeAt, kTimeSize));
  parts.Add(TypeOf(entry.change));
  std::visit([&](const auto& change) { Describe(parts, change); }, entry.change);
  return parts.TakeLine();
}

}  // namespace howdah::journal
