#include "howdah/executor/inherited.h"

#include <gmock/gmock.h>

#include "howdah/os/files/files.h"
#include "howdah/os/process/testing.h"

namespace howdah::executor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(Inherited, FileHoldsNamesAndValues) {
  os::files::Scratch scratch;
  ASSERT_TRUE(os::files::WriteFileAtomically(scratch / "env.json", R"({"B": "2", "A": ""})").ok());
  EXPECT_THAT(*ReadInherited(scratch / "env.json"), ElementsAre(Pair("A", ""), Pair("B", "2")));
  EXPECT_TRUE(ReadInherited("")->empty());
}

TEST(Inherited, InvalidFileIsNamedInTheError) {
  os::files::Scratch scratch;
  for (const char* invalid : {"", "[]", "{\"A\": 1}", "{"}) {
    ASSERT_TRUE(os::files::WriteFileAtomically(scratch / "env.json", invalid).ok());
    EXPECT_THAT(ReadInherited(scratch / "env.json").error().message, HasSubstr("env.json")) << invalid;
  }
}

TEST(Inherited, ContainerProvidesNodeAndHadoopVariables) {
  const char* const environment[] = {"PATH=/usr/bin:/bin",
                                     "HADOOP_CONF_DIR=/etc/hadoop",
                                     "LC_ALL=C.UTF-8",
                                     "JAVA_HOME=/opt/java=17",
                                     "TZ=",
                                     "SECRET=x",
                                     "PATHS=/x",
                                     "MALFORMED",
                                     "AWS_SECRET_ACCESS_KEY=y",
                                     nullptr};
  EXPECT_THAT(InheritedFromContainer(environment),
              ElementsAre(Pair("HADOOP_CONF_DIR", "/etc/hadoop"), Pair("JAVA_HOME", "/opt/java=17"),
                          Pair("LC_ALL", "C.UTF-8"), Pair("PATH", "/usr/bin:/bin"), Pair("TZ", "")));
}

TEST(Inherited, MissingHomeIsReplacedByNewDirectory) {
  os::files::Scratch scratch;
  const std::string own = scratch / "home";
  for (const char* home : {"", "/nonexistent/home", "/etc/passwd"}) {
    Variables variables{{"HOME", home}};
    ASSERT_TRUE(EnsureHome(own, variables).ok());
    EXPECT_EQ(variables["HOME"], own) << home;
  }
  EXPECT_TRUE(os::files::ListDirectory(own).ok());
  Variables variables{{"HOME", scratch.path()}};
  ASSERT_TRUE(EnsureHome(own, variables).ok());
  EXPECT_EQ(variables["HOME"], scratch.path());
}

}  // namespace
}  // namespace howdah::executor
