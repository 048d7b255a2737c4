"""What people see that does not stop them: small notifications, which are lines of the log as well. Game thread only."""
from __future__ import annotations

import time
from typing import Dict, List, Optional, Tuple

import unreal

SHOWN_SECONDS = 8.0
# The same warning about the same file is not repeated for so long.
WARNED_SECONDS = 3600.0


@unreal.uclass()
class PropHouseNotice(unreal.EditorUtilityTask):
    """The one notification that Epic's Python API has: that of a task that runs beside the editor."""


class Notice:
    """A notification that stays until it is ended."""

    def __init__(self, text: str):
        self._task = PropHouseNotice()
        unreal.get_editor_subsystem(unreal.EditorUtilitySubsystem).register_and_execute_task(self._task)
        self.show(text)

    def show(self, text: str) -> None:
        self._task.set_task_notification_text("Prop House: " + text)

    def end(self) -> None:
        self._task.finish_executing_task()


class Notices:
    """Those that are shown for a moment."""

    def __init__(self) -> None:
        self._shown: List[Tuple[float, Notice]] = []
        self._warned: Dict[Tuple[str, str], float] = {}

    def say(self, text: str) -> None:
        unreal.log("Prop House: " + text)
        self._show(text)

    def warn(self, file: str, kind: str, text: str, command: Optional[str]) -> None:
        """At most once an hour for each file and kind."""
        now = time.monotonic()
        if now - self._warned.get((file, kind), -WARNED_SECONDS) < WARNED_SECONDS:
            return
        self._warned[(file, kind)] = now
        whole = "%s To fix it: %s" % (text, command) if command else text
        unreal.log_warning("Prop House: " + whole)
        self._show(whole)

    def end_old(self) -> None:
        now = time.monotonic()
        old = [notice for until, notice in self._shown if until <= now]
        self._shown = [one for one in self._shown if one[0] > now]
        for notice in old:
            notice.end()

    def _show(self, text: str) -> None:
        self._shown.append((time.monotonic() + SHOWN_SECONDS, Notice(text)))
