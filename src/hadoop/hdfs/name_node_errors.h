// What a NameNode's exceptions mean to a user.
#pragma once

#include <cstdint>

#include "howdah/base/result.h"

namespace howdah::hadoop::hdfs {

// An exception of the NameNode in one sentence, with what to do; remote_class is kept, and the code but for kNotFound
// of a file that is not there and kUnavailable where HDFS as it is now cannot take what it is given. Other errors come
// back as they are.
Error Explain(const Error& error);

// What GetFsStats says of a cluster, in bytes.
struct Room {
  int64_t capacity = 0, used = 0, remaining = 0;
};
// An error that IsWithoutDataNodes, with what the cluster has; nullptr: that is not known.
Error ExplainWithoutDataNodes(const Error& error, const Room* room);

// The exceptions that callers react to.
bool IsNotReplicatedYet(const Error& error);
// No DataNode could be found for a block.
bool IsWithoutDataNodes(const Error& error);

}  // namespace howdah::hadoop::hdfs
