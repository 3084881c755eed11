// Advice on exceptions whose message does not say what to do about them in a job.
#include "advice.h"

#include <algorithm>
#include <iterator>

namespace howdah::diagnosis {
namespace {

struct FrameworkVariable {
  std::string_view name, framework;
};

// Variables that programs expect, each with the framework that sets it.
constexpr FrameworkVariable kVariables[] = {
    {"RANK", "pytorch"},
    {"WORLD_SIZE", "pytorch"},
    {"LOCAL_RANK", "pytorch"},
    {"LOCAL_WORLD_SIZE", "pytorch"},
    {"MASTER_ADDR", "pytorch"},
    {"MASTER_PORT", "pytorch"},
    {"GROUP_RANK", "pytorch"},
    {"TORCHELASTIC_RUN_ID", "pytorch"},
    {"TF_CONFIG", "tensorflow"},
    {"JAX_COORDINATOR_ADDRESS", "jax"},
    {"COORDINATOR_ADDRESS", "jax"},
    {"COORDINATOR_PORT", "jax"},
    {"NUM_PROCESSES", "jax"},
    {"PROCESS_ID", "jax"},
    {"HOROVOD_RANK", "horovod"},
    {"HOROVOD_SIZE", "horovod"},
    {"OMPI_COMM_WORLD_RANK", "mpi"},
    {"OMPI_COMM_WORLD_SIZE", "mpi"},
    {"DMLC_ROLE", "mxnet"},
    {"DMLC_PS_ROOT_URI", "mxnet"},
    {"DMLC_TRACKER_URI", "xgboost"},
};

struct PackageName {
  std::string_view module, package;
};
// Modules whose package on PyPI has another name.
constexpr PackageName kPackages[] = {
    {"absl", "absl-py"},
    {"attr", "attrs"},
    {"Bio", "biopython"},
    {"bs4", "beautifulsoup4"},
    {"cairo", "pycairo"},
    {"cassandra", "cassandra-driver"},
    {"clip", "openai-clip"},
    {"confluent_kafka", "confluent-kafka"},
    {"Crypto", "pycryptodome"},
    {"Cryptodome", "pycryptodomex"},
    {"cv2", "opencv-python-headless"},
    {"dateutil", "python-dateutil"},
    {"discord", "discord.py"},
    {"dns", "dnspython"},
    {"docx", "python-docx"},
    {"dotenv", "python-dotenv"},
    {"faiss", "faiss-cpu"},
    {"ffmpeg", "ffmpeg-python"},
    {"fitz", "PyMuPDF"},
    {"flash_attn", "flash-attn"},
    {"gi", "PyGObject"},
    {"git", "GitPython"},
    {"github", "PyGithub"},
    {"google.cloud.bigquery", "google-cloud-bigquery"},
    {"google.cloud.storage", "google-cloud-storage"},
    {"google.protobuf", "protobuf"},
    {"grpc", "grpcio"},
    {"grpc_status", "grpcio-status"},
    {"grpc_tools", "grpcio-tools"},
    {"haiku", "dm-haiku"},
    {"hydra", "hydra-core"},
    {"igraph", "python-igraph"},
    {"imblearn", "imbalanced-learn"},
    {"jose", "python-jose"},
    {"jwt", "PyJWT"},
    {"kafka", "kafka-python"},
    {"keras_cv", "keras-cv"},
    {"keras_tuner", "keras-tuner"},
    {"lightning_fabric", "lightning-fabric"},
    {"lightning_utilities", "lightning-utilities"},
    {"ldap", "python-ldap"},
    {"llama_cpp", "llama-cpp-python"},
    {"magic", "python-magic"},
    {"memcache", "python-memcached"},
    {"ml_collections", "ml-collections"},
    {"mpl_toolkits", "matplotlib"},
    {"MySQLdb", "mysqlclient"},
    {"nacl", "PyNaCl"},
    {"nvidia.dali", "nvidia-dali-cuda120"},
    {"OpenGL", "PyOpenGL"},
    {"OpenSSL", "pyOpenSSL"},
    {"open_clip", "open-clip-torch"},
    {"past", "future"},
    {"PIL", "pillow"},
    {"pkg_resources", "setuptools"},
    {"pl_bolts", "lightning-bolts"},
    {"psycopg2", "psycopg2-binary"},
    {"pylab", "matplotlib"},
    {"pytorch_lightning", "pytorch-lightning"},
    {"pywt", "PyWavelets"},
    {"ruamel", "ruamel.yaml"},
    {"sentence_transformers", "sentence-transformers"},
    {"serial", "pyserial"},
    {"skimage", "scikit-image"},
    {"sklearn", "scikit-learn"},
    {"skopt", "scikit-optimize"},
    {"slugify", "python-slugify"},
    {"socks", "PySocks"},
    {"speech_recognition", "SpeechRecognition"},
    {"tensorflow_addons", "tensorflow-addons"},
    {"tensorflow_datasets", "tensorflow-datasets"},
    {"tensorflow_hub", "tensorflow-hub"},
    {"tensorflow_probability", "tensorflow-probability"},
    {"tensorflow_text", "tensorflow-text"},
    {"tf_keras", "tf-keras"},
    {"torch_geometric", "torch-geometric"},
    {"torch_scatter", "torch-scatter"},
    {"torch_sparse", "torch-sparse"},
    {"umap", "umap-learn"},
    {"usb", "pyusb"},
    {"websocket", "websocket-client"},
    {"wx", "wxPython"},
    {"xgboost_ray", "xgboost-ray"},
    {"yaml", "PyYAML"},
    {"zmq", "pyzmq"},
    {"zstd", "zstandard"},
};

bool ContainsAny(std::string_view text, std::initializer_list<std::string_view> phrases) {
  return std::any_of(phrases.begin(), phrases.end(), [&](std::string_view phrase) { return Contains(text, phrase); });
}

// Recognises KeyError: 'RANK', and torch's "environment variable RANK expected, but not set".
std::string MissingVariable(const PythonException& exception) {
  if (exception.type == "KeyError") {
    const std::string& text = exception.message;
    return text.size() > 2 && text.front() == '\'' && text.back() == '\'' ? text.substr(1, text.size() - 2) : "";
  }
  constexpr std::string_view kBefore = "environment variable ", kAfter = " expected, but not set";
  const size_t end = exception.message.find(kAfter);
  const size_t begin = exception.message.rfind(kBefore, end);
  if (end == std::string::npos || begin == std::string::npos) return "";
  return exception.message.substr(begin + kBefore.size(), end - begin - kBefore.size());
}

// Returns the variable of Horovod with the value that `variable` has for PyTorch, or "" if there is none.
std::string_view HorovodVariable(std::string_view variable) {
  constexpr std::pair<std::string_view, std::string_view> kSame[] = {{"RANK", "HOROVOD_RANK"},
                                                                     {"WORLD_SIZE", "HOROVOD_SIZE"},
                                                                     {"LOCAL_RANK", "HOROVOD_LOCAL_RANK"},
                                                                     {"LOCAL_WORLD_SIZE", "HOROVOD_LOCAL_SIZE"}};
  for (const auto& [torch, horovod] : kSame) {
    if (torch == variable) return horovod;
  }
  return "";
}

std::string FrameworkAdvice(const PythonException& exception, const Evidence& e) {
  const std::string variable = MissingVariable(exception);
  const auto known = std::find_if(std::begin(kVariables), std::end(kVariables),
                                  [&](const FrameworkVariable& v) { return v.name == variable; });
  if (known == std::end(kVariables) || known->framework == e.framework) return "";
  const std::string framework(known->framework);
  if (const std::string_view own = e.framework == "horovod" ? HorovodVariable(variable) : ""; !own.empty()) {
    return "with `framework: horovod` tasks have " + std::string(own) + " instead of " + variable;
  }
  return "the job's framework is " + e.framework + "; with `framework: " + framework + "` (--framework " + framework +
         ") tasks have " + variable + " and the other variables of " + framework;
}

std::string GpuAdvice(std::string_view message, const Evidence& e) {
  const bool nccl = ContainsAny(message, {"nccl", "NCCL"}) &&
                    ContainsAny(message, {"requires at least one CUDA device", "no GPUs found",
                                          "only supported with GPUs", "no CUDA-capable device"});
  if (nccl) {
    return e.gpus == 0 ? "the task requests no GPU: use the backend gloo, or add `" + e.one_gpu + "`"
                       : "the process sees no GPU: check CUDA_VISIBLE_DEVICES and the driver on the node";
  }
  if (Contains(message, "doesn't have NCCL built in"))
    return "this PyTorch is built without NCCL: use the backend gloo, or an environment built for CUDA";
  if (ContainsAny(message, {"Found no NVIDIA driver", "No CUDA GPUs are available", "no CUDA-capable device",
                            "Torch not compiled with CUDA enabled"})) {
    return e.gpus == 0
               ? "the task requests no GPU: add `" + e.one_gpu + "`, or let the program use the CPU"
               : "the process sees no GPU: check the driver on the node, and that the environment is built for CUDA";
  }
  return "";
}

// Recognises "[Errno 2] No such file or directory: './data/train.csv'".
std::string PathAdvice(const PythonException& exception) {
  if (exception.type != "FileNotFoundError") return "";
  const size_t quote = exception.message.find('\'');
  if (quote == std::string::npos) return "";
  const size_t end = exception.message.find('\'', quote + 1);
  const std::string path = exception.message.substr(quote + 1, end == std::string::npos ? end : end - quote - 1);
  if (path.empty() || path.front() == '/') {
    return "the path must exist on every node that runs the task; `files:` copies a file into the working directory";
  }
  return "a relative path is relative to the working directory, a copy of `source`: add the file with `files:`, or "
         "write an absolute path";
}

std::string PermissionAdvice(const PythonException& exception, const Evidence& e) {
  if (Contains(exception.message, "[Errno 30]"))
    return "the file system is read-only on " + e.host + ": write to another directory";
  if (exception.type != "PermissionError") return "";
  return "the user of the job has no permission for that path on " + e.host + ": change it, or use another path";
}

std::string NetworkAdvice(std::string_view message) {
  if (!ContainsAny(message,
                   {"Name or service not known", "Temporary failure in name resolution", "Max retries exceeded",
                    "Network is unreachable", "urlopen error", "couldn't connect to 'https"})) {
    return "";
  }
  return "nodes of a cluster often cannot reach the internet: download the data in advance, and add it with `files:` "
         "or read it from the cluster's file system";
}

std::string WorldSizeAdvice(std::string_view message, const Evidence& e) {
  // PyTorch 1 prints only "Socket Timeout".
  const bool timeout = message == "Socket Timeout" || ContainsAny(message, {"wait timeout after", "clients joined",
                                                                            "Timed out initializing process group"});
  if (!timeout) return "";
  if (e.ranks == 0) return "";
  return "the job has " + std::to_string(e.ranks) + (e.ranks == 1 ? " rank" : " ranks") +
         ": take the world size from WORLD_SIZE, not from a number in the program";
}

}  // namespace

std::string ExceptionAdvice(const PythonException& exception, const Evidence& e) {
  const std::string& message = exception.message;
  if (Contains(message, "PerReplica") && Contains(message, "Attempt to convert a value")) {
    return "Keras 3 does not run under this strategy: install tf_keras and set TF_USE_LEGACY_KERAS=1 in `env`";
  }
  for (std::string advice : {FrameworkAdvice(exception, e), GpuAdvice(message, e), WorldSizeAdvice(message, e),
                             NetworkAdvice(message), PathAdvice(exception), PermissionAdvice(exception, e)}) {
    if (!advice.empty()) return advice;
  }
  return "";
}

std::optional<std::string> PackageOfModule(std::string_view module) {
  // Look up the module itself, then the packages that contain it, the innermost first.
  for (std::string_view name = module; !name.empty();) {
    const auto row = std::find_if(std::begin(kPackages), std::end(kPackages),
                                  [&](const PackageName& p) { return p.module == name; });
    if (row != std::end(kPackages)) return std::string(row->package);
    const size_t dot = name.rfind('.');
    name = dot == std::string_view::npos ? "" : name.substr(0, dot);
  }
  return std::nullopt;
}

}  // namespace howdah::diagnosis
