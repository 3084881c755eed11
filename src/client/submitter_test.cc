#include "howdah/client/submitter.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>

#include "howdah/os/files/testing.h"

namespace howdah::client {
namespace {

constexpr uid_t kUser = 1001;

// A machine with a file of users and, if `id` is not empty, a program `id` with this script.
class UserNameOfTest : public ::testing::Test {
 protected:
  std::string Name(const std::string& passwd, const std::string& id, std::map<std::string, std::string> environment) {
    EXPECT_TRUE(os::files::WriteFileAtomically(scratch_ / "passwd", passwd).ok());
    if (!id.empty()) {
      EXPECT_TRUE(os::files::WriteFileAtomically(scratch_ / "id", "#!/bin/sh\n" + id + "\n").ok());
      EXPECT_EQ(::chmod((scratch_ / "id").c_str(), 0755), 0);
    }
    environment["PATH"] = scratch_.path();
    return UserNameOf(kUser, scratch_ / "passwd", [&](const std::string& name) -> std::optional<std::string> {
      const auto it = environment.find(name);
      return it == environment.end() ? std::nullopt : std::optional(it->second);
    });
  }

  os::files::Scratch scratch_;
};

constexpr char kPasswd[] =
    "root:x:0:0:root:/root:/bin/bash\n+::::::\nbroken\nother:x:100:1001::/:\nann:x:1001:1001:Ann:/home/ann:/bin/sh\n";
constexpr char kKnown[] = "[ \"$*\" = -un ] && echo ldap-ann";
constexpr char kUnknown[] = "echo 1001; exit 1";  // coreutils and BusyBox print the id if it has no name

TEST_F(UserNameOfTest, UserDatabaseTakesPrecedenceOverTheEnvironment) {
  EXPECT_EQ(Name(kPasswd, kKnown, {{"USER", "bob"}, {"LOGNAME", "bob"}}), "ann");
}

TEST_F(UserNameOfTest, UserMissingInTheFileIsLookedUpWithTheIdProgram) {
  EXPECT_EQ(Name("root:x:0:0:root:/root:/bin/bash\n", kKnown, {{"USER", "bob"}}), "ldap-ann");
}

TEST_F(UserNameOfTest, UnknownUserIdGetsItsNameFromTheEnvironment) {
  EXPECT_EQ(Name("", kUnknown, {{"USER", "ann"}, {"LOGNAME", "bob"}}), "ann");
  EXPECT_EQ(Name("", kUnknown, {{"USER", ""}, {"LOGNAME", "bob"}}), "bob");
  EXPECT_EQ(Name("", kUnknown, {}), "user 1001");
}

TEST_F(UserNameOfTest, MissingIdProgramFallsBackToTheEnvironment) { EXPECT_EQ(Name("", "", {{"USER", "ann"}}), "ann"); }

TEST_F(UserNameOfTest, MissingFileAndEnvironmentFallBackToTheUserId) {
  EXPECT_EQ(UserNameOf(kUser, scratch_ / "missing", [](const std::string&) { return std::nullopt; }), "user 1001");
}

}  // namespace
}  // namespace howdah::client
