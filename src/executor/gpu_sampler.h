// Samples the use of the task's GPUs with nvidia-smi.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/os/process/usage.h"
#include "samples.h"

namespace howdah::executor {

// nvidia-smi takes a process and some tens of milliseconds of a core, so it is run rarely, and killed if it takes too
// long. On the executor's loop, asynchronously; the executor reaps.
class GpuSampler {
 public:
  // gpus: those of the task; empty: nothing is ever sampled. path: where nvidia-smi is looked up.
  GpuSampler(boost::asio::io_context& loop, std::vector<int> gpus, const std::string& path);

  // Runs nvidia-smi, unless the last sample is recent.
  void Poll();
  // The last sample.
  const std::vector<os::process::GpuUsage>& last() const { return last_; }
  // PCI addresses by index, as far as samples have contained them.
  const std::map<int, std::string>& pci_addresses() const { return pci_addresses_; }
  // Over all samples so far.
  const GpuSamples& samples() const { return samples_; }

 private:
  void Read();
  void Finish();

  std::vector<int> gpus_;
  std::string program_;  // empty: not found
  std::string path_;
  boost::asio::posix::stream_descriptor output_;
  boost::asio::steady_timer limit_;
  std::chrono::steady_clock::time_point next_;
  pid_t pid_ = -1;
  std::string text_;
  std::array<char, 1024> buffer_;
  std::vector<os::process::GpuUsage> last_;
  std::map<int, std::string> pci_addresses_;  // kept, because a GPU that has failed is missing in later samples
  GpuSamples samples_;
};

}  // namespace howdah::executor
