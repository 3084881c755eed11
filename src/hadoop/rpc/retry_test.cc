#include "retry.h"

#include <gmock/gmock.h>

#include "call_report.h"

namespace howdah::hadoop::rpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kSafe = Repeat::kSafe, kNever = Repeat::kNever;
constexpr Decision kGiveUp{Verdict::kGiveUp, Duration(0)};
Decision Same(int ms) { return {Verdict::kSameServer, milliseconds(ms)}; }
Decision Next(int ms) { return {Verdict::kNextServer, milliseconds(ms)}; }

// The cases of hadoop-common's RetryPolicies.FailoverOnNetworkExceptionRetry, with shorter pauses. The limits are the
// defaults.
TEST(Retry, DecisionDependsOnFailureAndAttempts) {
  const std::string ipc = "org.apache.hadoop.ipc.", standby = ipc + "StandbyException",
                    retriable = ipc + "RetriableException";
  struct {
    FailureKind kind;
    std::string remote_class;
    size_t failed, servers;
    int elapsed_ms;
    Repeat repeat;
    Decision expected;
  } const cases[] = {
      // No server received the call. Always retry, and pause only when all servers have been tried.
      {FailureKind::kUnreachable, "", 1, 1, 0, kNever, Same(100)},
      {FailureKind::kUnreachable, "", 2, 1, 0, kNever, Same(200)},
      {FailureKind::kUnreachable, "", 9, 1, 0, kSafe, Same(5000)},
      {FailureKind::kUnreachable, "", 100, 1, 0, kSafe, Same(5000)},
      {FailureKind::kUnreachable, "", 1, 2, 0, kNever, Next(0)},
      {FailureKind::kUnreachable, "", 2, 2, 0, kSafe, Next(100)},
      {FailureKind::kUnreachable, "", 3, 2, 0, kSafe, Next(0)},
      {FailureKind::kUnreachable, "", 4, 2, 0, kSafe, Next(200)},
      {FailureKind::kUnreachable, "", 2, 3, 0, kSafe, Next(0)},
      // Do not retry if the pause would exceed the limit.
      {FailureKind::kUnreachable, "", 1, 1, 29900, kSafe, Same(100)},
      {FailureKind::kUnreachable, "", 1, 1, 29901, kSafe, kGiveUp},
      {FailureKind::kUnreachable, "", 1, 2, 30001, kSafe, kGiveUp},
      // The call may have been executed: retry only idempotent calls.
      {FailureKind::kLost, "", 1, 1, 0, kSafe, Same(100)},
      {FailureKind::kLost, "", 1, 2, 0, kSafe, Next(0)},
      {FailureKind::kLost, "", 1, 2, 0, kNever, kGiveUp},
      {FailureKind::kTimeout, "", 1, 1, 0, kSafe, Same(100)},
      {FailureKind::kTimeout, "", 1, 2, 0, kSafe, Next(0)},
      {FailureKind::kTimeout, "", 1, 2, 0, kNever, kGiveUp},
      {FailureKind::kTimeout, "", 1, 1, 60000, kSafe, kGiveUp},
      // The server had closed an idle connection. The first retry goes to the same server, without a pause.
      {FailureKind::kStale, "", 1, 1, 0, kSafe, Same(0)},
      {FailureKind::kStale, "", 1, 2, 0, kSafe, Same(0)},
      {FailureKind::kStale, "", 2, 2, 0, kSafe, Next(100)},
      {FailureKind::kStale, "", 1, 1, 0, kNever, kGiveUp},
      // The server reported, in the handshake or later, that it has not executed the call.
      {FailureKind::kRemote, standby, 1, 2, 0, kNever, Next(0)},
      {FailureKind::kRemote, standby, 2, 2, 0, kNever, Next(100)},
      {FailureKind::kRemote, standby, 1, 1, 0, kSafe, Same(100)},
      {FailureKind::kRemote, retriable, 1, 2, 0, kNever, Same(100)},
      {FailureKind::kRemote, retriable, 3, 2, 0, kSafe, Same(400)},
      // Return all other exceptions to the caller, without a fail-over.
      {FailureKind::kRemote, "org.apache.hadoop.security.AccessControlException", 1, 2, 0, kSafe, kGiveUp},
      {FailureKind::kRemote, "org.apache.hadoop.security.authorize.AuthorizationException", 1, 2, 0, kSafe, kGiveUp},
      {FailureKind::kRemote, "org.apache.hadoop.security.token.SecretManager$InvalidToken", 1, 2, 0, kSafe, kGiveUp},
      {FailureKind::kRemote, "javax.security.sasl.SaslException", 1, 2, 0, kSafe, kGiveUp},
      {FailureKind::kRemote, "java.io.IOException", 1, 2, 0, kSafe, kGiveUp},
      {FailureKind::kRemote, "", 1, 2, 0, kSafe, kGiveUp},
      {FailureKind::kBroken, "", 1, 2, 0, kSafe, kGiveUp},
  };
  int row = 0;
  for (const auto& c : cases) {
    const Failure failure{c.kind, {ErrorCode::kFailed, "m", c.remote_class}};
    EXPECT_EQ(Decide(failure, {c.failed, c.servers, milliseconds(c.elapsed_ms), c.repeat}, {}), c.expected)
        << "row " << row;
    ++row;
  }
}

