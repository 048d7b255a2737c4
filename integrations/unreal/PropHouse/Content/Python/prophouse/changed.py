"""Which packages changed on the disk, where no event tells. Walks the project: never called on the game thread."""
from __future__ import annotations

import os
from typing import List

ENDINGS = (".uasset", ".umap")
# Clocks of network disks differ from that of the machine, and the last word of the agent may be older than what it meant.
MARGIN_SECONDS = 60.0


def changed_packages(root: str, since: float) -> List[str]:
    """Packages whose files were written, or put in their places, since then (seconds of the epoch)."""
    content = os.path.join(root, "Content")
    found: List[str] = []
    for folder, folders, names in os.walk(content):
        # Files on their way lie in folders with a dot.
        folders[:] = [name for name in folders if not name.startswith(".")]
        below = os.path.relpath(folder, content).replace(os.sep, "/")
        prefix = "/Game/" if below == "." else "/Game/%s/" % below
        for name in names:
            stem, ending = os.path.splitext(name)
            if ending.lower() in ENDINGS and _placed_at(os.path.join(folder, name)) >= since - MARGIN_SECONDS:
                found.append(prefix + stem)
    return sorted(found)


def _placed_at(path: str) -> float:
    """A copy may keep the time of its content; then the time of its name, or on Windows of its making, is new."""
    try:
        stats = os.stat(path)
    except OSError:
        return 0.0
    return max(stats.st_mtime, stats.st_ctime)
