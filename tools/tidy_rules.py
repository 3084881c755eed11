"""The rules of tools/tidy.py, as data. The message of a rule contains its reason."""

# --- layers: the libraries and third-party headers that a library may use ---------------------------------------------
#
# The name of a library is its folder below src/. Its namespace, include prefix and CMake target follow from the name.

PURE = {"base", "admission", "autoscale", "autoscale/model", "feed", "keyfile", "jobspec", "core", "core/policy",
        "am/loop", "frameworks",
        "frameworks/common", "frameworks/horovod", "frameworks/mpi", "frameworks/xgboost", "diagnosis", "journal",
        "compat/common", "compat/skeinspec", "compat/slider", "compat/yarnfile", "compat/tony/avro",
        "compat/tony/history", "hadoop/principals", "hadoop/yarnlogs", "metrics", "tfevents",
        "advice", "index/query", "portal/pages"}
POSIX = "posix"  # <unistd.h>, <sys/…>, <linux/…>: the operating system itself

# library: (Howdah libraries it may use, third-party headers it may include)
LAYERS = {
    "base": (set(), set()),
    # pure
    "keyfile": ({"base"}, {"nlohmann", "libyaml", "re2"}),
    "jobspec": ({"base", "keyfile"}, {"nlohmann"}),
    "core/policy": ({"base", "jobspec"}, set()),
    "core": ({"base", "jobspec", "core/policy"}, set()),
    "feed": ({"base"}, set()),
    "admission": ({"base"}, set()),
    "autoscale": ({"base", "keyfile", "admission"}, {"nlohmann", "pugixml", "re2"}),
    "autoscale/model": ({"base", "keyfile", "admission", "autoscale"}, set()),
    "am/loop": ({"base", "jobspec", "core"}, set()),
    "frameworks/common": ({"base", "jobspec", "core"}, {"nlohmann"}),
    "frameworks/horovod": ({"base", "jobspec", "core", "frameworks/common"}, {"nlohmann"}),
    "frameworks/mpi": ({"base", "jobspec", "core", "frameworks/common"}, set()),
    "frameworks/xgboost": ({"base", "jobspec", "core", "frameworks/common"}, {"nlohmann"}),
    "frameworks": ({"base", "jobspec", "core", "feed", "frameworks/common", "frameworks/horovod", "frameworks/mpi",
                    "frameworks/xgboost"}, set()),
    "diagnosis": ({"base", "keyfile", "jobspec", "core"}, {"nlohmann"}),
    "journal": ({"base", "core"}, {"nlohmann"}),
    "metrics": ({"base"}, {"zlib"}),
    "tfevents": ({"base"}, set()),
    "advice": ({"base", "keyfile", "jobspec", "core", "core/policy", "journal", "metrics"}, {"nlohmann"}),
    "index/query": ({"base", "keyfile", "jobspec", "core", "journal", "metrics", "advice"}, set()),
    "portal/pages": (set(), {"zlib"}),
    "compat/tony/avro": ({"base"}, {"nlohmann", "zlib"}),
    "compat/tony/history": ({"base", "jobspec", "core", "journal", "compat/tony/avro"}, {"nlohmann", "pugixml"}),
    "hadoop/principals": ({"base"}, {"re2"}),
    "hadoop/yarnlogs": ({"base"}, {"zlib"}),
    # os: one machine
    "os/files": ({"base"}, {POSIX, "archive"}),
    "os/process": ({"base", "os/files"}, {POSIX, "nlohmann"}),
    "os/net": ({"base"}, {POSIX, "ares"}),
    "os/http": ({"base", "os/net", "os/process", "os/files"}, {POSIX, "boost", "openssl"}),
    # index: the rows of past jobs
    "index": ({"base", "jobspec", "core", "journal", "metrics", "advice", "os/files", "index/query"},
              {"nlohmann", "sqlite"}),
    # web: serves HTTP to browsers, independent of Howdah's jobs
    "web": ({"base", "os/net", "os/files"}, {POSIX, "boost", "nlohmann", "openssl", "zlib"}),
    # hadoop: implement Hadoop's protocols, independent of Howdah's jobs
    "hadoop/sasl": ({"base", "hadoop/principals"}, {"openssl"}),
    "hadoop/kerberos": ({"base", "os/net", "hadoop/principals"}, {POSIX, "krb5"}),
    "hadoop/rpc": ({"base", "os/net", "hadoop/messages", "hadoop/principals", "hadoop/kerberos", "hadoop/sasl"},
                   {POSIX, "boost", "openssl", "protobuf"}),
    "hadoop/conf": ({"base", "hadoop/principals"}, {POSIX, "pugixml"}),
    "hadoop/web": ({"base", "os/net", "os/http", "os/files", "hadoop/principals", "hadoop/sasl", "hadoop/kerberos",
                    "hadoop/conf"}, {"openssl"}),
    "hadoop/kms": ({"base", "os/net", "os/http", "hadoop/messages", "hadoop/principals", "hadoop/sasl",
                    "hadoop/kerberos", "hadoop/rpc", "hadoop/web"}, {"nlohmann", "openssl"}),
    "hadoop/hdfs": ({"base", "os/net", "os/process", "os/files", "os/http", "hadoop/messages", "hadoop/principals",
                     "hadoop/sasl", "hadoop/kerberos", "hadoop/rpc", "hadoop/conf", "hadoop/web",
                     "hadoop/kms"}, {POSIX, "openssl", "protobuf"}),
    "hadoop/fileserver": ({"base", "os/files", "hadoop/principals", "hadoop/kerberos", "hadoop/rpc", "hadoop/conf",
                           "hadoop/hdfs"}, {POSIX, "nlohmann"}),
    "hadoop/yarn": ({"base", "os/net", "hadoop/messages", "hadoop/principals", "hadoop/kerberos", "hadoop/rpc",
                     "hadoop/conf"}, {POSIX, "boost", "protobuf"}),
    # translation
    "compat/common": ({"base", "keyfile", "jobspec"}, set()),
    "compat/skeinspec": ({"base", "keyfile", "jobspec", "compat/common"}, set()),
    "compat/slider": ({"base", "keyfile", "jobspec", "compat/common"}, set()),
    "compat/yarnfile": ({"base", "keyfile", "jobspec", "compat/common"}, set()),
    "compat/tony/config": ({"base", "keyfile", "jobspec", "hadoop/conf", "compat/common"}, set()),
    # world: use a network or a cluster
    "rpc": ({"base", "metrics", "os/files", "os/net", "wire"}, {POSIX, "absl", "grpc", "openssl", "protobuf"}),
    "rpc/callback": ({"base"}, {POSIX, "boost", "openssl"}),
    "rpc/streams": ({"base", "os/process", "os/files", "os/net", "rpc", "wire"}, {POSIX, "boost"}),
    "feed/server": ({"base", "feed", "os/files", "os/net", "rpc", "wire"},
                    {POSIX, "boost", "grpc", "nlohmann", "protobuf"}),
    "storage": ({"base", "os/files"}, {POSIX}),
    "storage/history": ({"base", "jobspec", "core", "journal", "compat/tony/history", "storage", "os/process"}, set()),
    "backend": ({"base", "admission", "metrics", "jobspec", "core", "journal", "rpc", "storage"}, set()),
    "backend/local": ({"base", "keyfile", "autoscale",
                       "admission", "metrics", "jobspec", "core", "journal", "compat/tony/history",
                       "os/process", "os/files", "rpc", "wire", "backend", "storage", "storage/history"},
                      {POSIX, "boost", "nlohmann"}),
    "backend/tony_history": ({"base", "keyfile", "autoscale", "admission",
                              "metrics", "jobspec", "core", "journal", "compat/tony/history",
                              "os/process", "os/files", "rpc", "backend", "storage", "storage/history"}, {POSIX}),
    "backend/yarn": ({"base", "keyfile", "jobspec", "core", "core/policy", "admission", "journal",
                      "compat/tony/history", "os/process", "os/files", "os/net", "rpc", "backend", "storage",
                      "storage/history", "hadoop/messages", "hadoop/principals", "hadoop/kerberos", "hadoop/rpc",
                      "hadoop/conf", "hadoop/hdfs", "hadoop/yarn"}, {"nlohmann", "openssl"}),
    "backend/yarn/client": ({"base", "keyfile", "autoscale",
                             "metrics", "jobspec", "core", "admission", "journal",
                             "compat/tony/history", "os/process", "os/files", "os/net", "os/http", "rpc", "wire",
                             "backend", "backend/yarn", "storage", "hadoop/messages", "hadoop/principals",
                             "hadoop/kerberos", "hadoop/rpc", "hadoop/conf", "hadoop/hdfs", "hadoop/yarn",
                             "hadoop/web", "hadoop/yarnlogs"}, {POSIX, "nlohmann", "openssl", "protobuf"}),
    "backend/yarn/am": ({"base", "keyfile", "jobspec", "core", "core/policy", "admission", "journal",
                         "compat/tony/history", "os/process", "os/files", "os/net", "rpc", "wire", "backend",
                         "backend/yarn", "storage", "hadoop/messages", "hadoop/principals", "hadoop/kerberos",
                         "hadoop/rpc", "hadoop/conf", "hadoop/hdfs", "hadoop/yarn"}, {POSIX, "boost", "protobuf"}),
    # shells
    "autoscale/runner": ({"base", "keyfile", "admission", "autoscale", "os/process", "os/files"}, {POSIX}),
    "am": ({"base", "jobspec", "core", "feed", "am/loop", "frameworks", "frameworks/common", "frameworks/horovod",
            "frameworks/xgboost", "rpc/callback", "journal", "metrics", "os/process", "os/files", "os/net", "rpc",
            "wire", "rpc/streams", "os/http", "backend", "storage"},
           {POSIX, "boost", "openssl"}),
    "executor": ({"base", "keyfile", "jobspec", "core", "feed", "feed/server", "frameworks", "frameworks/common",
                  "frameworks/horovod", "frameworks/mpi", "rpc/callback", "diagnosis", "os/process", "os/files", "rpc",
                  "wire", "rpc/streams"}, {POSIX, "boost", "nlohmann"}),
    "client": ({"base", "keyfile", "index", "advice", "metrics", "jobspec", "core", "frameworks", "frameworks/common",
                "journal", "compat/tony/history", "compat/common", "compat/skeinspec", "compat/slider",
                "compat/yarnfile", "compat/tony/config", "hadoop/conf", "os/process",
                "os/files", "rpc", "rpc/streams", "backend", "storage", "storage/history"},
               {POSIX, "absl", "nlohmann"}),
    "portal": ({"base", "keyfile", "advice", "metrics", "jobspec", "core", "frameworks", "journal", "index",
                "index/query", "rpc", "rpc/streams", "storage", "storage/history", "compat/tony/history", "os/files",
                "os/process", "backend", "client", "web", "portal/pages", "tfevents"},
               {POSIX, "boost", "nlohmann", "openssl", "re2"}),
    "cli/args": ({"base", "keyfile", "jobspec", "core", "journal", "client"}, {"cli11"}),
    "cli/output": ({"base", "keyfile", "advice", "metrics", "jobspec", "core", "journal", "rpc", "storage", "backend",
                    "client"}, {POSIX, "nlohmann"}),
    "cli/commands": ({"base", "keyfile", "admission", "autoscale", "autoscale/model", "autoscale/runner",
                      "advice", "metrics", "jobspec", "core", "frameworks", "journal",
                      "compat/tony/history", "compat/common", "compat/skeinspec", "compat/slider", "compat/tony/config",
                      "compat/yarnfile", "hadoop/conf", "os/files",
                      "os/process", "rpc", "rpc/streams", "backend", "storage", "storage/history", "client",
                      "portal", "cli/args", "cli/output"}, {POSIX, "nlohmann"}),
    "cli": ({"base", "jobspec", "core", "journal", "rpc", "storage", "backend", "client", "cli/args", "cli/commands",
             "cli/output"}, {POSIX}),
    "testing/sim": ({"base", "jobspec", "core", "journal", "am/loop"}, set()),
    "testing/feed_sim": ({"base", "feed", "testing/sim"}, set()),
    "testing/autoscale_sim": ({"base", "keyfile", "admission", "autoscale", "testing/sim"}, set()),
}

