"""What tools/tidy.py checks, as data. A rule stands here with the reason a reader of its message needs."""

# --- layers: which library may use which, and which third-party headers -----------------------------------------------
#
#   apps      howdah · howdah-agent (anything: the only place that names a concrete backend)
#   shells    cli · am · executor
#   world     backend · historyfiles · eventfiles · local · yarnplace · tunnel · recall · rpc · http · net · process
#   hadoop    yarn · hdfs · hadooprpc · hadoopconf (speak Hadoop; have never heard of a job)
#   pure      core · spec · frameworks · rendezvous · diagnosis · history · avro · tonyhistory · yarnlogs
#   base      base

PURE = {"base", "spec", "core", "frameworks", "rendezvous", "diagnosis", "history", "avro", "tonyhistory", "yarnlogs"}
POSIX = "posix"  # <unistd.h>, <sys/…>, <linux/…>: the operating system itself

# library: (folder, Howdah libraries it may use, third-party headers it may include)
LAYERS = {
    "base": ("src/base", set(), set()),
    "spec": ("src/spec", {"base"}, {"nlohmann", "libyaml", "re2"}),
    "core": ("src/core", {"base", "spec"}, set()),
    "rendezvous": ("src/rendezvous", {"base"}, {"nlohmann"}),
    "frameworks": ("src/frameworks", {"base", "spec", "core", "rendezvous"}, {"nlohmann"}),
    "diagnosis": ("src/diagnosis", {"base", "spec", "core"}, {"nlohmann"}),
    "history": ("src/history", {"base", "core"}, {"nlohmann"}),
    "avro": ("src/avro", {"base"}, {"nlohmann", "zlib"}),
    "tonyhistory": ("src/tonyhistory", {"base", "spec", "core", "history", "avro"}, {"nlohmann", "pugixml"}),
    "process": ("src/process", {"base"}, {POSIX, "archive"}),
    "net": ("src/net", {"base"}, {POSIX, "ares"}),
    "hadooprpc": ("src/hadooprpc", {"base", "net", "hadoop"}, {POSIX, "boost", "openssl", "protobuf"}),
    "hadoopconf": ("src/hadoopconf", {"base"}, {POSIX, "pugixml"}),
    "tony": ("src/tony", {"base", "spec", "hadoopconf"}, set()),
    "hdfs": ("src/hdfs", {"base", "net", "process", "hadoop", "hadooprpc", "hadoopconf"},
             {POSIX, "openssl", "protobuf"}),
    "yarn": ("src/yarn", {"base", "net", "hadoop", "hadooprpc", "hadoopconf"}, {POSIX, "boost", "protobuf"}),
    "yarnlogs": ("src/yarnlogs", {"base"}, {"zlib"}),
    "http": ("src/http", {"base", "net", "process"}, {POSIX, "boost"}),
    "recall": ("src/recall", {"base"}, {POSIX, "boost"}),
    "rpc": ("src/rpc", {"base", "wire"}, {POSIX, "absl", "grpc", "openssl", "protobuf"}),
    "tunnel": ("src/tunnel", {"base", "process", "rpc", "wire"}, {POSIX, "boost"}),
    "backend": ("src/backend/api", {"base", "spec", "core", "history", "rpc"}, set()),
    "historyfiles": ("src/historyfiles", {"base", "spec", "core", "history", "tonyhistory", "backend"}, set()),
    "eventfiles": ("src/eventfiles", {"base", "process", "backend"}, {POSIX}),
    "local": ("src/backend/local",
              {"base", "spec", "core", "history", "tonyhistory", "process", "rpc", "wire", "backend", "historyfiles"},
              {POSIX, "boost", "nlohmann"}),
    "yarnplace": ("src/backend/yarn",
                  {"base", "spec", "core", "history", "tonyhistory", "frameworks", "process", "rpc", "wire", "backend",
                   "historyfiles", "net", "http",
                   "hadoop", "hadooprpc", "hadoopconf", "hdfs", "yarn", "yarnlogs"},
                  {POSIX, "boost", "nlohmann", "openssl", "protobuf"}),
    "am": ("src/am", {"base", "spec", "core", "frameworks", "rendezvous", "recall", "history", "process", "rpc", "wire",
                      "tunnel", "http", "backend", "eventfiles"}, {POSIX, "boost", "openssl"}),
    "executor": ("src/executor",
                 {"base", "spec", "core", "frameworks", "recall", "diagnosis", "process", "rpc", "wire", "tunnel"},
                 {POSIX, "boost", "nlohmann"}),
    "cli": ("src/cli",
            {"base", "spec", "core", "frameworks", "history", "tonyhistory", "process", "rpc", "tunnel", "backend",
             "historyfiles", "eventfiles", "hadoopconf", "tony"},
            {POSIX, "cli11", "nlohmann"}),
    "sim": ("src/testing/sim", {"base", "spec", "core"}, set()),
}

