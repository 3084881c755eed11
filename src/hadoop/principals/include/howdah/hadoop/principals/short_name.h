// hadoop.security.auth_to_local: the rules that map principals to names of accounts. Servers apply them; a client needs
// them for /user/NAME and for displaying names. Source: org.apache.hadoop.security.authentication.util.KerberosName.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/hadoop/principals/principal.h"

namespace howdah::hadoop::principals {

// hadoop.security.auth_to_local.mechanism. With kHadoop a name that contains '/' or '@' is an error, and so is a
// principal that no rule maps. With kMit both are allowed, and a principal that no rule maps keeps its full name.
enum class RuleMechanism { kHadoop, kMit };

// A copyable value; concurrent reads are safe.
class ShortNameRules {
 public:
  // `text`: rules as "RULE:[2:$1@$0](nn@EXAMPLE.COM)s/.*/hdfs/g/L DEFAULT", separated by white space. Regular
  // expressions are those of RE2: Java's without look-around and back references. Returns kUsage if a rule is invalid;
  // the message contains the rule.
  static Result<ShortNameRules> Parse(std::string_view text, std::string default_realm, RuleMechanism mechanism);

  // Applies the rules in order; the first match wins. A principal without host and realm is already a short name.
  // Returns kFailed if no rule maps the principal; the message lists the rules.
  Result<std::string> ShortName(const Principal& principal) const;

 private:
  struct Rule;
  std::vector<std::shared_ptr<const Rule>> rules_;
  std::string default_realm_;
  RuleMechanism mechanism_ = RuleMechanism::kHadoop;
};

}  // namespace howdah::hadoop::principals
