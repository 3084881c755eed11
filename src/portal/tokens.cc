#include "tokens.h"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <functional>
#include <utility>

#include "howdah/base/json_depth.h"
#include "howdah/base/text.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"
#include "json_text.h"

namespace howdah::portal {
namespace {

constexpr size_t kRandomBytes = 32, kLongestName = 64, kFileLimit = 4 << 20;
constexpr Duration kRememberRevoked = std::chrono::hours(24 * 90);  // to say that a token was revoked

std::string FolderOf(const std::string& home) { return home + "/portal"; }
std::string PathOf(const std::string& home) { return FolderOf(home) + "/tokens.json"; }

bool IsName(const std::string& name) {
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

bool IsHash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

auto FindValid(std::vector<Token>& tokens, const std::string& name) {
  return std::find_if(tokens.begin(), tokens.end(),
                      [&](const Token& token) { return token.name == name && !token.revoked; });
}

Result<std::vector<Token>> ReadFile(const std::string& home) {
  const std::string path = PathOf(home);
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 && errno == ENOENT) return std::vector<Token>();
  HOWDAH_TRY(const std::string text, os::files::ReadRegular(path, kFileLimit));
  auto tokens = ParseTokens(text);
  if (tokens.ok()) return tokens;
  return Error::WithRemedy(ErrorCode::kFailed, "reading " + path + ": " + tokens.error().message,
                           "delete the file, and make new tokens with `howdah portal token`");
}

// Changes the file while no other process does.
Status Change(const std::string& home, Instant now, const std::function<Status(std::vector<Token>&)>& change) {
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(FolderOf(home), 0700));
  HOWDAH_TRY(const auto lock, os::files::FileLock::Wait(FolderOf(home) + "/tokens.lock"));
  HOWDAH_TRY(std::vector<Token> tokens, ReadFile(home));
  HOWDAH_TRY_STATUS(change(tokens));
  std::erase_if(tokens, [&](const Token& token) { return token.revoked && *token.revoked < now - kRememberRevoked; });
  return os::files::WriteFileAtomically(PathOf(home), WriteTokens(tokens), 0600);
}

// Whether the field is absent or null, or a time; then sets it.
bool ReadTime(const Json& json, const char* field, std::optional<Instant>& time) {
  const auto found = json.find(field);
  if (found == json.end() || found->is_null()) return true;
  if (found->is_string()) time = ParseInstant(found->get<std::string>());
  return time.has_value();
}

}  // namespace

std::string WriteTokens(const std::vector<Token>& tokens) {
  Json list = Json::array();
  for (const Token& token : tokens) {
    list.push_back({{"name", token.name},
                    {"sha256", token.hash},
                    {"read_only", token.read_only},
                    {"created", FormatInstant(token.created)},
                    {"expires", OrNull(token.expires)},
                    {"revoked", OrNull(token.revoked)}});
  }
  return Json{{"version", 1}, {"tokens", std::move(list)}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::vector<Token>> ParseTokens(std::string_view text) {
  constexpr int kMostNesting = 4;
  const Json json = NestsDeeper(text, kMostNesting) ? Json() : ParseJson(text);
  const auto list = json.is_object() ? json.find("tokens") : json.end();
  if (!json.is_object() || json.value("version", Json()) != 1 || list == json.end() || !list->is_array())
    return Failed("this is not a file of tokens of this version");
  std::vector<Token> tokens;
  for (const Json& of : *list) {
    const auto text_of = [&](const char* field) {
      const auto found = of.is_object() ? of.find(field) : of.end();
      return of.is_object() && found != of.end() && found->is_string() ? found->get<std::string>() : "";
    };
    Token token{.name = text_of("name"), .hash = text_of("sha256")};
    const auto created = ParseInstant(text_of("created"));
    if (!IsName(token.name) || !IsHash(token.hash) || !created)
      return Failed("the entry " + std::to_string(tokens.size() + 1) + " is not a token");
    token.created = *created;
    // Without a valid field the token may do less, not more.
    const auto read_only = of.find("read_only");
    token.read_only = read_only == of.end() || *read_only != false;
    if (!ReadTime(of, "expires", token.expires) || !ReadTime(of, "revoked", token.revoked))
      return Failed("the entry " + std::to_string(tokens.size() + 1) + " has an invalid time");
    tokens.push_back(std::move(token));
  }
  return tokens;
}

std::string HashOf(std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr) != 1) return "";
  return Hex({reinterpret_cast<const char*>(digest), size});
}

