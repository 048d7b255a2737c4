"""Speaks to the desktop agent over the loopback interface. Blocks: never called on the game thread."""
from __future__ import annotations

import http.client
import json
from typing import Any, Dict, Iterator, Optional, Tuple
from urllib.parse import quote, urlencode, urlsplit

from .events import Event, read_events
from .note import Note

ANSWER_SECONDS = 30.0
# A check-in pushes the files: as long as their bytes take.
PUSH_SECONDS = 3600.0
# The agent shows every 20 seconds that it is alive.
SILENT_SECONDS = 60.0
BASE = "/agent/v1"


class AgentError(Exception):
    """The agent refused: `code` is one of docs/agent-api.md, the message a sentence for people."""

    def __init__(self, code: str, message: str, details: Dict[str, Any]):
        super().__init__(message)
        self.code = code
        self.details = details


class AgentAway(Exception):
    """Nothing answers there, or it broke off."""


def _error_of(status: int, text: str) -> AgentError:
    try:
        said = json.loads(text)["error"]
    except (ValueError, KeyError, TypeError):
        said = None
    if isinstance(said, dict):
        return AgentError(str(said.get("code", "INTERNAL")), str(said.get("message", "")), said.get("details") or {})
    code = "UNAUTHORIZED" if status == 401 else "INTERNAL"
    return AgentError(code, said if isinstance(said, str) else "The agent answered with status %d." % status, {})


class Agent:
    """One agent, as its note tells of it."""

    def __init__(self, note: Note):
        self.note = note

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Dict[str, Any]] = None,
        body: Optional[Dict[str, Any]] = None,
        seconds: float = ANSWER_SECONDS,
    ) -> Any:
        """The JSON of the answer, None for an empty one. Throws AgentError or AgentAway."""
        connection, response = self._send(method, path, query, body, seconds)
        try:
            text = response.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            raise AgentAway(str(error)) from error
        finally:
            connection.close()
        if response.status >= 400:
            raise _error_of(response.status, text)
        try:
            return json.loads(text) if text else None
        except ValueError as error:
            raise AgentAway("what answers there is no agent") from error

    def follow(self, since: Optional[int], project_key: str) -> Iterator[Optional[Event]]:
        """Events as they come, None for each sign of life, until the agent ends. Throws AgentError or AgentAway."""
        query: Dict[str, Any] = {"project_key": project_key}
        if since is not None:
            query["since"] = since
        connection, response = self._send("GET", "/events", query, None, SILENT_SECONDS)
        try:
            if response.status >= 400:
                raise _error_of(response.status, response.read().decode("utf-8"))
            yield from read_events(response)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise AgentAway(str(error)) from error
        finally:
            connection.close()

    def _send(
        self, method: str, path: str, query: Optional[Dict[str, Any]], body: Optional[Dict[str, Any]], seconds: float
    ) -> Tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        at = urlsplit(self.note.url)
        connection = http.client.HTTPConnection(at.hostname or "127.0.0.1", at.port or 80, timeout=seconds)
        headers = {"Authorization": "Bearer " + self.note.token}
        sent = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            sent = json.dumps(body).encode("utf-8")
        address = BASE + quote(path) + ("?" + urlencode(query) if query else "")
        try:
            connection.request(method, address, body=sent, headers=headers)
            return connection, connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise AgentAway(str(error)) from error
