// For tests: the server's side of a connection with token and wrapped messages. It repeats the computations of
// DigestMd5, so it can test only sizes and order. The JDK's vectors and the recorded traffic test DigestMd5 itself.
#pragma once

#include <algorithm>
#include <string>

#include "connection.h"
#include "howdah/hadoop/sasl/digest.h"

namespace howdah::hadoop::rpc {

class WrappingServer {
 public:
  explicit WrappingServer(std::string qop) : qop_(std::move(qop)) {}

  ConnectionOptions client_options() const {
    return {"some.Protocol", "", "", std::string(16, 'c'), {TokenMechanism({"id", "pw", "", ""}, "cnonce")}};
  }

  // Reads the client's output and answers it.
  void Exchange(Connection& client) {
    std::string output = client.TakeOutput();
    if (output.starts_with("hrpc")) output.erase(0, 7);
    FrameBuffer frames;
    frames.Append(output);
    while (const auto frame = frames.Next()) {
      DelimitedReader reader(*frame);
      reader.Next();
      ::hadoop::common::RpcSaslProto message;
      if (!message.ParseFromString(std::string(reader.Next().value_or("")))) return;
      Answer(client, message);
    }
  }

  // Wraps all bytes in one token, as org.apache.hadoop.ipc.Server.wrapWithSasl does.
  std::string Wrap(const std::string& bytes) {
    ::hadoop::common::RpcSaslProto message;
    message.set_state(::hadoop::common::RpcSaslProto::WRAP);
    const std::string mac = sasl::HmacMd5(Key("server-to-client", "session"), Number(sent_) + bytes).substr(0, 10);
    std::string record = bytes;
    if (qop_ == "auth-conf") record.append(Padding(bytes), static_cast<char>(Padding(bytes)));
    record += mac;
    if (qop_ == "auth-conf") {
      if (!seal_)
        seal_ =
            std::make_unique<sasl::TripleDes>(sasl::TripleDes::Direction::kEncrypt, Key("server-to-client", "H(A1)"));
      record = *seal_->Run(record);
    }
    message.set_token(record + std::string("\0\1", 2) + Number(sent_++));
    return Framed(message);
  }

  const std::string& received() const { return received_; }
  size_t largest_token() const { return largest_; }

 private:
  using Sasl = ::hadoop::common::RpcSaslProto;

  void Answer(Connection& client, const Sasl& message) {
    Sasl reply;
    if (message.state() == Sasl::NEGOTIATE) {
      reply.set_state(Sasl::NEGOTIATE);
      auto* entry = reply.add_auths();
      entry->set_method("TOKEN");
      entry->set_mechanism("DIGEST-MD5");
      entry->set_protocol("");
      entry->set_serverid("default");
      entry->set_challenge("realm=\"default\",nonce=\"n\",qop=\"" + qop_ +
                           "\",cipher=\"3des\",algorithm=md5-sess,maxbuf=65536");
      client.Receive(Framed(reply));
    } else if (message.state() == Sasl::INITIATE) {
      reply.set_state(Sasl::SUCCESS);
      const std::string a2 = ":/default:00000000000000000000000000000000";
      reply.set_token("rspauth=" + sasl::Hex(sasl::Md5(sasl::Hex(Ha1()) + ":n:00000001:cnonce:" + qop_ + ":" +
                                                       sasl::Hex(sasl::Md5(a2)))));
      client.Receive(Framed(reply));
    } else if (message.state() == Sasl::WRAP) {
      std::string record = message.token().substr(0, message.token().size() - 6);
      largest_ = std::max(largest_, message.token().size());
      size_t padding = 0;
      if (qop_ == "auth-conf") {
        if (!open_) {
          open_ =
              std::make_unique<sasl::TripleDes>(sasl::TripleDes::Direction::kDecrypt, Key("client-to-server", "H(A1)"));
        }
        record = *open_->Run(record);
        padding = static_cast<unsigned char>(record[record.size() - 11]);
      }
      received_ += record.substr(0, record.size() - 10 - padding);
    }
  }

  static std::string Framed(const Sasl& message) {
    ::hadoop::common::RpcResponseHeaderProto header;
    header.set_callid(static_cast<uint32_t>(-33));
    header.set_status(::hadoop::common::RpcResponseHeaderProto::SUCCESS);
    std::string body;
    AppendDelimited(body, header);
    AppendDelimited(body, message);
    return Frame(body);
  }
  static std::string Number(uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
  }
  static size_t Padding(const std::string& bytes) { return 8 - (bytes.size() + 10) % 8; }
  static std::string Ha1() {
    return sasl::Md5(sasl::Md5(sasl::Base64("id") + ":default:" + sasl::Base64("pw")) + ":n:cnonce");
  }
  static std::string Key(const std::string& direction, const std::string& what) {
    const std::string digest = what == "session" ? "Digest session key to " : "Digest H(A1) to ";
    return sasl::Md5(Ha1() + digest + direction + (what == "session" ? " signing" : " sealing") +
                     " key magic constant");
  }

  std::string qop_, received_;
  size_t largest_ = 0;
  uint32_t sent_ = 0;
  std::unique_ptr<sasl::TripleDes> seal_, open_;
};

}  // namespace howdah::hadoop::rpc
