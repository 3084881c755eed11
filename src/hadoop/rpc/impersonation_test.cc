#include "howdah/hadoop/rpc/impersonation.h"

#include <gtest/gtest.h>

namespace howdah::hadoop::rpc {
namespace {

TEST(ImpersonationRemedy, NamesTheKeysOfTheShortName) {
  EXPECT_EQ(ImpersonationRemedy("User: bob/h1@EXAMPLE.COM is not allowed to impersonate alice", "hadoop.kms.proxyuser",
                                "kms-site.xml"),
            "; the administrators of the cluster can allow it with hadoop.kms.proxyuser.bob.hosts and "
            "hadoop.kms.proxyuser.bob.users or .groups in kms-site.xml");
  EXPECT_EQ(ImpersonationRemedy("Unauthorized connection for super-user: bob from IP 127.0.0.1", "p", "f"), "");
  EXPECT_EQ(ImpersonationRemedy("alice is not allowed to impersonate User: bob", "p", "f"), "");
}

}  // namespace
}  // namespace howdah::hadoop::rpc
