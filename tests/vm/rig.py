# SPDX-License-Identifier: MIT
"""Test rig of the guest: the compositor as a process, its clients, and virtual terminals."""
import ctypes
import fcntl
import glob
import json
import os
import re
import signal
import struct
import subprocess
import time

from checks import WAIT, Failure, check, ends, wait_for
from images import read_ppm

BUILD = os.environ.get("BUILD", "build")
OUT = "/out"
VT_ACTIVATE, VT_WAITACTIVE, KDGETMODE = 0x5606, 0x5607, 0x4B3B


class Client:
    """Client program in its own process group."""

    def __init__(self, argv, socket, stdin=subprocess.DEVNULL, **environment):
        variables = {**os.environ, "WAYLAND_DISPLAY": socket, **environment}
        self.name = os.path.basename(argv[0])
        self.log = open(f"{OUT}/{self.name}.log", "ab")
        self.process = subprocess.Popen(argv, env=variables, stdin=stdin, stdout=self.log,
                                        stderr=self.log, start_new_session=True)

    def alive(self):
        return self.process.poll() is None

    def last_line(self):
        """Returns the last line printed by programs of this name, or None."""
        with open(self.log.name, encoding="utf-8", errors="replace") as log:
            lines = log.read().splitlines()
        return lines[-1] if lines else None

    def signal(self, number):
        os.killpg(self.process.pid, number)

    def end(self):
        if self.alive():
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.signal(signal.SIGKILL)
                self.process.wait()
        self.log.close()


class Listener:
    """Client that logs its events: see listen.c. With "lock", it locks the session."""

    count = 0

    def __init__(self, causeway, *arguments):
        Listener.count += 1
        self.path = f"{OUT}/listen-{Listener.count}.log"
        self.seen = 0
        with open(self.path, "wb") as log:
            self.process = subprocess.Popen(
                [f"{BUILD}/tests/vm/listen", *arguments], stdin=subprocess.PIPE, stdout=log,
                stderr=log, env=dict(os.environ, WAYLAND_DISPLAY=causeway.socket))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.process.kill()
        self.process.wait()

    def events(self):
        """Returns the events since the last call of forget()."""
        with open(self.path, encoding="utf-8", errors="replace") as log:
            return log.read().splitlines()[self.seen:]

    def forget(self):
        self.seen += len(self.events())

    def count_of(self, pattern):
        return sum(1 for event in self.events() if re.search(pattern, event))

    def wait(self, pattern, what):
        """Waits for an event that matches `pattern`."""
        try:
            wait_for(lambda: self.count_of(pattern), f"{what} (event '{pattern}')")
        except Failure:
            print("\n".join(self.events()[-30:]))
            raise


# A configuration with a plain background, and windows that are drawn in full from their first frame.
PLAIN = "[look]\nbackground = #1f2a36\nanimations = no\n"


def without_text():
    """Returns an environment without fonts: titles, which a thread draws later than the window, stay empty."""
    path = "/tmp/no-fonts.conf"
    write(path, "<fontconfig></fontconfig>")
    return {"FONTCONFIG_FILE": path}


