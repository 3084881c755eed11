#include "howdah/os/process/gpu_lease.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace howdah::os::process {
namespace {

// Locks a name by binding an abstract socket to it. The kernel frees the name when the last descriptor of the socket is
// closed. Users and containers that share the node's network namespace also share the names. Returns an invalid
// descriptor if the name is locked already.
files::Fd Hold(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const size_t size = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), size);
  files::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) fd = files::Fd();
  return fd;
}

}  // namespace

Result<GpuLease> LeaseGpus(const std::vector<int>& visible, int count, const std::string& scope) {
  GpuLease lease;
  const auto wanted = static_cast<size_t>(count);
  if (visible.size() == wanted) {
    lease.gpus = visible;
    return lease;
  }
  for (const int gpu : visible) {
    if (lease.gpus.size() == wanted) break;
    files::Fd held = Hold("howdah-gpu-" + scope + std::to_string(gpu));
    if (!held.valid()) continue;
    lease.gpus.push_back(gpu);
    lease.held.push_back(std::move(held));
  }
  if (lease.gpus.size() == wanted) return lease;
  return Error{ErrorCode::kUnavailable,
               "the cluster assigned " + std::to_string(count) + " GPUs to the container, but only " +
                   std::to_string(lease.gpus.size()) + " of the " + std::to_string(visible.size()) +
                   " GPUs visible on this node (nvidia-smi) are free; other tasks use the rest"};
}

}  // namespace howdah::os::process
