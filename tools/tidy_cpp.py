"""Just enough of C++ and Python to find comments and functions in a text. Heuristics: good for well-formatted code."""
import ast
import re

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL)


def blank(text):
    """As many lines and columns, nothing in them."""
    return re.sub(r"[^\n]", " ", text)


def without_comments_and_strings(text):
    return TOKEN.sub(lambda m: blank(m.group(0)), text)


def code_only(text):
    """Without comments, strings and preprocessor lines."""
    text = without_comments_and_strings(text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: blank(m.group(0)), text, flags=re.MULTILINE)


def scope_kind(head):
    """What the brace after `head` opens: a scope that can hold functions, a function, or anything else."""
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
