// The times of copied files.
#pragma once

#include <ctime>

namespace howdah::os::files {

// Gives a file that has just been written the times of its original. Keeps the present times if the original was
// modified in the future, for example by a machine with another clock: such a file would look newer than the files that
// a program makes from now on (FindOutputs).
void KeepTimes(int fd, const timespec& accessed, const timespec& modified);

}  // namespace howdah::os::files
