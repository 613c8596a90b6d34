# SPDX-License-Identifier: MIT
"""Contents of the guest's screens: by QMP for virtio-gpu, and by debugfs for vkms."""
import functools
import glob
import json
import os
import re
import select
import time

from checks import Failure, check, wait_for
from images import read_ppm
from rig import OUT, write

CONNECTORS = "/sys/class/drm"


class Qmp:
    """QMP connection to QEMU through a port of the guest."""

    def __init__(self):
        self.port = open("/dev/virtio-ports/qmp", "r+b", buffering=0)
        self.line()
        self.run("qmp_capabilities")

    def line(self):
        """Reads a line. Raises Failure without an answer within a minute."""
        data = b""
        end = time.monotonic() + 60
        while not data.endswith(b"\n"):
            ready, _, _ = select.select([self.port], [], [], max(0, end - time.monotonic()))
            check(ready, f"QEMU does not answer: {data!r}")
            data += self.port.read(1) or (time.sleep(0.005) or b"")
        return json.loads(data)

    def run(self, command, **arguments):
        message = json.dumps({"execute": command, "arguments": arguments})
        self.port.write(message.encode() + b"\n")
        while True:
            answer = self.line()
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise Failure(f"{command}: {answer['error']['desc']}")

    def screen(self, device="gpu0", head=0):
        """Returns the contents of a virtio-gpu screen: (width, height, rgb)."""
        name = f"screen-{device}-{head}.ppm"
        self.run("screendump", filename=f"{os.environ['HOST_OUT']}/{name}", device=device,
                 head=head)
        return read_ppm(f"{OUT}/{name}")


@functools.cache
def qmp():
    return Qmp()


def screen():
    """Returns the contents of the first virtio-gpu screen."""
    return qmp().screen()


class Crc:
    """CRCs of a vkms CRTC. The driver sometimes reports none, so reading is retried."""

    def __init__(self, card):
        self.folder = f"/sys/kernel/debug/dri/{card}/crtc-0/crc"

    def once(self):
        with open(f"{self.folder}/control", "w", encoding="ascii") as control:
            control.write("auto")
        descriptor = os.open(f"{self.folder}/data", os.O_RDONLY | os.O_NONBLOCK)
        try:
            end = time.monotonic() + 15
            data = b""
            while time.monotonic() < end:
                try:
                    data += os.read(descriptor, 4096)
                except BlockingIOError:
                    pass
                lines = data.split(b"\n")
                if len(lines) > 4:
                    return int(lines[-2].split()[1], 16)
                time.sleep(0.02)
            return None
        finally:
            os.close(descriptor)

    def read(self):
        for _ in range(4):
            crc = self.once()
            if crc is not None:
                return crc
        raise Failure(f"{self.folder}: no CRC")


class CrcStream:
    """CRCs of all frames of a vkms CRTC while the stream is open."""

    def __init__(self, card):
        self.folder = f"/sys/kernel/debug/dri/{card}/crtc-0/crc"

    def __enter__(self):
        write(f"{self.folder}/control", "auto")
        self.descriptor = os.open(f"{self.folder}/data", os.O_RDONLY | os.O_NONBLOCK)
        self.data = b""
        return self

    def __exit__(self, kind, value, trace):
        os.close(self.descriptor)

    def read(self):
        try:
            while True:
                self.data += os.read(self.descriptor, 4096)
        except BlockingIOError:
            pass

    def frames(self):
        """Returns the number of frames since the stream was opened or collect() was called."""
        self.read()
        return self.data.count(b"\n")

    def collect(self):
        """Returns the CRCs since the last call, without repetitions in sequence."""
        self.read()
        *lines, self.data = self.data.split(b"\n")
        all_crcs = [int(line.split()[1], 16) for line in lines if line]
        return [crc for i, crc in enumerate(all_crcs) if i == 0 or crc != all_crcs[i - 1]]


def vkms_screenshot(card, width=640, height=480):
    """Returns the blended planes of a vkms CRTC, cut to 8 bits per channel."""
    for _ in range(4):
        with CrcStream(card) as stream:
            try:
                wait_for(lambda: stream.frames() > 1, "frames with a CRC", 15)
                break
            except Failure:
                continue  # the driver sometimes reports none
    with open("/sys/kernel/debug/vkms_screenshot", "rb") as file:
        wide = file.read()
    check(len(wide) == width * height * 8, f"a screenshot of {len(wide)} bytes")
    pixels = bytearray(width * height * 3)
    for channel in range(3):
        pixels[channel::3] = wide[3 + 2 * channel::8]
    return width, height, bytes(pixels)


def planes(card):
    """Returns the enabled planes of a card: [(name, format, (width, height, x, y))]."""
    found = []
    plane = None
    with open(f"/sys/kernel/debug/dri/{card}/state", encoding="ascii") as state:
        for line in state:
            word = line.strip()
            if line.startswith("plane["):
                plane = {"name": line.split(": ")[1].strip()}
            elif not line.startswith("\t"):
                plane = None
            elif plane is not None and word.startswith("format="):
                plane["format"] = word[7:11]
            elif plane is not None and word.startswith("crtc-pos=") and "format" in plane:
                size, x, y = re.fullmatch(r"crtc-pos=(\d+x\d+)([+-]\d+)([+-]\d+)", word).groups()
                width, height = map(int, size.split("x"))
                found.append((plane["name"], plane["format"], (width, height, int(x), int(y))))
    return found


def connectors():
    """Returns the status of connectors other than writeback: {'card0-Virtual-1': 'connected'}."""
    found = {}
    for path in sorted(glob.glob(f"{CONNECTORS}/card*-*/status")):
        name = path.split("/")[-2]
        if "Writeback" not in name:
            with open(path, encoding="ascii") as file:
                found[name] = file.read().strip()
    return found
