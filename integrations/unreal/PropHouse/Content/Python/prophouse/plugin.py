"""The plugin as a whole: what the editor says to the agent, and what it does with what the agent tells. Game thread only."""
from __future__ import annotations

import threading
from typing import Any, Dict, Set

import unreal

from . import menus
from .actions import Actions
from .agent import Agent
from .changed import changed_packages
from .conflicts import Conflicts
from .editor import Editor, package_of
from .events import Event
from .game_thread import GameThread
from .imports import Imports
from .link import Link, Listener
from .notices import Notices

VERSION = "1.0"
# Looks at what is open: two lists that the editor keeps anyway.
LOOK_SECONDS = 2.0
HOW_TO_START = "no agent runs, so nothing is brought or warned of. Start it in a terminal: ph agent start"


class Plugin(Listener):
    """Made and used on the game thread."""

    def __init__(self) -> None:
        self._game = GameThread()
        self._editor = Editor()
        self._notices = Notices()
        self._link = Link(self, self._game.soon)
        self._imports = Imports(self._editor, self._notices)
        self._conflicts = Conflicts(self._link, self._notices)
        self.actions = Actions(self._editor, self._link, self._notices)
        self._open: Set[str] = set()
        self._is_missing = False
        self._refused = ""

    def start(self) -> None:
        menus.add(self._editor.saw_open, self._why_open)
        self._game.every(LOOK_SECONDS, self._look)
        self._game.every(LOOK_SECONDS, self._conflicts.ask_next)
        self._game.every(1.0, self._notices.end_old)
        self._game.start()
        self._link.start(self._said())
        unreal.register_python_shutdown_callback(self.stop)

    def stop(self) -> None:
        self._game.stop()
        self._link.stop()
        menus.remove()

    def reached(self, answer: Dict[str, Any]) -> None:
        self._is_missing = False
        self._refused = ""
        unreal.log("Prop House: the agent answers, for %s." % answer["server"])
        self._ask_anew()
        # It hears anew of everything that is open.
        self._open.clear()

    def missing(self) -> None:
        """Said once, until one runs again."""
        if not self._is_missing:
            self._is_missing = True
            self._notices.say(HOW_TO_START)

    def refused(self, message: str) -> None:
        if message != self._refused:
            self._refused = message
            self._notices.say("the agent does not take this editor. " + message)

    def heard(self, event: Event) -> None:
        data = event.data
        if event.event == "gap":
            self._ask_anew()
        elif event.event == "import":
            self._imports.show(data)
        elif event.event == "imported":
            self._imports.placed(data["packages"])
        elif event.event == "conflict":
            self._conflicts.show(data)
        elif event.event == "warning":
            self._notices.warn(data["file"], data["kind"], data["message"], data["command"])

    def missed(self, since: float) -> None:
        """The files that came meanwhile are read as if they had been told of."""

        root = self._editor.root

        def look() -> None:
            packages = changed_packages(root, since)
            self._game.soon(lambda: self._imports.placed(packages))

        threading.Thread(target=look, name="PropHouse look", daemon=True).start()

    def _said(self) -> Dict[str, Any]:
        return {
            "project_key": self._editor.project_key,
            "root": self._editor.root,
            "engine_version": self._editor.engine_version,
            "plugin_version": VERSION,
            "accepts_imports": True,
            "open": self._editor.open_packages(),
        }

    def _look(self) -> None:
        said = self._said()
        self._link.say(said)
        now = set(said["open"])
        for package in sorted(now - self._open):
            self._tell_opened(package)
        self._open = now

    def _tell_opened(self, package: str) -> None:
        def opened(agent: Agent) -> Any:
            return agent.ask("POST", "/editors/%s/opened" % self._link.session_id, body={"package": package})

        def warn(answer: Dict[str, Any]) -> None:
            for one in answer["warnings"]:
                file = answer["file"]["file"] if answer["file"] else package
                self._notices.warn(file, one["kind"], one["message"], one["command"])

        # Without an agent, or before it knows this editor: it is told again when one answers.
        self._link.ask(opened, warn, lambda _error: None)

    def _why_open(self, objects: Any) -> None:
        self.actions.why([package_of(one) for one in objects])

    def _ask_anew(self) -> None:
        self._conflicts.asking_anew()
        self._imports.asking_anew()
        key = self._editor.project_key
        ignore = lambda _error: None  # noqa: E731 - the next event or agent brings it
        self._link.ask(
            lambda agent: agent.ask("GET", "/conflicts", query={"project_key": key}),
            lambda answer: self._conflicts.show_all(answer["conflicts"]),
            ignore,
        )
        self._link.ask(lambda agent: agent.ask("GET", "/imports"), lambda answer: self._imports.show_all(answer["imports"]), ignore)
