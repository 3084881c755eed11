// Calls to the application master of a job on this machine. Its address and the client's identity are in the job's
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

// Reads the address from am.json. Returns kUnavailable if the file is missing or has no address.
Result<std::string> AmAddress(const JobFiles& files);

// Returns the AM's address and the client's identity. Returns kUnavailable if their files are missing, because the AM
// does not listen yet or the job has ended.
Result<rpc::AmContact> FindAm(const JobFiles& files);

Result<journal::JobView> CallStatus(const JobFiles& files);
Status CallStop(const JobFiles& files, const std::string& by, std::optional<Duration> grace);
Status CallScale(const JobFiles& files, const std::string& role, int instances, const std::string& by);

}  // namespace howdah::backend::local
