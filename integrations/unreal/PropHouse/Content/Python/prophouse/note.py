"""Finds the desktop agent of this person on this machine, by the note that it leaves while it runs."""
from __future__ import annotations

import json
import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Optional

APP = "prop-house"
LONGEST_NOTE_BYTES = 16 * 1024


@dataclass(frozen=True)
class Note:
    """Where the agent listens, and the word that lets one in."""

    url: str
    token: str
    pid: int
    started_at: str


def state_folder(env: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """PH_STATE_DIR, else the platform's own: the same folder that `ph` uses."""
    if env.get("PH_STATE_DIR"):
        return Path(env["PH_STATE_DIR"]).resolve()
    home = Path(env.get("HOME") or Path.home())
    if platform == "win32":
        return Path(env.get("LOCALAPPDATA") or home / "AppData" / "Local") / APP / "state"
    if platform == "darwin":
        return home / "Library" / "Application Support" / APP / "state"
    return Path(env.get("XDG_STATE_HOME") or home / ".local" / "state") / APP


def read_note(env: Mapping[str, str] = os.environ) -> Optional[Note]:
    """None where no agent has left one, or it is of another machine that shares the folder. Whether it still runs, asking it says."""
    file = state_folder(env) / "agent" / "note.json"
    try:
        if file.stat().st_size > LONGEST_NOTE_BYTES:
            return None
        said = json.loads(file.read_text("utf-8"))
        if said["host"] != socket.gethostname():
            return None
        return Note(url=str(said["url"]), token=str(said["token"]), pid=int(said["pid"]), started_at=str(said["started_at"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
