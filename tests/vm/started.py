# SPDX-License-Identifier: MIT
"""Cases of programs that are started as users start them, on two cards with one DISPLAY."""
import glob
import json
import os
import shutil
import signal
import sys
import time

import devices
import rig
from checks import check, wait_for
from rig import Causeway

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../programs"))
import starters  # noqa: E402

HOME = "/tmp/started"
# The programs with a rule, and those without one, for Wayland and for X11.
ORIGINALS = {"w": "weston-simple-egl", "x": "xclock"}
GAMES = ("game-w", "game-x")
PLAIN = ("plain-w", "plain-x")
CONFIG = rig.PLAIN + "[app game]\nexe = */game-?\ngpu = renderD129\n"
# Variables that choose a GPU, or hide one.
VARIABLES = {"CAUSEWAY_GPU", "DRI_PRIME", "VK_LOADER_DRIVERS_DISABLE", "__EGL_VENDOR_LIBRARY_FILENAMES"}


def command(name):
    return f"{HOME}/bin/{name}"


def write_programs():
    """Writes the programs. Those without a rule begin with a script that opens each GPU's node."""
    starters.write_steam(f"{HOME}/bin")
    # Without GL, X servers start sooner: no driver of these cards would be used by them.
    starters.write(f"{HOME}/bin/Xwayland", "#!/bin/sh\n__EGL_VENDOR_LIBRARY_FILENAMES=/dev/null "
                   f'exec {shutil.which("Xwayland")} "$@"\n')
    for name in GAMES + PLAIN:
        program = command(name)
        if name in PLAIN:
            program = f"{HOME}/real/{name}"
            starters.write(command(name), "#!/bin/sh\nfor node in /dev/dri/renderD*; do\n"
                           f"(: <>$node) && echo $node\ndone >{HOME}/{name}.nodes\nexec {program}\n")
        os.makedirs(os.path.dirname(program), exist_ok=True)
        shutil.copy(shutil.which(ORIGINALS[name[-1]]), program)
        starters.write_entry(f"{HOME}/data", name, command(name))


def runs(name):
    """Returns whether a process has this program in its arguments."""
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                if command(name) in file.read():
                    return True
        except OSError:
            pass
    return False


class World:
    def __init__(self, causeway, keyboard):
        self.causeway, self.keyboard = causeway, keyboard
        self.default, self.other = None, None
        self.displays = set()

    def find_gpus(self):
        gpus = json.loads(self.causeway.control("gpus", "--json"))
        check(len(gpus) == 2, f"{len(gpus)} GPUs")
        self.default = next(gpu["name"] for gpu in gpus if "composes" in gpu["role"])
        self.other, = (gpu["name"] for gpu in gpus if gpu["render_node"].endswith("/renderD129"))
        check(self.other != self.default, "the rule names the default GPU")

    def spawn(self, *words):
        self.causeway.control("spawn", "--", *words)

    def shown(self):
        # Each question starts a program, which takes the guest's time.
        time.sleep(0.5)
        return [surface for surface in self.causeway.surfaces() if surface["shown"]]

    def wait_shown(self, client):
        wait_for(lambda: any(surface["client"] == client for surface in self.shown()), f"{client} is shown")

    def find(self, name):
        """Returns the process of a program, and its surface, once it is shown."""
        for surface in self.shown():
            if surface["client"] == name and surface["width"] > 1:
                return surface["pid"], surface
            if surface["client"] == "Xwayland" and surface.get("title") == name:
                window, = (window for window in json.loads(self.causeway.control("windows", "--json"))
                           if window["title"] == name)
                return window["x_pid"], dict(surface, x_server=window["x_server"])
        return None

    def check(self, way, name, variables):
        """Waits until a program is shown, checks it, and ends it."""
        pid, surface = wait_for(lambda: self.find(name), f"{way}: {name} is shown")
        gpu = self.other if name in GAMES else self.default
        check({surface["gpu"], surface.get("buffer_gpu", gpu)} == {gpu}, f"{way}: {name} is not on {gpu}: {surface}")
        with open(f"/proc/{pid}/environ", encoding="utf-8", errors="replace") as file:
            environment = dict(line.split("=", 1) for line in file.read().split("\0") if "=" in line)
        found = VARIABLES & set(environment)
        if name in PLAIN:
            check(not found, f"{way}: {name} has {found}")
            with open(f"{HOME}/{name}.nodes", encoding="ascii") as file:
                nodes = file.read().split()
            os.unlink(f"{HOME}/{name}.nodes")
            check(len(nodes) == 2, f"{way}: {name} opened {nodes}")
        else:
            check(bool(found) == variables, f"{way}: {name} has {found}")
            check(environment.get("DRI_PRIME", gpu) == gpu, f"{way}: {name} has {environment}")
        if name.endswith("x"):
            self.displays.add(environment["DISPLAY"])
            check(len(self.displays) == 1, f"{way}: {name} has a DISPLAY of its own: {self.displays}")
        print(f"{way}: {name}: {surface['gpu']} {surface.get('x_server', '')}", flush=True)
        os.kill(pid, signal.SIGTERM)

    def wait_ended(self):
        names = set(GAMES + PLAIN)
        wait_for(lambda: not any({surface["client"], surface.get("title")} & names for surface in self.shown()),
                 "the programs have ended")


