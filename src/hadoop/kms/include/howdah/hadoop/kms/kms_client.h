// A client of Hadoop's KMS, which keeps the keys of encryption zones (org.apache.hadoop.crypto.key.kms).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/host_port.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/rpc/token.h"
#include "howdah/hadoop/web/web_client.h"
#include "howdah/os/http/get.h"

namespace howdah::hadoop::kms {

// The servers of a KMS: "kms://https@example.com;example.org:9600/kms".
struct Provider {
  std::string uri;                 // as above; also the service of the KMS's tokens
  std::vector<std::string> roots;  // "https://example.com:9600/kms"
  HostPort first;                  // the first server
};
// Returns kUsage if the text has another form.
Result<Provider> ParseProvider(const std::string& uri);

// The key of one file, encrypted with the key of its zone.
struct EncryptedKey {
  std::string zone_key;  // "k1"
  std::string version;   // "k1@0"
  std::string iv, material;
};

// The identity with which the KMS is asked.
struct Caller {
  std::optional<rpc::Token> token;  // takes precedence over a ticket
  std::string user;                 // the user name for a KMS without authentication
  std::string on_behalf_of;         // with a ticket: the user as whom its owner acts (a proxy user); may be empty
};

// Not thread-safe. Blocks as os::http::Get does, and tries the servers in turn.
class KmsClient {
 public:
  KmsClient(Provider provider, std::shared_ptr<web::WebClient> web, Caller caller, os::http::GetLimits limits = {});

  const HostPort& first_server() const { return provider_.first; }
  // Returns the key. kUnavailable if the KMS refuses it; the message contains the user, the key and the server.
  Result<std::string> Decrypt(const EncryptedKey& key);
  // The server that has answered last, and how it was authenticated: "https://example.com:9600/kms (the certificate
  // CN=example.com, valid until …; HTTP/example.com@EXAMPLE.COM)". Empty before the first answer.
  const std::string& server() const { return server_; }
  // Returns a token that `renewer` may renew; its service is the provider's URI. Needs a ticket.
  Result<rpc::Token> FetchToken(const std::string& renewer);
  // Returns until when the token is accepted.
  Result<Instant> Renew(const rpc::Token& token);
  Status Cancel(const rpc::Token& token);

 private:
  // Returns the body of the answer. `doing` is for messages: "decrypting a key of k1".
  Result<std::string> Call(const std::string& method, const std::string& path, const std::string& body,
                           const std::string& doing);

  Provider provider_;
  std::shared_ptr<web::WebClient> web_;
  Caller caller_;
  os::http::GetLimits limits_;
  std::string server_;
};

// A token in the form of URLs and of the header X-Hadoop-Delegation-Token (Token.encodeToUrlString).
std::string ToUrlText(const rpc::Token& token);
// Returns nullopt if the text is not a token. Any text is safe.
std::optional<rpc::Token> TokenOfUrlText(std::string_view text);

}  // namespace howdah::hadoop::kms
