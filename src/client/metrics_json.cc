#include "howdah/client/metrics_json.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/number.h"
#include "howdah/base/time.h"

namespace howdah::client {
namespace {

using metrics::Column;
using Json = nlohmann::ordered_json;

// Writes NaN and infinities as strings, because JSON has no numbers for them. Converts a float through its text,
// because the library would print it with the digits of a double.
Json NumberJson(float value) {
  const std::string text = NumberText(value);
  return std::isfinite(value) ? Json(ParseNumber<double>(text).value_or(0)) : Json(text);
}

// Buckets without samples are null.
Json ValuesJson(const Column& column, const std::vector<float>& values) {
  Json out = Json::array();
  for (size_t i = 0; i < values.size(); ++i)
    out.push_back(column.weight[i] > 0 ? NumberJson(values[i]) : Json(nullptr));
  return out;
}

Json ColumnJson(const Column& column) {
  Json out = {{"name", column.series.name},
              {"unit", column.series.unit},
              {"scope", metrics::ToText(column.series.scope)},
              {"task", column.quantile ? column.role : TaskText(column.role, column.index.value_or(0))},
              {"rank", column.rank ? Json(*column.rank) : Json(nullptr)},
              {"capacity", column.capacity ? Json(*column.capacity) : Json(nullptr)},
              {"mean", ValuesJson(column, column.mean)},
              {"max", column.max.empty() ? Json(nullptr) : ValuesJson(column, column.max)}};
  if (column.quantile) out["quantile"] = *column.quantile;
  if (!column.step.empty()) {
    Json steps = Json::array();
    for (size_t i = 0; i < column.step.size(); ++i) {
      steps.push_back(column.weight[i] > 0 ? Json(column.step[i]) : Json(nullptr));
    }
    out["step"] = std::move(steps);
    out["last"] = column.last ? NumberJson(static_cast<float>(*column.last)) : Json(nullptr);
    out["last_step"] = column.last_step ? Json(*column.last_step) : Json(nullptr);
  }
  out["absent"] = column.absent.empty() ? Json(nullptr) : Json(column.absent);
  return out;
}

}  // namespace

std::string NumberText(float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

std::string MetricsJson(const backend::JobMetrics& answer) {
  const metrics::Table& table = answer.table;
  Json out = {{"start", table.buckets > 0 ? Json(FormatInstant(table.start)) : Json(nullptr)},
              {"width", static_cast<double>(table.width.count()) / 1e6},
              {"series", Json::array()}};
  for (const Column& column : table.columns) out["series"].push_back(ColumnJson(column));
  if (!answer.note.empty()) out["note"] = answer.note;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace howdah::client
