// Reads the scalars in the event files below a job's `tensorboard.logdir`, and keeps up with files that grow.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/storage/files.h"
#include "howdah/tfevents/curve.h"
#include "howdah/tfevents/event_file.h"

namespace howdah::portal {

// Its memory is bounded: kMostCurves curves, and kMostFiles files.
class ScalarReader {
 public:
  static constexpr size_t kMostCurves = 1000, kMostFiles = 2000;
  // A tag, and the directory of its event file below the log directory ("." for the log directory itself).
  using Key = std::pair<std::string, std::string>;

  // path: of the log directory, without a scheme.
  explicit ScalarReader(std::string path) : path_(std::move(path)) {}

  // Reads the bytes that were added since the last call. A file that does not grow is read again after as much time as
  // it has not grown, at most a minute, because HDFS does not list the growth of a file that is being written. A
  // missing directory counts as empty. Returns early if out_of_time() is true, which is checked between pieces of 1
  // MiB. The error of one file does not keep the others from being read; see problem(). Blocking; only one thread at a
  // time may call it.
  Status Update(storage::Files& files, Instant now, const std::function<bool()>& out_of_time);

  // Update changes what the methods below return only with this mutex, which it does not hold while it waits for the
  // file system. Lock it to call them while another thread may be in Update.
  std::mutex& mutex() { return mutex_; }
  const std::map<Key, tfevents::Curve>& curves() const { return curves_; }
  // Whether the last Update that has ended read everything that existed.
  bool complete() const { return complete_; }
  // The files that could not be read, and why; empty if all could be.
  std::string problem() const;

 private:
  struct File {
    tfevents::EventFile events;
    Instant modified, last_growth, next_check;
    std::string error;  // of the last read
  };

  struct Listing {
    std::map<std::string, Instant> files;  // by path below path_, and when they were modified
    bool too_many = false;
  };

  Status Walk(storage::Files& files, const std::string& below, int depth, Listing& listing);
  // Returns whether it has read all bytes. lock: held except while the file is read.
  bool Read(storage::Files& files, const std::string& below, File& file, const std::function<bool()>& out_of_time,
            std::unique_lock<std::mutex>& lock);

  const std::string path_;
  std::mutex mutex_;
  std::map<std::string, File> files_;  // by path below path_: "/run1/events.out.tfevents.1"
  std::map<Key, tfevents::Curve> curves_;
  bool complete_ = false, too_many_files_ = false, too_many_curves_ = false;
  Instant now_;
};

}  // namespace howdah::portal
