# SPDX-License-Identifier: MIT
"""Programs that start other programs: a tree like Steam's, and a launcher with its desktop files."""
import os


def write(path, text):
    """Writes an executable file, and makes its folder."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


def write_steam(folder):
    """Writes `steam`: a client that stays, its helper, and a reaper between it and the game."""
    write(f"{folder}/steam", '#!/bin/sh\n"$(dirname "$0")/steamwebhelper" "$@" &\nwait\n')
    write(f"{folder}/steamwebhelper", '#!/bin/sh\n"$(dirname "$0")/reaper" SteamLaunch -- "$@"\n')
    write(f"{folder}/reaper", '#!/bin/sh\nshift 2\n"$@" &\nwait\n')


def label(program):
    """Returns the name of a program in a launcher, which no other program has."""
    return "zq" + program.replace("-", "")


def write_entry(folder, program, command, key=""):
    """Writes the desktop file of a program below a folder of XDG_DATA_DIRS."""
    write(f"{folder}/applications/{program}.desktop", "[Desktop Entry]\nType=Application\n"
          f"Name={label(program)}\nExec={command}\n{key}")

