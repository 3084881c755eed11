// One context of libkrb5, and the transport of its messages.
#pragma once

#include <krb5.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "explain.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/kerberos/login.h"
#include "kdc.h"

namespace howdah::hadoop::kerberos {

// The wall time, to which the times of tickets refer.
Instant Now();

// Use on one thread at a time.
class Session {
 public:
  // configuration: $KRB5_CONFIG, or empty. Returns kUsage if a configuration file is invalid.
  static Result<std::unique_ptr<Session>> Open(const std::string& configuration);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  krb5_context context() const { return context_; }

  // One step of a state machine of libkrb5, such as krb5_tkt_creds_step.
  using Step = std::function<krb5_error_code(krb5_data* in, krb5_data* out, krb5_data* realm, unsigned* flags)>;
  // Runs the state machine. Returns the error of the transport, or the code with which the state machine ended.
  Result<krb5_error_code> Run(const Step& step, const Waiting& waiting);

  // Performs the first step only, and returns the KDC's answer to it.
  Result<std::string> RunFirst(const Step& step, const Waiting& waiting);

  // Explains a failure. Adds what the session knows: configuration, encryption types, and the KDC's last error.
  Error Explained(krb5_error_code code, Facts facts) const;
  std::string Text(krb5_error_code code) const;  // libkrb5's message
  static std::string EnctypeName(krb5_enctype type);

  Result<std::string> DefaultRealm() const;
  const std::vector<KdcAnswer>& answers() const { return answers_; }

 private:
  Session(krb5_context context, std::string configuration)
      : context_(context), configuration_(std::move(configuration)) {}
  struct Taken {
    krb5_error_code code = 0;  // of the step
    std::string realm;
    std::optional<KdcReply> reply;  // nullopt: the state machine has ended
  };
  // Performs one step with the answer to the previous one, and sends the step's request to a KDC.
  Result<Taken> Take(const Step& step, const std::string& answer, const Waiting& waiting);
  Result<KdcList> KdcsOf(const std::string& realm, const Waiting& waiting);
  void Record(const std::string& realm, const KdcReply& reply);

  const krb5_context context_;
  const std::string configuration_;  // the files, for messages
  std::optional<Refusal> refusal_;   // of the last Run
  std::vector<KdcAnswer> answers_;   // the first answer of each KDC, then its clock when known
};

}  // namespace howdah::hadoop::kerberos