# The rows of the table in ARCHITECTURE.md, from the top down.
LAYER_GROUPS = [
    ("shells", ["cli", "cli/commands", "cli/output", "cli/args", "portal", "client", "am", "executor",
    "autoscale/runner"]),
    ("tests", ["testing/autoscale_sim", "testing/feed_sim", "testing/sim"]),
    ("world", ["backend/yarn/client", "backend/yarn/am", "backend/yarn", "backend/tony_history", "backend/local",
               "backend", "storage/history", "storage", "feed/server", "rpc/streams", "rpc/callback", "rpc"]),
    ("compat", ["compat/tony/config"]),
    ("hadoop", ["hadoop/fileserver", "hadoop/yarn", "hadoop/hdfs", "hadoop/kms", "hadoop/web", "hadoop/conf",
                "hadoop/rpc", "hadoop/kerberos", "hadoop/sasl"]),
    ("web", ["web"]),
    ("index", ["index"]),
    ("os", ["os/http", "os/net", "os/process", "os/files"]),
    ("pure", ["am/loop", "index/query", "portal/pages", "advice", "hadoop/principals", "hadoop/yarnlogs",
              "compat/tony/history", "compat/tony/avro", "compat/skeinspec", "compat/slider", "compat/yarnfile",
              "compat/common", "journal", "metrics", "tfevents", "diagnosis", "frameworks",
              "frameworks/xgboost", "frameworks/mpi", "frameworks/horovod", "frameworks/common", "feed", "admission",
              "autoscale/model", "autoscale", "core",
              "core/policy", "jobspec", "keyfile"]),
    ("base", ["base"]),
]

