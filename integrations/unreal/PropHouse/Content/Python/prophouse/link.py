"""Keeps the editor known to the agent, and hears what the agent tells. The threads of this plugin: none of them touches `unreal`."""
from __future__ import annotations

import threading
import time
import uuid
from typing import Any, Callable, Dict, Optional

from .agent import Agent, AgentAway, AgentError
from .events import Event
from .note import Note, read_note

# The agent takes an editor for closed after a minute of silence.
ANNOUNCE_SECONDS = 15.0
LONGEST_PAUSE_SECONDS = 15.0
LEAVE_SECONDS = 2.0

Deliver = Callable[[Callable[[], None]], None]


class Listener:
    """What the link tells, always through `deliver`, which brings it to the game thread."""

    def reached(self, answer: Dict[str, Any]) -> None:
        """An agent answers that did not before: whatever is shown has to be asked anew."""

    def missing(self) -> None:
        """No agent runs."""

    def refused(self, message: str) -> None:
        """The agent does not take this editor."""

    def heard(self, event: Event) -> None:
        """Something happened."""

    def missed(self, since: float) -> None:
        """Events are lost of what happened since then (seconds of the epoch)."""


class Link:
    """One for each editor process."""

    def __init__(self, listener: Listener, deliver: Deliver, read: Callable[[], Optional[Note]] = read_note):
        self.session_id = str(uuid.uuid4())
        self._listener = listener
        self._deliver = deliver
        self._read = read
        self._said: Dict[str, Any] = {}
        self._agent: Optional[Agent] = None
        # When an agent last showed that all events had come.
        self._heard_at: Optional[float] = None
        self._is_new = threading.Event()
        self._stopping = threading.Event()

    def start(self, said: Dict[str, Any]) -> None:
        self._said = said
        threading.Thread(target=self._announce_on, name="PropHouse announce", daemon=True).start()

    def say(self, said: Dict[str, Any]) -> None:
        """What the editor says of itself from now on; told at once when it is news."""
        if said != self._said:
            self._said = said
            self._is_new.set()

    def stop(self) -> None:
        self._stopping.set()
        self._is_new.set()
        agent = self._agent
        if agent is None:
            return
        leaving = threading.Thread(target=self._leave, args=(agent,), name="PropHouse leave", daemon=True)
        leaving.start()
        leaving.join(LEAVE_SECONDS)

    def ask(
        self,
        question: Callable[[Agent], Any],
        then: Callable[[Any], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Asks the agent in a thread of its own; what it answers, or why not, is told on the game thread."""

        def work() -> None:
            try:
                agent = self._agent
                if agent is None:
                    raise AgentAway("no agent runs")
                answer = question(agent)
            except (AgentError, AgentAway) as error:
                self._tell(failed, error)
            else:
                self._tell(then, answer)

        threading.Thread(target=work, name="PropHouse ask", daemon=True).start()

    def _tell(self, what: Callable[..., None], *said: Any) -> None:
        if not self._stopping.is_set():
            self._deliver(lambda: what(*said))

    def _announce_on(self) -> None:
        while not self._stopping.is_set():
            self._is_new.clear()
            self._announce()
            self._is_new.wait(ANNOUNCE_SECONDS)

    def _announce(self) -> None:
        note = self._read()
        known = self._agent
        agent = known if known is not None and known.note == note else (Agent(note) if note else None)
        if agent is None:
            self._lost()
            return
        try:
            answer = agent.ask("PUT", "/editors/" + self.session_id, body=self._said)
        except AgentAway:
            # The note of an agent that was killed is still there.
            self._lost()
        except AgentError as error:
            # A wrong token: another agent is just writing its note.
            if error.code != "UNAUTHORIZED":
                self._tell(self._listener.refused, str(error))
        else:
            if not isinstance(answer, dict) or not isinstance(answer.get("since"), int):
                # The note is of an agent that was killed, and another program has its port.
                self._lost()
            elif agent is not known:
                self._agent = agent
                self._tell(self._listener.reached, answer)
                if self._heard_at is not None:
                    self._tell(self._listener.missed, self._heard_at)
                self._heard_at = time.time()
                follow = threading.Thread(target=self._follow_on, args=(agent, answer["since"]), name="PropHouse events", daemon=True)
                follow.start()

    def _lost(self) -> None:
        self._agent = None
        self._tell(self._listener.missing)

    def _follow_on(self, agent: Agent, since: int) -> None:
        """As long as this agent is the one: cut connections are taken up where they were cut."""
        pause = 1.0
        while self._is_ours(agent):
            try:
                for event in agent.follow(since, self._said["project_key"]):
                    pause = 1.0
                    if not self._is_ours(agent):
                        return
                    if event is not None:
                        since = since if event.id is None else event.id
                        self._tell(self._listener.heard, event)
                        if event.event == "gap" and self._heard_at is not None:
                            self._tell(self._listener.missed, self._heard_at)
                    self._heard_at = time.time()
            except (AgentAway, AgentError):
                pass
            self._stopping.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    def _is_ours(self, agent: Agent) -> bool:
        return self._agent is agent and not self._stopping.is_set()

    def _leave(self, agent: Agent) -> None:
        try:
            agent.ask("DELETE", "/editors/" + self.session_id, seconds=LEAVE_SECONDS)
        except (AgentAway, AgentError):
            pass
