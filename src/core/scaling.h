// Role sizes that users ask for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "context.h"
#include "howdah/core/event.h"
#include "roster.h"

namespace howdah::core {

struct Units;

class Scaling {
 public:
  explicit Scaling(Units& units);

  void On(const ScaleRequested& e);
  // A step of Settle. A role takes its next size when all tasks of the last scaling have left, and no attempts are
  // being stopped: a task that leaves then may be the one that failed first.
  void ApplyRequests();

  // Creates a task that wants a container.
  void AddTask(Role& role, bool member);
  void Leave(Task& task);
  // Nothing of a leaving task runs any more.
  void Remove(Task& task);

 private:
  struct Request {
    int size = 0;
    std::string by;
  };

  void Resize(Role& role, const Request& request);
  void Narrow(Role& role, int size);

  Context& context_;
  Roster& roster_;
  class Recorder& recorder_;
  Units& units_;
  std::vector<std::optional<Request>> requests_;  // by role
};

}  // namespace howdah::core
