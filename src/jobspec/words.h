// The names of enumerated values in job files.
#pragma once

#include <string_view>
#include <vector>

#include "howdah/jobspec/job_spec.h"
#include "howdah/keyfile/words.h"

namespace howdah::jobspec {

const keyfile::Words<Framework>& FrameworkWords();
const keyfile::Words<RoleKind>& RoleKindWords();
const keyfile::Words<OnFailure>& OnFailureWords();
const keyfile::Words<Outlive::Then>& OutliveThenWords();
const keyfile::Words<StartMode>& StartModeWords();
const keyfile::Words<RestartRule::Then>& RestartThenWords();
const keyfile::Words<AdviceCheck>& AdviceCheckWords();
const keyfile::Words<TokenKind>& TokenKindWords();
const keyfile::Words<FeedSplit>& FeedSplitWords();
const keyfile::Words<FeedRemainder>& FeedRemainderWords();
const keyfile::Words<FeedChanged>& FeedChangedWords();
const keyfile::Words<FeedFormat>& FeedFormatWords();
std::string_view ToText(OnFailure f);
// The names of the signals that a process can handle.
const std::vector<std::string_view>& SignalNames();
// The names in SignalNames, and SIGKILL.
const std::vector<std::string_view>& KillingSignalNames();

}  // namespace howdah::jobspec
