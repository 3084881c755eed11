#include "submission.h"

#include <gtest/gtest.h>

#include "howdah/backend/yarn/gang_queue.h"

namespace howdah::backend::yarn::client {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

TEST(DockerEnvironment, EachKeySetsItsVariable) {
  EXPECT_EQ(DockerEnvironment({}), Variables{});
  jobspec::Docker docker;
  docker.image = "library/torch:2.4";
  EXPECT_EQ(DockerEnvironment(docker), (Variables{{"YARN_CONTAINER_RUNTIME_TYPE", "docker"},
                                                  {"YARN_CONTAINER_RUNTIME_DOCKER_IMAGE", "library/torch:2.4"}}));
  docker.network = "host";
  docker.mounts = {"/data:/data:ro", "/scratch:/scratch:rw"};
  docker.tmpfs = {"/run"};
  docker.runtime = "nvidia";
  docker.privileged = true;
  EXPECT_EQ(DockerEnvironment(docker),
            (Variables{{"YARN_CONTAINER_RUNTIME_TYPE", "docker"},
                       {"YARN_CONTAINER_RUNTIME_DOCKER_IMAGE", "library/torch:2.4"},
                       {"YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_NETWORK", "host"},
                       {"YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS", "/data:/data:ro,/scratch:/scratch:rw"},
                       {"YARN_CONTAINER_RUNTIME_DOCKER_TMPFS_MOUNTS", "/run"},
                       {"YARN_CONTAINER_RUNTIME_DOCKER_RUNTIME", "nvidia"},
                       {"YARN_CONTAINER_RUNTIME_DOCKER_RUN_PRIVILEGED_CONTAINER", "true"}}));
}

TEST(SubmissionContext, HasAtMostTheTagsThatYarnKeeps) {
  jobspec::JobSpec spec;
  spec.roles.emplace_back().instances = {1, 2};
  const auto tags = [&](int own) {
    spec.tags.assign(static_cast<size_t>(own), "team");
    const auto context = SubmissionContext(spec, {}, {}, {}, 1024);
    return std::vector<std::string>(context.applicationtags().begin() + own, context.applicationtags().end());
  };
  const std::string gang = *GangTag(spec, 1024), optional = *OptionalTag(spec, 1024);
  EXPECT_EQ(tags(8), (std::vector<std::string>{gang, optional}));
  EXPECT_EQ(tags(9), (std::vector<std::string>{gang}));
}

}  // namespace
}  // namespace howdah::backend::yarn::client
