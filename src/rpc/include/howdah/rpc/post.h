// How a thread of gRPC's speaks to the one that owns all state.
#pragma once

#include <functional>

namespace howdah::rpc {

// Runs a closure on the owner's loop thread; callable from any thread.
using Post = std::function<void(std::function<void()>)>;

}  // namespace howdah::rpc
