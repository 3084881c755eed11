// What a container, a node or a queue has: memory, cores, and whatever else the cluster counts.
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
  std::map<std::string, int64_t> others;  // by resource type, in the units of the type; none is 0

  int64_t other(const std::string& type) const;
  // Whether every part of it is there in `in`.
  bool FitsIn(const Resource& in) const;
  Resource& operator+=(const Resource& more);
  // No part gets below 0: figures of one moment are subtracted from those of another.
  Resource& operator-=(const Resource& less);
  friend bool operator==(const Resource&, const Resource&) = default;
};

// Memory and cores of ResourceProto's own fields win over its map, and a value in other units (Gi, m, ...) is converted
// to those without a prefix, as org.apache.hadoop.yarn.util.UnitsConversionUtil does.
Resource FromProto(const ::hadoop::yarn::ResourceProto& proto);
::hadoop::yarn::ResourceProto ToProto(const Resource& resource);

// For people: "4 GiB, 2 cores, 1 yarn.io/gpu".
std::string ToText(const Resource& resource);

}  // namespace howdah::hadoop::yarn
