// The files of one autoscaler, by its name: its state, its log, and the wishes of the user.
#pragma once

#include <optional>
#include <string>

#include "howdah/autoscale/state.h"
#include "howdah/base/result.h"
#include "howdah/os/files/files.h"

namespace howdah::autoscale::runner {

// In $HOWDAH_HOME/autoscale/NAME. One process runs an autoscaler; others may read its files and write its wish.
class Directory {
 public:
  // home: $HOWDAH_HOME. Returns kUsage if the name is not a file name.
  static Result<Directory> Open(const std::string& home, const std::string& name);

  // Returns kUnavailable if another process runs this autoscaler; the message names the process.
  Result<os::files::FileLock> Lock() const;
  // The pid of the process that runs it, or "" if none does.
  std::string Runner() const;

  // Reads the state; a new one if there is none. prefix: of its tokens. kUsage: the file is damaged.
  Result<State> ReadState(const std::string& prefix) const;
  // text: of autoscale::WriteState.
  Status WriteState(const std::string& text) const;

  std::string log_path() const { return path_ + "/log.jsonl"; }
  Status AppendLog(const std::string& line) const;
  // The last line of the log; "" if there is none.
  std::string LastLogLine() const;

  // The last wish of the user. Its id changes with each call of WriteWish, also to the same value, and is "" before the
  // first call.
  struct Wish {
    bool paused = false;
    std::string id;
  };
  Result<Wish> ReadWish() const;
  Status WriteWish(bool paused) const;

  const std::string& path() const { return path_; }

 private:
  explicit Directory(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace howdah::autoscale::runner
