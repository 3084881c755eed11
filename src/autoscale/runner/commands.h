// The commands of a provider.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/autoscale/node_list.h"
#include "howdah/autoscale/orders.h"
#include "howdah/autoscale/provider.h"
#include "howdah/base/result.h"

namespace howdah::autoscale::runner {

// Thread-safe. Each call blocks until the command has ended.
class Commands {
 public:
  // directory: in which they run. stop: ends them as soon as it is readable; -1: none. provider must live as long as
  // this object.
  Commands(const Provider& provider, std::string directory, int stop)
      : provider_(provider), directory_(std::move(directory)), stop_(stop) {}

  Result<std::vector<Machine>> List() const;
  // Return the error, or nullopt.
  std::optional<CommandError> Add(const AddMachines& order) const;
  std::optional<CommandError> Remove(const RemoveMachines& order) const;

 private:
  using Variables = std::vector<std::pair<std::string, std::string>>;
  std::optional<CommandError> Order(const std::string& what, const std::string& script, Variables variables) const;

  const Provider& provider_;
  const std::string directory_;
  const int stop_;
};

}  // namespace howdah::autoscale::runner
