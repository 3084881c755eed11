// Goodput reports as text. Pure.
#pragma once

#include <string>

#include "howdah/client/goodput_json.h"
#include "howdah/journal/job_view.h"

namespace howdah::cli::output {

using client::GoodputView;

// Formats one row per group, and a last row with the total. Hardware is in hours. If no job held a GPU, the buckets are
// those of vcores.
std::string GoodputTable(const GoodputView& view);
// Formats a report about one job: a row for each bucket, with its wall time and hardware.
std::string GoodputOfJob(const GoodputView& view);

// Summarises the hardware at the end of a job: "held 1.2 GPU h, 4.8 vcore h, 19 GiB h; goodput 87%, GPUs busy 74%".
// Empty if the hardware is not known.
std::string HardwareText(const journal::JobView& view);

}  // namespace howdah::cli::output
