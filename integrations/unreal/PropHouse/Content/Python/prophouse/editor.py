"""What this editor is and has open, as the agent wants to hear it. Game thread only."""
from __future__ import annotations

import os
import re
import time
from typing import Any, Dict, Iterable, List, Optional, Set

import unreal

# An asset editor shows its toolbar while its tab is in front: one that was seen so long ago may be closed. What it had unsaved is dirty.
SEEN_SECONDS = 600.0
MOST_OPEN = 5000


class Editor:
    """The project, and the packages that are open in it."""

    def __init__(self) -> None:
        project = unreal.Paths.convert_relative_path_to_full(unreal.Paths.get_project_file_path())
        self.root = os.path.dirname(project)
        self.project_key = os.path.splitext(os.path.basename(project))[0]
        # `5.4.4-35576357+++UE5+Release-5.4`
        found = re.match(r"\d+\.\d+(\.\d+)?", unreal.SystemLibrary.get_engine_version())
        self.engine_version: Optional[str] = found.group(0) if found else None
        self._seen: Dict[str, float] = {}

    def saw_open(self, objects: Iterable[Any]) -> None:
        """An asset editor is in front with these."""
        now = time.monotonic()
        for one in objects:
            self._seen[package_of(one)] = now

    def open_packages(self) -> List[str]:
        """Asset editors seen lately, what has unsaved changes, and the level; only what belongs to the project."""
        now = time.monotonic()
        self._seen = {name: at for name, at in self._seen.items() if now - at < SEEN_SECONDS}
        found: Set[str] = set(self._seen) | set(dirty_packages())
        world = unreal.get_editor_subsystem(unreal.UnrealEditorSubsystem).get_editor_world()
        if world is not None:
            found.add(package_of(world))
        return sorted(name for name in found if name.startswith("/Game/"))[:MOST_OPEN]

    def file_of(self, package: str) -> Optional[str]:
        """The file of a package of the project; None where it has none yet."""
        stem = os.path.join(self.root, "Content", *package.split("/")[2:])
        return next((stem + ending for ending in (".uasset", ".umap") if os.path.isfile(stem + ending)), None)

    def selected(self) -> List[str]:
        """Packages that are selected in the content browser."""
        return [str(one.package_name) for one in unreal.EditorUtilityLibrary.get_selected_asset_data()]


def package_of(one: Any) -> str:
    """`/Game/Props/SM_Barrel` of an object in it."""
    return str(one.get_path_name()).split(".")[0]


def dirty_packages() -> List[str]:
    saving = unreal.EditorLoadingAndSavingUtils
    return [str(one.get_name()) for one in [*saving.get_dirty_content_packages(), *saving.get_dirty_map_packages()]]
