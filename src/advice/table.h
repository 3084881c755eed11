// The table of checks. Each row has the conditions that the driver enforces, the texts of docs/advice.md, and the
// function that makes the check.
#pragma once

#include <string_view>
#include <vector>

#include "figures.h"
#include "howdah/advice/advice.h"

namespace howdah::advice {

using jobspec::AdviceCheck;
using Findings = std::vector<Finding>;

// Conditions under which the driver reports a finding.
struct Needs {
  bool harm = false;       // reported at once and without a saving, because the job may fail
  bool no_series = false;  // needs neither a run of five minutes nor samples of a series
  bool risk = false;  // saves something only if a later event occurs, so a finding without a saving is reported, too
  bool unknown_saving = false;  // only the next run can show the saving, so a finding without one is reported, too
};
inline constexpr Needs kSeries = {};
inline constexpr Needs kNoSeries = {.no_series = true};
inline constexpr Needs kHarm = {.harm = true};
inline constexpr Needs kHarmNoSeries = {.harm = true, .no_series = true};
inline constexpr Needs kRisk = {.no_series = true, .risk = true};
inline constexpr Needs kRiskSeries = {.risk = true};
inline constexpr Needs kUnknownSaving = {.unknown_saving = true};

struct Check {
  AdviceCheck name;
  Needs needs;
  std::vector<AdviceCheck> silenced_by;  // if one of these checks reports the same cause, this check is silent
  std::string_view examines;             // the condition
  std::string_view why;
  std::string_view fix;
  // Words by which the core's advice on the same problem is recognised (JobView::advice); empty if the core has none.
  std::string_view words_of_core;
  // Returns one finding per cause. The driver fills in check, runs, certain and saving_per_week.
  Findings (*find)(const Figures& figures);
};

// One row per jobspec::AdviceCheck, in the same order.
const std::vector<Check>& Table();

}  // namespace howdah::advice
