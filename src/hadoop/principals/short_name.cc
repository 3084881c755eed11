#include "howdah/hadoop/principals/short_name.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>

#include "lower_case.h"

namespace howdah::hadoop::principals {
namespace {

using Parameters = std::vector<std::string>;  // the realm, then the components

constexpr int kMaxGroups = 10;  // $0 to $9

re2::RE2::Options Quiet() {
  re2::RE2::Options options(re2::RE2::Latin1);
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);  // limits the time that a rule may take
  return options;
}

// The grammar of one rule. Groups: DEFAULT; number of components, format, "(match)", match, "s/…", from, to, g; L.
const re2::RE2& RuleGrammar() {
  static const re2::RE2 grammar(
      R"(\s*(?:(DEFAULT)|RULE:\[(\d*):([^\]]*)\](\(([^)]*)\))?(s/([^/]*)/([^/]*)/(g)?)?)/?(L)?)", Quiet());
  return grammar;
}

// Replaces $0, $1, … in a rule's format. Returns nullopt if the principal does not have the parameter.
std::optional<std::string> Formatted(std::string_view format, const Parameters& parameters) {
  std::string text;
  for (size_t i = 0; i < format.size();) {
    if (format[i] != '$') {
      text += format[i++];
      continue;
    }
    size_t number = 0, digits = 0;
    for (++i; i < format.size() && format[i] >= '0' && format[i] <= '9'; ++i, ++digits) {
      number = std::min<size_t>(number * 10 + static_cast<size_t>(format[i] - '0'), 1000);
    }
    if (digits == 0 || number >= parameters.size()) return std::nullopt;
    text += parameters[number];
  }
  return text;
}

// Inserts the groups of a match into Java's replacement: "$1" is a group, "\" quotes the next character. Returns
// nullopt if the replacement is invalid.
std::optional<std::string> Replacement(std::string_view to, const std::vector<re2::StringPiece>& groups) {
  std::string text;
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] != '$' && to[i] != '\\') {
      text += to[i];
      continue;
    }
    if (++i == to.size()) return std::nullopt;
    if (to[i - 1] == '\\') {
      text += to[i];
      continue;
    }
    const auto group = static_cast<size_t>(to[i] - '0');
    if (group >= groups.size()) return std::nullopt;
    text.append(groups[group].data(), groups[group].size());
  }
  return text;
}

// java.util.regex.Matcher.replaceFirst and replaceAll. RE2's own functions treat empty matches differently.
std::optional<std::string> Replace(const re2::RE2& from, const std::string& to, bool all, const std::string& text) {
  const int count = std::min(from.NumberOfCapturingGroups() + 1, kMaxGroups);
  std::vector<re2::StringPiece> groups(static_cast<size_t>(count));
  std::string replaced;
  size_t begin = 0, copied = 0;
  while (begin <= text.size() && from.Match(text, begin, text.size(), re2::RE2::UNANCHORED, groups.data(), count)) {
    const auto at = static_cast<size_t>(groups[0].data() - text.data()), end = at + groups[0].size();
    const auto insert = Replacement(to, groups);
    if (!insert) return std::nullopt;
    replaced += text.substr(copied, at - copied) + *insert;
    copied = end;
    if (!all) break;
    begin = groups[0].empty() ? end + 1 : end;
  }
  return replaced + text.substr(copied);
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

struct ShortNameRules::Rule {
  std::string text;  // as written
  bool is_default = false, all = false, lower_case = false;
  size_t components = 0;
  std::string format, to;
  std::optional<re2::RE2> match, from;  // nullopt: the rule has none
};

Result<ShortNameRules> ShortNameRules::Parse(std::string_view text, std::string default_realm,
                                             RuleMechanism mechanism) {
  ShortNameRules parsed;
  parsed.default_realm_ = std::move(default_realm);
  parsed.mechanism_ = mechanism;
  for (std::string_view left = Trimmed(text); !left.empty();) {
    std::vector<re2::StringPiece> groups(11);
    if (!RuleGrammar().Match({left.data(), left.size()}, 0, left.size(), re2::RE2::ANCHOR_START, groups.data(), 11)) {
      return Error{ErrorCode::kUsage, "invalid rule '" + std::string(left) +
                                          "'; a rule is DEFAULT or RULE:[components:format](match)s/from/to/g/L"};
    }
    const auto group = [&](size_t i) { return std::string(groups[i].data(), groups[i].size()); };
    const auto has = [&](size_t i) { return groups[i].data() != nullptr; };
    auto rule = std::make_shared<Rule>();
    rule->text = Trimmed(left.substr(0, groups[0].size()));
    left.remove_prefix(groups[0].size());
    rule->is_default = has(1);
    if (!rule->is_default) {  // Hadoop ignores the /L of DEFAULT
      rule->lower_case = has(10);
      rule->all = has(9);
      const std::string number = group(2);
      if (number.empty() || number.size() > 3) {
        return Error{ErrorCode::kUsage,
                     "invalid rule '" + rule->text + "': the number of components after [ is missing or too large"};
      }
      rule->components = static_cast<size_t>(std::stoi(number));
      rule->format = group(3);
      rule->to = group(8);
      if (has(4)) rule->match.emplace(group(5), Quiet());
      if (has(6)) rule->from.emplace(group(7), Quiet());
    }
    for (const auto* expression : {&rule->match, &rule->from}) {
      if (!*expression || (*expression)->ok()) continue;
      return Error{ErrorCode::kUsage, "invalid rule '" + rule->text + "': the regular expression '" +
                                          (*expression)->pattern() + "': " + (*expression)->error()};
    }
    parsed.rules_.push_back(std::move(rule));
  }
  return parsed;
}

Result<std::string> ShortNameRules::ShortName(const Principal& principal) const {
  if (principal.host.empty() && principal.realm.empty()) return principal.service;
  Parameters parameters{principal.realm, principal.service};
  if (!principal.host.empty()) parameters.push_back(principal.host);
  std::string tried;
  for (const auto& rule : rules_) {
    tried += (tried.empty() ? "" : " ") + rule->text;
    std::optional<std::string> name;
    if (rule->is_default) {
      if (principal.realm == default_realm_) name = principal.service;
    } else if (parameters.size() - 1 == rule->components) {
      const auto base = Formatted(rule->format, parameters);
      if (!base) {
        return Failed("mapping " + principal.Text() + " to an account: the rule " + rule->text +
                      " uses a parameter that the principal does not have");
      }
      if (!rule->match || re2::RE2::FullMatch(*base, *rule->match)) {
        name = rule->from ? Replace(*rule->from, rule->to, rule->all, *base) : base;
        if (!name) {
          return Failed("mapping " + principal.Text() + " to an account: the rule " + rule->text +
                        " uses a group that its expression does not have");
        }
      }
    }
    if (!name) continue;
    if (mechanism_ == RuleMechanism::kHadoop && name->find_first_of("/@") != std::string::npos) {
      return Failed("mapping " + principal.Text() + " to an account: the rule " + rule->text + " yields '" + *name +
                    "', which contains / or @");
    }
    return rule->lower_case ? LowerCase(*name) : *name;
  }
  if (mechanism_ == RuleMechanism::kMit) return principal.Text();
  return Failed("mapping " + principal.Text() + " to an account: no rule of hadoop.security.auth_to_local matches (" +
                (tried.empty() ? "there is none" : "tried: " + tried) + "; the default realm is " +
                (default_realm_.empty() ? "not set" : default_realm_) + ")");
}

}  // namespace howdah::hadoop::principals
