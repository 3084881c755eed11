// The job's TensorBoard: a process of the AM, not a task. It never fails the job. It has no authentication, so it
// serves only on the loopback interface; users who may see the job connect through the AM (tunnels.h).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "event_mirror.h"
#include "howdah/base/result.h"
#include "howdah/core/event.h"
#include "howdah/os/process/spawn.h"
#include "howdah/storage/files.h"

namespace howdah::am {

class TensorBoard {
 public:
  struct Options {
    std::string logdir;
    std::function<Result<std::unique_ptr<storage::Files>>()> open_logdir;  // as in AmOptions
    std::string logdir_copy;
    std::vector<std::string> environment;  // of the process; `tensorboard` is looked up in its PATH
    std::string log_directory;             // its output goes to tensorboard.log there
  };
  using Report = std::function<void(core::TensorBoardReported)>;

  // Starts it, and reports (on the loop) its URL once it serves, or what to do if there is no TensorBoard.
  static std::unique_ptr<TensorBoard> Start(boost::asio::io_context& loop, const Options& options, Report report);
  // Kills it and everything it started.
  ~TensorBoard();

  // Its port; an error says why it does not serve, or not yet.
  Result<uint16_t> port() const;

 private:
  TensorBoard(boost::asio::io_context& loop, Report report);
  // The local directory that it shows: the log directory itself, or a copy that follows it.
  Result<std::string> Logdir(const Options& options);
  void ReadOutput();
  void ReportOnce(std::string url, std::string advice);

  Report report_;
  boost::asio::posix::stream_descriptor output_;
  std::unique_ptr<EventMirror> mirror_;  // where the log directory is not on this machine
  os::process::Child child_;
  os::files::Fd log_;
  std::string seen_;  // output in which the URL has not been found yet
  bool reported_ = false;
  uint16_t port_ = 0;    // once it serves
  std::string why_not_;  // once it is known that it will not
  std::array<char, 4096> buffer_;
};

}  // namespace howdah::am
