"""Imports: how far they are, and what the editor has to know once files lie in their places. Game thread only."""
from __future__ import annotations

from typing import Any, Dict, List, Set

import unreal

from .editor import Editor, dirty_packages
from .notices import Notice, Notices

RUNNING = ("running", "asking")


class Imports:
    """A notification for each import that runs."""

    def __init__(self, editor: Editor, notices: Notices):
        self._editor = editor
        self._notices = notices
        self._running: Dict[int, Notice] = {}
        # What events told since all were asked for: the answer to that may be older.
        self._told: Set[int] = set()

    def show(self, report: Dict[str, Any]) -> None:
        """An import, as an event tells of it."""
        if report["project_key"] != self._editor.project_key:
            return
        job, state = report["job_id"], report["state"]
        self._told.add(job)
        if state in RUNNING:
            text = _progress(report)
            if job in self._running:
                self._running[job].show(text)
            else:
                self._running[job] = Notice(text)
            return
        if job in self._running:
            self._running.pop(job).end()
        self._notices.say(_outcome(report))

    def asking_anew(self) -> None:
        self._told.clear()

    def show_all(self, reports: List[Dict[str, Any]]) -> None:
        """What runs now. Of what is shown and no longer runs, the end was missed and is said now."""
        told = set(self._told)
        for one in reports:
            if one["job_id"] not in told and (one["state"] in RUNNING or one["job_id"] in self._running):
                self.show(one)
        known = told.union(one["job_id"] for one in reports)
        for job in [job for job in self._running if job not in known]:
            self._running.pop(job).end()

    def placed(self, packages: List[str]) -> None:
        """Files lie in their places: the registry reads them, and what is loaded is loaded anew, unless it has unsaved changes."""
        if not packages:
            return
        folders = sorted({name.rsplit("/", 1)[0] for name in packages})
        with unreal.ScopedSlowTask(2, "Prop House: reading %d new files" % len(packages)) as task:
            task.make_dialog_delayed(1.0)
            task.enter_progress_frame(1)
            unreal.AssetRegistryHelpers.get_asset_registry().scan_paths_synchronous(folders, True)
            task.enter_progress_frame(1)
            self._reload(packages)

    def _reload(self, packages: List[str]) -> None:
        dirty = set(dirty_packages())
        for name in sorted(dirty.intersection(packages)):
            text = "%s has unsaved changes here, and a new version lies on the disk. Saving replaces that version." % name
            self._notices.warn(name, "unsaved", text, None)
        found = [unreal.find_package(name) for name in packages if name not in dirty]
        loaded = [one for one in found if one is not None]
        if loaded:
            saving = unreal.EditorLoadingAndSavingUtils
            saving.reload_packages(loaded, unreal.ReloadPackagesInteractionMode.ASSUME_POSITIVE)


def _progress(report: Dict[str, Any]) -> str:
    if report["state"] == "asking":
        return "job %d waits for your answer." % report["job_id"]
    mib = 1024 * 1024
    return "job %d, %d of %d files, %.1f of %.1f MiB" % (
        report["job_id"],
        report["files"],
        report["total_files"],
        report["bytes"] / mib,
        report["total_bytes"] / mib,
    )


def _outcome(report: Dict[str, Any]) -> str:
    if report["state"] == "done":
        return "job %d has arrived, %d files." % (report["job_id"], report["total_files"])
    return "job %d did not arrive: %s" % (report["job_id"], report["message"] or "it was given up.")
