"""What cases in the guest stand on: the compositor as a process, its clients, virtual terminals."""
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

from checks import WAIT, Failure, check, wait_for
from pictures import read_ppm

BUILD = os.environ.get("BUILD", "build")
OUT = "/out"
VT_ACTIVATE, VT_WAITACTIVE, KDGETMODE = 0x5606, 0x5607, 0x4B3B


class Client:
    """A program under the compositor, in a process group of its own."""

    def __init__(self, argv, socket, stdin=subprocess.DEVNULL, **environment):
        variables = {**os.environ, "WAYLAND_DISPLAY": socket, **environment}
        self.name = os.path.basename(argv[0])
        self.log = open(f"{OUT}/{self.name}.log", "ab")
        self.process = subprocess.Popen(argv, env=variables, stdin=stdin, stdout=self.log,
                                        stderr=self.log, start_new_session=True)

    def alive(self):
        return self.process.poll() is None

    def last_line(self):
        """Of what all programs of its name have printed so far."""
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
    """A client that writes down its events: see listen.c. With "lock", it locks the session."""

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
        """Since forget() was called last."""
        with open(self.path, encoding="utf-8", errors="replace") as log:
            return log.read().splitlines()[self.seen:]

    def forget(self):
        self.seen += len(self.events())

    def count_of(self, pattern):
        return sum(1 for event in self.events() if re.search(pattern, event))

    def wait(self, pattern, what):
        """Until there is an event like this."""
        try:
            wait_for(lambda: self.count_of(pattern), what)
        except Failure:
            print("\n".join(self.events()[-30:]))
            raise


class Causeway:
    """The compositor on the seat of the guest."""

    count = 0

    def __init__(self, *options, renderer="pixman", environment=None, backend="drm"):
        Causeway.count += 1
        self.socket = f"wl-{Causeway.count}"
        self.path = f"{OUT}/causeway-{Causeway.count}.log"
        self.clients = []
        self.log = open(self.path, "wb")
        variables = dict(os.environ, **(environment or {}))
        variables.pop("WAYLAND_DISPLAY", None)
        self.process = subprocess.Popen(
            [f"{BUILD}/compositor/causeway", f"--backend={backend}", f"--renderer={renderer}",
             f"--socket={self.socket}", "--log=backend,copy,gpu", *options],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=variables)

    def __enter__(self):
        control = f"{os.environ['XDG_RUNTIME_DIR']}/causeway-{self.socket}.ctl"
        try:
            wait_for(lambda: os.path.exists(control) or not self.alive(), "it starts", 4 * WAIT)
            check(self.alive(), "it ended at once")
        except Failure:
            self.__exit__(Failure, None, None)
            raise
        return self

    def __exit__(self, kind, value, trace):
        for client in self.clients:
            client.end()
        code = self.stop() if self.alive() else self.process.poll()
        self.log.close()
        if kind is not None:
            with open(self.path, encoding="utf-8", errors="replace") as log:
                print("".join(log.readlines()[-60:]))
        else:
            check(code == 0, f"causeway ended with {code}")

    def alive(self):
        return self.process.poll() is None

    def wake_ups(self):
        """How often it has given the processor back so far."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("voluntary_ctxt_switches"):
                    return int(line.split()[1])
        raise Failure("no count of wake-ups")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(WAIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failure("it did not end at SIGTERM") from None

    def start(self, *argv, **environment):
        client = Client(argv, self.socket, **environment)
        self.clients.append(client)
        return client

    def wait_input(self, *devices):
        """Until it has taken these devices: what they do before is lost."""
        def taken():
            with open(self.path, encoding="utf-8", errors="replace") as file:
                log = file.read()
            return all(log.count(f"input: {device.name} comes") >
                       log.count(f"input: {device.name} goes") for device in devices)
        wait_for(taken, "input devices are taken")

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
        """Its surface, once it is shown."""
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

    def settle(self):
        """Waits until outputs show no more frames."""
        last = None

        def still():
            nonlocal last
            frames = {name: (output.get("frames"), output.get("presented"))
                      for name, output in self.outputs().items()}
            was, last = last, frames
            time.sleep(0.2)
            return was == frames
        wait_for(still, "the screen is still")


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
    """The right to set modes, taken from a process and given back behind its and the seat's back."""

    SET, DROP, PIDFD_OPEN, PIDFD_GETFD = 0x641e, 0x641f, 434, 438

    def __init__(self, pid, node):
        libc = ctypes.CDLL(None, use_errno=True)
        process = libc.syscall(self.PIDFD_OPEN, pid, 0)
        check(process >= 0, "no such process")
        self.descriptors = []
        for path in glob.glob(f"/proc/{pid}/fd/*"):
            if os.path.realpath(path) == node:
                copy = libc.syscall(self.PIDFD_GETFD, process, int(os.path.basename(path)), 0)
                check(copy >= 0, f"its {node} cannot be had")
                self.descriptors.append(copy)
        os.close(process)
        check(self.descriptors, f"it has no {node}")

    def ask(self, request):
        """True if one of the descriptors could; a process has some that never had the right."""
        done = False
        for descriptor in self.descriptors:
            try:
                fcntl.ioctl(descriptor, request)
                done = True
            except OSError:
                pass
        return done

    def take(self):
        check(self.ask(self.DROP), "nothing was taken")

    def give_back(self):
        check(self.ask(self.SET), "nothing was given back")
        for descriptor in self.descriptors:
            os.close(descriptor)
