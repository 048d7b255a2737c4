"""Server-sent events out of the lines of an answer (HTML standard, section 9.2, as far as the agent uses it)."""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Iterator, Optional


@dataclass(frozen=True)
class Event:
    """What happened; `id` is what to go on after."""

    event: str
    id: Optional[int]
    data: Dict[str, Any]


def read_events(lines: Iterable[bytes]) -> Iterator[Optional[Event]]:
    """None for each sign of life. Throws ValueError for data that is no JSON."""
    fields: Dict[str, str] = {}
    for raw in lines:
        line = raw.decode("utf-8").rstrip("\r\n")
        if line.startswith(":"):
            yield None
        elif line:
            name, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            fields[name] = fields["data"] + "\n" + value if name == "data" and "data" in fields else value
        elif "data" in fields:
            number = fields.get("id", "")
            data = json.loads(fields["data"])
            yield Event(fields.get("event", "message"), int(number) if number.isdigit() else None, data if isinstance(data, dict) else {})
            fields = {}
        else:
            fields = {}
