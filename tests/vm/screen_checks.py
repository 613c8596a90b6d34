# SPDX-License-Identifier: MIT
"""Comparison of scanned-out screens with screenshots of the compositor."""
import glob
import json
import os

import images
import rig
import screens
from checks import Failure, wait_for
from screens import Crc


def check_screen(causeway, when, output=None):
    """Waits until the virtio-gpu screen equals the screenshot; returns the screenshot.

    A program may draw between the two, so they are compared repeatedly."""
    def same():
        causeway.wait_until_idle()
        screen, shot = screens.screen(), causeway.screenshot(output)
        return screen[:2] == shot[:2] and images.differences(screen, shot) == 0 and shot
    return wait_for(same, f"the screen equals the screenshot {when}")


def cursor_places(card):
    """Returns the positions of cursor planes of 64 by 64 pixels."""
    return [place[2:] for _, _, place in screens.planes(card) if place[:2] == (64, 64)]


def vkms_outputs(causeway):
    """Returns the names of vkms outputs with the number of their card."""
    found = {}
    for name in causeway.outputs():
        for path in glob.glob(f"/sys/class/drm/card*-{name}"):
            if "vkms" in os.path.realpath(path):
                found[name] = int(os.path.basename(path).split("-")[0][4:])
    return found


def card_of(name):
    """Returns the number of an output's card."""
    path, = glob.glob(f"/sys/class/drm/card*-{name}")
    return int(os.path.basename(path).split("-")[0][4:])


def check_vkms(causeway, name, card):
    def same():
        causeway.wait_until_idle()
        shot = causeway.screenshot(name)
        return Crc(card).read() == images.vkms_crc(shot) and shot
    return wait_for(same, f"{name} scans out the contents of its screenshot")


def check_all(causeway):
    """Waits until each output scans out the contents of its screenshot; returns the screenshots."""
    cards = vkms_outputs(causeway)
    shots = {}
    for name in causeway.outputs():
        if name in cards:
            shots[name] = check_vkms(causeway, name, cards[name])
        else:
            shots[name] = check_screen(causeway, f"on {name}", name)
    return shots


def gpu_of(causeway, name):
    """Returns the GPU that drives an output."""
    path = [path for path in glob.glob(f"/sys/class/drm/card*-{name}")][0]
    card = os.path.basename(path).split("-")[0]
    for gpu in json.loads(causeway.control("gpus", "--json")):
        if card in json.dumps(gpu):
            return gpu
    raise Failure(f"no GPU for {name}")


def planes_client(causeway, mode, *arguments):
    client = causeway.start(f"{rig.BUILD}/tests/vm/planes-client", mode, *arguments)
    causeway.window(mode)
    return client


def the_screen(causeway):
    """Returns name and card of the only screen, which vkms drives."""
    (name, card), = vkms_outputs(causeway).items()
    return name, card


def wait_for_crc(causeway, name, card, what):
    """Waits until the screen equals the screenshot; returns its CRC."""
    def same():
        shot = images.vkms_crc(causeway.screenshot(name))
        return shot if Crc(card).read() == shot else None
    return wait_for(same, f"the screen equals the screenshot {what}")
