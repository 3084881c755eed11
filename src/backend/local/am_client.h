// Calls to the application master of a job of this machine: its address and the client's identity are in the job's
// directory.
#pragma once

#include <optional>
#include <string>

#include "howdah/backend/local/layout.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/journal/job_view.h"
#include "howdah/rpc/identity.h"

namespace howdah::backend::local {

// kUnavailable: its files do not say, or not any more.
Result<rpc::AmContact> ContactOf(const JobFiles& files);

Result<journal::JobView> AskStatus(const JobFiles& files);
Status AskStop(const JobFiles& files, const std::string& by, std::optional<Duration> grace);
Status AskScale(const JobFiles& files, const std::string& role, int instances, const std::string& by);

}  // namespace howdah::backend::local
