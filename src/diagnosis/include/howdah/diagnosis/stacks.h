// Reads the stacks of Python programs.
#pragma once

#include <string>
#include <string_view>

namespace howdah::diagnosis {

// Where the main thread stands, from what py-spy or faulthandler wrote of a program: the innermost call and, if that is
// a library's, the innermost of the user's: "all_reduce (distributed_c10d.py:2050), called from main (train.py:40)".
// Empty: it is no stack.
std::string WhereInStack(std::string_view text);

}  // namespace howdah::diagnosis
