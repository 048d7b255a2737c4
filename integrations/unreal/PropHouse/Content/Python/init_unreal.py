"""The editor runs this file by itself when the plugin is enabled (Epic: Scripting the Editor with Python)."""
import prophouse

prophouse.start()
