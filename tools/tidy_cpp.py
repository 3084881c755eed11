"""Finds comments, functions, classes and namespaces in C++ and Python code. The heuristics work for well-formatted
code."""
import ast
import re
from collections import namedtuple

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL)


def blank(text):
    """Replaces all characters except line breaks by spaces, so that positions stay the same."""
    return re.sub(r"[^\n]", " ", text)


def without_comments_and_strings(text):
    return TOKEN.sub(lambda m: blank(m.group(0)), text)


def code_only(text):
    """The text without comments, strings and preprocessor lines."""
    text = without_comments_and_strings(text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: blank(m.group(0)), text, flags=re.MULTILINE)


def scope_kind(head):
    """The kind of code in the braces after `head`: a scope that can contain functions, a function, or anything else."""
    if re.search(r"\bnamespace\b|\bextern\s*$", head):
        return "scope"
    if re.search(r"\b(class|struct|union)\b[^()=]*$", head):
        return "scope"
    if re.search(r"\benum\b", head) or re.search(r"=\s*$", head):
        return "other"
    if ")" in head and not re.search(r"^\s*(if|for|while|switch|do)\b", head):
        return "function"
    return "other"


def function_name(head):
    match = re.search(r"((?:[\w~]+::)*[\w~]+|operator\s*\S+)\s*\(([^()]*)", head)
    if not match:
        return "?"
    name = match.group(1).strip()
    return f"{name}({' '.join(match.group(2).split())})" if name.startswith("TEST") else name


def functions(text):
    """[(name, line, lines)] of every function definition, from its signature to its closing brace."""
    code = code_only(text)
    found, stack, head_start = [], [], 0
    for match in re.finditer(r"[{};]", code):
        at, char = match.start(), match.group(0)
        in_function = any(kind == "function" for kind, _, _ in stack)
        if char == "{":
            head = code[head_start:at]
            kind = "other" if in_function else scope_kind(head)
            first = head_start + len(head) - len(head.lstrip())
            stack.append((kind, first, head))
        elif char == "}" and stack:
            kind, first, head = stack.pop()
            if kind == "function":
                line = code.count("\n", 0, first) + 1
                found.append((function_name(head), line, code.count("\n", 0, at) + 2 - line))
        if not in_function:
            head_start = at + 1
        elif char == "}" and not any(kind == "function" for kind, _, _ in stack):
            head_start = at + 1
    return found


