// The words of job files: the names of enumerated values, and what is offered for a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/jobspec/job_spec.h"
#include "howdah/jobspec/nearest.h"

namespace howdah::jobspec {

// Each value with its word, in the order in which they are listed to people.
template <typename E>
using Words = std::vector<std::pair<E, std::string_view>>;

const Words<Framework>& FrameworkWords();
const Words<RoleKind>& RoleKindWords();
const Words<OnFailure>& OnFailureWords();
const Words<Outlive::Then>& OutliveThenWords();
const Words<StartMode>& StartModeWords();
const Words<RestartRule::Then>& RestartThenWords();
std::string_view ToText(OnFailure f);
// The signals a process can handle, by name.
const std::vector<std::string_view>& SignalNames();
// Those and the one that ends a process whatever it does.
const std::vector<std::string_view>& KillingSignalNames();

// For one line of a message: 'text', control characters written as \xNN, cut after some `longest` bytes.
std::string Quoted(std::string_view text, size_t longest = 60);
// The same without the quotes, for a key within a path.
std::string Printable(std::string_view text, size_t longest = 60);

// "a, b, c".
std::string Joined(const std::vector<std::string_view>& parts);

// The place of the first byte that is not part of valid UTF-8; npos: all of it is.
size_t FindInvalidUtf8(std::string_view text);

}  // namespace howdah::jobspec
