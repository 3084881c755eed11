// The users whose connections a server of this machine accepts.
#pragma once

namespace howdah::rpc {

// The users who may connect.
enum class Peers {
  kAny,
  kSameUser,  // the user of this process, and root; only for a server whose peers are all on this machine
};

}  // namespace howdah::rpc
