# SPDX-License-Identifier: MIT
"""Cases of Linux 7.3 with its own vkms: colour pipelines of planes, and cards made by configfs."""
import contextlib
import glob
import os
import re
import signal
import subprocess

import images
import planes
import rig
import screens
import sessions
from checks import check, wait_for
from rig import Causeway
from screen_checks import check_all, the_screen, vkms_outputs, wait_for_crc
from screens import Crc

# The CPU computes checksums of the screens slowly, so they keep a small mode.
SMALL = rig.PLAIN + "[output *]\nmode = 640x480\n"


@contextlib.contextmanager
def only(device):
    """Disconnects the screens of cards without `device` in their path: "pci" (virtio-gpu) or "vkms"."""
    others = [path for path in glob.glob("/sys/class/drm/card*-Virtual-*/status")
              if device not in os.path.realpath(path)]
    for path in others:
        rig.write(path, "off")
    try:
        yield
    finally:
        for path in others:
            rig.write(path, "detect")


def small():
    """Returns the option of a configuration with small screens."""
    rig.write("/tmp/small.ini", SMALL)
    return "--config=/tmp/small.ini"


def case_screen_equals_screenshot():
    with only("pci"):
        sessions.case_screen_equals_screenshot_pixman()


def case_subsurface_uses_overlay():
    with only("vkms"):
        planes.overlay("pixman", small())


def pipelines(card):
    """Returns the colour pipelines of a card's planes, 0 for none."""
    with open(f"/sys/kernel/debug/dri/{card}/state", encoding="ascii") as state:
        return [int(number) for number in re.findall(r"color-pipeline=(\d+)", state.read())]


def case_first_modeset_resets_colour_pipelines():
    """A program leaves colour pipelines that darken all planes: the session shows its own colours."""
    with only("vkms"):
        path, = glob.glob("/sys/devices/faux/vkms/drm/card*")
        card = int(os.path.basename(path)[4:])
        program = subprocess.Popen([f"{rig.BUILD}/tests/vm/pipeline-client", f"/dev/dri/card{card}"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        check(program.stdout.readline() == b"shown\n", "the program shows nothing")
        grey = images.vkms_crc((1024, 768, b"\x80" * (1024 * 768 * 3)))
        check(Crc(card).read() != grey, "the pipeline has no effect")
        program.stdin.close()
        check(program.wait() == 0, f"the program ended with {program.returncode}")
        check(any(pipelines(card)), "the kernel has reset the pipelines")
        with Causeway(small()) as causeway:
            name, _ = the_screen(causeway)
            causeway.start("weston-simple-shm")
            causeway.window("simple-shm")
            causeway.clients[0].signal(signal.SIGSTOP)
            wait_for_crc(causeway, name, card, "after a program with colour pipelines")
            check(not any(pipelines(card)), f"pipelines {pipelines(card)}")


class ConfigfsCard:
    """A card of vkms with one screen, made by configfs and removed at the end of the context."""

    def __init__(self, name):
        self.path = f"/sys/kernel/config/vkms/{name}"

    def write(self, item, value):
        rig.write(f"{self.path}/{item}", value)

    def __enter__(self):
        for item in ("planes/primary", "planes/cursor", "crtcs/crtc", "encoders/encoder",
                     "connectors/connector"):
            os.makedirs(f"{self.path}/{item}")
        self.write("planes/primary/type", "1")
        self.write("planes/cursor/type", "2")
        for item in ("planes/primary", "planes/cursor", "encoders/encoder"):
            os.symlink(f"{self.path}/crtcs/crtc", f"{self.path}/{item}/possible_crtcs/crtc")
        os.symlink(f"{self.path}/encoders/encoder",
                   f"{self.path}/connectors/connector/possible_encoders/encoder")
        self.write("connectors/connector/status", "1")
        self.write("enabled", "1")
        return self

    def __exit__(self, kind, value, trace):
        self.write("enabled", "0")
        for link in glob.glob(f"{self.path}/*/*/possible_*/*"):
            os.unlink(link)
        for folder in glob.glob(f"{self.path}/*/*"):
            os.rmdir(folder)
        os.rmdir(self.path)


def case_card_of_configfs_comes_and_goes():
    """A card appears, is unplugged and plugged in, and is removed while clients draw."""
    def has_outputs(count):
        return lambda: len(causeway.outputs()) == count

    with only("vkms"), Causeway(small()) as causeway:
        first, _ = the_screen(causeway)
        causeway.start("weston-simple-shm")
        causeway.window("simple-shm")
        with ConfigfsCard("vkms-second") as card:
            wait_for(has_outputs(2), "the output of the new card")
            (second,) = set(vkms_outputs(causeway)) - {first}
            causeway.control("action", "move-to-output", second)
            causeway.clients[0].signal(signal.SIGSTOP)
            check_all(causeway)
            causeway.clients[0].signal(signal.SIGCONT)
            card.write("connectors/connector/status", "2")
            wait_for(has_outputs(1), "the unplugged output is removed")
            card.write("connectors/connector/status", "1")
            wait_for(has_outputs(2), "the output is back")
        wait_for(has_outputs(1), "the output of the removed card is removed")
        frames = causeway.outputs()[first]["frames"]
        wait_for(lambda: causeway.outputs()[first]["frames"] > frames + 10, "further frames")
        causeway.clients[0].signal(signal.SIGSTOP)
        check_all(causeway)
