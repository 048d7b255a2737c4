"""A recording double of Epic's `unreal` module: the functions that Epic publishes for 5.1 to 5.7 and the plugin uses, and no others.

Every call is written down in `calls`, with the thread it came from: the real module may be called on the game thread only. What the editor
would hold stands in `state`, which the test changes.
"""
import functools
import os
import threading
import time

GAME_THREAD = threading.get_ident()
calls = []
state = {
    "project": os.environ["PLAY_PROJECT"],
    "edited": [],  # packages of the asset editor that is in front
    "dirty": [],
    "loaded": [],
    "selected": [],
    "level": "/Game/Maps/Main",
    "answers": [],  # of the dialogs to come
    "dialog": False,  # one is open
    "notices": {},
}
_ticks = {}
_shutdown = []
_menus = {}
_scripts = []


def recorded(function):
    @functools.wraps(function)
    def call(*args, **named):
        told = [one for one in args if isinstance(one, (str, int, float, bool, list, tuple))]
        calls.append({"name": function.__qualname__, "args": [str(one) for one in told], "game": threading.get_ident() == GAME_THREAD})
        return function(*args, **named)

    return call


def uclass():
    return lambda made: made


def ufunction(override=False):
    return lambda function: function


class Object:
    def __init__(self, path=""):
        self._path = path

    def get_path_name(self):
        return "%s.%s" % (self._path, self._path.rsplit("/", 1)[-1])


class Package(Object):
    def get_name(self):
        return self._path


class AppMsgType:
    OK = "OK"
    YES_NO_CANCEL = "YES_NO_CANCEL"


class AppReturnType:
    YES = "YES"
    NO = "NO"
    CANCEL = "CANCEL"
    OK = "OK"


class ReloadPackagesInteractionMode:
    ASSUME_POSITIVE = "ASSUME_POSITIVE"


class MultiBlockType:
    MENU_ENTRY = "MENU_ENTRY"


class ToolMenuStringCommandType:
    PYTHON = "PYTHON"


@recorded
def register_slate_post_tick_callback(callback):
    _ticks[len(_ticks) + 1] = callback
    return len(_ticks)


@recorded
def unregister_slate_post_tick_callback(handle):
    _ticks.pop(handle)


@recorded
def register_python_shutdown_callback(callback):
    _shutdown.append(callback)


@recorded
def log(_text):
    pass


@recorded
def log_warning(_text):
    pass


@recorded
def log_error(_text):
    pass


@recorded
def find_package(name):
    return Package(name) if name in state["loaded"] else None


@recorded
def get_editor_subsystem(kind):
    return kind()


class Paths:
    @staticmethod
    @recorded
    def get_project_file_path():
        return state["project"]

    @staticmethod
    @recorded
    def convert_relative_path_to_full(path):
        return os.path.abspath(path)


class SystemLibrary:
    @staticmethod
    @recorded
    def get_engine_version():
        return "5.4.4-35576357+++UE5+Release-5.4"


class UnrealEditorSubsystem:
    @recorded
    def get_editor_world(self):
        return Object(state["level"])


class EditorLoadingAndSavingUtils:
    @staticmethod
    @recorded
    def get_dirty_content_packages():
        return [Package(name) for name in state["dirty"]]

    @staticmethod
    @recorded
    def get_dirty_map_packages():
        return []

    @staticmethod
    @recorded
    def save_dirty_packages_with_dialog(save_map_packages, save_content_packages):
        state["dirty"] = []
        return True

    @staticmethod
    def reload_packages(packages_to_reload, interaction_mode):
        _reloaded([one.get_name() for one in packages_to_reload], interaction_mode)
        return True, ""


@recorded
def _reloaded(names, mode):
    pass


class _Registry:
    @recorded
    def scan_paths_synchronous(self, paths, force_rescan=False):
        pass


class AssetRegistryHelpers:
    @staticmethod
    @recorded
    def get_asset_registry():
        return _Registry()


class AssetData:
    def __init__(self, package_name):
        self.package_name = package_name


class EditorUtilityLibrary:
    @staticmethod
    @recorded
    def get_selected_asset_data():
        return [AssetData(name) for name in state["selected"]]


class EditorDialog:
    @staticmethod
    @recorded
    def show_message(title, message, message_type, default_value):
        assert not state["dialog"], "a dialog opens over another"
        state["dialog"] = True
        # The real one lets the editor tick on while it is open.
        for _frame in range(20):
            tick()
            time.sleep(0.01)
        state["dialog"] = False
        return state["answers"].pop(0) if state["answers"] else default_value


class EditorUtilityTask:
    def set_task_notification_text(self, text):
        _noticed(text)
        state["notices"][id(self)] = text

    def finish_executing_task(self):
        _notice_ended(state["notices"].pop(id(self)))


@recorded
def _noticed(text):
    pass


@recorded
def _notice_ended(text):
    pass


class EditorUtilitySubsystem:
    @recorded
    def register_and_execute_task(self, new_task):
        assert isinstance(new_task, EditorUtilityTask)


class ScopedSlowTask:
    def __init__(self, work, description=""):
        self.work = work

    def __enter__(self):
        return self

    def __exit__(self, *_failure):
        assert self.work == 0, "the frames of a slow task have to add up"

    @recorded
    def make_dialog_delayed(self, threshold):
        pass

    @recorded
    def enter_progress_frame(self, work):
        self.work -= work


class AssetEditorToolkitMenuContext:
    def get_editing_objects(self):
        return [Object(name) for name in state["edited"]]


class ToolMenuContext:
    def find_by_class(self, class_):
        return class_() if class_ is AssetEditorToolkitMenuContext else None


class ToolMenuEntryScript:
    @recorded
    def init_entry(self, owner_name, menu, section, name, label="", tool_tip=""):
        pass

    def register_menu_entry(self):
        _scripts.append(self)


class ToolMenuEntry:
    def __init__(self, name, type):
        self.name, self.label, self.command = name, "", ""

    def set_label(self, label):
        self.label = label

    def set_tool_tip(self, tool_tip):
        pass

    def set_string_command(self, type, custom_type, string):
        assert type == ToolMenuStringCommandType.PYTHON
        self.command = string


class ToolMenu:
    def __init__(self, name):
        self.name = name
        _menus[name] = {}

    def add_sub_menu(self, owner, section_name, name, label="", tool_tip=""):
        return ToolMenu("%s.%s" % (self.name, name))

    def add_section(self, section_name, label=""):
        pass

    def add_menu_entry(self, section_name, args):
        _menus[self.name][args.label] = args.command


class ToolMenus:
    @staticmethod
    @recorded
    def get():
        return ToolMenus()

    def extend_menu(self, name):
        return ToolMenu(name)

    @recorded
    def refresh_all_widgets(self):
        pass

    @recorded
    def unregister_owner_by_name(self, owner_name):
        _menus.clear()


def tick():
    """What the engine does at every frame."""
    for script in _scripts:
        script.is_visible(ToolMenuContext())
    for callback in list(_ticks.values()):
        callback(1 / 60)


def click(menu, label):
    """What a person does; the toolbar of the asset editor in front is `toolbar`."""
    if menu == "toolbar":
        _scripts[0].execute(ToolMenuContext())
    else:
        exec(_menus[menu][label], {})


def shut_down():
    for callback in _shutdown:
        callback()
