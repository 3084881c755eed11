#include "tokens.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "howdah/os/files/files.h"
#include "howdah/os/files/testing.h"

namespace howdah::portal {
namespace {

using os::files::Scratch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Instant kNow = *ParseInstant("2026-11-21T06:00:00.000Z");
constexpr Duration kHour = std::chrono::hours(1);

std::string Verdict(const Scratch& home, const std::string& text, Instant now) {
  TokenFile file(home.path());
  const auto tokens = file.Read();
  if (!tokens.ok()) return tokens.error().message;
  auto checked = CheckToken(**tokens, text, now);
  if (auto* why = std::get_if<std::string>(&checked)) return *why;
  return "admits " + std::get<Token>(checked).name;
}

TEST(Tokens, TokenAdmitsUntilItExpiresOrIsRevoked) {
  const Scratch home;
  const auto made = AddToken(home.path(), {.name = "ci", .read_only = true, .valid_for = kHour}, kNow);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_TRUE(made->token.read_only);
  EXPECT_EQ(made->text.size(), 7u + 64);
  EXPECT_EQ(Verdict(home, made->text, kNow), "admits ci");
  EXPECT_EQ(Verdict(home, made->text + "0", kNow), "this portal does not know the token of the request");
  EXPECT_EQ(Verdict(home, made->token.hash, kNow), "this portal does not know the token of the request");
  EXPECT_EQ(Verdict(home, made->text, kNow + kHour), "the token 'ci' expired on 2026-11-21T07:00:00.000Z");
  ASSERT_TRUE(RevokeToken(home.path(), "ci", kNow).ok());
  EXPECT_EQ(Verdict(home, made->text, kNow), "the token 'ci' was revoked on 2026-11-21T06:00:00.000Z");
  EXPECT_THAT(*ListTokens(home.path()), IsEmpty());
  const auto again = AddToken(home.path(), {.name = "ci"}, kNow);
  EXPECT_EQ(again->token.name, "ci");
  TokenFile file(home.path());
  const std::vector<Token> tokens = **file.Read();
  EXPECT_FALSE(IsValidToken(tokens, made->token.hash, kNow)) << "the new token has only the name of the old one";
  EXPECT_TRUE(IsValidToken(tokens, again->token.hash, kNow));
}

TEST(Tokens, FileHasOnlyHashesAndOnlyItsOwnerReadsIt) {
  const Scratch home;
  const auto made = AddToken(home.path(), {}, kNow);
  ASSERT_TRUE(made.ok());
  const std::string path = home / "portal/tokens.json";
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const auto text = os::files::ReadFile(path);
  EXPECT_EQ(text->find(made->text), std::string::npos);
  EXPECT_THAT(*text, HasSubstr(HashOf(made->text)));
}

TEST(Tokens, NamesAreUnique) {
  const Scratch home;
  EXPECT_EQ(AddToken(home.path(), {}, kNow)->token.name, "token-1");
  EXPECT_EQ(AddToken(home.path(), {}, kNow)->token.name, "token-2");
  const auto again = AddToken(home.path(), {.name = "token-1"}, kNow);
  EXPECT_THAT(again.error().message, HasSubstr("there is a token 'token-1' already"));
  for (const char* name : {"a b", "\n", "../x"})
    EXPECT_THAT(AddToken(home.path(), {.name = name}, kNow).error().message, HasSubstr("invalid name")) << name;
  EXPECT_THAT(RevokeToken(home.path(), "none", kNow).error().message,
              HasSubstr("there is no token 'none'; the tokens are token-1, token-2"));
}

TEST(Tokens, RunningPortalReadsAChangedFile) {
  const Scratch home;
  TokenFile file(home.path());
  EXPECT_THAT(**file.Read(), IsEmpty());
  ASSERT_TRUE(AddToken(home.path(), {.name = "a"}, kNow).ok());
  EXPECT_EQ((*file.Read())->size(), 1u);
  ASSERT_TRUE(os::files::WriteFileAtomically(home / "portal/tokens.json", "damaged", 0600).ok());
  EXPECT_THAT(file.Read().error().message, HasSubstr("not a file of tokens of this version"));
  ASSERT_TRUE(os::files::RemoveTree(home / "portal/tokens.json").ok());
  EXPECT_THAT(**file.Read(), IsEmpty());
}

TEST(Tokens, WrittenTokensAreReadAgain) {
  const std::vector<Token> tokens = {
      {.name = "a", .hash = HashOf("1"), .created = kNow},
      {.name = "b", .hash = HashOf("2"), .read_only = true, .created = kNow, .expires = kNow + kHour, .revoked = kNow}};
  EXPECT_EQ(*ParseTokens(WriteTokens(tokens)), tokens);
}

TEST(Tokens, DamagedEntriesAreErrorsAndNeverAllowMore) {
  const std::string entry =
      R"({"name": "a", "sha256": ")" + HashOf("1") + R"(", "created": "2026-11-21T06:00:00.000Z")";
  const auto parse = [](const std::string& of) { return ParseTokens(R"({"version": 1, "tokens": [)" + of + "]}"); };
  EXPECT_TRUE(parse(entry + "}")->front().read_only) << "without the field, a token may only read";
  for (const std::string& bad :
       {std::string("3"), std::string("{}"), entry + R"(, "expires": 3})", entry + R"(, "revoked": "soon"})",
        std::string(R"({"name": "a/b", "sha256": ")") + HashOf("1") + R"(", "created": "2026-11-21T06:00:00.000Z"})",
        std::string(R"({"name": "a", "sha256": "xyz", "created": "2026-11-21T06:00:00.000Z"})")})
    EXPECT_FALSE(parse(bad).ok()) << bad;
  EXPECT_TRUE(parse(entry + R"(, "read_only": "no"})")->front().read_only);
  for (const char* text : {"", "[]", R"({"version": 2, "tokens": []})", R"({"version": 1})"})
    EXPECT_FALSE(ParseTokens(text).ok()) << text;
}

TEST(Tokens, BearerIsTheOnlyScheme) {
  EXPECT_EQ(BearerOf("Bearer abc"), "abc");
  EXPECT_EQ(BearerOf("bEARER  abc "), "abc");
  for (const char* other : {"", "abc", "Bearer", "Bearer ", "Basic abc", "Bearer a b"})
    EXPECT_EQ(BearerOf(other), std::nullopt) << other;
}

}  // namespace
}  // namespace howdah::portal