class Causeway:
    """The compositor on the seat of the guest."""

    count = 0

    def __init__(self, *options, renderer="pixman", environment=None, backend="drm"):
        Causeway.count += 1
        self.socket = f"wl-{Causeway.count}"
        self.path = f"{OUT}/causeway-{Causeway.count}.log"
        self.clients = []
        self.log = open(self.path, "wb")
        self.name = f"causeway-{Causeway.count}"
        variables = dict(os.environ, **(environment or {}))
        variables.pop("WAYLAND_DISPLAY", None)
        if not any(option.startswith("--config") for option in options):
            # Without a configuration, a session shows its first keys, and a gradient: images.extents() needs a colour.
            write("/tmp/plain.ini", PLAIN)
            options = ("--config=/tmp/plain.ini", *options)
        self.process = subprocess.Popen(
            [f"{BUILD}/compositor/causeway", f"--backend={backend}", f"--renderer={renderer}",
             f"--socket={self.socket}", "--log=backend,copy,gpu", *options],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=variables)
        ends.append(self.end)

    def __enter__(self):
        control = f"{os.environ['XDG_RUNTIME_DIR']}/causeway-{self.socket}.ctl"
        try:
            wait_for(lambda: os.path.exists(control), f"its control socket {control}")
        except Failure:
            self.__exit__(Failure, None, None)
            raise
        return self

    def __exit__(self, kind, value, trace):
        for client in self.clients:
            client.end()
        code = self.stop() if self.alive() else self.process.poll()
        self.forget()
        self.log.close()
        if kind is not None:
            with open(self.path, encoding="utf-8", errors="replace") as log:
                print("".join(log.readlines()[-60:]))
        else:
            check(code == 0, f"causeway ended with {code}")

    def alive(self):
        return self.process.poll() is None

    def end(self):
        """Returns how the compositor has ended, or None while it runs."""
        code = self.process.poll()
        return None if code is None else f"{self.name} ended with {code}"

    def forget(self):
        """Makes waiting independent of this compositor."""
        if self.end in ends:
            ends.remove(self.end)

    def kill(self):
        self.forget()
        self.process.kill()
        self.process.wait()

    def wake_ups(self):
        """Returns the number of voluntary context switches."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("voluntary_ctxt_switches"):
                    return int(line.split()[1])
        raise Failure("/proc has no count of context switches")

    def stop(self):
        self.forget()
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(WAIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failure("SIGTERM did not end causeway") from None

    def start(self, *argv, **environment):
        client = Client(argv, self.socket, **environment)
        self.clients.append(client)
        return client

    def wait_input(self, *devices):
        """Waits until the compositor uses these devices; it misses earlier events."""
        def taken():
            with open(self.path, encoding="utf-8", errors="replace") as file:
                log = file.read()
            return all(log.count(f"input: {device.name} added") >
                       log.count(f"input: {device.name} removed") for device in devices)
        wait_for(taken, ", ".join(f"'input: {device.name} added' in its log" for device in devices))

    def control(self, *arguments):
        environment = dict(os.environ, WAYLAND_DISPLAY=self.socket)
        done = subprocess.run([f"{BUILD}/clients/causewayctl", *arguments], env=environment,
                              capture_output=True, text=True, timeout=WAIT, check=False)
        check(done.returncode == 0, f"causewayctl {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def outputs(self):
        return {output["name"]: output for output in json.loads(self.control("outputs", "--json"))}

    def surfaces(self):
        return json.loads(self.control("surfaces", "--json"))

    def window(self, application):
        """Waits until a surface of the application is shown; returns the surface."""
        def find():
            for surface in self.surfaces():
                if application in (surface.get("application") or surface.get("client") or ""):
                    if surface.get("shown"):
                        return surface
            return None
        return wait_for(find, f"{application} is shown")

    def screenshot(self, output=None):
        name = f"{OUT}/shot"
        arguments = [f"--output={output}"] if output else []
        self.control("screenshot", f"{name}.png", *arguments)
        subprocess.run(["convert", f"{name}.png", f"{name}.ppm"], check=True)
        return read_ppm(f"{name}.ppm")

    def wait_until_idle(self):
        """Waits until outputs present no more frames."""
        last = None

        def still():
            nonlocal last
            frames = {name: (output.get("frames"), output.get("presented"))
                      for name, output in self.outputs().items()}
            was, last = last, frames
            time.sleep(0.2)
            return was == frames
        wait_for(still, "outputs without new frames")


def write(path, value):
    with open(path, "w", encoding="ascii") as file:
        file.write(value)


class Terminal:
    """Virtual terminals."""

    def __init__(self):
        self.descriptor = os.open("/dev/tty0", os.O_RDWR | os.O_NOCTTY)

    def active(self):
        with open("/sys/class/tty/tty0/active", encoding="ascii") as file:
            return int(file.read().strip()[3:])

    def switch(self, number):
        fcntl.ioctl(self.descriptor, VT_ACTIVATE, number)
        wait_for(lambda: self.active() == number, f"virtual terminal {number} is shown")

    def is_text(self, number):
        descriptor = os.open(f"/dev/tty{number}", os.O_RDWR | os.O_NOCTTY)
        mode = fcntl.ioctl(descriptor, KDGETMODE, struct.pack("i", -1))
        os.close(descriptor)
        return struct.unpack("i", mode)[0] == 0


class Master:
    """DRM master rights, taken from a process and given back without a message to it or the seat."""

    SET, DROP, PIDFD_OPEN, PIDFD_GETFD = 0x641e, 0x641f, 434, 438

    def __init__(self, pid, node):
        libc = ctypes.CDLL(None, use_errno=True)
        process = libc.syscall(self.PIDFD_OPEN, pid, 0)
        check(process >= 0, "no such process")
        self.descriptors = []
        for path in glob.glob(f"/proc/{pid}/fd/*"):
            if os.path.realpath(path) == node:
                copy = libc.syscall(self.PIDFD_GETFD, process, int(os.path.basename(path)), 0)
                check(copy >= 0, f"cannot duplicate its descriptor of {node}")
                self.descriptors.append(copy)
        os.close(process)
        check(self.descriptors, f"the process has no descriptor of {node}")

    def ask(self, request):
        """Returns whether the ioctl succeeded on any descriptor; some never had master rights."""
        done = False
        for descriptor in self.descriptors:
            try:
                fcntl.ioctl(descriptor, request)
                done = True
            except OSError:
                pass
        return done

    def take(self):
        check(self.ask(self.DROP), "DRM_IOCTL_DROP_MASTER failed")

    def give_back(self):
        check(self.ask(self.SET), "DRM_IOCTL_SET_MASTER failed")
        for descriptor in self.descriptors:
            os.close(descriptor)