# Folders with halves that run in different programs.
HALVES = {"src/backend/yarn": ("client", "am")}

# Folders inside the folder of a library that are separate programs.
PROGRAMS = ("src/testing/sim/runner/", "src/testing/feed_sim/runner/",
            "src/testing/autoscale_sim/runner/")

# The third-party library of an include, by the prefix of the include's path. The first match counts.
THIRD_PARTY = [("nlohmann/", "nlohmann"), ("yaml.h", "libyaml"), ("re2/", "re2"), ("boost/", "boost"),
               ("grpcpp/", "grpc"), ("grpc/", "grpc"), ("google/protobuf/", "protobuf"), ("openssl/", "openssl"),
               ("ares", "ares"), ("pugixml", "pugixml"), ("zlib.h", "zlib"), ("archive", "archive"),
               ("CLI/", "cli11"), ("krb5.h", "krb5"), ("gssapi/", "krb5"), ("profile.h", "krb5"),
               ("com_err.h", "krb5"), ("sqlite3.h", "sqlite"), ("absl/", "absl"), ("gtest/", "test"),
               ("gmock/", "test"), ("benchmark/", "test")]

# --- banned words: (rule, where, pattern, what to do instead) ---------------------------------------------------------

# The code of the long-lived processes: AM, guardians, executors. Each of them has one clock, so that a step of the wall
# clock moves all its times or none.
ONE_CLOCK = ("src/am/", "src/executor/", "src/backend/")

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
    ("clock", "one-clock", r"(_clock|\bClock)::now\b|(?<!~)\bClock\(\)|\bClock clock_?;|\bstd::time\(",
     "is another clock; take the `const os::process::Clock&` of the process, or an `Instant now`"),
    ("static", "program", r"\b(getaddrinfo|getnameinfo|gethostby\w+|getpw\w+|getgr(nam|gid|ent|ouplist)\w*|getlogin\w*"
     r"|dlopen|dlsym|iconv_open)\b", "loads modules of the machine; both programs are fully static"),
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

