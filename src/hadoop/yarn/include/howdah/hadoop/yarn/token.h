// Converts YARN's token messages.
#pragma once

#include "howdah/hadoop/messages/security.pb.h"
#include "howdah/hadoop/rpc/token.h"

namespace howdah::hadoop::yarn {

inline hadoop::rpc::Token FromProto(const ::hadoop::common::TokenProto& proto) {
  return {proto.identifier(), proto.password(), proto.kind(), proto.service()};
}

}  // namespace howdah::hadoop::yarn