def python_functions(text):
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    return [(node.name, node.lineno, node.end_lineno - node.lineno + 1)
            for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


Class = namedtuple("Class", "name line methods fields")
MEMBER_ATTRIBUTES = re.compile(r"\[\[.*?\]\]|\b(public|protected|private)\s*:(?!:)")


def member_kind(declaration, class_name):
    """The kind of a declaration in a class: "method", "field", or None for types, friends, constructors, operators."""
    text = " ".join(MEMBER_ATTRIBUTES.sub(" ", declaration).split())
    text = re.sub(r"^template ?<[^()]*?> ?(?=[\w:])", "", text)
    if not text or re.match(r"(using|typedef|friend|static_assert|enum|struct|class|union|requires)\b", text):
        return None
    if re.search(r"=\s*(default|delete)$", text) or re.search(r"\boperator\b|\bstatic constexpr\b", text):
        return None
    before = re.split(r"(?<![=!<>])=(?!=)|\{", text)[0]
    plain = before
    while re.search(r"<[^<>]*>", plain):
        plain = re.sub(r"<[^<>]*>", "", plain)
    match = re.search(r"([~\w]+)\s*\(", plain)
    if not match:
        return "field" if re.search(r"\w\s+[*&]?\s*\w+|[*&]\w+", plain) else None
    return None if match.group(1).lstrip("~") == class_name else "method"


def classes(text):
    """All classes and structs with a body, with the number of their methods and fields. Nested classes are listed
    separately."""
    code = code_only(text)
    found, stack, start = [], [], 0
    for match in re.finditer(r"[{};]", code):
        at, char = match.start(), match.group(0)
        owner = stack[-1] if stack else None
        if char == "{":
            head = code[start:at]
            named = re.search(r"\b(?:class|struct)\s+(?:\w+::)*(\w+)\s*(?:final\s*)?(?::[^:].*)?$", head, re.DOTALL)
            if named and not re.search(r"\benum\s*$", head[:named.start()]) and "(" not in head[:named.start()]:
                line = code.count("\n", 0, start + len(head) - len(head.lstrip())) + 1
                stack.append({"name": named.group(1), "line": line, "method": 0, "field": 0, "kind": "class"})
                start = at + 1
            elif re.search(r"\bnamespace\b[\w:\s]*$", head):
                stack.append({"kind": "scope"})
                start = at + 1
            else:
                stack.append({"kind": "body", "head": start})
        elif char == "}" and stack:
            closed = stack.pop()
            if closed["kind"] == "class":
                found.append(Class(closed["name"], closed["line"], closed["method"], closed["field"]))
                start = at + 1
            elif closed["kind"] == "body":
                owner = stack[-1] if stack else None
                head = code[closed["head"]:at + 1]
                braces = re.search(r"(=\s*|\w)\{[^{}]*(\{[^{}]*\}[^{}]*)*\}$", head)
                initializer = braces and ")" not in head.split("{")[0]
                if not initializer and (owner is None or owner["kind"] != "body"):
                    if owner is not None and owner["kind"] == "class":
                        kind = member_kind(head.split("{")[0], owner["name"])
                        if kind:
                            owner[kind] += 1
                    start = at + 1
            else:
                start = at + 1
        elif char == ";" and (owner is None or owner["kind"] != "body"):
            if owner is not None and owner["kind"] == "class":
                kind = member_kind(code[start:at], owner["name"])
                if kind:
                    owner[kind] += 1
            start = at + 1
    return found


def field_names(declaration):
    """The names of the fields that a declaration declares."""
    declaration = re.sub(r"=[^,]*", "", declaration)
    while re.search(r"<[^<>]*>", declaration):
        declaration = re.sub(r"<[^<>]*>", "", declaration)
    found = (re.search(r"(\w+)\s*(\[[^\]]*\]\s*)?$", part.strip()) for part in declaration.split(","))
    return [match.group(1) for match in found if match]


def record_fields(text):
    """Yields (record, field) for each field that other code can write: those of structs without access specifiers,
    nested structs included."""
    code = code_only(text)
    for match in re.finditer(r"\bstruct (\w+)\s*(?:final\s*)?(?::[^:{;][^{;]*)?\{", code):
        depth, declaration = 1, ""
        for char in code[match.end():]:
            depth += (char == "{") - (char == "}")
            if depth == 0:
                break
            if depth == 1 and char == ";":
                if member_kind(declaration, match.group(1)) == "field":
                    yield from ((match.group(1), name) for name in field_names(declaration))
                declaration = ""
            elif depth == 1 and char == "}":
                is_initializer = re.search(r"\)|\b(struct|class|enum)\b", declaration) is None
                declaration = declaration if is_initializer else ""
            elif depth == 1:
                declaration += char


# A change of a field: ++a.field, a.b->field = 1, a.field.push_back(1).
WRITE = re.compile(
    r"(?P<before>\+\+|--)?(?<![\w.>])(?P<path>(?:\w+(?:\(\))?(?:\.|->))+)(?P<field>\w+)\b(?!\()\s*"
    r"(?P<after>=(?!=)|[-+*/|&]=|\+\+|--|(?:\.|->)(?:push_back|push_front|pop_back|pop_front|emplace\w*|insert|erase"
    r"|reset|clear|resize|assign|swap)\()?")


def field_writes(text):
    """Yields (line, field) for each change of a field of an object that the file does not build itself: the first name
    of the path is no local variable that is declared by value."""
    code = code_only(text)
    local = set(re.findall(r"^[ \t]+(?:const )?[\w:]+(?:<[^;=]*>)? (\w+)(?:;| = |\{)", code, re.MULTILINE))
    for match in WRITE.finditer(code):
        root = re.match(r"\w+", match.group("path")).group(0)
        if (match.group("before") or match.group("after")) and root not in local:
            yield code.count("\n", 0, match.start()) + 1, match.group("field")


def namespaces(text):
    """Yields (line, name, whether it contains only forward declarations) for each named namespace at the top level."""
    code = code_only(text)
    for match in re.finditer(r"^(?:inline )?namespace ([\w:]+) \{", code, re.MULTILINE):
        body = code[match.end():]
        end = re.search(r"^\}|(?<=;) *\}", body, re.MULTILINE)
        inner = body[:end.start()] if end else body
        declares = re.fullmatch(r"\s*((class|struct|enum class) \w+( : \w+)?;\s*)*", inner) is not None
        yield code.count("\n", 0, match.start()) + 1, match.group(1), declares


def without_names(parameters):
    """The types of a parameter list."""
    depth, parts, part = 0, [], ""
    for char in parameters:
        depth += (char in "<([{") - (char in ">)]}")
        if char == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += char
    return ", ".join(re.sub(r"\s+\w+$", "", re.sub(r"\s*=.*", "", p).strip()) for p in parts + [part])


def unnamed_name(declaration):
    """Returns the name that a declaration adds to an unnamed namespace. The name of a function includes its parameter
    types. Returns None if the declaration adds no name, for example because it is an alias."""
    text = " ".join(declaration.split())
    match = re.match(r"(?:template ?<.*?> ?)?(?:class|struct|enum class|enum|union) (\w+)", text)
    if match:
        return match.group(1)
    if not text or re.match(r"(using|namespace|static_assert|template)\b", text):
        return None
    left = re.split(r"(?<![=!<>])=(?!=)", text)[0]
    match = re.search(r"((?:\w+::)*~?\w+)\s*\((.*)\)", left)
    if match and "::" in match.group(1):
        return None  # a method of a class that is declared elsewhere in the namespace
    if match:
        return f"{match.group(1)}({without_names(match.group(2))})"
    match = re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*(\{.*)?$", left)
    return match.group(1) if match and not match.group(1).isdigit() else None


def unnamed(text):
    """Yields (line, name) for each declaration in the unnamed namespaces of a file."""
    code = code_only(text)
    stack, start = [], 0
    for match in re.finditer(r"[{};]", code):
        at, char = match.start(), match.group(0)
        head = code[start:at]
        outside = "other" not in stack
        if outside and char in "{;" and "unnamed" in stack and not re.search(r"\bnamespace\b", head):
            name = unnamed_name(head)
            if name:
                yield code.count("\n", 0, start + len(head) - len(head.lstrip())) + 1, name
        if char == "{":
            named = re.search(r"\bnamespace(\s+[\w:]+)?\s*$", head) if outside else None
            stack.append("other" if not named else "named" if named.group(1) else "unnamed")
        elif char == "}" and stack:
            stack.pop()
        if "other" not in stack:
            start = at + 1
