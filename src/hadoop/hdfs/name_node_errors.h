// Explains exceptions of the NameNode to users.
#pragma once

#include <cstdint>

#include "howdah/base/result.h"

namespace howdah::hadoop::hdfs {

// Replaces the message of a NameNode's exception by one sentence with advice, and keeps remote_class. The code becomes
// kNotFound for a missing file, and kUnavailable if HDFS cannot accept the request at present. Returns other errors
// unchanged.
Error Explain(const Error& error);

// Capacity of the cluster (GetFsStats), in bytes.
struct ClusterSpace {
  int64_t capacity = 0, used = 0, remaining = 0;
};
// Explains an IsWithoutDataNodes error. Includes the cluster's capacity unless `space` is null.
Error ExplainWithoutDataNodes(const Error& error, const ClusterSpace* space);

// Whether the NameNode rejected the request because a block does not have enough replicas yet.
bool IsNotReplicatedYet(const Error& error);
// Whether the NameNode rejected the request because it found no DataNode for a block.
bool IsWithoutDataNodes(const Error& error);

}  // namespace howdah::hadoop::hdfs
