// Applies the role sizes that users request.
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
  // A step of Settle. The next size of a role is applied only when all tasks of the previous scaling have left. It also
  // waits for the end of a drain, because a task that is to leave may turn out to be the one that failed first.
  void ApplyRequests();

  // Creates a task that needs a container.
  void AddTask(Role& role, bool member);
  void Leave(Task& task);
  // Removes a leaving task after its last process has ended.
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
  std::vector<std::optional<Request>> requests_;  // the next size of each role that has a pending request
};

}  // namespace howdah::core
