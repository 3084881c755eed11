#include "tally.h"

namespace howdah::core {

void Tally::Replace(const Tally& before, const Tally& after) {
  tasks += after.tasks - before.tasks;
  pending += after.pending - before.pending;
  unregistered += after.unregistered - before.unregistered;
  started += after.started - before.started;
  serving += after.serving - before.serving;
  done += after.done - before.done;
  succeeded += after.succeeded - before.succeeded;
  failed += after.failed - before.failed;
  hung += after.hung - before.hung;
  budget += after.budget - before.budget;
  open += after.open - before.open;
  rendezvous.ready += after.rendezvous.ready - before.rendezvous.ready;
  rendezvous.joined += after.rendezvous.joined - before.rendezvous.joined;
  rendezvous.rejoining += after.rendezvous.rejoining - before.rendezvous.rejoining;
  optional.pending += after.optional.pending - before.optional.pending;
  optional.starting += after.optional.starting - before.optional.starting;
  optional.joinable += after.optional.joinable - before.optional.joinable;
}

}  // namespace howdah::core
