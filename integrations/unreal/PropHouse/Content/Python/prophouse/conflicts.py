"""Conflicts: an import would replace a file that was changed here, or is open. People are asked, one at a time. Game thread only."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Set

import unreal

from .agent import Agent
from .link import Link
from .notices import Notices


class Conflicts:
    """Those that wait for an answer of a person."""

    def __init__(self, link: Link, notices: Notices):
        self._link = link
        self._notices = notices
        self._asked: Dict[int, Dict[str, Any]] = {}
        # Put off by the person at this editor: `ph agent conflicts` and the next start of the editor ask again.
        self._later: List[int] = []
        # What events told since all were asked for: the answer to that may be older.
        self._told: Set[int] = set()

    def show(self, conflict: Dict[str, Any]) -> None:
        """A conflict, as an event tells of it. One that was answered elsewhere is not asked here any more."""
        self._told.add(conflict["id"])
        if conflict["state"] == "asked" and conflict["id"] not in self._later:
            self._asked[conflict["id"]] = conflict
        else:
            self._asked.pop(conflict["id"], None)

    def asking_anew(self) -> None:
        self._told.clear()

    def show_all(self, conflicts: List[Dict[str, Any]]) -> None:
        told = set(self._told)
        self._asked = {number: one for number, one in self._asked.items() if number in told}
        for one in conflicts:
            if one["id"] not in told:
                self.show(one)

    def ask_next(self) -> None:
        """Opens one dialog, which waits for the person."""
        if not self._asked:
            return
        conflict = self._asked.pop(min(self._asked))
        answer = unreal.EditorDialog.show_message(
            "Prop House: keep your file?", question(conflict), unreal.AppMsgType.YES_NO_CANCEL, unreal.AppReturnType.CANCEL
        )
        if answer == unreal.AppReturnType.YES:
            self._answer(conflict, "keep_local")
        elif answer == unreal.AppReturnType.NO:
            self._answer(conflict, "take_incoming")
        else:
            self._later.append(conflict["id"])

    def _answer(self, conflict: Dict[str, Any], answer: str) -> None:
        def send(agent: Agent) -> Any:
            return agent.ask("POST", "/conflicts/%d" % conflict["id"], body={"answer": answer})

        def failed(error: Exception) -> None:
            self._notices.say("%s: your answer did not arrive. %s" % (conflict["file"], error))

        self._link.ask(send, lambda _answered: None, failed)


def question(conflict: Dict[str, Any]) -> str:
    """Whose is whose, when, and what differs."""
    why = "is open in this editor" if conflict["reason"] == "open" else "was changed here"
    lines = [
        "%s %s, and job %d brings another version of it." % (conflict["file"], why, conflict["job_id"]),
        "",
        "Yours: " + _side(conflict["local"]),
        "Incoming: " + _side(conflict["incoming"]),
        *("  " + one for one in conflict["differences"]),
        "",
        "Yes keeps yours; the incoming version waits as an update.",
        "No takes the incoming one; a copy of yours is kept below Saved/PropHouse/Backups.",
        "Cancel decides later. Without an answer until %s yours is kept." % conflict["answer_by"],
    ]
    return "\n".join(lines)


def _side(side: Dict[str, Any]) -> str:
    said: List[Optional[str]] = [
        side["version"],
        "by %s" % side["by"] if side["by"] else None,
        side["at"],
        "%d bytes" % side["size"] if side["size"] is not None else None,
        # The dialog of Epic's Python API shows text only.
        "picture %s" % side["picture"] if side["picture"] else None,
    ]
    return ", ".join(one for one in said if one) or "nothing is known of it"
