#include "howdah/executor/exec.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace howdah::executor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

Result<rpc::Identity> NoIdentity(const std::string& tls) { return Failed("no identity in '" + tls + "'"); }

TEST(Exec, EnvironmentHasPathOfAgentAddressOfAmAndCertificates) {
  EXPECT_THAT(AgentVariables("/a", "10.0.0.7:1", "/tls"),
              ElementsAre(Pair("HOWDAH_AGENT", "/a"), Pair("HOWDAH_AM", "10.0.0.7:1"), Pair("HOWDAH_TLS", "/tls")));
  EXPECT_THAT(AgentVariables("/a", "10.0.0.7:1", ""),
              ElementsAre(Pair("HOWDAH_AGENT", "/a"), Pair("HOWDAH_AM", "10.0.0.7:1")));
}

TEST(Exec, InvalidArgumentsAreUsageErrors) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                    {"--task"},
                                                    {"--task", "worker", "--", "ls"},
                                                    {"--task", ":1", "--", "ls"},
                                                    {"--task", "worker:x", "--", "ls"},
                                                    {"--task", "worker:-1", "--", "ls"},
                                                    {"--task", "worker:1"},
                                                    {"--task", "worker:1", "--"},
                                                    {"--job", "x", "--", "ls"}}) {
    const auto code = RunExec(arguments, NoIdentity);
    ASSERT_FALSE(code.ok());
    EXPECT_EQ(code.error().code, ErrorCode::kUsage) << code.error().message;
  }
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"worker-1"}, {"worker", "ls"}, {"-1", "ls"}, {"worker-1x", "ls"}}) {
    const auto code = RunRsh(arguments, NoIdentity);
    ASSERT_FALSE(code.ok());
    EXPECT_EQ(code.error().code, ErrorCode::kUsage) << code.error().message;
  }
}

TEST(Exec, CallOutsideATaskIsAUsageError) {
  ::unsetenv("HOWDAH_AM");
  EXPECT_THAT(RunExec({"--task", "worker:1", "--", "ls"}, NoIdentity).error().message, HasSubstr("HOWDAH_AM"));
}

TEST(Exec, IdentityIsLoadedFromTheDirectoryInHowdahTls) {
  ::setenv("HOWDAH_AM", "127.0.0.1:1", 1);
  ::setenv("HOWDAH_TLS", "/job/tls", 1);
  EXPECT_EQ(RunRsh({"worker-1", "ls"}, NoIdentity).error().message, "no identity in '/job/tls'");
  ::unsetenv("HOWDAH_TLS");
  EXPECT_EQ(RunRsh({"worker-1", "ls"}, NoIdentity).error().message, "no identity in ''");
  ::unsetenv("HOWDAH_AM");
}

}  // namespace
}  // namespace howdah::executor
