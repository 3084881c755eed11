// What a NameNode's exceptions mean to a user.
#pragma once

#include "howdah/base/result.h"

namespace howdah::hdfs {

// An exception of the NameNode in one sentence, with what to do; code and remote_class are kept, but kNotFound for a
// file that is not there. Other errors come back as they are.
Error Explain(const Error& error);

// Capacity of a cluster, of GetFsStats: "of its 10 GiB 9.9 GiB are used and 40 MiB are left".
std::string RoomText(int64_t capacity, int64_t used, int64_t remaining);

// The exceptions that callers react to.
bool IsNotReplicatedYet(const Error& error);
// No DataNode could be found for a block.
bool IsWithoutDataNodes(const Error& error);

}  // namespace howdah::hdfs
