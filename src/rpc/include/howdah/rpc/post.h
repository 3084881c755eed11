// Passes work from gRPC's thread to the owner's loop thread, which owns all state.
#pragma once

#include <functional>

namespace howdah::rpc {

// Runs a closure on the owner's loop thread. Thread-safe.
using Post = std::function<void(std::function<void()>)>;

}  // namespace howdah::rpc
