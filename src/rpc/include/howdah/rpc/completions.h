// Passes completed gRPC operations to the owner's loop. One thread waits on each completion queue and posts completions
// in batches.
//
// gRPC's callback API is not used. It would run one thread per core, and would call back on any of them: every
// connection would need a lock, and every message a switch to the loop thread. With a completion queue there is only
// one thread. It posts to the loop only if the inbox was empty, and the loop thread owns the state of all calls.
//
// The thread of a queue also reads and decrypts the connections of its calls, so a server that receives much data over
// TLS needs several queues. The operations of one call belong to one queue, and keep their order.
#pragma once

#include <grpcpp/completion_queue.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "howdah/rpc/post.h"

namespace howdah::rpc {

// One kind of operation on one call. gRPC gets its address as the tag.
class Operation {
 public:
  virtual ~Operation() = default;
  virtual void Received(bool /*ok*/) {}  // called first, on the thread of the completion queue
  virtual void Done(bool ok) = 0;        // called on the loop thread; `ok` has gRPC's meaning
};

template <typename Owner, void (Owner::*kDone)(bool)>
class OperationOf final : public Operation {
 public:
  explicit OperationOf(Owner* owner) : owner_(owner) {}
  void Done(bool ok) override { (owner_->*kDone)(ok); }  // may destroy *this

 private:
  Owner* owner_;
};

class Completions {
 public:
  using Queues = std::vector<std::unique_ptr<grpc::CompletionQueue>>;

  Completions(std::unique_ptr<grpc::CompletionQueue> queue, Post post) : Completions(ListOf(std::move(queue)), post) {}
  Completions(Queues queues, const Post& post);
  // Waits until gRPC has returned every tag, without running the operations. All calls must have been cancelled, and
  // their operations must still exist.
  ~Completions();

  grpc::CompletionQueue* queue(size_t number = 0) { return queues_[number].get(); }
  size_t queues() const { return queues_.size(); }

  // Runs completions until done() is true or the limit is reached. For the destructor of the owner, in which the loop
  // does not run.
  void Drain(std::chrono::milliseconds limit, const std::function<bool()>& done);

 private:
  struct Inbox;
  static Queues ListOf(std::unique_ptr<grpc::CompletionQueue> queue) {
    Queues queues;
    queues.push_back(std::move(queue));
    return queues;
  }
  static void HandOver(Inbox& inbox);
  void Wait(grpc::CompletionQueue& queue, const Post& post);

  Queues queues_;
  std::shared_ptr<Inbox> inbox_;  // shared with the closures posted to the loop
  std::vector<std::thread> threads_;
};

}  // namespace howdah::rpc
