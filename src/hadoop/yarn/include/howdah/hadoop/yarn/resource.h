// The resources of a container, node or queue: memory, cores, and further resource types of the cluster.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "howdah/hadoop/messages/yarn.pb.h"

namespace howdah::hadoop::yarn {

inline constexpr const char* kGpu = "yarn.io/gpu";

struct Resource {
  int64_t memory_mib = 0;
  int64_t vcores = 0;
  std::map<std::string, int64_t> others;  // by resource type, in the unit of the type; never contains 0

  int64_t other(const std::string& type) const;
  // Whether no amount in this object exceeds the amount of the same resource in `in`.
  bool FitsIn(const Resource& in) const;
  Resource& operator+=(const Resource& more);
  // Subtracts, but not below 0: the operands may have been measured at different times.
  Resource& operator-=(const Resource& less);
  friend bool operator==(const Resource&, const Resource&) = default;
};

// If memory or cores are both in fields of their own and in the message's map, the fields win. Values with unit
// prefixes (Gi, m and so on) are converted as in org.apache.hadoop.yarn.util.UnitsConversionUtil.
Resource FromProto(const ::hadoop::yarn::ResourceProto& proto);
::hadoop::yarn::ResourceProto ToProto(const Resource& resource);

// Returns a text for people: "4 GiB, 2 cores, 1 yarn.io/gpu".
std::string ToText(const Resource& resource);

}  // namespace howdah::hadoop::yarn
