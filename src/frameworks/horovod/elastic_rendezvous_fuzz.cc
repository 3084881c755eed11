// The input is a sequence of requests to the rendezvous of elastic Horovod. Each request is preceded by one byte with
// its kind and one byte with the length of its path.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "howdah/frameworks/horovod/elastic_rendezvous.h"

namespace howdah::frameworks::horovod {
namespace {

std::vector<RankAssignment> Ranks(int rank) {
  return {{.host = "worker-" + std::to_string(rank), .rank = rank, .size = 2, .cross_rank = rank, .cross_size = 2}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  ElasticRendezvous rendezvous(1000);
  std::set<ElasticRendezvous::RequestId> open;
  const auto close = [&open](const std::vector<ElasticRendezvous::Answer>& answers) {
    for (const auto& answer : answers) {
      if (open.erase(answer.request) == 0) __builtin_trap();  // the request was answered twice or never sent
    }
  };
  int generation = 1;
  for (int task : {0, 1}) close(rendezvous.Start(generation, {0, task}, 0, Ranks(task)));
  constexpr const char* kMethods[] = {"GET", "PUT", "DELETE", "POST"};
  ElasticRendezvous::RequestId id = 0;
  for (std::string_view left = text; left.size() >= 2;) {
    const auto kind = static_cast<unsigned char>(left[0]);
    const std::string_view path = left.substr(2, static_cast<unsigned char>(left[1]));
    left.remove_prefix(2 + path.size());
    const std::string body(left.substr(0, kind >> 3));
    left.remove_prefix(body.size());
    if ((kind & 4) != 0) close(rendezvous.Rejoin(++generation, {0, kind & 1}, 0, Ranks(kind & 1)));
    open.insert(++id);
    close(rendezvous.OnRequest(id, {{kMethods[kind & 3], std::string(path), body}, "10.0.0.7"}, Instant()).answers);
    rendezvous.ContactOf({0, kind & 1}, 0);
  }
  return 0;
}

}  // namespace howdah::frameworks::horovod
