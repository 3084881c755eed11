#include "howdah/hadoop/yarn/node_managers.h"

#include <gtest/gtest.h>

#include "test_attempt.h"

namespace howdah::hadoop::yarn {
namespace {

TEST(StartStatus, RefusalsOfNodeManagersAreDistinguished) {
  const ContainerId container{kAttempt, 2};
  const struct {
    const char *exception, *message;
    bool started, outdated;
  } rows[] = {
      {"YarnException", "Container container_1 already is running on this node!!", true, false},
      {"YarnException", "Attempt to relaunch the same container with id container_1.", true, false},
      {"InvalidContainerException", "Container container_1 rejected as it is allocated by a previous RM", false, true},
      {"YarnException", "Unauthorized request to start container.", false, false},
  };
  for (const auto& row : rows) {
    ::hadoop::yarn::StartContainersResponseProto response;
    auto& failed = *response.add_failed_requests();
    *failed.mutable_container_id() = ToProto(container);
    failed.mutable_exception()->set_class_name("org.apache.hadoop.yarn.exceptions." + std::string(row.exception));
    failed.mutable_exception()->set_message(row.message);
    const Status status = StartStatus(response, container);
    EXPECT_EQ(status.ok(), row.started) << row.message;
    EXPECT_EQ(!status.ok() && IsGrantOutdated(status.error()), row.outdated) << row.message;
    EXPECT_TRUE(StartStatus(response, {kAttempt, 3}).ok()) << "another container";
  }
}

}  // namespace
}  // namespace howdah::hadoop::yarn
