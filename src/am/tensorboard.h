// The job's TensorBoard: a process of the AM, not a task. It never fails the job. It has no authentication and
// therefore serves only on the loopback interface. Users who may see the job connect through the AM (tunnels.h).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "event_mirror.h"
#include "howdah/base/result.h"
#include "howdah/core/event.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/spawn.h"
#include "howdah/storage/files.h"

namespace howdah::am {

class TensorBoard {
 public:
  struct Options {
    std::string logdir;
    std::function<Result<std::unique_ptr<storage::Files>>()> open_logdir;  // as in AmOptions
    std::string logdir_copy;
    // Environment of the process. `tensorboard` is looked up in its PATH.
    std::vector<std::string> environment;
    std::optional<uint64_t> open_files;  // as in AmOptions
    std::string log_directory;           // directory of tensorboard.log, which gets the process's output
  };
  using Report = std::function<void(core::TensorBoardReported)>;

  // Starts TensorBoard. Calls report on the loop: with the URL when TensorBoard serves, or with advice if it could not
  // start. clock must live longer than the returned object.
  static std::unique_ptr<TensorBoard> Start(boost::asio::io_context& loop, const os::process::Clock& clock,
                                            const Options& options, Report report);
  // Kills TensorBoard and its descendants.
  ~TensorBoard();

  // TensorBoard's port. If TensorBoard does not serve (yet), the error states why.
  Result<uint16_t> port() const;

 private:
  TensorBoard(boost::asio::io_context& loop, Report report);
  // The local directory that TensorBoard reads: the log directory itself, or a mirror of it.
  Result<std::string> Logdir(const os::process::Clock& clock, const Options& options);
  void ReadOutput();
  void ReportOnce(std::string url, std::string advice);

  Report report_;
  boost::asio::posix::stream_descriptor output_;
  std::unique_ptr<EventMirror> mirror_;  // set if the log directory is remote
  os::process::Child child_;
  os::files::Fd log_;
  std::string seen_;  // the output so far, until the URL has been found in it
  bool reported_ = false;
  uint16_t port_ = 0;    // 0 until TensorBoard serves
  std::string why_not_;  // set once TensorBoard has failed to serve
  std::array<char, 4096> buffer_;
};

}  // namespace howdah::am
