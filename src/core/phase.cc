#include "phase.h"

#include <utility>

#include "require.h"

namespace howdah::core {

bool Leads(Phase::Kind from, Phase::Kind to) {
  using Kind = Phase::Kind;
  if (to == Kind::kEnding) return from != Kind::kEnding;
  switch (from) {
    case Kind::kQueued:
      return to == Kind::kForming;
    case Kind::kForming:
      return to == Kind::kRunning || to == Kind::kDraining;
    case Kind::kRunning:
      return to == Kind::kDraining;
    case Kind::kDraining:
      return to == Kind::kDraining || to == Kind::kBackoff || to == Kind::kForming;
    case Kind::kBackoff:
      return to == Kind::kForming || to == Kind::kDraining;
    case Kind::kEnding:
      return false;
  }
  return false;
}

void Phase::Enter(Kind to) {
  Require(Leads(kind_, to), "invalid transition between two phases of the job");
  kind_ = to;
}

void Phase::Form(int generation) {
  Enter(Kind::kForming);
  am_started_ = true;
  generation_ = generation;
}

void Phase::BeginDrain(Drain drain) {
  Enter(Kind::kDraining);
  drain_ = std::move(drain);
}

void Phase::BeginGeneration(Hold hold, bool backoff) {
  Enter(backoff ? Kind::kBackoff : Kind::kForming);
  ++generation_;
  drain_ = {};
  hold_ = hold;
}

void Phase::EndBackoff() {
  if (kind_ == Kind::kBackoff) Enter(Kind::kForming);
}

void Phase::Run() { Enter(Kind::kRunning); }

void Phase::End() {
  Enter(Kind::kEnding);
  drain_ = {};
  hold_.reset();
}

}  // namespace howdah::core
