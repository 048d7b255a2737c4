"""Prop House in the Unreal editor.

Everything that touches `unreal` runs on the game thread, and everything that waits for the network runs in threads of its own: `game_thread`
is the way from these to that. The desktop agent does the work; this package shows it and asks about it (docs/editor-plugin.md).
"""
from __future__ import annotations

from typing import Optional

from .plugin import Plugin

_plugin: Optional[Plugin] = None


def start() -> Plugin:
    """Begins to speak to the agent; a second call gives what runs already."""
    global _plugin
    if _plugin is None:
        _plugin = Plugin()
        _plugin.start()
    return _plugin


def stop() -> None:
    """Says goodbye to the agent and ends the threads."""
    global _plugin
    if _plugin is not None:
        _plugin.stop()
        _plugin = None


def check_out() -> None:
    """Menu: check the selected assets out."""
    start().actions.check_out()


def check_in() -> None:
    """Menu: push the selected assets and give their check-outs back."""
    start().actions.check_in()


def why() -> None:
    """Menu: say why the selected assets are not as in the library."""
    start().actions.why()
