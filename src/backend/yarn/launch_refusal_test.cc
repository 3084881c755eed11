#include "howdah/backend/yarn/launch_refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace howdah::backend::yarn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Row {
  const char *diagnostics, *words, *setting;
};

void ExpectQuoted(const std::vector<Row>& rows, bool of_cluster) {
  for (const Row& row : rows) {
    const LaunchRefusal refusal = FindLaunchRefusal(row.diagnostics);
    EXPECT_THAT(refusal.text, AllOf(StartsWith(row.words), HasSubstr(row.setting)));
    EXPECT_EQ(refusal.of_cluster, of_cluster) << row.diagnostics;
  }
}

TEST(LaunchRefusal, RefusedAccountIsQuotedWithTheRemedy) {
  ExpectQuoted(
      {{"Application application_1_0001 initialization failed (exitCode=255) with output: main : command provided 0\n"
        "main : run as user is bob\nmain : requested yarn user is bob\nUser bob not found\n",
        "User bob not found; ", "account on every node"},
       {"[2026-11-21 19:00:00.000]Application application_1_0001 initialization failed (exitCode=255) with output: "
        "User "
        "bob not found \n\n",
        "User bob not found; ", "account on every node"},
       {"Shell error output: Requested user bin is not whitelisted and has id 2,which is below the minimum allowed "
        "1000",
        "Requested user bin is not whitelisted and has id 2,which is below the minimum allowed 1000; ", "min.user.id"},
       {"Requested user hdfs is banned\n", "Requested user hdfs is banned; ", "banned.users"}},
      /*of_cluster=*/true);
}

TEST(LaunchRefusal, SettingsOfNodeManagersAreNamed) {
  const char *networks = "docker.allowed.networks", *privileges = "docker.privileged-containers.enabled";
  ExpectQuoted(
      {{"org.apache...ContainerExecutionException: Requested runtime not allowed.\n", "Requested runtime not allowed; ",
        "allowed-runtimes"},
       {"Exception message: Disallowed network:  'x' specified. Allowed networks: are [host, none, bridge]\n",
        "Disallowed network: 'x' specified. Allowed networks: are [host, none, bridge]; ", networks},
       {"Exception message: Disallowed runtime:  'x' specified. Allowed runtimes: are [runc]\n",
        "Disallowed runtime: 'x' specified. Allowed runtimes: are [runc]; ", "docker.allowed.runtimes"},
       {"Exception message: Privileged container being requested but privileged containers are not enabled on this "
        "cluster\n",
        "Privileged container being requested but privileged containers are not enabled on this cluster; ", privileges},
       {"Exception message: Cannot launch privileged container. Submitting user (bob) fails ACL check.\n",
        "Cannot launch privileged container. Submitting user (bob) fails ACL check; ", "privileged-containers.acl"},
       {"Exception message: Image name 'A' doesn't match docker image name pattern\n",
        "Image name 'A' doesn't match docker image name pattern; ", "NAME[:TAG]"},
       {"Exception message: uid: 0 below threshold: 1\n", "uid: 0 below threshold: 1; ", "uid-threshold"}},
      /*of_cluster=*/true);
}

// The messages about mounts are those of Hadoop 3.1, then of 3.2, then of 3.3.
TEST(LaunchRefusal, KeysOfContainerExecutorAreNamed) {
  ExpectQuoted(
      {{"Exception message: Launch container failed\nShell error output: Feature disabled: docker\n",
        "Feature disabled: docker; ", "module.enabled"},
       {"Shell error output: image: evil/torch is not trusted.\nDisable mount volume for untrusted image\nimage: "
        "evil/torch is not trusted.\nDisable cap-add for untrusted image\n",
        "image: evil/torch is not trusted; ", "docker.trusted.registries"},
       {"Shell error output: Invalid docker rw mount '/etc:/x', realpath=/etc\nError constructing docker command, "
        "docker "
        "error code=14, error message='Invalid docker read-write mount'\n",
        "Invalid docker rw mount '/etc:/x', realpath=/etc; ", "see docker.allowed.rw-mounts in"},
       {"Shell error output: Configuration does not allow docker mount '/etc:/etc', realpath=/etc\nError constructing "
        "docker command, docker error code=14, error message='Invalid docker read-write mount'\n",
        "Configuration does not allow docker mount '/etc:/etc', realpath=/etc; ", "see docker.allowed.rw-mounts in"},
       {"Shell error output: Configuration does not allow mount src='/etc', dest='/x'\nError constructing docker "
        "command, docker error code=50, error message='Invalid read-only mount'\n",
        "Configuration does not allow mount src='/etc', dest='/x'; ", "see docker.allowed.ro-mounts in"},
       {"Shell error output: Configuration does not allow mount src='/etc', dest='/x'\nError constructing docker "
        "command, docker error code=51, error message='Invalid read-write mount'\n",
        "Configuration does not allow mount src='/etc', dest='/x'; ", "see docker.allowed.rw-mounts in"},
       {"Shell error output: Attempting to mount a parent directory of container-executor.cfg as read-write. src='/e', "
        "dest='/x'\nError constructing docker command, docker error code=51, error message='Invalid read-write "
        "mount'\n",
        "Attempting to mount a parent directory of container-executor.cfg as read-write. src='/e', dest='/x'; ", ":ro"},
       {"Shell error output: Privileged containers are disabled for user: bob\n",
        "Privileged containers are disabled for user: bob; ", "docker.privileged-containers.enabled"},
       {"Shell error output: Privileged containers are disabled for non-entry-point mode\n",
        "Privileged containers are disabled for non-entry-point mode; ", "remove docker.privileged"},
       {"Shell error output: Invalid param 'SYS_ADMIN' requested\nInvalid docker capability requested\n",
        "Invalid param 'SYS_ADMIN' requested; ", "see docker.allowed.capabilities in"},
       {"Shell error output: Invalid param 'bridge' requested\nCould not find requested network in allowed networks\n",
        "Invalid param 'bridge' requested; ", "docker.allowed.networks in"},
       {"Shell error output: Invalid param 'bridge' requested, permitted values list is empty\nCould not find "
        "requested "
        "network in allowed networks\n",
        "Invalid param 'bridge' requested, permitted values list is empty; ", "docker.allowed.networks in"},
       {"Shell error output: Invalid param 'nvidia' requested\nCould not find requested runtime in allowed runtimes\n",
        "Invalid param 'nvidia' requested; ", "docker.allowed.runtimes in"}},
      /*of_cluster=*/true);
}

