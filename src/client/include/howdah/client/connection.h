// What every command works with: the place, who is at the keyboard, and how errors are told.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/backend/cluster.h"
#include "howdah/base/result.h"
#include "howdah/cli/main.h"

namespace howdah::cli {

// The exit codes of every command; the job's own are in its status.
inline constexpr int kExitOk = 0, kExitFailed = 1, kExitUsage = 2, kExitPlace = 3, kExitKilled = 4, kExitTimeout = 5;

// One command's surroundings; one thread.
class Shell {
 public:
  Shell(PlaceFactory make_place, std::string on) : make_place_(std::move(make_place)), on_(std::move(on)) {}

  // As --on says it.
  void SetOn(std::string on) { on_ = std::move(on); }
  // The place that --on, $HOWDAH_ON or the configuration names; made on first use.
  Result<backend::Cluster*> Place();
  // "ann on gateway3 with `howdah kill`"
  std::string By(const std::string& with) const;

 private:
  Result<std::string> PlaceName() const;

  PlaceFactory make_place_;
  std::string on_;
  std::unique_ptr<backend::Cluster> place_;
};

// Tells an error on stderr and returns the exit code it means.
int Report(const Error& error);
// Of this process.
std::string CurrentDirectory();
// A line on stderr.
void Say(std::string_view line);

}  // namespace howdah::cli