# Hosts that may occur in the URLs of tracked files. Package registries may not, because each machine configures its
# own registries.
URL_HOSTS = {"localhost", "127.0.0.1", "json-schema.org", "www.apache.org", "www.w3.org", "github.com",
             "yarn.apache.org", "hadoop.apache.org", "howdah.invalid", "example.com", "example.org"}

# --- words: plain English (STYLE.md, "Words"), in comments, documents, test names and subjects ------------------------

SENTENCE_START = r"[\s*(]*(What|Who|Whose|Whoever|Whatever|Of)\b(?! course)"
SENTENCE_START_INSTEAD = "name the subject first"
# (pattern, what to write instead); code and quoted words are not checked
WORDS = [
    (r"\banew\b", "write again"),
    (r"\bfor ever\b", "write forever, permanently, or the limit"),
    (r"\bat one stroke\b", "write atomically, or at once"),
    (r"\ball the same\b", "write still, or nevertheless"),
    (r"\bas it is wont\b", "leave it out"),
    (r"\b(is|are|was) no (?!longer|more|less|other|such|need|way|reason|guarantee|use|limit|error|default)[a-z]+ ?"
     r"[;.,:)]",
     "say what it is, or `invalid ...`"),
    (r"(?<!such )(?<!not )\b(an?|one) (?!of |in |on |at |to |for |by |with |from |as |that |is |has |node )[a-z]+ an? "
     r"(entry|line|file|row|rule|library|layer|job|task|role|attempt|node|container|test|key|stream|process|rank"
     r"|command|event|message|commit|case|seed)\b", "write `one ... per ...`"),
    (r"\b(is|are|was|were|be|been) (told|heard)\b(?! apart)|\b(tells|hears|told of|heard (of|from)|hear (of|from))\b",
     "write reports, receives, records or logs"),
    (r"(?i)\bkept answers\b", "write checkpoint"),
    (r"(?i)\bfar end\b", "write remote endpoint"),
    (r"\bdeaf\b", "write unreachable"),
    (r"\bsigns? of life\b", "write activity"),
    (r"\bnewcomers\b", "write joinable, or starting"),
    (r"\b(pardon|forgive)(s|n|ed)?\b", "write not charged, or free restart"),
    (r"\byarnplace\b", "write backend/yarn"),
    (r"\b(gives?|gave|given|giving) back\b", "write release, or return"),
    (r"\bwhat it (wants|needs) of\b", "write requires from"),
]
TEST_NAME_WORDS = [
    (r"(\.|test_)(What|Who|Whose|Of|what|who|whose|of)(?=[A-Z_])", "start with the subject"),
    (r"(?<=[a-z])Who(?=[A-Z])|_who_", "name the subject"),
    (r"Anew\b|Anew(?=[A-Z])|_anew\b|_anew_|ForEver(?!y)|_for_ever(?!y)|AtOneStroke", "use ordinary words"),
    (r"Is(No|None)(?=[A-Z]|\b)|_is_no_|_is_none\b", "say what it is"),
    (r"(Is|Are|Was|Were)(Told|Heard)(?!Apart)(?=[A-Z]|\b)|_(is|are|was|were)_(told|heard)\b",
     "write reported, received, recorded"),
]
# Names of the old glossary that cannot be mistaken for ordinary English.
GONE_IDENTIFIERS = [
    "TakenFor", "taken_for", "KeptAnswers", "kept_answers", "FarEnd", "far_end", "far_process", "far_connection",
    "RmAside", "rm_aside", "Newcomers?", "newcomers?", "Pardons?", "pardons?", "IsDeaf", "deaf_?", "hadooprpc",
    "hadoopconf", "tonyhistory", "historyfiles", "eventfiles", "yarnplace"]
