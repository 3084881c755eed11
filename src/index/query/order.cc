#include "howdah/index/query/order.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <tuple>

#include "howdah/base/number.h"
#include "howdah/base/text.h"
#include "howdah/core/states.h"
#include "howdah/keyfile/nearest.h"

namespace howdah::index::query {
namespace {

struct Column {
  std::string_view name;
  SortColumn column;
};
constexpr std::array kColumns = {
    Column{"submitted", SortColumn::kSubmitted},
    Column{"started", SortColumn::kStarted},
    Column{"finished", SortColumn::kFinished},
    Column{"took", SortColumn::kTook},
    Column{"id", SortColumn::kId},
    Column{"name", SortColumn::kName},
    Column{"user", SortColumn::kUser},
    Column{"queue", SortColumn::kQueue},
    Column{"state", SortColumn::kState},
    Column{"tasks", SortColumn::kTasks},
    Column{"gpus", SortColumn::kGpus},
    Column{"progress", SortColumn::kProgress},
    Column{"goodput", SortColumn::kGoodput},
    Column{"severity", SortColumn::kSeverity},
    Column{"cost", SortColumn::kCost},
    Column{"reason", SortColumn::kReason},
    Column{"backend", SortColumn::kBackend},
    Column{"framework", SortColumn::kFramework},
};

using SortKey = std::variant<std::monostate, double, std::string>;

SortKey TextKey(const std::string& text) { return text.empty() ? SortKey() : SortKey(LowerCase(text)); }

SortKey TimeKey(const std::optional<Instant>& time) {
  return time ? SortKey(static_cast<double>(time->time_since_epoch().count())) : SortKey();
}

template <typename Number>
SortKey NumberKey(const std::optional<Number>& number) {
  return number ? SortKey(static_cast<double>(*number)) : SortKey();
}

// The share of its steps that the job has made; its step if it did not report how many there are.
SortKey ProgressKey(const JobRow& row) {
  if (!row.progress || !row.progress->step) return {};
  const auto step = static_cast<double>(*row.progress->step);
  const bool has_end = row.progress->steps && *row.progress->steps > 0;
  return has_end ? step / static_cast<double>(*row.progress->steps) : step;
}

std::optional<std::string> FromHex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    const auto value = ParseNumber<unsigned>(text.substr(i, 2), 16);
    if (!value) return std::nullopt;
    bytes += static_cast<char>(*value);
  }
  return bytes;
}

std::string WriteKey(const SortKey& key) {
  if (const auto* number = std::get_if<double>(&key)) {
    char text[40];
    const auto [end, error] = std::to_chars(text, text + sizeof text, *number);
    return "n" + Hex(std::string_view(text, static_cast<size_t>(end - text)));
  }
  if (const auto* text = std::get_if<std::string>(&key)) return "t" + Hex(*text);
  return "u";
}

std::optional<SortKey> ReadKey(std::string_view text) {
  if (text == "u") return SortKey();
  if (text.empty()) return std::nullopt;
  const auto bytes = FromHex(text.substr(1));
  if (!bytes) return std::nullopt;
  if (text.front() == 't') return SortKey(*bytes);
  const auto number = text.front() == 'n' ? ParseNumber<double>(*bytes) : std::nullopt;
  return number && !std::isnan(*number) ? std::optional(SortKey(*number)) : std::nullopt;
}

}  // namespace

Result<Order> ParseOrder(std::string_view text) {
  Order order{.descending = text.starts_with('-')};
  const std::string_view name = text.substr(order.descending ? 1 : 0);
  const auto found =
      std::find_if(kColumns.begin(), kColumns.end(), [&](const Column& column) { return column.name == name; });
  if (found == kColumns.end()) {
    return Error{ErrorCode::kUsage, "sort: there is no column '" + Shown(name) + "'; the columns are " +
                                        Join(SortColumns()) + ", with '-' in front for descending order"};
  }
  order.column = found->column;
  return order;
}

std::string ToText(const Order& order) {
  const auto found = std::find_if(kColumns.begin(), kColumns.end(),
                                  [&](const Column& column) { return column.column == order.column; });
  return (order.descending ? "-" : "") + std::string(found->name);
}

std::vector<std::string> SortColumns() {
  std::vector<std::string> names;
  for (const Column& column : kColumns) names.emplace_back(column.name);
  return names;
}

Position PositionOf(const JobRow& row, SortColumn column, Instant now) {
  const auto key = [&]() -> SortKey {
    switch (column) {
      case SortColumn::kSubmitted:
        return TimeKey(row.submitted);
      case SortColumn::kStarted:
        return TimeKey(row.started);
      case SortColumn::kFinished:
        return TimeKey(row.finished);
      case SortColumn::kTook: {
        const auto took = TookUntil(row, now);
        return took ? SortKey(static_cast<double>(took->count())) : SortKey();
      }
      case SortColumn::kId:
        return SortKey(row.id);
      case SortColumn::kName:
        return TextKey(row.name);
      case SortColumn::kUser:
        return TextKey(row.user);
      case SortColumn::kQueue:
        return TextKey(row.queue);
      case SortColumn::kState:
        return SortKey(static_cast<double>(row.state));
      case SortColumn::kTasks:
        return SortKey(static_cast<double>(row.tasks));
      case SortColumn::kGpus:
        return NumberKey(row.gpus);
      case SortColumn::kProgress:
        return ProgressKey(row);
      case SortColumn::kGoodput:
        return NumberKey(row.goodput);
      case SortColumn::kSeverity:
        return row.severity ? SortKey(static_cast<double>(*row.severity)) : SortKey();
      case SortColumn::kCost:
        return NumberKey(row.cost);
      case SortColumn::kReason:
        return TextKey(row.reason);
      case SortColumn::kBackend:
        return TextKey(row.backend);
      case SortColumn::kFramework:
        return TextKey(row.framework);
    }
    return {};
  };
  return {key(), row.id, row.backend};
}

bool Before(const Position& a, const Position& b, bool descending) {
  const bool a_known = a.key.index() != 0, b_known = b.key.index() != 0;
  if (a_known != b_known) return a_known;
  if (a.key != b.key) return descending ? b.key < a.key : a.key < b.key;
  const auto a_job = std::tie(a.id, a.backend), b_job = std::tie(b.id, b.backend);
  return descending ? b_job < a_job : a_job < b_job;
}

std::string WriteCursor(const Order& order, const Position& last) {
  return ToText(order) + "." + WriteKey(last.key) + "." + Hex(last.id) + "." + Hex(last.backend);
}

Result<Position> ReadCursor(std::string_view text, const Order& order) {
  const Error invalid = {ErrorCode::kUsage,
                         "after: this cursor is not one of this list and order; leave `after` out "
                         "to begin with the first page"};
  const std::string prefix = ToText(order) + ".";
  if (!text.starts_with(prefix)) return invalid;
  text.remove_prefix(prefix.size());
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) return invalid;
  const auto key = ReadKey(text.substr(0, dot));
  text.remove_prefix(dot + 1);
  const size_t end = std::min(text.find('.'), text.size());
  const auto id = FromHex(text.substr(0, end));
  const auto backend = FromHex(text.substr(std::min(end + 1, text.size())));  // an older cursor has none
  if (!key || !id || !backend) return invalid;
  return Position{*key, *id, *backend};
}

}  // namespace howdah::index::query
