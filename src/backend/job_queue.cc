#include "howdah/backend/job_queue.h"

namespace howdah::backend {

std::string ToText(QueuedJob::State state) {
  switch (state) {
    case QueuedJob::State::kRunning:
      return "running";
    case QueuedJob::State::kNext:
      return "next";
    case QueuedJob::State::kWaiting:
      return "waiting";
    case QueuedJob::State::kBackfilled:
      return "backfilled";
    case QueuedJob::State::kBeforeAm:
      return "before AM";
    case QueuedJob::State::kSteppedAside:
      return "stepped aside";
  }
  return "waiting";
}

}  // namespace howdah::backend
