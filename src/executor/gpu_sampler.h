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

// Each run of nvidia-smi costs a process and some tens of milliseconds of CPU time, so the sampler runs it only every
// 30 s, and kills it if it takes longer than 10 s. Everything is asynchronous, on the executor's loop. The executor
// reaps the process.
class GpuSampler {
 public:
  // gpus: the GPUs of the task; if empty, nothing is sampled. path: the PATH in which nvidia-smi is looked up.
  GpuSampler(boost::asio::io_context& loop, std::vector<int> gpus, const std::string& path);

  // Runs nvidia-smi, unless the last sample is recent.
  void Poll();
  // The last sample.
  const std::vector<os::process::GpuUsage>& last() const { return last_; }
  // The PCI addresses of all GPUs that any sample has contained, by GPU index.
  const std::map<int, std::string>& pci_addresses() const { return pci_addresses_; }
  // Averages and peaks over all samples so far.
  const GpuSamples& samples() const { return samples_; }

 private:
  void Read();
  void Finish();

  std::vector<int> gpus_;
  std::string program_;  // empty if not found
  std::string path_;
  boost::asio::posix::stream_descriptor output_;
  boost::asio::steady_timer limit_;
  std::chrono::steady_clock::time_point next_;
  pid_t pid_ = -1;
  std::string text_;
  std::array<char, 1024> buffer_;
  std::vector<os::process::GpuUsage> last_;
  // kept from all samples, because a GPU that has failed is missing in later ones
  std::map<int, std::string> pci_addresses_;
  GpuSamples samples_;
};

}  // namespace howdah::executor
