"""Menu entries: for assets in the content browser, in the main menu, and in the toolbar of every asset editor. Game thread only."""
from __future__ import annotations

from typing import Any, Callable, Iterable, List, Optional

import unreal

OWNER = "PropHouse"
ENTRIES = (
    ("PropHouseCheckOut", "Check out", "Say that you are editing these, so that nobody else pushes them", "check_out"),
    ("PropHouseCheckIn", "Check in", "Push these and give their check-outs back", "check_in"),
    ("PropHouseWhy", "Why is it not as in the library?", "What differs, and what fixes that", "why"),
)

_saw_open: Optional[Callable[[Iterable[Any]], None]] = None
_why_open: Optional[Callable[[Iterable[Any]], None]] = None
# The editor's own collector would take the script of the toolbar away.
_kept: List[object] = []


def _edited(context: Any) -> List[Any]:
    found = context.find_by_class(unreal.AssetEditorToolkitMenuContext)
    return list(found.get_editing_objects()) if found else []


@unreal.uclass()
class PropHouseToolbarEntry(unreal.ToolMenuEntryScript):
    """Asset editors ask it while they are in front: by that the plugin learns what is open, which Epic's Python API tells nowhere else."""

    @unreal.ufunction(override=True)
    def is_visible(self, context):  # type: ignore[no-untyped-def]
        edited = _edited(context)
        if _saw_open is not None:
            _saw_open(edited)
        return bool(edited)

    @unreal.ufunction(override=True)
    def execute(self, context):  # type: ignore[no-untyped-def]
        if _why_open is not None:
            _why_open(_edited(context))


def add(saw_open: Callable[[Iterable[Any]], None], why_open: Callable[[Iterable[Any]], None]) -> None:
    """`saw_open`: an asset editor with these objects is in front. `why_open`: someone asks about them."""
    global _saw_open, _why_open
    _saw_open, _why_open = saw_open, why_open
    menus = unreal.ToolMenus.get()
    main = menus.extend_menu("LevelEditor.MainMenu")
    _fill(main.add_sub_menu(OWNER, "", OWNER, "Prop House", "Check-outs and news of the library"))
    _fill(menus.extend_menu("ContentBrowser.AssetContextMenu"))
    script = PropHouseToolbarEntry()
    script.init_entry(OWNER, "AssetEditor.DefaultToolBar", OWNER, "PropHouseAsset", "Prop House", "Why is this not as in the library?")
    script.register_menu_entry()
    _kept.append(script)
    menus.refresh_all_widgets()


def remove() -> None:
    global _saw_open, _why_open
    _saw_open = _why_open = None
    unreal.ToolMenus.get().unregister_owner_by_name(OWNER)


def _fill(menu: Any) -> None:
    menu.add_section(OWNER, "Prop House")
    for name, label, tool_tip, function in ENTRIES:
        entry = unreal.ToolMenuEntry(name=name, type=unreal.MultiBlockType.MENU_ENTRY)
        entry.set_label(label)
        entry.set_tool_tip(tool_tip)
        entry.set_string_command(unreal.ToolMenuStringCommandType.PYTHON, "", "import prophouse; prophouse.%s()" % function)
        menu.add_menu_entry(OWNER, entry)
