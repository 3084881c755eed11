#include "session.h"

#include <com_err.h>

#include <algorithm>
#include <chrono>

#include "handles.h"

namespace howdah::hadoop::kerberos {
namespace {

constexpr int kMaxSteps = 40;  // a login takes 2 to 6 steps, a ticket of another realm 2 for each realm on the path
constexpr const char* kDefaultConfiguration = "/etc/krb5.conf";
constexpr char kKrbErrorTag = 0x7e;  // [APPLICATION 30]

// The values of a relation in a profile, such as {"realms", "EXAMPLE.COM", "kdc"}.
std::vector<std::string> Values(krb5_context context, std::vector<const char*> names) {
  profile_t profile = nullptr;
  if (krb5_get_profile(context, &profile) != 0) return {};
  names.push_back(nullptr);
  char** found = nullptr;
  std::vector<std::string> values;
  if (profile_get_values(profile, names.data(), &found) == 0) {
    for (char** value = found; *value != nullptr; ++value) values.emplace_back(*value);
    profile_free_list(found);
  }
  profile_release(profile);
  return values;
}

bool Flag(krb5_context context, const char* name, bool fallback) {
  const auto values = Values(context, {"libdefaults", name});
  if (values.empty()) return fallback;
  std::string value = values.front();
  std::ranges::transform(value, value.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  for (const char* no : {"n", "no", "false", "f", "nil", "0", "off"}) {
    if (value == no) return false;
  }
  return true;
}

}  // namespace

Instant Now() { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

Result<std::unique_ptr<Session>> Session::Open(const std::string& configuration) {
  const std::string files = configuration.empty() ? kDefaultConfiguration : configuration;
  std::vector<std::string> paths;
  for (size_t begin = 0; begin <= files.size();) {
    const size_t end = std::min(files.find(':', begin), files.size());
    if (end > begin) paths.push_back(files.substr(begin, end - begin));
    begin = end + 1;
  }
  std::vector<const char*> names;
  for (const std::string& path : paths) names.push_back(path.c_str());
  names.push_back(nullptr);
  profile_t profile = nullptr;
  krb5_context context = nullptr;
  long code = profile_init(names.data(), &profile);
  if (code == ENOENT) code = profile_init(nullptr, &profile);  // no file exists: all values are MIT's defaults
  if (code == 0) code = krb5_init_context_profile(profile, 0, &context);
  if (profile != nullptr) profile_release(profile);
  if (code != 0) {
    return Error{ErrorCode::kUsage, "reading the configuration of Kerberos, " + files + ": " + error_message(code)};
  }
  return std::unique_ptr<Session>(new Session(context, files));
}

Session::~Session() { krb5_free_context(context_); }

std::string Session::Text(krb5_error_code code) const {
  const char* text = krb5_get_error_message(context_, code);
  std::string copy = text == nullptr ? "" : text;
  krb5_free_error_message(context_, text);
  return copy;
}

Result<std::string> Session::DefaultRealm() const {
  char* realm = nullptr;
  if (const auto code = krb5_get_default_realm(context_, &realm); code != 0) {
    return Error::WithRemedy(
        ErrorCode::kUnavailable,
        "Kerberos has no default realm: " + configuration_ + " does not set default_realm (" + Text(code) + ")",
        "set default_realm in [libdefaults], or write principals with their realm");
  }
  std::string text = realm;
  krb5_free_default_realm(context_, realm);
  return text;
}

Result<KdcList> Session::KdcsOf(const std::string& realm, const Waiting& waiting) {
  KdcList list{{}, configuration_};
  for (const std::string& value : Values(context_, {"realms", realm.c_str(), "kdc"})) {
    if (value.starts_with("https://")) continue;
    auto where = ParseKdc(value);
    if (!where) return where.error().While("reading `kdc` of the realm " + realm + " in " + configuration_);
    list.kdcs.push_back(*std::move(where));
  }
  if (!list.kdcs.empty()) return list;
  return FindKdcs(realm, configuration_, Flag(context_, "dns_lookup_kdc", true), waiting);
}

void Session::Record(const std::string& realm, const KdcReply& reply) {
  auto known = std::ranges::find_if(answers_, [&](const KdcAnswer& a) { return a.address == reply.address; });
  if (known == answers_.end()) known = answers_.insert(answers_.end(), {realm, reply.address, reply.took, Duration(0)});
  OwnedKrbError error(context_);
  const krb5_data bytes = View(reply.bytes);
  if (!reply.bytes.starts_with(kKrbErrorTag) || krb5_rd_error(context_, &bytes, error.out()) != 0) {
    refusal_.reset();
    return;
  }
  const Instant theirs(std::chrono::seconds(Seconds(error->stime)) + std::chrono::microseconds(error->susec));
  Refusal refusal{static_cast<int>(error->error), realm, reply.address, "", "", "", Now() - theirs};
  if (error->client != nullptr) refusal.client = NameOf(context_, error->client);
  if (error->server != nullptr) refusal.server = NameOf(context_, error->server);
  if (error->text.data != nullptr) refusal.text.assign(error->text.data, error->text.length);
  while (!refusal.text.empty() && refusal.text.back() == '\0') refusal.text.pop_back();
  known->ahead = refusal.ahead;
  refusal_ = std::move(refusal);
}

Result<Session::Taken> Session::Take(const Step& step, const std::string& answer, const Waiting& waiting) {
  OwnedData request(context_), realm(context_);
  krb5_data in = View(answer);
  unsigned flags = 0;
  Taken taken{step(&in, request.out(), realm.out(), &flags), "", std::nullopt};
  // KRB5_…_STEP_FLAG_CONTINUE is 1 in both state machines.
  if (taken.code != 0 || (flags & 1U) == 0) return taken;
  taken.realm = realm.text();
  HOWDAH_TRY(const auto kdcs, KdcsOf(taken.realm, waiting));
  HOWDAH_TRY(taken.reply, AskKdcs(taken.realm, kdcs, request.text(), waiting));
  return taken;
}

Result<krb5_error_code> Session::Run(const Step& step, const Waiting& waiting) {
  refusal_.reset();
  std::string answer;
  for (int steps = 0; steps < kMaxSteps; ++steps) {
    HOWDAH_TRY(auto taken, Take(step, answer, waiting));
    if (!taken.reply) return taken.code;
    Record(taken.realm, *taken.reply);
    answer = std::move(taken.reply->bytes);
  }
  return Failed("the KDC has sent " + std::to_string(kMaxSteps) + " answers without an end");
}

Result<std::string> Session::RunFirst(const Step& step, const Waiting& waiting) {
  HOWDAH_TRY(auto taken, Take(step, "", waiting));
  if (taken.code != 0) return Failed(Text(taken.code));
  if (!taken.reply) return Failed("the first step makes no request");
  return std::move(taken.reply->bytes);
}

std::string Session::EnctypeName(krb5_enctype type) {
  char name[100] = "";
  return krb5_enctype_to_name(type, FALSE, name, sizeof name) == 0 ? name : std::to_string(type);
}

Error Session::Explained(krb5_error_code code, Facts facts) const {
  facts.library_text = Text(code);
  facts.configuration = configuration_;
  facts.refusal = refusal_;
  if (const auto set = Values(context_, {"libdefaults", "permitted_enctypes"}); !set.empty()) {
    facts.permitted = set.front();
  }
  if (const auto skew = Values(context_, {"libdefaults", "clockskew"}); !skew.empty()) {
    krb5_deltat seconds = 0;
    std::string text = skew.front();
    if (krb5_string_to_deltat(text.data(), &seconds) == 0) facts.skew_allowed = std::chrono::seconds(seconds);
  }
  krb5_enctype* types = nullptr;
  if (krb5_get_permitted_enctypes(context_, &types) == 0) {
    for (const krb5_enctype* type = types; *type != 0; ++type) facts.enctypes.push_back(EnctypeName(*type));
    krb5_free_enctypes(context_, types);
  }
  return Explain(code, facts);
}

}  // namespace howdah::hadoop::kerberos
