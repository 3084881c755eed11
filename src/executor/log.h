// The executor's own log. The backend redirects the executor's stderr to a file.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string_view>

namespace howdah::executor {

inline void Log(std::string_view text) {
  std::fprintf(stderr, "howdah-agent task (pid %d): %.*s\n", ::getpid(), static_cast<int>(text.size()), text.data());
}

}  // namespace howdah::executor
