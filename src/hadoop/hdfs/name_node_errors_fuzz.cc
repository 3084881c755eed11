// Explains the input as an exception of the NameNode. Its first line is the class of the exception.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "name_node_errors.h"

namespace howdah::hadoop::hdfs {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(text.find('\n'), text.size());
  Error error = Failed(text.substr(end));
  error.remote_class = text.substr(0, end);
  Explain(error);
  const ClusterSpace space{1000, 900, 100};
  ExplainWithoutDataNodes(error, &space);
  ExplainWithoutDataNodes(error, nullptr);
  IsNotReplicatedYet(error);
  IsWithoutDataNodes(error);
  return 0;
}

}  // namespace howdah::hadoop::hdfs
