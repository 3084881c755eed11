#include "howdah/os/files/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "howdah/os/files/files.h"
#include "howdah/os/files/testing.h"

namespace howdah::os::files {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void RunOk(const Scratch& scratch, const std::string& script) { EXPECT_EQ(Shell(scratch, script), 0) << script; }

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
    EXPECT_EQ(ModeOf(out + "/bin/run"), 0750u) << name;
    EXPECT_EQ(Content(out + "/locked/f"), "x\n");
    if (name != "a.zip") {
      EXPECT_EQ(ModeOf(out + "/locked"), 0555u) << name;
    }
    EXPECT_TRUE(Unpack(scratch / name, out).ok()) << "over existing files";
  }
}

TEST(Unpack, TimeInTheFutureIsNotKept) {
  Scratch scratch;
  RunOk(scratch, "mkdir out && touch -d '2 hours' new && touch -d '2 hours ago' old && tar cf a.tar new old");
  ASSERT_TRUE(Unpack(scratch / "a.tar", scratch / "out").ok());
  struct stat info {};
  ASSERT_EQ(::stat((scratch / "out/new").c_str(), &info), 0);
  EXPECT_LE(info.st_mtime, info.st_ctime);
  ASSERT_EQ(::stat((scratch / "out/old").c_str(), &info), 0);
  EXPECT_LT(info.st_mtime, info.st_ctime - 3600);
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
  EXPECT_EQ(ModeOf(scratch / "out/d/f.txt") & 0600, 0600u);
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

TEST(Unpack, DamagedArchiveOrArchiveBeyondLimitsIsRefused) {
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

// Writes a tar file with the single file "f".
void WriteTar(const std::string& path, int (*add_filter)(archive*)) {
  archive* out = archive_write_new();
  EXPECT_EQ(add_filter(out), ARCHIVE_OK);
  archive_write_set_format_ustar(out);
  EXPECT_EQ(archive_write_open_filename(out, path.c_str()), ARCHIVE_OK);
  archive_entry* entry = archive_entry_new();
  archive_entry_set_pathname(entry, "f");
  archive_entry_set_size(entry, 5);
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_perm(entry, 0644);
  EXPECT_EQ(archive_write_header(out, entry), ARCHIVE_OK);
  EXPECT_EQ(archive_write_data(out, "text\n", 5), 5);
  archive_entry_free(entry);
  EXPECT_EQ(archive_write_free(out), ARCHIVE_OK);
}

TEST(Unpack, EverySupportedCompressionIsUnpacked) {
  Scratch scratch;
  const std::pair<const char*, int (*)(archive*)> filters[] = {
      {"tar", archive_write_add_filter_none},      {"tar.gz", archive_write_add_filter_gzip},
      {"tar.bz2", archive_write_add_filter_bzip2}, {"tar.xz", archive_write_add_filter_xz},
      {"tar.zst", archive_write_add_filter_zstd},  {"tar.lz4", archive_write_add_filter_lz4}};
  for (const auto& [name, add_filter] : filters) {
    const std::string path = scratch / name, out = scratch / (std::string("out-") + name);
    WriteTar(path, add_filter);
    ASSERT_TRUE(MakeDirectories(out).ok());
    EXPECT_TRUE(Unpack(path, out).ok()) << name;
    EXPECT_EQ(Content(out + "/f"), "text\n") << name;
  }
}

// libarchive would execute lrzip, grzip or lzop, whichever is first in PATH.
TEST(Unpack, NoProgramIsExecuted) {
  Scratch scratch;
  RunOk(scratch,
        "mkdir bin out && for p in lrzip grzip lzop; do printf '#!/bin/sh\\ntouch %s/executed\\n' \"$PWD\" > bin/$p; "
        "done "
        "&& chmod 755 bin/* && printf 'LRZI\\0\\6' > a.lrz && printf 'GRZipII\\0\\2\\4:)' > a.grz && "
        "printf '\\211LZO\\0\\r\\n\\032\\n' > a.lzo && for a in a.*; do head -c 2000 /dev/zero >> $a; done");
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", (scratch / "bin:" + before).c_str(), 1);
  for (const char* name : {"a.lrz", "a.grz", "a.lzo"})
    EXPECT_FALSE(Unpack(scratch / name, scratch / "out").ok()) << name;
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_NE(::access((scratch / "executed").c_str(), F_OK), 0);
}

TEST(Unpack, UuencodedArchiveIsRefused) {
  Scratch scratch;
  RunOk(scratch,
        "mkdir out && echo x > f && tar czf a.tgz f && python3 -c 'import base64; "
        "print(\"begin-base64 644 a.tgz\"); print(base64.encodebytes(open(\"a.tgz\", \"rb\").read()).decode() + "
        "\"====\")' "
        "> a.uu");
  EXPECT_FALSE(Unpack(scratch / "a.uu", scratch / "out").ok());
  EXPECT_NE(::access((scratch / "out/f").c_str(), F_OK), 0);
}

TEST(Unpack, ArchiveThatWouldFillTheDiskIsRefused) {
  Scratch scratch;
  RunOk(scratch, "mkdir in out && head -c 20M /dev/zero > in/zeros && tar czf a.tar.gz -C in .");
  UnpackLimits limits;
  limits.disk_reserve = int64_t{1} << 60;
  EXPECT_THAT(Unpack(scratch / "a.tar.gz", scratch / "out", OutwardLinks::kRefuse, limits).error().message,
              HasSubstr("'./zeros' does not fit: after 16."));
  limits.disk_reserve = 0;
  EXPECT_TRUE(Unpack(scratch / "a.tar.gz", scratch / "out", OutwardLinks::kRefuse, limits).ok());
}

}  // namespace
}  // namespace howdah::os::files
