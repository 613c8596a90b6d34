"""Looks at screens: what each scans out, beside what a screenshot shows."""
import glob
import json
import os

import pictures
import rig
import screens
from checks import Failure, wait_for
from screens import Crc


def check_screen(causeway, when, output=None):
    """The virtio-gpu screen shows what the screenshot does; gives it. Asked again for a while, for a
    program may draw once more between the two."""
    def same():
        causeway.settle()
        screen, shot = screens.screen(), causeway.screenshot(output)
        return screen[:2] == shot[:2] and pictures.differences(screen, shot) == 0 and shot
    return wait_for(same, f"the screen shows what the screenshot does {when}")


def cursor_places(card):
    """Where cursors of 64 by 64 pixels are on planes of their own."""
    return [place[2:] for _, _, place in screens.planes(card) if place[:2] == (64, 64)]


def vkms_outputs(causeway):
    """Names of outputs that vkms drives, with the number of their card."""
    found = {}
    for name in causeway.outputs():
        for path in glob.glob(f"/sys/class/drm/card*-{name}"):
            if "vkms" in os.path.realpath(path):
                found[name] = int(os.path.basename(path).split("-")[0][4:])
    return found


def card_of(name):
    """Number of the card that an output hangs on."""
    path, = glob.glob(f"/sys/class/drm/card*-{name}")
    return int(os.path.basename(path).split("-")[0][4:])


def check_vkms(causeway, name, card):
    def same():
        causeway.settle()
        shot = causeway.screenshot(name)
        return Crc(card).read() == pictures.vkms_crc(shot) and shot
    return wait_for(same, f"{name} scans out what the screenshot shows")


def check_all(causeway):
    """Each output scans out what its screenshot shows; gives the screenshots."""
    cards = vkms_outputs(causeway)
    shots = {}
    for name in causeway.outputs():
        if name in cards:
            shots[name] = check_vkms(causeway, name, cards[name])
        else:
            shots[name] = check_screen(causeway, f"on {name}", name)
    return shots


def gpu_of(causeway, name):
    """The GPU that drives an output."""
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
    """Name and card of the only screen, one of vkms."""
    (name, card), = vkms_outputs(causeway).items()
    return name, card


def wait_for_crc(causeway, name, card, what):
    """Until the screen shows what the screenshot does: its CRC."""
    def same():
        shot = pictures.vkms_crc(causeway.screenshot(name))
        return shot if Crc(card).read() == shot else None
    return wait_for(same, f"the screen shows what the screenshot does {what}")
