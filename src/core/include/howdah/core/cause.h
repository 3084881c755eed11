// Why a job recovers, stops or fails, for programs. JobChanged::reason is the sentence for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace howdah::core {

struct Cause {
  // The names are part of the journal's format: append kinds, and never rename one.
  enum class Kind {
    // A task's failure.
    kExit,         // one of its processes failed
    kNoStatus,     // it ended, and no exit status was reported
    kNotStarted,   // its command could not be started
    kLost,         // its container was lost
    kTaskTimeout,  // it reached the `timeout` of its role
    kNotReady,     // it never became ready: its executor did not connect, or it got no replacement container
    kReclaimed,    // the cluster reclaims its container
    kOutdated,     // its start parameters are no longer valid
    kHung,         // it ran without any activity
    // A cause that is not the failure of one task.
    kGangTimeout,   // the gang was not complete within the limit
    kRefused,       // the backend can never grant the requested containers
    kOutlived,      // a role ran on for too long after others had ended (`outlive`)
    kRunTimeout,    // the job reached timeouts.run
    kStopRequest,   // a user or the backend stopped the job
    kScaled,        // a ranked role was scaled
    kGrown,         // tasks are about to join the ranked tasks
    kDisconnected,  // a ranked task lost its connection to the other ranked tasks
    kAmDeath,       // the application master died, and with it the rendezvous
    kNotReplaced,   // the ranked tasks got no replacement containers
  };
  Kind kind = Kind::kExit;
  // The failed task and its attempt. For a cause that is not the failure of one task, role is empty and the numbers are
  // 0.
  std::string role = {};
  int index = 0;
  int attempt = 0;
  friend bool operator==(const Cause&, const Cause&) = default;
};

// Returns the text that the journal contains, for example "exit" or "task_timeout".
std::string_view ToText(Cause::Kind kind);
std::optional<Cause::Kind> ParseCauseKind(std::string_view text);

}  // namespace howdah::core
