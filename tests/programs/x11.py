# SPDX-License-Identifier: MIT
"""X programs of a session, and a pointer."""
import os
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


class Programs:
    def __init__(self, session, build, size=(1024, 768)):
        self.session = session
        # It stays, so that X servers find a pointer on the seat.
        self.pointer = subprocess.Popen(
            [os.path.join(build, "tests/programs/point"), *map(str, size)],
            env=session.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.point(1000, 20)
        self.environment = x_environment(session)

    def run(self, *command):
        return subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, check=True,
                              stdout=subprocess.PIPE, text=True, timeout=WAIT).stdout

    def start(self, command, wanted=1):
        process = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL)
        wait_until(f"{command[0]} maps a window", WAIT, lambda: len(self.windows()) >= wanted)
        return process

    def windows(self):
        return [surface for surface in self.session.shown() if surface.get("application")]

    def point(self, *arguments):
        self.pointer.stdin.write(" ".join(map(str, arguments)) + "\n")
        self.pointer.stdin.flush()
        if self.pointer.stdout.readline() != "done\n":
            raise Failure("the pointer does not move")

    def finish(self):
        self.pointer.stdin.close()
        self.pointer.wait(WAIT)
