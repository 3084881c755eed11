#include "howdah/os/files/archive.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "howdah/os/files/testing.h"

namespace howdah::os::files {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void RunOk(const Scratch& scratch, const std::string& script) { EXPECT_EQ(Shell(scratch, script), 0) << script; }

mode_t Mode(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

TEST(Unpack, ZipAndTarKeepModesAndLinks) {
  Scratch scratch;
  RunOk(
      scratch,
      "mkdir -p in/bin in/locked && echo hi > in/bin/run && chmod 750 in/bin/run && echo x > in/locked/f && "
      "ln -s run in/bin/alias && ln in/bin/run in/bin/hard && chmod 555 in/locked && cd in && "
      "tar cf ../a.tar . && tar czf ../a.tar.gz * && tar cJf ../a.tar.xz * && python3 - <<'X'\n"
      "import zipfile, os\nz = zipfile.ZipFile('../a.zip', 'w', zipfile.ZIP_DEFLATED)\n"
      "for d, _, fs in os.walk('.'):\n  for f in fs:\n    p = os.path.join(d, f)\n"
      "    if os.path.islink(p):\n      i = zipfile.ZipInfo(p); i.create_system = 3; i.external_attr = 0o120777 << 16\n"
      "      z.writestr(i, os.readlink(p))\n    else: z.write(p)\nX");
  for (const std::string name : {"a.tar", "a.tar.gz", "a.tar.xz", "a.zip"}) {
    const std::string out = scratch / ("out-" + name);
    ASSERT_TRUE(MakeDirectories(out).ok());
    const Status done = Unpack(scratch / name, out);
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_THAT(*ListDirectory(out), ElementsAre("bin", "locked"));
    EXPECT_THAT(*ListDirectory(out + "/bin"), ElementsAre("alias", "hard", "run"));
    EXPECT_EQ(Content(out + "/bin/alias"), "hi\n");
    EXPECT_EQ(Content(out + "/bin/hard"), "hi\n");
    EXPECT_EQ(Mode(out + "/bin/run"), 0750u) << name;
    EXPECT_EQ(Content(out + "/locked/f"), "x\n");
    if (name != "a.zip") {
      EXPECT_EQ(Mode(out + "/locked"), 0555u) << name;
    }
    EXPECT_TRUE(Unpack(scratch / name, out).ok()) << "over existing files";
  }
}

// libarchive converts names to the encoding of the locale, and a container has no locale.
TEST(Unpack, NonAsciiNamesAreKept) {
  Scratch scratch;
  RunOk(scratch,
        "mkdir in && echo x > 'in/ü 日本' && ln -s 'ü 日本' in/é && cd in && tar cf ../gnu.tar --format=gnu * && "
        "tar cf ../pax.tar --format=pax * && python3 - <<'X'\n"
        "import zipfile\nz = zipfile.ZipFile('../u.zip', 'w')\nz.write('ü 日本')\n"
        "i = zipfile.ZipInfo('é'); i.create_system = 3; i.external_attr = 0o120777 << 16\n"
        "z.writestr(i, 'ü 日本')\nX");
  for (const std::string name : {"gnu.tar", "pax.tar", "u.zip"}) {
    const std::string out = scratch / ("out-" + name);
    ASSERT_TRUE(MakeDirectories(out).ok());
    const Status done = Unpack(scratch / name, out);
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_THAT(*ListDirectory(out), ElementsAre("é", "ü 日本")) << name;
    EXPECT_EQ(Content(out + "/é"), "x\n") << name;
  }
}

TEST(Unpack, ZipWithoutModesGetsDefaultModes) {
  Scratch scratch;
  // An archive without Unix modes, as programs on Windows write it.
  RunOk(scratch,
        "python3 -c 'import zipfile\nz = zipfile.ZipFile(\"w.zip\", \"w\")\ni = zipfile.ZipInfo(\"d/f.txt\")\n"
        "i.create_system = 0\nz.writestr(i, \"text\")'");
  ASSERT_TRUE(MakeDirectories(scratch / "out").ok());
  ASSERT_TRUE(Unpack(scratch / "w.zip", scratch / "out").ok());
  EXPECT_EQ(Content(scratch / "out/d/f.txt"), "text");
  EXPECT_EQ(Mode(scratch / "out/d/f.txt") & 0600, 0600u);
}

TEST(Unpack, EntryOutsideDirectoryIsRefused) {
  const struct {
    const char* name;
    const char* entry;  // Python code that fills the TarInfo t
    const char* message;
  } rows[] = {
      {"dotdot", "t.name = '../evil'", "'../evil' is outside"},
      {"inner dotdot", "t.name = 'a/../../evil'", "is outside"},
      {"absolute", "t.name = '/tmp/evil'", "is outside"},
      {"absolute link", "t.name = 'l'; t.type = tarfile.SYMTYPE; t.linkname = '/etc'", "link to '/etc'"},
      {"relative link", "t.name = 'a/l'; t.type = tarfile.SYMTYPE; t.linkname = '../../x'", "link to '../../x'"},
      {"hard link", "t.name = 'l'; t.type = tarfile.LNKTYPE; t.linkname = '../secret'", "link to '../secret'"},
      {"device", "t.name = 'd'; t.type = tarfile.CHRTYPE", "neither a file"},
      {"through a link", "t.name = 'inside/evil'", "making the directory of 'inside/evil'"},
  };
  for (const auto& row : rows) {
    Scratch scratch;
    RunOk(scratch,
          "mkdir out outside && echo s > secret && ln -s ../outside out/inside && python3 - <<'X'\n"
          "import tarfile\na = tarfile.open('a.tar', 'w')\nt = tarfile.TarInfo()\n" +
              std::string(row.entry) + "\na.addfile(t)\na.close()\nX");
    const Status done = Unpack(scratch / "a.tar", scratch / "out");
    ASSERT_FALSE(done.ok()) << row.name;
    EXPECT_THAT(done.error().message, testing::AllOf(HasSubstr(scratch / "a.tar"), HasSubstr(row.message))) << row.name;
    // Only the link that existed before the test exists, and nothing was written outside the directory.
    RunOk(scratch,
          "[ \"$(find out ! -type d)$(find outside evil ! -type d 2>&-)\" = out/inside ] && [ ! -e /tmp/evil ]");
  }
}

TEST(Unpack, LinksToOutsideCanBeKept) {
  Scratch scratch;
  RunOk(scratch, "mkdir -p env/bin out && ln -s /usr/bin/python3 env/bin/python && tar czf env.tar.gz -C env bin");
  EXPECT_FALSE(Unpack(scratch / "env.tar.gz", scratch / "out").ok());
  ASSERT_TRUE(Unpack(scratch / "env.tar.gz", scratch / "out", OutwardLinks::kKeep).ok());
  EXPECT_EQ(::access((scratch / "out/bin/python").c_str(), X_OK), 0);
}

TEST(Unpack, LimitsAndDamageAreReported) {
  Scratch scratch;
  RunOk(scratch,
        "mkdir in out && head -c 3000000 /dev/zero > in/zeros && echo x > in/f && tar czf a.tar.gz -C in . && "
        "head -c 400 a.tar.gz > torn.tar.gz && echo text > plain");
  EXPECT_THAT(Unpack(scratch / "a.tar.gz", scratch / "out", OutwardLinks::kRefuse, {1'000'000, 100}).error().message,
              HasSubstr("1000000 bytes allowed"));
  EXPECT_THAT(Unpack(scratch / "a.tar.gz", scratch / "out", OutwardLinks::kRefuse, {10'000'000, 2}).error().message,
              HasSubstr("maximum of 2 entries"));
  EXPECT_FALSE(Unpack(scratch / "torn.tar.gz", scratch / "out").ok());
  EXPECT_THAT(Unpack(scratch / "plain", scratch / "out").error().message, HasSubstr(scratch / "plain"));
  EXPECT_FALSE(Unpack(scratch / "none", scratch / "out").ok());
  EXPECT_FALSE(Unpack(scratch / "a.tar.gz", scratch / "no-directory").ok());
}

}  // namespace
}  // namespace howdah::os::files