TEST(CallReport, ErrorNamesEveryServerAndConfigurationKey) {
  ClientOptions options;
  options.servers = {{"rm1", 8032}, {"rm2", 8032}};
  options.service_name = "the ResourceManager";
  options.configured_by = "yarn.resourcemanager.address.* in /etc/hadoop/conf/yarn-site.xml";
  CallReport report;
  report.Add(0, {FailureKind::kUnreachable, Failed("something earlier")});
  report.Add(0, {FailureKind::kUnreachable, Failed("(10.0.0.7): Connection refused")});
  const Failure last{FailureKind::kUnreachable, Failed("looking up the host rm2: no such name")};
  report.Add(1, last);
  const Error error = report.Final(options, {"getNewApplication", kSafe, 1, seconds(30)}, last);
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_EQ(error.message,
            "the ResourceManager cannot be reached: rm1:8032: (10.0.0.7): Connection refused; rm2:8032: looking up the "
            "host rm2: no such name (tried for 30.0s); the addresses come from yarn.resourcemanager.address.* in "
            "/etc/hadoop/conf/yarn-site.xml");
}

TEST(CallReport, RefusedConnectionHasAdvice) {
  ClientOptions options;
  options.servers = {{"rm1", 8032}};
  const Error error{ErrorCode::kFailed, "SIMPLE authentication is not enabled.  Available:[TOKEN, KERBEROS]", "a.E"};
  EXPECT_EQ(Refused(options, 0, error),
            (Error{ErrorCode::kFailed,
                   "the server at rm1:8032 refused the connection: SIMPLE authentication is not enabled.  "
                   "Available:[TOKEN, KERBEROS]; the cluster is secured by Kerberos, and there is no token for it",
                   "a.E"}));
}

TEST(CallReport, RefusedTicketHasTheUsualReasons) {
  ClientOptions options;
  options.servers = {{"rm1", 8032}};
  const Error refused = Refused(options, 0, {ErrorCode::kFailed, "GSS initiate failed", "a.E"});
  EXPECT_EQ(refused.code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.message, testing::HasSubstr("its clock differs by more than 5 minutes"));
  EXPECT_THAT(refused.message, testing::HasSubstr("its keytab is older"));
}

TEST(CallReport, RefusedTokenIsDescribed) {
  ClientOptions options;
  options.servers = {{"nn1", 8020}};
  options.login.token = Token{std::string("\0\3ann\4yarn\0\x8d\x0f\x42\x40\x8d\x1e\x84\x80", 19), "password",
                              "HDFS_DELEGATION_TOKEN", "ha-hdfs:ns1"};
  const Error error{ErrorCode::kFailed, "Token has expired",
                    "org.apache.hadoop.security.token.SecretManager$InvalidToken"};
  const Error refused = Refused(options, 0, error);
  EXPECT_EQ(refused.code, ErrorCode::kUnavailable);
  EXPECT_EQ(refused.message,
            "the server at nn1:8020 refused the connection: Token has expired; it refuses the token "
            "HDFS_DELEGATION_TOKEN of ha-hdfs:ns1 (owner ann, renewer yarn, issued 1970-01-01T00:16:40.000Z, ends "
            "1970-01-01T00:33:20.000Z), which has expired, was cancelled, or was issued by another server");
}

TEST(CallReport, ErrorStatesWhetherCallMayHaveBeenExecuted) {
  ClientOptions options;
  options.servers = {{"rm1", 8032}};
  options.service_name = "the ResourceManager";
  const auto final = [&](FailureKind kind, Error error, Repeat repeat) {
    CallReport report;
    report.Add(0, {kind, error});
    return report.Final(options, {"submitApplication", repeat, 0, seconds(0)}, {kind, error});
  };
  const Error remote{ErrorCode::kFailed, "Queue x unknown", "org.apache.hadoop.yarn.exceptions.YarnException"};
  EXPECT_EQ(final(FailureKind::kRemote, remote, kSafe), remote);
  EXPECT_EQ(final(FailureKind::kTimeout, Failed("no answer within 60s"), kSafe),
            (Error{ErrorCode::kTimeout,
                   "the ResourceManager at rm1:8032 did not answer submitApplication: no answer within 60s"}));
  EXPECT_EQ(final(FailureKind::kLost, Failed("the server closed the connection"), kNever).message,
            "calling submitApplication of the ResourceManager at rm1:8032: the server closed the connection before it "
            "answered; the call may or may not have been executed");
  EXPECT_EQ(final(FailureKind::kBroken, Failed("this is an HTTP port"), kSafe).message,
            "calling the ResourceManager at rm1:8032: this is an HTTP port");
}

}  // namespace
}  // namespace howdah::hadoop::rpc
