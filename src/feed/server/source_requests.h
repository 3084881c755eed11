// The messages between sources on this machine and an executor, over the unix socket "put" beside that of the Flight
// server (reader_socket.h). A message is a JSON object in one line, a newline, and then bytes. Pure.
//
//   request                                    bytes                       reply
//   {"token": TOKEN}                                                       {}: the token of the requests that follow
//   {"action": type}                           the body of the action      {"result": {…}}, as of DoAction
//   {"put": [command, metadata, schema,        the four texts, of so many  {"answer": {…}}, as of DoPut; or
//            header, body]}                    bytes, and perhaps the      {"write": offset}
//                                              body
//   {"written": the id of a put}                                           {"answer": {…}}
//
// Each request has a number, "id", which its reply repeats. Every request may have the reply {"error": {"kind",
// "message"}} instead. The kind is "unavailable" if another attempt may succeed, and "refused" otherwise.
//
// The texts of a put are those of a DoPut: the command of the descriptor, the metadata of the block, and the flatbuffer
// Messages of the schema and of the record batch. A put without its body, whose bytes would be the last of the message,
// announces a block. The reply `write` says at which offset of the feed's memory file the source writes the body, and
// carries a descriptor of this file, unless an earlier reply for the feed has carried it. Then the source sends
// `written`. Answers may come in another order than the puts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "arrow_header.h"
#include "howdah/base/result.h"

namespace howdah::feed::server {

struct TokenRequest {
  std::string token;
};
struct ActionRequest {
  std::string type, body;
};
struct PutRequest {
  PutTarget target;
  std::string schema;
  ArrowBlock block;        // with its body, or without it
  int64_t body_bytes = 0;  // also of a body that is not in the message
  bool has_body = false;
};
struct WrittenRequest {
  int64_t put = 0;
};
struct SourceRequest {
  using Content = std::variant<TokenRequest, ActionRequest, PutRequest, WrittenRequest>;
  int64_t id = 0;
  // An error is for the author of the source.
  Result<Content> request = Error{ErrorCode::kUsage, "the request has no id"};
};

SourceRequest ParseSourceRequest(std::string_view message);

// The texts of replies.
std::string SourceReply(int64_t id);
std::string SourceResultReply(int64_t id, std::string_view json);  // json: an object
std::string SourceAnswerReply(int64_t id, std::string_view json);
std::string SourceWriteReply(int64_t id, int64_t offset);
std::string SourceErrorReply(int64_t id, const Error& error);

}  // namespace howdah::feed::server
