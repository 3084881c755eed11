// The addresses of a job's running tasks. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/journal/job_view.h"

namespace howdah::journal {

struct Address {
  int index = 0;  // of the task
  std::string host, container;
  int port = 0;
  friend bool operator==(const Address&, const Address&) = default;
};

// The addresses of the tasks that run, by role. `job` must have been made from a journal, because the text of ToJson
// has no addresses.
std::map<std::string, std::vector<Address>> AddressesOf(const JobView& job);

// The same in the format of Apache Slider's `publisher/exports` (PublishedExports, and PublishedExportsSet for all
// roles), which the clients of Slider's packages read. role: "" for all roles. Returns nullopt if the job has no task
// of this role.
std::optional<std::string> SliderExports(const JobView& job, std::string_view role);

}  // namespace howdah::journal