TEST(LaunchRefusal, ImageThatCannotRunIsNamed) {
  ExpectQuoted(
      {{"Shell error output: Unable to find image '127.0.0.1:5000/ml/none:1' locally\ndocker: Error response from "
        "daemon: manifest unknown.\nSee 'docker run --help'.\n",
        "Unable to find image '127.0.0.1:5000/ml/none:1' locally: Error response from daemon: manifest unknown; ",
        "name of the image"},
       {"docker: Error response from daemon: pull access denied for torch, repository does not exist.\n",
        "docker: Error response from daemon: pull access denied for torch, repository does not exist; ",
        "docker.client_config"},
       {"docker: Error response from daemon: failed to create shim task: OCI runtime create failed: exec: \"bash\": "
        "executable file not found in $PATH: unknown.",
        "exec: \"bash\": executable file not found in $PATH: unknown; ", "must contain bash"},
       {"[2026-11-21 19:00:00.000]Container exited with a non-zero exit code 127. Last 4096 bytes of prelaunch.err :\n"
        "/tmp/c/launch_container.sh: line 40: find: command not found\n",
        "find: command not found; ", "GNU find"}},
      /*of_cluster=*/true);
}

TEST(LaunchRefusal, DefectOfOneNodeIsNotOfTheCluster) {
  ExpectQuoted(
      {{"Shell error output: Could not determine real path of mount '/data'\nInvalid docker mount '/data:/data', "
        "realpath=/data\n",
        "Could not determine real path of mount '/data'; ", "must exist on every node"},
       {"Shell error output: Could not determine real path of mount '/data'\nUnable to find permitted mounts on disk\n",
        "Could not determine real path of mount '/data'; ", "docker.allowed.ro-mounts"},
       {"Shell error output: docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker "
        "daemon running?.\n",
        "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?; ",
        "docker does not run on the node"},
       {"Shell error output: failed to execute docker command! error: No such file or directory\n",
        "failed to execute docker command! error: No such file or directory; ", "docker.binary"},
       {"Shell error output: Unable to find image 'example.com/a:1' locally\ndocker: Error response from daemon: Get "
        "\"https://example.com/v2/\": net/http: request canceled.\n",
        "Unable to find image 'example.com/a:1' locally: Error response from daemon: Get \"https://example.com/v2/\": "
        "net/http: request canceled; ",
        "name of the image"}},
      /*of_cluster=*/false);
}

TEST(LaunchRefusal, LongWordsDoNotDisplaceTheRemedy) {
  const std::string path(1000, 'a');
  const std::string text = FindLaunchRefusal("Configuration does not allow mount src='/" + path +
                                             "', dest='/x'\n... 'Invalid read-only mount'")
                               .text;
  EXPECT_THAT(text,
              AllOf(StartsWith("Configuration does not allow mount src='/aaa"), HasSubstr("docker.allowed.ro-mounts")));
  EXPECT_LT(text.size(), 260u);
}

TEST(LaunchRefusal, OtherDiagnosticsHaveNone) {
  for (const char* diagnostics : {"", "User ", "User bob\nnot found", "Container killed on request. Exit code is 137\n",
                                  "[2026-11-21 19:00:00.000]Exception from container-launch.\nExit code: 1\n"}) {
    EXPECT_EQ(FindLaunchRefusal(diagnostics).text, "") << diagnostics;
  }
}

}  // namespace
}  // namespace howdah::backend::yarn
