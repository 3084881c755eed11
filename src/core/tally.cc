#include "tally.h"

namespace howdah::core {

void Tally::Add(const Tally& other, int sign) {
  tasks += sign * other.tasks;
  pending += sign * other.pending;
  unregistered += sign * other.unregistered;
  started += sign * other.started;
  done += sign * other.done;
  succeeded += sign * other.succeeded;
  failed += sign * other.failed;
  hung += sign * other.hung;
  budget += sign * other.budget;
  open += sign * other.open;
  rendezvous.ready += sign * other.rendezvous.ready;
  rendezvous.joined += sign * other.rendezvous.joined;
  rendezvous.rejoining += sign * other.rendezvous.rejoining;
  optional.pending += sign * other.optional.pending;
  optional.starting += sign * other.optional.starting;
  optional.joinable += sign * other.optional.joinable;
}

}  // namespace howdah::core
