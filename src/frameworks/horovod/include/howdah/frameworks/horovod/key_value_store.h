// Horovod's rendezvous: a key-value store over HTTP. Each process puts its own address into the store, and requests the
// addresses of the other processes until they exist. (horovod 0.28.1, common/gloo/http_store.cc.)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::frameworks::horovod {

// Takes requests and returns answers; each request gets one answer. The answer 404 to a GET of a missing key is
// delayed, because the client asks again 10 ms after an answer, which is too often for a large job. Such a GET is
// *held*.
class KeyValueStore {
 public:
  using RequestId = uint64_t;
  struct Request {
    std::string method;  // "GET", "PUT", "DELETE"; others are answered with 405
    std::string path;    // "/scope/key"; others are answered with 400
    std::string body;    // the value that a PUT stores; any bytes
  };
  struct Answer {
    RequestId request = 0;
    int status = 0;    // the client accepts 200 and 404, and exits on anything else
    std::string body;  // the value that a GET returns
    friend bool operator==(const Answer&, const Answer&) = default;
  };

  // limit: the maximum size in bytes of all keys and values together; a PUT beyond it is answered with 507. hold: how
  // long a GET is held; nullopt: until the key exists. While a GET is held, the client's own timeout does not apply,
  // because the client checks it only between requests.
  explicit KeyValueStore(size_t limit, std::optional<Duration> hold = std::chrono::milliseconds(500))
      : limit_(limit), hold_(hold) {}

  // Returns the answer to this request unless the request is held, and the answers to held requests whose key this
  // request puts.
  std::vector<Answer> OnRequest(RequestId id, const Request& request, Instant now);
  // Discards all values. Returns a 404 for each held request.
  std::vector<Answer> Clear();
  // Returns the answers to requests that were held for the whole time.
  std::vector<Answer> OnTime(Instant now);
  // The time at which OnTime must be called next.
  std::optional<Instant> NextDeadline() const;

 private:
  struct Held {
    RequestId request;
    std::string path;
    Instant until;
  };
  std::vector<Answer> Put(RequestId id, const Request& request);

  const size_t limit_;
  const std::optional<Duration> hold_;
  size_t size_ = 0;
  std::map<std::string, std::string> values_;  // by path
  std::vector<Held> held_;                     // in the order of their deadlines
};

}  // namespace howdah::frameworks::horovod
