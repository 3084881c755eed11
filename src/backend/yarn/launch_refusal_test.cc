#include "howdah/backend/yarn/launch_refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::backend::yarn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(LaunchRefusal, RefusalIsQuotedWithTheSettingOfTheAdministrator) {
  const struct {
    const char *diagnostics, *words, *setting;
  } rows[] = {
      {"Application application_1_0001 initialization failed (exitCode=255) with output: main : command provided 0\n"
       "main : run as user is bob\nmain : requested yarn user is bob\nUser bob not found\n",
       "User bob not found; ", "account on every node"},
      {"[2026-11-21 19:00:00.000]Application application_1_0001 initialization failed (exitCode=255) with output: User "
       "bob not found \n\n",
       "User bob not found; ", "account on every node"},
      {"Shell error output: Requested user bin is not whitelisted and has id 2,which is below the minimum allowed 1000",
       "Requested user bin is not whitelisted and has id 2,which is below the minimum allowed 1000; ", "min.user.id"},
      {"Requested user hdfs is banned\n", "Requested user hdfs is banned; ", "banned.users"},
      {"org.apache...ContainerExecutionException: Requested runtime not allowed.\n",
       "org.apache...ContainerExecutionException: Requested runtime not allowed; ", "allowed-runtimes"},
      {"Exception message: Launch container failed\nShell error output: Feature disabled: docker\n",
       "Feature disabled: docker; ", "module.enabled"},
      {"Shell error output: image: evil/torch is not trusted.\nDisable mount volume for untrusted image\n",
       "image: evil/torch is not trusted; ", "docker.trusted.registries"},
      {"Shell error output: Configuration does not allow docker mount '/etc:/etc', realpath=/etc\nError constructing "
       "docker command, docker error code=14, error message='Invalid docker read-write mount'\n",
       "Configuration does not allow docker mount '/etc:/etc', realpath=/etc; ", "docker.allowed.rw-mounts"},
      {"Shell error output: Could not determine real path of mount '/data'\nInvalid docker mount '/data:/data', "
       "realpath=/data\n",
       "Could not determine real path of mount '/data'; ", "must exist on every node"},
      {"Shell error output: Privileged containers are disabled for user: bob\n",
       "Privileged containers are disabled for user: bob; ", "docker.privileged-containers.enabled"},
      {"Shell error output: Invalid param 'SYS_ADMIN' requested\nInvalid docker capability requested\n",
       "Invalid param 'SYS_ADMIN' requested; ", "docker.allowed.capabilities"},
      {"docker: Error response from daemon: pull access denied for torch, repository does not exist.\n",
       "docker: Error response from daemon: pull access denied for torch, repository does not exist; ", "the image"},
      {"docker: Error response from daemon: exec: \"bash\": executable file not found in $PATH: unknown.",
       "docker: Error response from daemon: exec: \"bash\": executable file not found in $PATH: unknown; ", "bash"},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(DescribeLaunchRefusal(row.diagnostics), AllOf(StartsWith(row.words), HasSubstr(row.setting)));
  }
}

TEST(LaunchRefusal, OtherDiagnosticsHaveNone) {
  for (const char* diagnostics : {"", "User ", "User bob\nnot found", "Container killed on request. Exit code is 137\n",
                                  "[2026-11-21 19:00:00.000]Exception from container-launch.\nExit code: 1\n"}) {
    EXPECT_EQ(DescribeLaunchRefusal(diagnostics), "") << diagnostics;
  }
}

}  // namespace
}  // namespace howdah::backend::yarn
