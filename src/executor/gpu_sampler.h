// What the task's GPUs do, asked of nvidia-smi now and then.
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

// Nothing waits for an answer: last() is what the last one said. A question takes a process, and some tens of
// milliseconds of a core, so it is asked rarely; one that is not answered in time is killed. On the executor's loop;
// the executor reaps.
class GpuSampler {
 public:
  // gpus: those of the task; empty: nothing is ever asked. path: where nvidia-smi is looked for.
  GpuSampler(boost::asio::io_context& loop, std::vector<int> gpus, const std::string& path);

  // Asks, if it is time to.
  void Poke();
  const std::vector<os::process::GpuUsage>& last() const { return last_; }
  // By index: where each is on the PCI bus, as soon as an answer has said it.
  const std::map<int, std::string>& pci_addresses() const { return pci_addresses_; }
  // All answers so far.
  const GpuSamples& samples() const { return samples_; }

 private:
  void Read();
  void Finish();

  std::vector<int> gpus_;
  std::string program_;  // empty: there is none
  std::string path_;
  boost::asio::posix::stream_descriptor output_;
  boost::asio::steady_timer patience_;
  std::chrono::steady_clock::time_point next_;
  pid_t pid_ = -1;
  std::string text_;
  std::array<char, 1024> buffer_;
  std::vector<os::process::GpuUsage> last_;
  std::map<int, std::string> pci_addresses_;  // a GPU that has failed is in no answer any more
  GpuSamples samples_;
};

}  // namespace howdah::executor