std::optional<std::string> BearerOf(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (LowerCase(authorization.substr(0, kScheme.size())) != kScheme) return std::nullopt;
  const std::string_view token = Trim(authorization.substr(kScheme.size()));
  if (token.empty() || token.find(' ') != std::string_view::npos) return std::nullopt;
  return std::string(token);
}

std::variant<Token, std::string> CheckToken(const std::vector<Token>& tokens, const std::string& text, Instant now) {
  const std::string hash = HashOf(text);
  const auto found = std::find_if(tokens.begin(), tokens.end(),
                                  [&](const Token& token) { return !hash.empty() && token.hash == hash; });
  if (found == tokens.end()) return "this portal does not know the token of the request";
  if (found->revoked) return "the token '" + found->name + "' was revoked on " + FormatInstant(*found->revoked);
  if (found->expires && *found->expires <= now)
    return "the token '" + found->name + "' expired on " + FormatInstant(*found->expires);
  return *found;
}

bool IsValidToken(const std::vector<Token>& tokens, const std::string& hash, Instant now) {
  return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) {
    return token.hash == hash && !token.revoked && (!token.expires || *token.expires > now);
  });
}

Result<const std::vector<Token>*> TokenFile::Read() {
  struct stat info {};
  if (::stat(PathOf(home_).c_str(), &info) != 0) {
    version_ = std::nullopt;
    tokens_.clear();
    return &tokens_;
  }
  const Version version{info.st_ino, info.st_size, info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec};
  if (version_ == version) return &tokens_;
  version_ = std::nullopt;
  HOWDAH_TRY(tokens_, ReadFile(home_));
  version_ = version;
  return &tokens_;
}

Result<NewToken> AddToken(const std::string& home, const TokenRequest& request, Instant now) {
  if (!request.name.empty() && !IsName(request.name)) {
    return Error{ErrorCode::kUsage,
                 "invalid name '" + OneLine(request.name, 80) + "': write at most 64 letters, digits, '-', '_' or '.'"};
  }
  unsigned char random[kRandomBytes];
  if (RAND_bytes(random, sizeof random) != 1) return Failed("making a token: OpenSSL has no random bytes");
  NewToken made;
  made.text = std::string(kTokenPrefix) + Hex({reinterpret_cast<const char*>(random), sizeof random});
  made.token = {.name = request.name, .hash = HashOf(made.text), .read_only = request.read_only, .created = now};
  if (request.valid_for) made.token.expires = now + *request.valid_for;
  HOWDAH_TRY_STATUS(Change(home, now, [&](std::vector<Token>& tokens) -> Status {
    for (int number = 1; made.token.name.empty(); ++number) {
      const std::string name = "token-" + std::to_string(number);
      if (FindValid(tokens, name) == tokens.end()) made.token.name = name;
    }
    if (FindValid(tokens, made.token.name) != tokens.end()) {
      return Error::WithRemedy(
          ErrorCode::kUsage, "there is a token '" + made.token.name + "' already",
          "choose another name, or revoke it with `howdah portal token --revoke " + made.token.name + "`");
    }
    tokens.push_back(made.token);
    return {};
  }));
  return made;
}

Result<std::vector<Token>> ListTokens(const std::string& home) {
  HOWDAH_TRY(std::vector<Token> tokens, ReadFile(home));
  std::erase_if(tokens, [](const Token& token) { return token.revoked.has_value(); });
  return tokens;
}

Status RevokeToken(const std::string& home, const std::string& name, Instant now) {
  return Change(home, now, [&](std::vector<Token>& tokens) -> Status {
    const auto found = FindValid(tokens, name);
    if (found != tokens.end()) {
      found->revoked = now;
      return {};
    }
    std::vector<std::string> names;
    for (const Token& token : tokens) {
      if (!token.revoked) names.push_back(token.name);
    }
    return Error{ErrorCode::kNotFound, "there is no token '" + OneLine(name, 80) + "'; " +
                                           (names.empty() ? "there is none at all" : "the tokens are " + Join(names))};
  });
}

}  // namespace howdah::portal
