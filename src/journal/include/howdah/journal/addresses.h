// The addresses of a job's running tasks. Pure.
#pragma once

#include <cstdint>
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

// The resources that a role requests for each task.
struct RoleAmounts {
  std::string role;
  int64_t memory_bytes = 0;
  int vcores = 0;
  friend bool operator==(const RoleAmounts&, const RoleAmounts&) = default;
};

// The roles with their tasks and resources in the format of Slider's `application/live/resources` (a ConfTree whose
// components have the options of ResourceKeys and StatusKeys), which the script of Slider's TensorFlow package reads.
std::string SliderResources(const JobView& job, const std::vector<RoleAmounts>& roles);

}  // namespace howdah::journal