# Folders within a library's that are programs of their own.
PROGRAMS = ("src/testing/sim/runner/",)

# How an include names its library, by prefix; the first that fits.
THIRD_PARTY = [("nlohmann/", "nlohmann"), ("yaml.h", "libyaml"), ("re2/", "re2"), ("boost/", "boost"),
               ("grpcpp/", "grpc"), ("grpc/", "grpc"), ("google/protobuf/", "protobuf"), ("openssl/", "openssl"),
               ("ares", "ares"), ("pugixml", "pugixml"), ("zlib.h", "zlib"), ("archive", "archive"), ("CLI/", "cli11"),
               ("absl/", "absl"), ("gtest/", "test"), ("gmock/", "test"), ("benchmark/", "test")]

# --- banned words: (rule, where, pattern, what to do instead) ---------------------------------------------------------

IMPURE = "is impure; this layer is given what it needs as an argument"
BANNED = [
    ("impure", "pure", r"_clock::now\b|\bclock_gettime\b|\bgettimeofday\b|\bstd::time\b|\btime\((nullptr|NULL|0)\)",
     "reads a clock; take `Instant now` as an argument"),
    ("impure", "pure", r"\bstd::(this_thread|j?thread|(recursive_|shared_|timed_)*mutex|condition_variable|async|future"
     r"|lock_guard|unique_lock|scoped_lock|atomic)\b|#\s*include\s*<(thread|mutex|shared_mutex|condition_variable"
     r"|future|atomic|stop_token|semaphore|latch|barrier)>", "is for threads; pure code has one owner and one thread"),
    ("impure", "pure", r"\b(secure_)?getenv\b|\bsetenv\b|\brandom_device\b|\bstd::rand\b|\bsrand\b", IMPURE),
    ("impure", "pure", r"\bspdlog\b|\bsyslog\b|\bstd::(cout|cerr|clog|cin)\b|#\s*include\s*<(iostream|syslog\.h)>",
     "writes a log; return what is to be said"),
    ("impure", "pure", r"\basio\b|#\s*include\s*<(fstream|filesystem)>|\bstd::(io?|o)fstream\b|\bstd::filesystem\b"
     r"|\bf?open\(", "does input or output; " + IMPURE[3:]),
    ("agent", "agent", r"\b(getaddrinfo|getnameinfo|gethostby\w+|getpw\w+|getgr(nam|gid|ent|ouplist)\w*|getlogin\w*"
     r"|dlopen|dlsym|iconv_open)\b", "loads modules of the node; the agent is fully static"),
    ("coroutine", "code", r"\bco_(await|return|yield)\b",
     "g++ 12.2 destroys by-value arguments of coroutines twice; use callbacks"),
    ("using-std", "code", r"^\s*using namespace std;", "name what is used"),
    ("todo", "any", r"\b(TODO|FIXME|XXX)\b", "do it now, or write an issue"),
    ("sleep", "test", r"\b(sleep_for|sleep_until|usleep|nanosleep|time\.sleep)\b|(?<![\w.\"'])sleep\(\d",
     "waits for time; wait for the condition (Eventually)"),
    ("fixed-port", "test", r"\bhtons\([1-9]|\bbind\(\([^)]*,\s*[1-9]|Server\(\([^)]*,\s*[1-9]|--port[= ][1-9]",
     "two runs at once collide; bind port 0 and ask which it became"),
    ("machine-path", "any", r"/work/(main|shared|steering|\.library)\b|/tmp/(bash_jobs|w)\b|/farm/\w",
     "is a path of one machine"),
]

# Hosts a tracked file may name in a URL; packages come from wherever this machine's clients are set up to look.
URL_HOSTS = {"localhost", "127.0.0.1", "json-schema.org", "www.apache.org", "www.w3.org", "github.com",
             "yarn.apache.org", "hadoop.apache.org", "howdah.invalid", "example.com", "example.org"}

# --- sizes ------------------------------------------------------------------------------------------------------------

CONTRACT = "tests/contract/"
LINE_LENGTH_MAX = 120
FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 400

# --- exceptions: (file, rule): reason. One that excuses nothing is an error itself. -----------------------------------

EXCEPTIONS = {
    ("tests/support/machine.py", "sleep"): "eventually(): between two looks at /proc, which sends no events",
    ("tests/yarn/cluster.py", "sleep"): "Cluster.wait(): between two looks over HTTP, which sends no events",
    ("tests/local/test_place.py", "sleep"): "within the user's program, which is to print at a rate",
    ("tools/tidy_rules.py", "todo"): "the rule itself",
}
