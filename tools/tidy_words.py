"""Finds the prose of a file (comments, docstrings, documents, test names) and checks it against WORDS in tidy_rules."""
import io
import re
import subprocess
import tokenize
from collections import namedtuple

import tidy_cpp
import tidy_rules as rules

Finding = namedtuple("Finding", "path line rule text")
Passage = namedtuple("Passage", "line text")  # line: where the text starts

SCRIPT_ENDINGS = (".sh", ".cmake", "CMakeLists.txt", ".yaml", ".yml", ".toml")
SCRIPTS = ("dev", ".ci/run", "tools/apt-install", "tools/ml-env", "tools/hadoop-env", "tools/tony-env",
           "tests/sim/seeds.txt")


def joined(lines):
    """Joins consecutive lines, given as (line number, text), into passages."""
    passage, last = [], None
    for number, text in lines:
        if passage and number != last + 1:
            yield Passage(passage[0][0], "\n".join(t for _, t in passage))
            passage = []
        passage.append((number, text))
        last = number
    if passage:
        yield Passage(passage[0][0], "\n".join(t for _, t in passage))


def cpp_comments(text):
    lines = []
    for match in tidy_cpp.TOKEN.finditer(text):
        token = match.group(0)
        if token.startswith(("//", "/*")):
            first = text.count("\n", 0, match.start()) + 1
            alone = not text[text.rfind("\n", 0, match.start()) + 1:match.start()].strip()
            stripped = re.sub(r"^\s*(//+|/?\*+/?)\s?|\*/$", "", token, flags=re.MULTILINE)
            if alone:
                lines += enumerate(stripped.splitlines(), first)
            else:
                yield Passage(first, stripped)
    yield from joined(lines)


def python_comments(text):
    lines = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                comment = re.sub(r"^#+!?\s?", "", token.string)
                if token.line[:token.start[1]].strip():
                    yield Passage(token.start[0], comment)
                else:
                    lines.append((token.start[0], comment))
            elif token.type == tokenize.STRING and not token.line[:token.start[1]].strip():
                yield Passage(token.start[0], re.sub(r'^[rbuf]*("""|\'\'\'|"|\')|("""|\'\'\'|"|\')$', "", token.string))
    except (tokenize.TokenError, IndentationError):
        return
    yield from joined(lines)


def script_comments(text):
    found = ((n, re.search(r"(?:^|\s)#+ (.*)", line)) for n, line in enumerate(text.splitlines(), 1))
    yield from joined([(n, match.group(1)) for n, match in found if match])


def document_passages(text):
    """Paragraphs, list items and cells of Markdown, without code."""
    text = re.sub(r"^```.*?^```", lambda m: tidy_cpp.blank(m.group(0)), text, flags=re.MULTILINE | re.DOTALL)
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("|"):
            for cell in line.strip().strip("|").split("|"):
                yield Passage(number, cell.strip())
            continue
        if re.match(r"\s*([-*]|\d+\.|#+) ", line):  # a new paragraph
            yield from joined(lines)
            lines = [(number, re.sub(r"^\s*([-*]|\d+\.|#+) ", "", line))]
        elif line.strip():
            lines.append((number, line.strip()))
    yield from joined(lines)


def passages(path, text):
    if path.endswith((".cc", ".h", ".proto", ".ts", ".tsx", ".mjs")):
        return cpp_comments(text)
    if path.endswith(".py"):
        return python_comments(text)
    if path.endswith(".md"):
        return document_passages(text)
    if path.endswith(SCRIPT_ENDINGS) or path in SCRIPTS:
        return script_comments(text)
    return ()


def without_quotes(text):
    """Replaces code and quoted words, which are not checked, by blanks. Other offsets stay the same."""
    return re.sub(r"`[^`\n]*`|(?<!\w)\"[^\"\n]{1,60}\"|“[^”\n]*”", lambda m: "·" * len(m.group(0)), text)


SENTENCE_END = re.compile(r"[.?!:]\**(?=\s+[A-Z*(·]|\s*$)")


def sentences(text):
    """Yields (offset, sentence with its final punctuation mark)."""
    start = 0
    for match in SENTENCE_END.finditer(text):
        yield start, text[start:match.end()]
        start = match.end()
    if text[start:].strip():
        yield start, text[start:]


def check_prose(text):
    """Yields (offset, message) for each of the habits in a text."""
    text = without_quotes(text)
    for pattern, instead in rules.WORDS:
        for match in re.finditer(pattern, text):
            yield match.start(), f"'{' '.join(match.group(0).split())}': {instead}"
    for start, sentence in sentences(text):
        first = re.match(rules.SENTENCE_START, sentence)
        if first and not sentence.rstrip(" *").endswith("?"):
            text = f"a sentence that starts with '{first.group(1)}': {rules.SENTENCE_START_INSTEAD}"
            yield start + first.start(1), text


TEST_NAME = re.compile(r"^\s*(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)|^\s*def (test_\w+)\(", re.MULTILINE)


def check_test_names(text):
    for match in TEST_NAME.finditer(text):
        name = match.group(3) or f"{match.group(1)}.{match.group(2)}"
        for pattern, instead in rules.TEST_NAME_WORDS:
            if re.search(pattern, name):
                yield match.start(), f"test {name}: {instead}"
                break


def check_identifiers(path, text):
    if not path.endswith((".cc", ".h", ".py", ".proto", ".cmake", "CMakeLists.txt")):
        return
    code = tidy_cpp.without_comments_and_strings(text) if path.endswith((".cc", ".h")) else text
    for match in re.finditer(rf"\b({'|'.join(rules.GONE_IDENTIFIERS)})\b", code):
        yield match.start(), f"identifier {match.group(0)}: {rules.GONE_IDENTIFIERS_INSTEAD}"


def check_words(path, text):
    """Findings of one file."""
    if path.startswith(rules.CONTRACT) or path in rules.WORDS_NOT_IN:
        return
    for passage in passages(path, text):
        for offset, message in check_prose(passage.text):
            yield Finding(path, passage.line + passage.text.count("\n", 0, offset), "words", message)
    if path.endswith(("_test.cc", ".py")):
        for offset, message in check_test_names(text):
            yield Finding(path, text.count("\n", 0, offset) + 1, "words", message)
    for offset, message in check_identifiers(path, text):
        yield Finding(path, text.count("\n", 0, offset) + 1, "words", message)


def check_subject(subject):
    if len(subject) > rules.SUBJECT_LENGTH_MAX:
        yield f"{len(subject)} columns, {rules.SUBJECT_LENGTH_MAX} are allowed"
    if not re.match(rules.SUBJECT_FORM, subject):
        yield "not of the form `area: what changed`, with the area in small letters"
    yield from (message for _, message in check_prose(subject.partition(": ")[2]))


def check_commits(root):
    """Checks the subjects of the commits after rules.WORDS_SINCE. Checks none if git does not have that commit."""
    log = ["git", "log", "--no-merges", "--format=%h %s", f"{rules.WORDS_SINCE}..HEAD"]
    done = subprocess.run(log, cwd=root, capture_output=True, text=True)
    for line in done.stdout.splitlines() if done.returncode == 0 else ():
        short, subject = line.split(" ", 1)
        for message in check_subject(subject):
            yield Finding(f"commit {short}", 1, "subject", f"'{subject}': {message}")