GONE_IDENTIFIERS_INSTEAD = "an older word; the glossary in STYLE.md has the one to use"
WORDS_NOT_IN = {"STYLE.md", "tools/tidy_rules.py", "tests/locks/test_tidy_words.py"}  # they contain the forbidden words
WORDS_SINCE = "e0ff3b9"  # only later commits are checked
SUBJECT_LENGTH_MAX = 72
SUBJECT_FORM = r"[a-z][a-z0-9 ,/_.-]*: \S"

# --- sizes ------------------------------------------------------------------------------------------------------------

CONTRACT = "tests/contract/"
FUZZED = "tests/fuzz/found/"  # inputs that a program has made
LINE_LENGTH_MAX = 120
FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 600
METHODS_MAX = 25
FIELDS_MAX = 15
RECORD_METHODS_MAX = 3
CORE_WRITERS_MAX = 2  # units of src/core that write the same field of a record

# --- exceptions: (file, rule): reason. An exception without a finding is an error. ------------------------------------

EXCEPTIONS = {
    ("tests/support/machine.py", "sleep"): "eventually(): between two looks at /proc, which sends no events",
    ("tests/yarn/cluster.py", "sleep"): "Cluster.wait(): between two looks over HTTP, which sends no events",
    ("tests/yarn/docker_executor.py", "sleep"): "the pause of Hadoop's program, with which nodes report ends late",
    ("tests/tfos/programs/failing.py", "sleep"): "within the user's program, whose export takes time",
    ("tests/python/test_functions.py", "sleep"): "within the functions of jobs, which run until the job is stopped",
    ("tests/yarn/test_python_api.py", "sleep"): "within the functions of jobs, which run until the job is stopped",
    ("tests/local/test_advice_applied.py", "sleep"): "within the users' programs, and the wait that a check examines",
    ("tests/idle/test_advice_of_cores.py", "sleep"): "within the user's program, whose steps take time",
    ("tests/frameworks/test_scalars.py", "sleep"): "within the user's program, which waits for the test",
    ("tests/support/portal_scenes.py", "sleep"): "within the user's program, whose steps take time",
    ("tests/support/healthy_runs.py", "sleep"): "within the users' programs, which run for a fixed time",
    ("tests/local/test_jobs.py", "sleep"): "within the user's program, which is to print at a rate",
    ("tools/tidy_rules.py", "todo"): "the rule itself",
    ("src/am/guardian.cc", "clock"): "the one clock of the guardian's process",
    ("src/executor/executor.h", "clock"): "the one clock of the executor's process",
    ("src/executor/exec.cc", "clock"): "the one clock of the process `howdah-agent exec` or `rsh`",
    ("src/executor/horovod_slot.cc", "clock"): "the one clock of the process `howdah-agent horovod-plan`",
    ("src/backend/local/doctor.cc", "clock"): "compares with the kernel's times of files",
    ("src/backend/tony_history/tony_history.cc", "clock"): "a command of a client: the time of one call",
    ("src/backend/yarn/client/content_cache.cc", "clock"): "compares with the kernel's times of files",
    ("src/backend/local/local_cluster.cc", "clock"): "a command of a client: the limit of one wait",
    ("src/backend/local/local_site.cc", "clock"): "a command of a client: the time of one look at the queue",
    ("src/backend/yarn/client/yarn_site.cc", "clock"): "a command of a client: the time of one look at the queue",
    ("src/backend/local/orphaned_job.cc", "clock"): "a command of a client, which ends a job without AM and guardian",
    ("src/backend/local/submit.cc", "clock"): "a command of a client: the clock of one submission",
    ("src/backend/yarn/am/job_copies.cc", "clock"): "measures how long a copy took, on a thread of its own",
    ("src/backend/yarn/client/log_store.cc", "clock"): "a command of a client: the limit of one wait",
    ("src/backend/yarn/client/submission.cc", "clock"): "a command of a client: reads the time once per submission",
    ("src/backend/yarn/client/yarn_cluster.cc", "clock"): "a command of a client: the time of one check",
    ("src/backend/yarn/client/yarn_follow.h", "clock"): "a command of a client: the clock of one follow",
    ("src/backend/yarn/job_record.cc", "clock"): "a command of a client, which ends a job without AM",
}
