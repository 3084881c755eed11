"""Compares our .proto files for Hadoop's messages, field by field, with the messages in the jars of each version."""
import re
import shutil
import subprocess

import pytest
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorSet

from hadoop_tree import OLD_VERSIONS, ROOT, VERSIONS, Hadoop

PROTOS = ROOT / "proto/hadoop"
LABEL, TYPE = FieldDescriptorProto.Label.Name, FieldDescriptorProto.Type.Name
MODULES = ("hadoop-common", "hadoop-hdfs-client", "hadoop-yarn-api", "hadoop-yarn-common")

# Fields and enum values that Hadoop added after 3.3: version -> full names. No earlier version may use the same numbers
# for something else.
SINCE = {
    "3.4.3": {
        "hadoop.hdfs.FsServerDefaultsProto.snapshotTrashRootEnabled",
        "hadoop.hdfs.StorageTypeProto.NVDIMM",
        "hadoop.hdfs.CipherSuiteProto.SM4_CTR_NOPADDING",
        "hadoop.yarn.ApplicationReportProto.rmClusterId",
        "hadoop.yarn.QueueInfoProto.weight",
        "hadoop.yarn.QueueInfoProto.queuePath",
    },
    "3.5.0": set(),
}


def messages_and_enums(files):
    """Returns two dictionaries, full name -> DescriptorProto and full name -> EnumDescriptorProto, with nested
    types."""
    messages, enums = {}, {}

    def add(prefix, container, nested):
        for enum in container.enum_type:
            enums[f"{prefix}.{enum.name}"] = enum
        for message in nested:
            messages[f"{prefix}.{message.name}"] = message
            add(f"{prefix}.{message.name}", message, message.nested_type)
    for file in files.file:
        add(file.package, file, file.message_type)
    return messages, enums


def fact(field):
    """The properties of a field that matter on the wire and to its reader, except its name."""
    packed = " packed" if field.options.packed else ""
    return f"{LABEL(field.label)} {TYPE(field.type)}{field.type_name} = {field.number} " \
           f"[default {field.default_value!r}]{packed}"


def differences(ours, theirs, newer=frozenset()):
    """The differences from Hadoop; fields in `newer` may be missing there."""
    (our_messages, our_enums), (their_messages, their_enums) = messages_and_enums(ours), messages_and_enums(theirs)
    found = []
    for name, message in our_messages.items():
        if name not in their_messages:
            found.append(f"{name}: Hadoop has no such message")
            continue
        our_fields = {f.name: f for f in message.field}
        their_fields = {f.name: f for f in their_messages[name].field}
        numbers = {f.number: f.name for f in their_messages[name].field}
        for field in message.field:
            full = f"{name}.{field.name}"
            if field.name in their_fields:
                if fact(field) != fact(their_fields[field.name]):
                    found.append(f"{full}: {fact(field)}, in Hadoop {fact(their_fields[field.name])}")
            elif field.number in numbers:
                found.append(f"{full}: {field.number} is {numbers[field.number]} in Hadoop")
            elif full not in newer:
                found.append(f"{full}: Hadoop has no such field")
        if not name.endswith("ResponseProto"):  # we only read responses, so our message may lack fields
            found += [f"{name}.{n} is required by Hadoop, and we do not have it" for n, field in their_fields.items()
                      if field.label == FieldDescriptorProto.LABEL_REQUIRED and n not in our_fields]
    for name, enum in our_enums.items():
        values = {v.name: v.number for v in their_enums[name].value} if name in their_enums else {}
        found += [f"{name}.{v.name} = {v.number}, in Hadoop {values.get(v.name, 'absent')}" for v in enum.value
                  if values.get(v.name) != v.number and f"{name}.{v.name}" not in newer]
    return found


def ours_in(folder, out):
    names = sorted(p.name for p in folder.glob("*.proto"))
    subprocess.run(["protoc", f"-I{folder}", f"--descriptor_set_out={out}", *names], cwd=folder, check=True)
    return FileDescriptorSet.FromString(out.read_bytes())


