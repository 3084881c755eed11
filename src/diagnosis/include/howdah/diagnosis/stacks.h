// Reads the stacks of Python programs.
#pragma once

#include <string>
#include <string_view>

namespace howdah::diagnosis {

// Finds the main thread in the output of py-spy or faulthandler, and returns its innermost call. If that call is in a
// library, adds the innermost call in the user's code: "all_reduce (distributed_c10d.py:2050), called from main
// (train.py:40)". Returns "" if the text has no stack.
std::string StackLocation(std::string_view text);

}  // namespace howdah::diagnosis
