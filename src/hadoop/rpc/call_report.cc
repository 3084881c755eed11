#include "call_report.h"

#include "howdah/hadoop/rpc/impersonation.h"
#include "howdah/hadoop/rpc/token_identifier.h"

namespace howdah::hadoop::rpc {
namespace {

std::string Name(const ClientOptions& options) {
  return options.service_name.empty() ? "the server" : options.service_name;
}

std::string Origin(const ClientOptions& options) {
  if (options.configured_by.empty()) return "";
  return (options.servers.size() > 1 ? "; the addresses come from " : "; the address comes from ") +
         options.configured_by;
}

std::string ServerText(const ClientOptions& options, size_t server) {
  return Name(options) + " at " + options.servers[server].Text();
}

}  // namespace

Error Refused(const ClientOptions& options, size_t server, const Error& error) {
  Error refused = error.While(ServerText(options, server) + " refused the connection");
  const bool simple = error.message.find("SIMPLE authentication is not enabled") != std::string::npos;
  if (simple && error.message.find("KERBEROS") != std::string::npos) {
    refused.message += "; the cluster is secured by Kerberos, and there is no token for it";
  } else if (simple) {
    refused.message += "; it requires a token" + Origin(options);
  }
  if (options.login.token && IsTokenRefused(error)) {
    refused.code = ErrorCode::kUnavailable;
    refused.message += "; it refuses " + DescribeToken(*options.login.token) +
                       ", which has expired, was cancelled, or was issued by another server";
  }
  if (error.message.find("GSS initiate failed") != std::string::npos) {  // Hadoop's servers do not say more
    refused.code = ErrorCode::kUnavailable;
    refused.message +=
        "; it does not accept the Kerberos ticket, and its log has the reason: usually its clock differs by more than "
        "5 "
        "minutes from that of the KDC, or its keytab is older than its key in the KDC";
  }
  const std::string remedy = ImpersonationRemedy(error.message, "hadoop.proxyuser", "core-site.xml");
  if (!remedy.empty()) refused.code = ErrorCode::kUnavailable;
  refused.message += remedy;
  return refused;
}

std::string CallReport::Servers(const ClientOptions& options) const {
  std::string text;
  for (const auto& [server, why] : last_) {
    text += (text.empty() ? "" : "; ") + options.servers[server].Text() + ": " + why;
  }
  return text;
}

Error CallReport::Final(const ClientOptions& options, const LastAttempt& last, const Failure& failure) const {
  const std::string at = ServerText(options, last.server), why = failure.error.message;
  const std::string& remote = failure.error.remote_class;
  const bool may_have_been_executed = last.repeat == Repeat::kNever;
  switch (failure.kind) {
    case FailureKind::kRemote:
      if (remote == "org.apache.hadoop.ipc.StandbyException") {
        return {ErrorCode::kUnavailable,
                Name(options) + " is not active on any server: " + Servers(options) + Origin(options), remote};
      }
      if (remote == "org.apache.hadoop.ipc.RpcNoSuchProtocolException") {
        return {ErrorCode::kUnavailable,
                "calling " + at + ": another Hadoop service listens on this port (" + why + ")" + Origin(options),
                remote};
      }
      return failure.error;
    case FailureKind::kTimeout:
      return {ErrorCode::kTimeout, at + " did not answer " + last.method + ": " + why + Origin(options)};
    case FailureKind::kBroken:
      return {ErrorCode::kUnavailable, "calling " + at + ": " + why + Origin(options)};
    case FailureKind::kLogin:
      return failure.error.While("logging in to " + at);
    case FailureKind::kStale:
    case FailureKind::kLost:
      if (may_have_been_executed) {
        return {ErrorCode::kUnavailable, "calling " + last.method + " of " + at + ": " + why +
                                             " before it answered; the call may or may not have been executed"};
      }
      break;
    case FailureKind::kUnreachable:
      break;
  }
  const std::string tried =
      last.elapsed < std::chrono::seconds(1) ? "" : " (tried for " + FormatDuration(last.elapsed) + ")";
  return {ErrorCode::kUnavailable, Name(options) + " cannot be reached: " + Servers(options) + tried + Origin(options)};
}

}  // namespace howdah::hadoop::rpc
