// Requests and responses, as handlers see them. Values; the transfer over the network is the server's business.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace howdah::web {

// Header fields in their order. Names are compared without regard to case.
class Headers {
 public:
  using Field = std::pair<std::string, std::string>;

  Headers() = default;
  Headers(std::initializer_list<Field> fields);
  // Replaces every field of this name. Control characters in the value become spaces, so that no value can end its
  // line.
  Headers& Set(std::string_view name, std::string_view value);
  // Appends a field, for names that may occur several times, such as Set-Cookie. Cleans the value as Set does.
  Headers& Add(std::string_view name, std::string_view value);
  // Sets the field unless one of this name exists.
  Headers& SetDefault(std::string_view name, std::string_view value);
  Headers& Remove(std::string_view name);
  // The value of the first field of this name; "" if there is none.
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const;
  size_t Count(std::string_view name) const;
  const std::vector<Field>& fields() const { return fields_; }

 private:
  std::vector<Field> fields_;
};

// The process at the other end of a connection.
struct Peer {
  std::string address;  // "127.0.0.1", "::1"; an IPv4-mapped IPv6 address as IPv4; "" for a unix socket
  bool unix_socket = false;
  // The user who opened the peer's socket: of a unix socket, or of a TCP connection within this machine. Absent for
  // other connections, and if the kernel does not identify the user.
  std::optional<uid_t> user;
  bool loopback() const;  // the connection came over a loopback address
};

struct Request {
  std::string method;  // "GET", "HEAD", "POST", ...
  // Decoded. Begins with "/", is valid UTF-8 without control characters, and has no segment "." or "..". A segment
  // never contains an encoded "/" or "\". The server answers 400 to every other path.
  std::string path;
  // The decoded parameters after "?", in their order: valid UTF-8, but with any character, "\0" included.
  std::vector<std::pair<std::string, std::string>> query;
  std::string query_text;  // the part after "?", as sent
  std::string target;      // path and query as sent, for relays; any bytes except control characters and blanks
  Headers headers;
  std::string
      host;  // in lower case, with the port if one was sent: "localhost:8190"; "" if an HTTP/1.0 client sent none
  std::string body;
  Peer peer;

  // The first parameter of this name; nullptr if there is none.
  const std::string* Find(std::string_view name) const;
  // The value of a cookie; "" if there is none.
  std::string_view Cookie(std::string_view name) const;
  // Whether the client accepts this type and names it explicitly: Accepts("text/csv"). Ignores quality values except 0.
  bool Accepts(std::string_view type) const;
};

// The writing end of a streamed body. The producer may keep it and write at any time. Use only on the loop's thread.
// The server limits the memory of each response: a producer stops writing when the writer is full, and continues in
// on_ready. Every method is safe after the response has ended; it then has no effect.
class BodyWriter {
 public:
  virtual ~BodyWriter() = default;
  // Appends bytes and sends them as soon as the client accepts them. Returns whether the producer should go on:
  // false if the writer is full or closed. A full writer accepts the bytes nevertheless. If a producer ignores
  // full() until Limits::queue_bytes are queued, the server closes the connection.
  virtual bool Write(std::string bytes) = 0;
  // Whether the client has yet to accept at least Limits::full_bytes.
  virtual bool full() const = 0;
  // Whether the response has ended: End or Abort was called, the client closed the connection, or the server did.
  virtual bool closed() const = 0;
  // Completes the body. The queued bytes are still sent.
  virtual void End() = 0;
  // Closes the connection, so that the client notices that the body is incomplete.
  virtual void Abort() = 0;
  // Called whenever the writer has room again after full() was true. The callback may write.
  virtual void OnReady(std::function<void()> ready) = 0;
  // Called once when the response has ended, whatever the reason; at once if it has ended already. Releases what the
  // producer holds. The writer drops both functions afterwards, so they may own the writer.
  virtual void OnClosed(std::function<void()> closed) = 0;
};

// A body of unknown size, sent with chunked encoding. It ends early when the client closes the connection, even if only
// for sending. The server calls `produce` once, unless the request is a HEAD.
struct StreamedBody {
  std::function<void(std::shared_ptr<BodyWriter>)> produce;
  // Sent whenever no byte was sent for Limits::heartbeat; "" for none. It must be meaningless to the reader.
  std::string heartbeat = {};
};

// A body of which any part can be produced: a file or a log. The server answers a Range request with that part (206),
// or with 416 if the range begins after the end. `produce` must write exactly `size` bytes and then call End; otherwise
// the client sees a broken connection.
// A producer that writes nothing for Limits::answer is disconnected.
struct RangedBody {
  int64_t size = 0;  // of the whole body
  std::function<void(int64_t offset, int64_t size, std::shared_ptr<BodyWriter>)> produce;
};

// The server adds Content-Length or Transfer-Encoding, Date, Connection, and the default headers of Server::Options.
struct Response {
  int status = 200;
  Headers headers;  // Content-Type is required if the body is not empty
  // A text is compressed if its type is compressible and the client accepts gzip. If the headers say
  // "Content-Encoding: gzip", the body is already compressed, and the server decompresses it for a client that does not
  // accept gzip. A streamed body is sent as it is.
  // If a 200 has an ETag that the request's If-None-Match names, the server answers 304 without the body.
  std::variant<std::string, StreamedBody, RangedBody> body;
};

// Compresses the text of a response as the server would do, so that another thread than the loop's can do it for a
// large body. Pure.
void Compress(Response& response);

Response Json(std::string text, int status = 200);
Response Text(std::string text, int status = 200);
Response Html(std::string text, int status = 200);
Response Redirect(std::string location, int status = 303);

// Answers a request. Call once, on the loop's thread, immediately or later. Has no effect if the client has gone, or
// after the server was destroyed.
using Respond = std::function<void(Response)>;
// Receives a request. `request` is valid only during the call: copy what is needed later.
using Handler = std::function<void(const Request& request, Respond respond)>;

// An error answer: sentences as on the command line.
struct Problem {
  int status = 500;
  std::string detail;    // the cause, with names and numbers: "there is no job 'x'"
  std::string advice;    // what to do: "list the jobs with GET /api/v1/jobs"; may be empty
  Headers headers = {};  // for example Allow, WWW-Authenticate, Retry-After
};

// {"status": 404, "title": "Not Found", "detail": "...", "advice": "..."}; empty fields are "".
Response ToResponse(const Problem& problem);

// The standard reason of a status: "Not Found".
std::string_view StatusTitle(int status);

}  // namespace howdah::web
