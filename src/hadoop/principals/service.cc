#include "howdah/hadoop/principals/service.h"

#include <re2/re2.h>

#include <algorithm>

#include "lower_case.h"

namespace howdah::hadoop::principals {
namespace {

constexpr std::string_view kHost = "_HOST";

std::string Joined(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : " or ") + text;
  return joined;
}

// Translates a glob to a regular expression. Source: org.apache.hadoop.fs.GlobPattern.set.
std::optional<std::string> Expression(const std::string& glob) {
  std::string regex;
  int braces = 0;
  bool set = false;
  for (size_t i = 0; i < glob.size(); ++i) {
    const char c = glob[i];
    if (c == '\\') {
      if (++i == glob.size()) return std::nullopt;
      regex += re2::RE2::QuoteMeta(glob.substr(i, 1));
    } else if (set) {
      if (c == '!' && glob[i - 1] == '[') {
        regex += '^';
      } else {
        regex += c == '[' ? "\\[" : std::string(1, c);
      }
      set = c != ']';
    } else if (c == '*') {
      regex += ".*";
    } else if (c == '?') {
      regex += '.';
    } else if (c == '{') {
      regex += "(?:";
      ++braces;
    } else if (c == ',' && braces > 0) {
      regex += '|';
    } else if (c == '}' && braces > 0) {
      regex += ')';
      --braces;
    } else if (c == '[') {
      regex += '[';
      set = true;
    } else {
      regex += re2::RE2::QuoteMeta(std::string(1, c));
    }
  }
  if (set || braces > 0) return std::nullopt;
  return regex;
}

}  // namespace

std::optional<bool> MatchesGlob(const std::string& glob, const std::string& text) {
  const auto regex = Expression(glob);
  if (!regex) return std::nullopt;
  re2::RE2::Options options(re2::RE2::Latin1);
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  options.set_dot_nl(true);
  const re2::RE2 compiled(*regex, options);
  if (!compiled.ok()) return std::nullopt;
  return re2::RE2::FullMatch(text, compiled);
}

Result<Principal> ServicePrincipal(const ServicePolicy& policy, const Advertised& advertised,
                                   const std::vector<std::string>& hosts, const std::string& address,
                                   const std::string& realm_of_host) {
  Principal server{advertised.service, advertised.host, realm_of_host};
  if (advertised.service.empty() || advertised.host.empty() ||
      !ParsePrincipal(Principal{advertised.service, advertised.host, ""}.Text())) {
    return Failed("the server at " + address + " advertises the invalid principal '" + server.Text() + "'");
  }
  if (policy.pattern && !policy.pattern->empty()) {
    const auto matches = MatchesGlob(*policy.pattern, server.Text());
    if (!matches) return Failed(policy.key + ".pattern is '" + *policy.pattern + "', which is not a valid glob");
    if (*matches) return server;
    return Failed("the server at " + address + " has the principal " + server.Text() + ", which does not match " +
                  policy.key + ".pattern, '" + *policy.pattern + "'");
  }
  if (policy.principal.empty()) {
    return Failed("the server at " + address + " has the principal " + server.Text() + ", but " + policy.key +
                  " is not set, so it cannot be checked; set it to the principal of the service");
  }
  const auto configured = ParsePrincipal(policy.principal);
  if (!configured || configured->host.empty()) {
    return Error{ErrorCode::kUsage, policy.where + " is '" + policy.principal +
                                        "'; it must be service/host@REALM, where the host may be " +
                                        std::string(kHost)};
  }
  std::vector<std::string> expected{configured->host};
  if (configured->host == kHost) {
    expected.clear();
    for (const std::string& host : hosts) {
      if (std::ranges::find(expected, LowerCase(host)) == expected.end()) expected.push_back(LowerCase(host));
    }
  }
  if (!configured->realm.empty()) server.realm = configured->realm;
  const bool known = std::ranges::find(expected, advertised.host) != expected.end();
  if (known && configured->service == advertised.service) return server;
  std::string error = "the server at " + address + " has the principal " + advertised.service + "/" + advertised.host +
                      ", but " + policy.where + " is " + policy.principal;
  if (configured->host == kHost) error += ", where " + std::string(kHost) + " stands for " + Joined(expected);
  return Failed(error + "; correct the key, or set " + policy.key + ".pattern if several servers share it");
}

}  // namespace howdah::hadoop::principals
