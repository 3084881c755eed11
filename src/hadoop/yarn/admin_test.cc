// The requests of the administration protocol, byte for byte. The expected bytes follow from the field numbers of
// yarn_server_resourcemanager_service_protos.proto and the encoding of protocol buffers.
#include <gtest/gtest.h>

#include "howdah/base/text.h"
#include "howdah/hadoop/messages/yarn_admin.pb.h"

namespace howdah::hadoop::yarn {
namespace {

TEST(AdminMessages, RefreshNodes) {
  ::hadoop::yarn::RefreshNodesRequestProto normal;
  normal.set_decommissiontype(::hadoop::yarn::NORMAL);
  EXPECT_EQ(Hex(normal.SerializeAsString()), "0801");
  ::hadoop::yarn::RefreshNodesRequestProto graceful;
  graceful.set_decommissiontype(::hadoop::yarn::GRACEFUL);
  graceful.set_decommissiontimeout(3600);
  EXPECT_EQ(Hex(graceful.SerializeAsString()), "080210901c");
}

}  // namespace
}  // namespace howdah::hadoop::yarn
