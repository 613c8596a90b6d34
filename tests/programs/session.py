# SPDX-License-Identifier: MIT
"""A headless Causeway for a test, with its own runtime folder, controlled by causewayctl."""
import collections
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from threads import Gone, switches, woken

BACKGROUND = 0x102030
WAIT = 200  # seconds; only a failure takes as long
REST = 3


class Failure(Exception):
    pass


def wait_until(what, seconds, condition):
    """Waits until the condition is true. Returns its value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failure(f"timeout after {seconds} s: {what}")
        time.sleep(0.1)


def listens(path):
    """Returns whether a process listens at this socket. The file appears earlier."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) == 0


def count_wake_ups(pid, seconds):
    try:
        before = switches(pid)
        time.sleep(seconds)
        return woken(before, switches(pid))
    except Gone as gone:
        raise Failure(str(gone)) from None


def wait_for_rest(pid):
    """Waits until a process has had no wake-ups for a while."""
    wait_until("nothing happens any more", WAIT, lambda: count_wake_ups(pid, REST) == 0)


def wake_ups(pid, seconds, most):
    """Counts the wake-ups of an idle process; fails if there are more."""
    wait_for_rest(pid)
    count = count_wake_ups(pid, seconds)
    print(f"{count} wake-ups in {seconds} s")
    if count > most:
        raise Failure(f"{count} wake-ups while idle")


class Picture:
    """Pixels of a PNG file."""

    def __init__(self, path):
        size = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=width,height",
                               "-of", "csv=p=0", path], stdout=subprocess.PIPE, check=True,
                              text=True).stdout.strip().split(",")
        self.width, self.height = int(size[0]), int(size[1])
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt",
                              "bgra", "-"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             check=True).stdout
        self.pixels = [pixel & 0xffffff for pixel in memoryview(raw).cast("I")]
        self.colors = collections.Counter(self.pixels)

    def share(self, color, tolerance=0):
        """Returns the share of pixels with about this color: 0..1."""
        count = 0
        for other, n in self.colors.items():
            if all(abs((color >> shift & 255) - (other >> shift & 255)) <= tolerance
                   for shift in (0, 8, 16)):
                count += n
        return count / len(self.pixels)

    def drawn(self):
        """Returns the share of pixels that differ from the background."""
        return 1 - self.share(BACKGROUND, 1)


