// Fuzzes the descriptions of container exits. The first two bytes of the input are the exit status, the others the
// diagnostics.
#include <cstddef>
#include <cstdint>
#include <string>

#include "container_exit.h"

namespace howdah::backend::yarn::am {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  ::hadoop::yarn::ContainerStatusProto status;
  status.set_exit_status(static_cast<int16_t>(data[0] | data[1] << 8));
  status.set_diagnostics(std::string(reinterpret_cast<const char*>(data) + 2, size - 2));
  DescribeExit(status);
  IsRefusedByCluster(status);
  DescribeStartProgress(status, "node7");
  DescribeStartFailure(status.diagnostics());
  return 0;
}

}  // namespace howdah::backend::yarn::am
