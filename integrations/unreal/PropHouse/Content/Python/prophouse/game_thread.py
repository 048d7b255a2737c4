"""The way onto the game thread, the only one on which `unreal` may be called: work that waits is done at the editor's ticks."""
from __future__ import annotations

import queue
import time
from typing import Callable, List, Optional

import unreal

Work = Callable[[], None]
# Of one tick; at 60 frames a second that is half a frame.
LONGEST_SECONDS = 0.008


class _Regular:
    def __init__(self, seconds: float, work: Work):
        self.seconds = seconds
        self.work = work
        self.due = 0.0


class GameThread:
    """Does in the order of asking what other threads ask for."""

    def __init__(self) -> None:
        self._waiting: "queue.SimpleQueue[Work]" = queue.SimpleQueue()
        self._regular: List[_Regular] = []
        self._handle: Optional[object] = None
        self._is_busy = False

    def start(self) -> None:
        self._handle = unreal.register_slate_post_tick_callback(self._tick)

    def stop(self) -> None:
        if self._handle is not None:
            unreal.unregister_slate_post_tick_callback(self._handle)
            self._handle = None

    def soon(self, work: Work) -> None:
        """May be called from any thread."""
        self._waiting.put(work)

    def every(self, seconds: float, work: Work) -> None:
        self._regular.append(_Regular(seconds, work))

    def _tick(self, _delta_seconds: float) -> None:
        # A dialog that one of these opens lets the editor tick on: what comes meanwhile waits behind it.
        if self._is_busy:
            return
        self._is_busy = True
        try:
            self._work()
        finally:
            self._is_busy = False

    def _work(self) -> None:
        now = time.monotonic()
        for one in self._regular:
            if now >= one.due:
                one.due = now + one.seconds
                _guarded(one.work)
        until = now + LONGEST_SECONDS
        while time.monotonic() < until:
            try:
                work = self._waiting.get_nowait()
            except queue.Empty:
                return
            _guarded(work)


def _guarded(work: Work) -> None:
    """One failure must not end what others wait for: an exception out of a tick callback would be told at every frame."""
    try:
        work()
    except Exception as error:  # noqa: BLE001
        unreal.log_error("Prop House: %s: %s" % (type(error).__name__, error))
