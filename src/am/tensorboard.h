// The job's TensorBoard: a process beside the job that is nobody's task. It never fails the job.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "howdah/core/change.h"
#include "howdah/process/spawn.h"

namespace howdah::am {

class TensorBoard {
 public:
  struct Options {
    std::string logdir;
    std::vector<std::string> environment;  // of the process; `tensorboard` is looked up in its PATH
    std::string log_directory;             // its output goes to tensorboard.log there
    std::string host;                      // the address it serves on, and is reached by
  };
  using Tell = std::function<void(core::JobChanged)>;

  // Starts it, and tells (on the loop) its URL once it serves, or what to do if there is no TensorBoard.
  static std::unique_ptr<TensorBoard> Start(boost::asio::io_context& loop, const Options& options, Tell tell);
  // Ends it and everything it started.
  ~TensorBoard();

 private:
  TensorBoard(boost::asio::io_context& loop, Tell tell);
  void ReadOutput();
  void Say(std::string url, std::string advice);

  Tell tell_;
  boost::asio::posix::stream_descriptor output_;
  process::Child child_;
  process::Fd log_;
  std::string seen_;  // output in which the URL has not been found yet
  bool told_ = false;
  std::array<char, 4096> buffer_;
};

// The address in TensorBoard's announcement ("TensorBoard 2.21.0 at http://localhost:6006/ (Press CTRL+C to quit)");
// empty: none.
std::string UrlIn(const std::string& output);

}  // namespace howdah::am