def messages_of(version, folder):
    """The messages in the jars of a version."""
    hadoop = Hadoop(version)
    out = folder / version
    jars = [j for j in hadoop.jars if any(j.endswith(f"/{m}-{version}.jar") for m in MODULES)]
    assert len(jars) == len(MODULES), jars
    source = ROOT / "tests/yarn/hadoop/Descriptors.java"
    if version in OLD_VERSIONS:  # they use protobuf under its own name
        text = source.read_text().replace("org.apache.hadoop.thirdparty.protobuf", "com.google.protobuf")
        source = folder / source.name
        source.write_text(text)
    done = subprocess.run(hadoop.java(source, out, *jars), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return FileDescriptorSet.FromString(out.read_bytes())


@pytest.fixture(scope="module", params=VERSIONS)
def theirs(request, tmp_path_factory):
    return request.param, messages_of(request.param, tmp_path_factory.mktemp("descriptors"))


def newer_than(version):
    return set().union(*(names for since, names in SINCE.items() if since > version))


def test_our_proto_files_match_hadoops_messages(theirs, tmp_path):
    version, files = theirs
    ours = ours_in(PROTOS, tmp_path / "ours")
    assert len(messages_and_enums(ours)[0]) > 200
    found = differences(ours, files, newer_than(version))
    assert not found, "\n".join(found)


# Differences of old versions that do not matter: fields of other names with the same meaning, fields that are required
# there and that we never send, and a default value.
HARMLESS = {
    "2.10.2": {"hadoop.hdfs.OpBlockChecksumResponseProto.blockChecksum",
               "hadoop.hdfs.DataTransferTraceInfoProto.traceId", "hadoop.hdfs.DataTransferTraceInfoProto.parentId",
               "hadoop.yarn.ResourceRequestProto.allocation_request_id"},
    "3.1.4": {"hadoop.hdfs.StorageTypeQuotaInfoProto.type", "hadoop.hdfs.DataTransferTraceInfoProto.traceId",
              "hadoop.hdfs.DataTransferTraceInfoProto.parentId"},
    "3.2.4": {"hadoop.hdfs.StorageTypeQuotaInfoProto.type", "hadoop.hdfs.DataTransferTraceInfoProto.traceId",
              "hadoop.hdfs.DataTransferTraceInfoProto.parentId"},
}


@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_old_versions_use_no_number_for_something_else(version, tmp_path):
    """Old versions lack fields and messages of ours, and may have no others with the same numbers."""
    found = differences(ours_in(PROTOS, tmp_path / "ours"), messages_of(version, tmp_path))
    missing = [line for line in found if "Hadoop has no such" in line or "absent" in line]
    different = {line.split(": ")[0] for line in found if line not in missing}
    assert different == HARMLESS[version], "\n".join(found)
    assert len(missing) < 100, "the messages of this version were not read"


def test_fields_listed_as_newer_exist_only_in_newer_versions(theirs):
    version, files = theirs
    messages, enums = messages_and_enums(files)
    known = {f"{m}.{f.name}" for m, message in messages.items() for f in message.field}
    known |= {f"{e}.{v.name}" for e, enum in enums.items() for v in enum.value}
    for since, names in SINCE.items():
        assert names & known == (names if version >= since else set()), (since, version)


@pytest.mark.parametrize("file, old, new, words", [
    ("yarn.proto", "optional int64 cluster_timestamp = 2", "optional int64 cluster_timestamp = 3",
     "ApplicationIdProto.cluster_timestamp"),
    ("security.proto", "required bytes identifier = 1", "optional bytes identifier = 1", "TokenProto.identifier"),
    ("rpc.proto", "optional sint32 retryCount", "optional int32 retryCount", "RpcRequestHeaderProto.retryCount"),
    ("hdfs.proto", "SSD = 2", "SSD = 7", "StorageTypeProto.SSD"),
    ("datatransfer.proto", r"sendChecksums = 4 \[default = true\]", "sendChecksums = 4", "sendChecksums"),
    ("rpc.proto", "  required uint32 callId = 1;\n", "", "callId is required"),
])
def test_a_planted_difference_is_found(theirs, tmp_path, file, old, new, words):
    version, files = theirs
    shutil.copytree(PROTOS, tmp_path / "proto")
    changed, times = re.subn(old, new, (tmp_path / "proto" / file).read_text(), count=1)
    assert times == 1, f"{old} is not in {file}"
    (tmp_path / "proto" / file).write_text(changed)
    found = differences(ours_in(tmp_path / "proto", tmp_path / "ours"), files, newer_than(version))
    assert len(found) == 1 and words in found[0], found
