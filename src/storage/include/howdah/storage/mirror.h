// Copies TensorBoard's event files from a backend's file system to a directory of this machine, because TensorBoard
// cannot read HDFS. Event files only grow, so bytes that have been copied stay valid.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/storage/files.h"

namespace howdah::storage {

// Returns the path of a log directory that is on this machine: "/a" for "/a" and "file:///a". Returns nullopt if the
// directory is in another file system.
std::optional<std::string> LocalPath(const std::string& logdir);

// Blocking; not thread-safe. Memory is bounded, regardless of the size of the files.
class Mirror {
 public:
  // `from` is a directory of `files`, which must live longer than this object. `to` is an existing directory of this
  // machine. `max_bytes` limits the total size of the copies.
  Mirror(storage::Files& files, std::string from, std::string to, int64_t max_bytes);

  // Copies the bytes that were added to event files, in any subdirectory, since the last call.
  // - A file that does not grow is checked less and less often: each time after twice as long without growth, or when
  //   its listing changes. Checking is necessary because HDFS does not list the growth of a file that is being
  //   written.
  // - A missing directory counts as empty.
  // - If a file causes an error, the others are still copied. The first error is returned.
  // - After a stop request the function returns after the listing or piece in progress.
  Status Update(Instant now, const std::stop_token& stop = {});
  int count() const { return static_cast<int>(copies_.size()); }  // number of event files that were copied

 private:
  struct File {
    int64_t copied = 0;
    Instant modified;     // modification time in the listing at the last check
    Instant last_growth;  // when new bytes were last found
    Instant next_check;
  };
  void Walk(const std::string& below, int depth);
  void CheckFile(const std::string& below, Instant modified);
  Status Copy(const std::string& below, File& file);
  void KeepFirstError(const Status& status);

  storage::Files& files_;
  const std::string from_, to_;
  const int64_t max_bytes_;
  int64_t bytes_ = 0;
  std::map<std::string, File> copies_;  // event files by path below from_: "/run1/events.out.tfevents.1"
  // The state of the Update that is running.
  Instant now_;
  std::stop_token stop_;
  Status first_error_;
};

}  // namespace howdah::storage
