# SPDX-License-Identifier: MIT
"""X programs of a session, and a pointer."""
import os
import shutil
import subprocess

from session import WAIT, Failure, wait_until


def x_environment(session):
    """Returns the environment that programs of the session get, with DISPLAY."""
    path = os.path.join(session.folder, "environment")
    session.ctl("spawn", "--", "sh", "-c", f"env -0 > {path}.new; mv {path}.new {path}")
    wait_until("a program starts", WAIT, lambda: os.path.exists(path))
    with open(path, encoding="utf-8") as file:
        pairs = [line.partition("=") for line in file.read().split("\0") if line]
    environment = {name: value for name, _, value in pairs}
    if "DISPLAY" not in environment:
        raise Failure("programs get no DISPLAY")
    return environment


def preload_nodes(build, folder):
    """Makes sessions start Xwayland with the emulated GPUs."""
    program = shutil.which("Xwayland")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "Xwayland")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nLD_PRELOAD={build}/tests/fake-amdgpu/emulated-nodes.so exec {program} "$@"\n')
    os.chmod(path, 0o755)
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"


CONFIG = "[xwayland]\nenable = yes\nlinger = 100\n"


class Programs:
    def __init__(self, session, build, size=(1024, 768)):
        self.session = session
        # It stays, so that X servers find a pointer on the seat.
        self.pointer = subprocess.Popen(
            [os.path.join(build, "tests/programs/point"), *map(str, size)],
            env=session.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.point(1000, 20)
        self.environment = x_environment(session)
        self.build = build
        session.at_end_of_step.append(self.check_clicks)

    def check_clicks(self):
        """Checks that clicks go to the X windows that are seen (x_clicks.h), wherever windows and shapes end."""
        if self.session.clicks:
            clicks = subprocess.run([os.path.join(self.build, "tests/programs/x-clicks")], env=self.environment,
                                    stdin=subprocess.DEVNULL, check=False, stderr=subprocess.PIPE, text=True,
                                    timeout=WAIT)
            if clicks.returncode:
                raise Failure(clicks.stderr)

    def run(self, *command):
        self.session.end_step()
        return subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, check=True,
                              stdout=subprocess.PIPE, text=True, timeout=WAIT).stdout

    def start(self, command, wanted=1):
        self.session.end_step()
        process = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL)

        def is_mapped():
            if process.poll():
                raise Failure(f"{command[0]} ended with {process.returncode}")
            return len(self.windows()) >= wanted
        wait_until(f"{command[0]} maps a window", WAIT, is_mapped)
        return process

    def windows(self):
        return [surface for surface in self.session.shown() if surface.get("application")]

    def point(self, *arguments):
        self.session.end_step()
        self.pointer.stdin.write(" ".join(map(str, arguments)) + "\n")
        self.pointer.stdin.flush()
        if self.pointer.stdout.readline() != "done\n":
            raise Failure("the pointer does not move")

    def run_installed(self, *checks):
        """Runs the checks of installed programs, which have their names."""
        for check in checks:
            installed = shutil.which(check.__name__)
            print(check.__name__ if installed else f"skip: {check.__name__} is not installed", flush=True)
            if installed:
                check(self)

    def finish(self):
        self.pointer.stdin.close()
        self.pointer.wait(WAIT)

    def popups(self):
        """Returns the menus, as opposed to windows and cursors."""
        return [surface for surface in self.session.shown()
                if surface["role"] == "xwayland_surface_v1" and not surface.get("application")]


class StackProgram:
    """A program with windows (x_stack.c)."""

    def __init__(self, programs):
        self.programs, self.session = programs, programs.session
        self.process = subprocess.Popen([os.path.join(programs.build, "tests/programs/x-stack")], text=True,
                                        env=programs.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.colors = set()

    def ask(self, *words):
        if words[0] != "grid":
            self.session.end_step()
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise Failure(f"x-stack ends: {words}")
        return answer.strip()

    def map(self, name, x, y, width, height, color, kind="normal"):
        self.ask("map", name, x, y, width, height, f"{color:x}", kind)
        self.colors.add(color)

    def finish(self):
        self.process.stdin.close()
        self.process.wait(WAIT)
        wait_until("no window is left", WAIT, lambda: not self.programs.windows())


def wait_for_end(programs, process):
    """X servers keep the surface of a cursor."""
    process.wait(WAIT)
    wait_until("no window is left", WAIT, lambda: not any(
        surface["role"] == "xwayland_surface_v1" for surface in programs.session.surfaces()))


def close(programs, process):
    programs.session.press("Super+Q")
    wait_for_end(programs, process)


def find_box(picture, color, tolerance=0):
    """Returns the bounds of the pixels of about this color: left, top, right, bottom; None if there are none."""
    near = {other for other in picture.colors if all(
        abs((color >> shift & 255) - (other >> shift & 255)) <= tolerance for shift in (0, 8, 16))}
    found = [i for i, pixel in enumerate(picture.pixels) if pixel in near]
    if not found:
        return None
    columns = [i % picture.width for i in found]
    return min(columns), found[0] // picture.width, max(columns) + 1, found[-1] // picture.width + 1


def click(programs, box):
    """Clicks the middle of a box."""
    programs.point((box[0] + box[2]) // 2, (box[1] + box[3]) // 2, "left")
