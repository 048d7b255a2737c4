"""Plays the Unreal editor for a test: ticks, and does what lines of JSON on standard input ask for. Each line is answered by one of JSON.

PYTHONPATH holds this folder, with the double of `unreal`, and the Content/Python folder of the plugin.
"""
import json
import queue
import runpy
import sys
import threading

import unreal

lines = queue.Queue()


def read():
    for line in sys.stdin:
        lines.put(json.loads(line))
    lines.put({"do": "quit"})


def done(order):
    what = order["do"]
    if what == "set":
        unreal.state.update(order["state"])
    elif what == "click":
        unreal.click(order["menu"], order.get("label"))
    elif what == "quit":
        unreal.shut_down()
    shown = sorted(unreal.state["notices"].values())
    return {"calls": list(unreal.calls), "menus": unreal._menus, "notices": shown}


threading.Thread(target=read, daemon=True).start()
runpy.run_path(sys.argv[1])
while True:
    unreal.tick()
    try:
        order = lines.get(timeout=0.01)
    except queue.Empty:
        continue
    print(json.dumps(done(order)), flush=True)
    if order["do"] == "quit":
        break
