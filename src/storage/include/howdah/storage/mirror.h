// TensorBoard's event files as a place's file system has them, in a directory of this machine: TensorBoard itself reads
// no HDFS. Such files only grow, so that what was copied once stays right.
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

// Where this machine itself has a log directory: of "/a" and "file:///a" it is "/a"; nullopt: another file system has
// it.
std::optional<std::string> LocalPath(const std::string& logdir);

// Blocking; one thread at a time. Memory is bounded whatever the sizes of files.
class Mirror {
 public:
  // from: a directory of `files`, which must outlive this; to: a directory of this machine, which is there. most_bytes:
  // what the copies together may have.
  Mirror(storage::Files& files, std::string from, std::string to, int64_t most_bytes);

  // Adds to the copies what event files at any depth have got since the last time. A file that has been silent is
  // looked at again when it has been so for twice as long, or its listing changes: of a file that is being written HDFS
  // does not list how it grows. A directory that is not there has no files. An error is the first of those met; what
  // else could be copied has been. Asked to stop it returns after the next listing or piece.
  Status Update(Instant now, const std::stop_token& stop = {});
  int count() const { return static_cast<int>(files_here_.size()); }  // of event files that are here

 private:
  struct File {
    int64_t copied = 0;
    Instant modified;  // as listed at the last look
    Instant grown;     // when bytes last came
    Instant next_look;
  };
  void Walk(const std::string& below, int depth);
  void Look(const std::string& below, Instant modified);
  Status Copy(const std::string& below, File& file);
  void Keep(const Status& status);

  storage::Files& files_;
  const std::string from_, to_;
  const int64_t most_bytes_;
  int64_t bytes_ = 0;
  std::map<std::string, File> files_here_;  // by path below from_: "/run1/events.out.tfevents.1"
  // Of the update that runs.
  Instant now_;
  std::stop_token stop_;
  Status first_error_;
};

}  // namespace howdah::storage
