// The results of a job's processes: the content of the file HOWDAH_RESULT of each process when it ends.
#pragma once

#include <cstdint>

namespace howdah::core {

// The largest result of one process, and of all processes of a job together, in bytes.
inline constexpr int64_t kResultLimit = int64_t{64} << 20;
inline constexpr int64_t kJobResultsLimit = int64_t{1} << 30;

// In a list of sizes: the process has no result.
inline constexpr int kNoResult = -1;

// The advice for a result that is too large.
inline constexpr char kLargeResultAdvice[] =
    "write large results to a file that outlives the task, such as one below checkpoint.dir, and return its path";

}  // namespace howdah::core
