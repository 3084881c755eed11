// gRPC's completion queue, brought to the owner's loop: one thread waits for completions and hands them over in
// batches.
//
// Why a completion queue and not gRPC's callback API: that one runs a pool of threads sized by the machine's cores and
// calls back on any of them, so every connection needs a lock and every message a hop of its own. Here there is one
// thread whatever the machine, it posts to the loop only when the inbox was empty, and all state of all calls belongs
// to the loop thread.
#pragma once

#include <grpcpp/completion_queue.h>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "howdah/rpc/am_server.h"

namespace howdah::rpc {

// One kind of operation on one call; its address is the tag that gRPC is given.
class Operation {
 public:
  virtual ~Operation() = default;
  virtual void Done(bool ok) = 0;  // on the loop thread; ok as gRPC defines it
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
  Completions(std::unique_ptr<grpc::CompletionQueue> queue, Post post);
  // Waits until gRPC has given back every tag, without handing them over. The calls must have been cancelled, and their
  // operations must outlive this.
  ~Completions();

  grpc::CompletionQueue* queue() { return queue_.get(); }

  // For an owner about to go, who does not return to its loop: hands over what comes, until done() or the limit.
  void Drain(std::chrono::milliseconds limit, const std::function<bool()>& done);

 private:
  struct Inbox;
  static void HandOver(Inbox& inbox);
  void Wait(const Post& post);

  std::unique_ptr<grpc::CompletionQueue> queue_;
  std::shared_ptr<Inbox> inbox_;  // shared with the closures that were posted
  std::thread thread_;
};

}  // namespace howdah::rpc
