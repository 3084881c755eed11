// The lifetime of the job's delegation tokens. Records when they are issued and replaced, and when they expire soon.
#pragma once

#include <optional>

#include "context.h"
#include "howdah/core/event.h"

namespace howdah::core {

class Recorder;

class TokenLifetime {
 public:
  TokenLifetime(Context& context, Recorder& recorder) : context_(context), recorder_(recorder) {}

  // Ignores tokens that do not live longer than the present ones.
  void On(const TokensIssued& e);
  // The time of the warning has come.
  void Fire();

 private:
  Context& context_;
  Recorder& recorder_;
  std::optional<TokensIssued> present_;
};

}  // namespace howdah::core