class Session:
    def __init__(self, build, renderer, size="1024x768", config="", emulated="", preload="",
                 outputs=(), devices=False):
        """`outputs`: WxH*SCALE of each, in place of `size`. `devices`: with a touch screen and a tablet.

        A session with X programs, without emulated GPUs or a shared display, answers questions about clicks (click_answers.h).
        """
        self.build, self.renderer = build, renderer
        self.folder = tempfile.mkdtemp(prefix="causeway-test-")
        os.chmod(self.folder, 0o700)
        home = os.path.join(self.folder, "home")
        os.mkdir(home)
        self.config_path = config_path = os.path.join(self.folder, "causeway.ini")
        self.write_config(config)
        self.environment = dict(
            os.environ, XDG_RUNTIME_DIR=self.folder, HOME=home, XDG_CONFIG_HOME=home,
            XDG_CACHE_HOME=home, NO_AT_BRIDGE="1", GDK_BACKEND="wayland",
            QT_QPA_PLATFORM="wayland", GSETTINGS_BACKEND="memory", LC_ALL="C.UTF-8")
        for name in ("WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS"):
            self.environment.pop(name, None)
        self.log_path = os.path.join(self.folder, "log")
        if devices:
            self.devices = self.environment["CAUSEWAY_TEST_DEVICES"] = os.path.join(self.folder, "devices")
            os.mkfifo(self.devices)
        self.at_end_of_step = []  # checks that run before the next action
        self.clicks = "[xwayland]" in config and "one-display" not in config and not emulated and not preload
        if self.clicks:
            self.environment["CAUSEWAY_TEST_CLICKS"] = os.path.join(self.folder, "clicks")
        # Emulated GPUs, by names of chips.
        self.environment["CAUSEWAY_EMULATED_GPUS"] = emulated
        environment = dict(self.environment)
        if emulated:
            preload = "tests/fake-amdgpu/emulated-gpus.so"
        if preload:
            environment["LD_PRELOAD"] = os.path.join(build, preload)
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [os.path.join(build, *(["tests", "programs", "device-session"] if devices or self.clicks else
                                       ["compositor", "causeway"])), "--backend=headless",
                 f"--renderer={renderer}", f"--config={config_path}",
                 *(f"--output={'@60*'.join(output.split('*'))}"
                   for output in outputs or [size + "*1"]),
                 "--socket=wayland-test"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                env=environment)
        self.environment["WAYLAND_DISPLAY"] = "wayland-test"
        # meson fills freed memory to expose bugs here. Qt 5 locks a destroyed mutex when it exits, and
        # hangs or aborts with some fill values.
        self.environment.pop("MALLOC_PERTURB_", None)
        self.wait_ready()

    def __enter__(self):
        return self

    def __exit__(self, kind, failure, trace):
        """Ends the session. If a check or the end has failed, reports that and exits with 1."""
        try:
            if not failure:
                self.finish()
        except Failure as late:
            failure = late
        try:
            if isinstance(failure, (Failure, subprocess.SubprocessError)):
                name = f"{os.path.basename(sys.argv[0])}-{self.renderer}"
                print(f"{name}: {failure}\n{self.log()[-8000:]}", flush=True)
                print(self.ctl("surfaces", check=False).stdout)
                self.ctl("screenshot", os.path.join(self.build, "meson-logs", f"{name}.png"), check=False)
                sys.exit(1)
        finally:
            self.remove()

    def write_config(self, config):
        with open(self.config_path, "w", encoding="utf-8") as file:
            file.write(f"[look]\nbackground = #{BACKGROUND:06x}\n[keys]\nSuper+Q = close\n{config}")

    def wait_ready(self):
        def ready():
            if self.process.poll() is not None:
                raise Failure(f"the compositor did not start: {self.log()}")
            return self.ctl("outputs", check=False).returncode == 0
        wait_until("the compositor starts", WAIT, ready)

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def end_step(self):
        """Each action of a test ends the step before it."""
        for check in self.at_end_of_step:
            check()

    def ctl(self, *arguments, check=True):
        if arguments[0] in ("action", "spawn", "reload") and check:
            self.end_step()
        result = subprocess.run([os.path.join(self.build, "clients", "causewayctl"), *arguments],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=self.environment, text=True,
                                check=False)
        if check and result.returncode != 0:
            raise Failure(f"causewayctl {' '.join(arguments)}: {result.stderr}")
        return result

    def surfaces(self):
        return json.loads(self.ctl("surfaces", "--json").stdout)

    def windows(self):
        return json.loads(self.ctl("windows", "--json").stdout)

    def shown(self):
        """Returns the surfaces that have been presented."""
        return [surface for surface in self.surfaces()
                if surface["shown"] > 0 and surface["width"] > 0]

    def screenshot(self):
        path = os.path.join(self.folder, "screenshot.png")
        self.ctl("screenshot", path)
        return Picture(path)

    def act(self, *words):
        """Sends a command to the devices (device_session.c)."""
        with open(self.devices, "w", encoding="ascii") as file:
            file.write(" ".join(map(str, words)) + "\n")

    def start(self, command):
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, env=self.environment)

    def press(self, keys):
        self.end_step()
        result = self.start([os.path.join(self.build, "tests", "programs", "press"), keys]).wait()
        if result != 0:
            raise Failure(f"press {keys}: exit code {result}")

    def finish(self):
        """Ends the compositor as a user would; fails on a bad exit code or an error in the log."""
        self.end_step()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(WAIT)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise Failure("the compositor ignores SIGTERM") from None
        bad = [line for line in self.log().split("\n") if re.match(r"[0-9.]+ error:", line)]
        if self.process.returncode != 0 or bad:
            raise Failure(f"the compositor ended with {self.process.returncode}: {self.log()}")

    def remove(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def skip(reason):
    print(f"skip: {reason}")
    sys.exit(77)


def need(*programs):
    """Skips the test if one of the programs is missing."""
    for program in programs:
        if not shutil.which(program):
            skip(f"{program} is not installed")
