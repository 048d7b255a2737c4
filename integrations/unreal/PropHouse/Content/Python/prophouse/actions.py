"""What the menus do with the assets that are selected. Game thread only; the agent is asked elsewhere."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

import unreal

from .agent import PUSH_SECONDS, Agent
from .editor import Editor
from .link import Link
from .notices import Notices


class Actions:
    """Check-out, check-in, and why a file is not as in the library."""

    def __init__(self, editor: Editor, link: Link, notices: Notices):
        self._editor = editor
        self._link = link
        self._notices = notices

    def check_out(self) -> None:
        paths = self._paths()
        if paths:
            self._ask(
                lambda agent: agent.ask("POST", "/files/check-out", body={"paths": paths}, seconds=PUSH_SECONDS),
                lambda answer: self._notices.say("checked out: " + _names(one["file"] for one in answer["files"])),
                "nothing was checked out",
            )

    def check_in(self) -> None:
        paths = self._paths()
        if not paths:
            return
        # What is unsaved would not be pushed.
        if not unreal.EditorLoadingAndSavingUtils.save_dirty_packages_with_dialog(True, True):
            return
        self._ask(
            lambda agent: agent.ask("POST", "/files/check-in", body={"paths": paths}, seconds=PUSH_SECONDS),
            self._checked_in,
            "nothing was checked in",
        )

    def why(self, packages: Optional[List[str]] = None) -> None:
        for path in self._paths(packages):
            self._ask(
                lambda agent, path=path: agent.ask("GET", "/files/why", query={"path": path}),
                _explain,
                "nothing is known of it",
            )

    def _checked_in(self, answer: Dict[str, Any]) -> None:
        if answer["released"]:
            self._notices.say("checked in: " + _names(answer["released"]))
        for one in answer["still_checked_out"]:
            self._notices.say("%s stays checked out: %s" % (one["file"], one["because"]))

    def _paths(self, packages: Optional[List[str]] = None) -> List[str]:
        """Files of the packages. Without any, that is said."""
        found = [self._editor.file_of(name) for name in (self._editor.selected() if packages is None else packages)]
        paths = [one for one in found if one is not None]
        if not paths:
            self._notices.say("select assets of this project that are saved.")
        return paths

    def _ask(self, question: Callable[[Agent], Any], then: Callable[[Any], None], outcome: str) -> None:
        self._link.ask(question, then, lambda error: self._notices.say("%s. %s" % (outcome, error)))


def _explain(answer: Dict[str, Any]) -> None:
    lines = [answer["file"]["file"], ""]
    for reason in answer["reasons"]:
        lines.append(reason["message"])
        if reason["command"]:
            lines.append("    " + reason["command"])
    if not answer["reasons"]:
        lines.append("It is as in the library.")
    unreal.EditorDialog.show_message("Prop House", "\n".join(lines), unreal.AppMsgType.OK, unreal.AppReturnType.OK)


def _names(files: Any) -> str:
    found = list(files)
    return ", ".join(found[:5]) + (" and %d more" % (len(found) - 5) if len(found) > 5 else "")
