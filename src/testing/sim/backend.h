// A simulated backend. Its nodes have slots for containers. It grants requests after a delay, one container after the
// other or a whole gang at once.
#pragma once

#include <string>
#include <vector>

#include "howdah/core/action.h"
#include "world.h"

namespace howdah::testing::sim {

// The backend's interface to a job.
class BackendClient {
 public:
  virtual ~BackendClient() = default;
  virtual void OnGranted(int role, int node) = 0;  // occupies a slot of the node until SimBackend::Free
  virtual void OnWaiting(const std::string& reason) = 0;
  virtual void OnRefused(const std::string& reason) = 0;
  virtual void OnNodeLost(int node) = 0;
};

class SimBackend {
 public:
  struct Shape {
    int nodes = 1;
    int slots = 1;  // number of slots per node
    // True: the backend grants either all containers of a gang or none. False: it grants one container after the other.
    bool grants_together = false;
  };

  SimBackend(World& world, Shape shape);

  void Begin(std::vector<BackendClient*> clients);
  void Request(BackendClient* client, const core::RequestContainers& request);
  void Cancel(BackendClient* client);
  void Free(int node);

 private:
  struct Ask {
    BackendClient* client;
    std::vector<core::RequestContainers::Ask> wanted;  // the containers that are not granted yet
    bool together = false;
  };

  void Consider(Duration delay);
  void GrantOne();
  bool GrantWhole(Ask& ask);
  int FreeNode();
  int FreeSlots() const;
  void Grant(BackendClient* client, int role, int node);
  void LoseNode(int node);

  World& world_;
  Shape shape_;
  std::vector<BackendClient*> clients_;
  std::vector<int> used_;   // number of used slots, by node
  std::vector<bool> down_;  // whether the node is lost, by node
  std::vector<Ask> asks_;
  bool considering_ = false;
};

}  // namespace howdah::testing::sim
