# SPDX-License-Identifier: MIT
"""Rows of folders, from the lowest to the highest, as docs/architecture.md draws them."""

ROWS = [["util"], ["gpu"], ["buffer"], ["render", "backend"], ["surface", "copy", "config"],
        ["scene", "staging", "apps", "report"], ["content"], ["planes"], ["seat", "frame"], ["shell"], ["xwayland"], ["protocol"], ["server"]]
# Rooms of folders, from the lowest to the highest; the files of the folder itself are above them.
ROOMS = {"shell": ["geometry", "windows", "look", "views", "input", "session"],
         "xwayland/wm": ["base", "hints", "window", "selection", "drag"]}
ROW = {folder: row for row, folders in enumerate(ROWS) for folder in folders}
