"""One version of Hadoop, as installed by tools/hadoop-env: its class path and the command lines of its programs."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSIONS = ("3.3.6", "3.4.3", "3.5.0")
OLD_VERSIONS = ("2.10.2", "3.1.4", "3.2.4")  # stand for distributions whose artifacts are not public
MAIN_VERSION = VERSIONS[0]  # all tests use this version; a few run with each version

# Before Hadoop 3.5, Guice 4, JAXB and the serialisers access these packages by reflection, which JDK 17 forbids by
# default.
_OPENED = ["java.security.jgss/sun.security.krb5", *(f"java.base/{p}" for p in (
    "java.lang", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.math", "java.text", "java.time",
    "java.util", "java.util.concurrent", "java.util.zip", "sun.nio.ch", "sun.security.util", "sun.security.x509"))]

# For short runs on few cores: only the fast JIT compiler, one GC thread, no perf-data files.
_FLAGS = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xss512k", "-Xlog:disable",
          "-Djava.net.preferIPv4Stack=true",
          *(word for package in _OPENED for word in ("--add-opens", f"{package}=ALL-UNNAMED"))]


def java_home():
    """The folder of Debian's JDK 17. `java` in PATH may be much newer, and Hadoop before 3.5 would not run on it."""
    found = sorted(pathlib.Path("/usr/lib/jvm").glob("java-17-openjdk-*/bin/javac"))
    assert found, "no JDK 17: ./dev setup installs it"
    return found[0].parents[1]


class Hadoop:
    def __init__(self, version=MAIN_VERSION):
        done = subprocess.run([ROOT / "tools/hadoop-env", version], stdout=subprocess.PIPE, text=True, check=True)
        self.version = version
        self.folder = pathlib.Path(done.stdout.strip())
        self.jars = [str(jar) for jar in sorted((self.folder / "lib").glob("*.jar"))]
        self.archive = self.folder / "classes.jsa"

    def java(self, *words, conf=(), heap_mb=128, options=(), instead=()):
        """The command line of a main class, or of a source file, with its arguments. The folders of `conf` are last in
        the class path, because a class-data archive is only valid if the class path starts with the archived jars.
        `instead`: folders of classes that replace those of the jars, without the archive."""
        share = [f"-XX:SharedArchiveFile={self.archive}"] if self.archive.exists() and not instead else []
        path = ":".join([*map(str, instead), *self.jars, str(self.folder / "web"), *map(str, conf)])
        return [str(java_home() / "bin/java"), f"-Xmx{heap_mb}m", *_FLAGS, *share, *options, "-cp", path,
                *map(str, words)]

    def stand_in(self, name, inner_only=False):
        """Compiles tests/yarn/hadoop/NAME.java, a class that replaces one of Hadoop's; returns its folder. inner_only:
        only the inner classes replace Hadoop's."""
        source = ROOT / f"tests/yarn/hadoop/{name}.java"
        done = self.folder / f"{name}-{hashlib.sha256(source.read_bytes()).hexdigest()[:12]}"
        if not done.exists():
            new = pathlib.Path(tempfile.mkdtemp(dir=self.folder, prefix=f"{name}-new-"))
            subprocess.run([java_home() / "bin/javac", "-nowarn", "-proc:none", "-cp", ":".join(self.jars), "-d", new,
                            source], check=True)
            if inner_only:
                next(new.rglob(f"{name}.class")).unlink()
            try:
                new.rename(done)
            except OSError:  # another test run has compiled it first
                shutil.rmtree(new)
        return done

    def make_archive(self, class_lists):
        """Starts a background process that writes an archive of loaded and verified classes, with which JVMs start in
        half the time. If two such processes run at the same time, the second one does nothing."""
        names = sorted({line for path in class_lists for line in path.read_text().splitlines() if line[:1] != "#"})
        handle, wanted = tempfile.mkstemp(dir=self.folder, prefix="classes-", text=True)
        with os.fdopen(handle, "w") as file:
            file.write("\n".join(names) + "\n")
        new = f"{wanted}.jsa"
        dump = [str(java_home() / "bin/java"), *_FLAGS, "-Xshare:dump", f"-XX:SharedClassListFile={wanted}",
                f"-XX:SharedArchiveFile={new}", "-cp", ":".join(self.jars)]
        script = ('wanted=$1 new=$2 archive=$3; shift 3; exec 9>"$archive.lock"; '
                  'flock -n 9 && timeout 900 nice "$@" && mv "$new" "$archive"; rm -f "$wanted" "$new"')
        return subprocess.Popen(["sh", "-c", script, "sh", wanted, new, self.archive, *dump], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
