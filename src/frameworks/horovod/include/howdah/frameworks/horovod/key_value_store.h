// The meeting point of Horovod's processes: a store of keys and values that they speak HTTP to. A process puts where it
// listens, and asks for the others' until they are there. (horovod 0.28.1, common/gloo/http_store.cc.)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::frameworks::horovod {

// Requests in, answers out; each request gets one answer. A GET of what is not there is held before it is answered with
// 404, as the client asks again 10 ms after that: a large job would do little else.
class KeyValueStore {
 public:
  using RequestId = uint64_t;
  struct Request {
    std::string method;  // "GET", "PUT", "DELETE"; another is answered with 405
    std::string path;    // "/scope/key"; one without both is answered with 400
    std::string body;    // of a PUT: the value, any bytes
  };
  struct Answer {
    RequestId request = 0;
    int status = 0;    // the client takes 200 and 404; whatever else ends it
    std::string body;  // of a GET: the value
    friend bool operator==(const Answer&, const Answer&) = default;
  };

  // limit: bytes of all keys and values together; a PUT beyond it is answered with 507. hold: how long a GET is held;
  // nullopt: until what it is for is there, so that the client's own time-out, which counts between its requests, never
  // comes.
  explicit KeyValueStore(size_t limit, std::optional<Duration> hold = std::chrono::milliseconds(500))
      : limit_(limit), hold_(hold) {}

  // The answers that are due now: to this request, unless it is held, and to those held that it settles.
  std::vector<Answer> OnRequest(RequestId id, const Request& request, Instant now);
  // Forgets all values. The answers to those held: 404.
  std::vector<Answer> Clear();
  // Those held long enough.
  std::vector<Answer> OnTime(Instant now);
  // When OnTime is wanted next.
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
  std::vector<Held> held_;                     // in the order of their time
};

}  // namespace howdah::frameworks::horovod
