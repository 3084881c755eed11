// The names of enumerated values in job files, and text for messages.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/jobspec/job_spec.h"
#include "howdah/jobspec/nearest.h"

namespace howdah::jobspec {

// The values of an enumeration with their names, in the order in which messages list them.
template <typename E>
using Words = std::vector<std::pair<E, std::string_view>>;

const Words<Framework>& FrameworkWords();
const Words<RoleKind>& RoleKindWords();
const Words<OnFailure>& OnFailureWords();
const Words<Outlive::Then>& OutliveThenWords();
const Words<StartMode>& StartModeWords();
const Words<RestartRule::Then>& RestartThenWords();
const Words<AdviceCheck>& AdviceCheckWords();
const Words<TokenKind>& TokenKindWords();
std::string_view ToText(OnFailure f);
// The names of the signals that a process can handle.
const std::vector<std::string_view>& SignalNames();
// The names in SignalNames, and SIGKILL.
const std::vector<std::string_view>& KillingSignalNames();

// Puts the text in single quotes for a one-line message. Control characters become \xNN, and the text is shortened to
// about `longest` bytes.
std::string Quoted(std::string_view text, size_t longest = 60);
// Same as Quoted without the quotes, for a key in a path.
std::string Printable(std::string_view text, size_t longest = 60);

// Converts ASCII letters to lower case.
std::string LowerCase(std::string_view text);

// Joins the parts with commas, as in "a, b, c".
std::string Joined(const std::vector<std::string_view>& parts);

// Returns the position of the first byte that is not valid UTF-8, or npos if all bytes are valid.
size_t FindInvalidUtf8(std::string_view text);

}  // namespace howdah::jobspec
