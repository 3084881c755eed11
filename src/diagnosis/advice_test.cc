#include "advice.h"

#include <gtest/gtest.h>

namespace howdah::diagnosis {
namespace {

struct Case {
  std::string type, message, framework;
  int gpus = 0, ranks = 0;
  std::string advice;  // how the advice begins; "" if there must be none
};

TEST(ExceptionAdvice, NamesTheRemedyInTermsOfTheJobFile) {
  const Case cases[] = {
      {"ValueError",
       "Error initializing torch.distributed using env:// rendezvous: environment variable RANK expected, but not set",
       "plain", 0, 0,
       "the job's framework is plain; with `framework: pytorch` (--framework pytorch) tasks have RANK and the other "
       "variables of pytorch"},
      {"KeyError", "'LOCAL_RANK'", "tensorflow", 0, 0, "the job's framework is tensorflow; with `framework: pytorch`"},
      {"KeyError", "'TF_CONFIG'", "plain", 0, 0, "the job's framework is plain; with `framework: tensorflow`"},
      {"KeyError", "'RANK'", "pytorch", 0, 0, ""},
      {"KeyError", "'RANK'", "horovod", 0, 0, "with `framework: horovod` tasks have HOROVOD_RANK instead of RANK"},
      {"KeyError", "'TF_CONFIG'", "horovod", 0, 0, "the job's framework is horovod; with `framework: tensorflow`"},
      {"KeyError", "'loss'", "plain", 0, 0, ""},
      {"KeyError", "17", "plain", 0, 0, ""},
      {"RuntimeError", "nccl2 requires at least one CUDA device", "pytorch", 0, 0,
       "the task requests no GPU: use the backend gloo, or add `gpus: 1`"},
      {"ValueError", "ProcessGroupNCCL is only supported with GPUs, no GPUs found!", "pytorch", 1, 0,
       "the process sees no GPU"},
      {"RuntimeError", "Found no NVIDIA driver on your system.", "pytorch", 0, 0,
       "the task requests no GPU: add `gpus: 1`"},
      {"AssertionError", "Torch not compiled with CUDA enabled", "pytorch", 2, 0,
       "the process sees no GPU: check the driver"},
      {"FileNotFoundError", "[Errno 2] No such file or directory: './data/train.csv'", "plain", 0, 0,
       "a relative path is relative to the working directory"},
      {"FileNotFoundError", "[Errno 2] No such file or directory: '/data/train.csv'", "plain", 0, 0,
       "the path must exist on every node"},
      {"FileNotFoundError", "train.csv not found", "plain", 0, 0, ""},
      {"PermissionError", "[Errno 13] Permission denied: '/ckpt/model.pt'", "plain", 0, 0,
       "the user of the job has no permission for that path on n1"},
      {"OSError", "[Errno 30] Read-only file system: '/ckpt/model.pt'", "plain", 0, 0,
       "the file system is read-only on n1: write to another directory"},
      {"URLError", "<urlopen error [Errno -2] Name or service not known>", "plain", 0, 0,
       "nodes of a cluster often cannot reach the internet"},
      {"DistStoreError", "wait timeout after 15000ms, keys: /default_pg/0//cpu//0/0", "pytorch", 0, 2,
       "the job has 2 ranks: take the world size from WORLD_SIZE"},
      {"DistStoreError", "Timed out after 61 seconds waiting for clients. 1/4 clients joined.", "pytorch", 0, 1,
       "the job has 1 rank: take"},
      {"RuntimeError", "Socket Timeout", "pytorch", 0, 2, "the job has 2 ranks: take the world size from WORLD_SIZE"},
      {"RuntimeError", "Distributed package doesn't have NCCL built in", "pytorch", 0, 2,
       "this PyTorch is built without NCCL: use the backend gloo"},
      {"ValueError", "Attempt to convert a value (PerReplica:{ | 0: <tf.Tensor", "tensorflow", 0, 0,
       "Keras 3 does not run under this strategy"},
      {"ValueError", "bad batch", "pytorch", 0, 2, ""},
  };
  for (const Case& c : cases) {
    PythonException exception;
    exception.type = c.type;
    exception.message = c.message;
    Evidence evidence;
    evidence.framework = c.framework;
    evidence.gpus = c.gpus;
    evidence.ranks = c.ranks;
    evidence.host = "n1";
    const std::string advice = ExceptionAdvice(exception, evidence);
    EXPECT_EQ(advice.substr(0, c.advice.empty() ? std::string::npos : c.advice.size()), c.advice) << c.message;
  }
}

TEST(PackageOfModule, PackageWithAnotherNameThanItsModuleIsFound) {
  EXPECT_EQ(PackageOfModule("sklearn.metrics"), "scikit-learn");
  EXPECT_EQ(PackageOfModule("cv2"), "opencv-python-headless");
  EXPECT_EQ(PackageOfModule("google.cloud.storage"), "google-cloud-storage");
  EXPECT_EQ(PackageOfModule("google.unknown"), std::nullopt);
  EXPECT_EQ(PackageOfModule("torch"), std::nullopt);
  EXPECT_EQ(PackageOfModule(""), std::nullopt);
}

}  // namespace
}  // namespace howdah::diagnosis
