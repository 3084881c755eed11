// The application tag with which a job publishes the needs of its gang, so that they count before its AM runs:
// "howdah-gang:2x4096m1c+1x2048m1c;run=3600". Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/admission/resources.h"
#include "howdah/base/time.h"

namespace howdah::admission {

// Equal tasks of a gang.
struct Tasks {
  int64_t count = 0;
  Resources each;
  friend bool operator==(const Tasks&, const Tasks&) = default;
};

struct Demand {
  std::vector<Tasks> tasks;
  std::optional<Duration> run;  // timeouts.run
  // Adds tasks. Equal tasks are one entry.
  void Add(int64_t count, const Resources& each);
  friend bool operator==(const Demand&, const Demand&) = default;
};

// Returns what all tasks take together.
Resources SumOf(const std::vector<Tasks>& tasks);

// Formats "4 × 16 GiB, 1 GPU + 2 GiB" for people.
std::string ToText(const std::vector<Tasks>& tasks);

// YARN's limit for a tag. (YarnConfiguration.APPLICATION_MAX_TAG_LENGTH)
inline constexpr size_t kTagLimit = 100;

// A demand whose tag would exceed kTagLimit is published as its sum: "howdah-gang:sum:3x10240m3c" are 3 tasks that need
// 10240 MiB and 3 vcores together. If even that is too long, resources other than memory, vcores and GPUs are left out.
// YARN stores tags in lower case, so types of resources appear in lower case.
std::string ToTag(const Demand& demand);

// Returns nullopt if the text is not such a tag. The tasks of a sum are taken as equal, each with its share rounded up.
// Any text is safe: tags come from other users, too.
std::optional<Demand> ParseTag(std::string_view tag);

// The same for another tag, which publishes the tasks that elastic roles can do without:
// "howdah-gang:optional:6x4096m1c". ParseTag does not take it for the needs of a gang.
std::string ToOptionalTag(const std::vector<Tasks>& tasks);
std::optional<std::vector<Tasks>> ParseOptionalTag(std::string_view tag);

}  // namespace howdah::admission