# Ways to start programs: functions of the world. Each starts all of them.

def by_run(world):
    """From a script: without a rule, `causeway-run` alone would choose the discrete GPU."""
    world.spawn("sh", "-c", "".join(f"causeway-run {command(name)} & " for name in GAMES) +
                "".join(f"causeway-run --rules {command(name)} & " for name in PLAIN) + "wait")


def by_terminal(world):
    world.spawn("foot", "sh", "-c", "".join(f"{command(name)} & " for name in GAMES + PLAIN) + "wait")


def by_panel(world):
    """By a click on a module that fills the panel. The pointer is removed at the end."""
    starters.write(f"{HOME}/start-all", "#!/bin/sh\n" + "".join(f"{command(name)} &\n" for name in GAMES + PLAIN))
    rig.write(f"{HOME}/panel.json", json.dumps({"modules-left": ["custom/start"], "custom/start": {
        "format": "start " * 40, "on-click": f"{HOME}/start-all"}}))
    world.spawn("env", f"XDG_DATA_DIRS={HOME}/data:/usr/share", "waybar", "-c", f"{HOME}/panel.json")
    world.wait_shown("waybar")
    outputs = world.causeway.outputs().values()
    with devices.Tablet() as tablet:
        world.causeway.wait_input(tablet)
        tablet.move(50 / max(output["x"] + output["width"] for output in outputs),
                    4 / max(output["y"] + output["height"] for output in outputs))
        time.sleep(1)
        tablet.click()
        wait_for(lambda: runs(GAMES[0]), "the module starts the programs")


def by_fuzzel(world):
    """By typing the name of each. Enter comes once fuzzel has drawn what it found: before, it would start nothing."""
    def find():
        return next((surface for surface in world.shown() if surface["client"] == "fuzzel"), None)

    def is_drawn():
        return find()["committed"] == find()["committed"]

    def start(name):
        """Returns whether the program runs. On a slow machine, fuzzel may need more time after all."""
        world.keyboard.press("LEFTMETA", "D")
        pid = wait_for(find, "fuzzel is shown")["pid"]
        world.keyboard.type(starters.label(name))
        time.sleep(1)
        wait_for(is_drawn, "fuzzel has drawn the programs that it found")
        world.keyboard.press("ENTER")
        wait_for(lambda: not os.path.exists(f"/proc/{pid}"), "fuzzel ends")
        return runs(name)
    for name in GAMES + PLAIN:
        wait_for(lambda: start(name), f"fuzzel starts {name}")


def by_steam(world):
    for name in GAMES + PLAIN:
        world.spawn("steam", command(name))


# The ways by name, and whether programs with a rule get variables: see docs/gpu-rules.md.
WAYS = (
    ("fuzzel", by_fuzzel, True),
    ("causeway-run", by_run, True),
    ("a terminal's shell", by_terminal, False),
    ("Steam", by_steam, False),
    ("a panel", by_panel, False),
)


def case_programs_render_on_the_gpu_of_their_rule():
    path = "/tmp/started.ini"
    rig.write(path, CONFIG)
    write_programs()
    environment = {"PATH": f"{HOME}/bin:{rig.BUILD}/compositor:{os.environ['PATH']}",
                   # Without icons, whose folders take fuzzel seconds to read in the guest.
                   "XDG_DATA_DIRS": f"{HOME}/data", "XDG_CONFIG_HOME": f"{HOME}/config"}
    starters.write(f"{HOME}/config/causeway/causeway.ini", CONFIG)
    # Without a pointer, no program reads a cursor theme, which takes seconds in the guest.
    with devices.Keyboard() as keyboard, \
            Causeway(f"--config={path}", renderer="gles", environment=environment) as causeway:
        world = World(causeway, keyboard)
        wait_for(lambda: len(causeway.outputs()) == 2, "two outputs")
        world.find_gpus()
        causeway.wait_input(keyboard)
        for title, start, variables in WAYS:
            began = time.monotonic()
            start(world)
            for name in GAMES + PLAIN:
                world.check(title, name, variables)
            world.wait_ended()
            print(f"{title}: {time.monotonic() - began:.0f} s", flush=True)
