// Goodput reports as text, JSON and CSV. Pure.
#pragma once

#include <optional>
#include <string>

#include "howdah/client/goodput_report.h"
#include "howdah/journal/job_view.h"

namespace howdah::cli::output {

struct GoodputView {
  const client::GoodputReport& report;
  std::optional<jobspec::Prices> prices;
};

// Formats one row per group, and a last row with the total. Hardware is in hours. If no job held a GPU, the buckets are
// those of vcores.
std::string GoodputTable(const GoodputView& view);
// Formats {"groups": [{"group": "ann", …}], "total": {"group": "all", …}}.
std::string GoodputJson(const GoodputView& view);
// Starts with a line of titles, has one line per group, and ends with a line for the group "all". An unknown value is
// an empty field.
std::string GoodputCsv(const GoodputView& view);

// Formats a report about one job: a row for each bucket, with its wall time and hardware.
std::string GoodputOfJob(const GoodputView& view);

// Summarises the hardware at the end of a job: "held 1.2 GPU h, 4.8 vcore h, 19 GiB h; goodput 87%, GPUs busy 74%".
// Empty if the hardware is not known.
std::string HardwareText(const journal::JobView& view);

}  // namespace howdah::cli::output
