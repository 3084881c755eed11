"""Writes a job as YAML: maps and lists of maps in block style, and all other values as JSON, which is valid YAML."""

from __future__ import annotations

import json
from typing import Any, Iterator, Mapping


def dump(job: Mapping[str, Any]) -> str:
    return "".join(line + "\n" for line in _lines(job, ""))


def _lines(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, item in value.items():
        name = key if _plain(key) else json.dumps(key)
        if isinstance(item, Mapping) and item:
            yield f"{indent}{name}:"
            yield from _lines(item, indent + "  ")
        elif isinstance(item, list) and item and all(isinstance(entry, Mapping) and entry for entry in item):
            yield f"{indent}{name}:"
            for entry in item:
                yield f"{indent}  - {_value(entry)}"
        else:
            yield f"{indent}{name}: {_value(item)}"


def _value(value: Any) -> str:
    if isinstance(value, str) and _plain(value):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _plain(text: str) -> bool:
    """Whether YAML reads the text without quotes as this string."""
    ordinary = text.replace("_", "").replace("-", "").replace("/", "").replace(".", "")
    return (
        text[:1].isalpha()
        and ordinary.isascii()
        and ordinary.isalnum()
        and text.lower() not in ("y", "n", "yes", "no", "on", "off", "true", "false", "null")
    )
