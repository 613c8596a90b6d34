# SPDX-License-Identifier: MIT
"""Cases of screens on several cards, and of cards removed while in use."""
import glob
import os
import shutil
import signal
import subprocess
import time

import devices
import images
import rig
from checks import check, wait_for
from screen_checks import card_of, check_all, cursor_places, gpu_of, vkms_outputs
from rig import Causeway


def two_cards(renderer):
    """Shows a window on each of two cards, then one across both."""
    with devices.Keyboard() as keyboard, Causeway(renderer=renderer) as causeway:
        outputs = wait_for(lambda: len(causeway.outputs()) == 2 and causeway.outputs(), "outputs")
        first, second = sorted(outputs, key=lambda name: outputs[name]["x"])
        with devices.Tablet() as tablet:
            causeway.wait_input(keyboard, tablet)
            tablet.move(0.75, 0.5)
            wait_for(lambda: cursor_places(card_of(second)) and not cursor_places(card_of(first)),
                     "the cursor is on the second card's plane")
            tablet.move(0.25, 0.5)
            wait_for(lambda: cursor_places(card_of(first)) and not cursor_places(card_of(second)),
                     "the cursor is on the first card's plane")
            tablet.move(0.75, 0.5)
            causeway.wait_until_idle()
            causeway.start("weston-simple-shm")
            window = causeway.window("simple-shm")
            check(window["output"] == second, f"the window is on {window['output']}")
            causeway.clients[0].signal(signal.SIGSTOP)
            causeway.wait_until_idle()
            x, y, width, height = images.extents(causeway.screenshot(second))
            check(width >= 250 and height >= 250, f"a window of {width}x{height}")
            keyboard.set("LEFTMETA", 1)
            grab = (640 + x + width / 2) / 1280, (y + height / 2) / 480
            tablet.drag(grab, (0.5, grab[1]))
            keyboard.set("LEFTMETA", 0)
            tablet.move(0.25, 0.1)
            causeway.start("foot", "-o", "cursor.blink=no", "-W", "30x6", "sh", "-c",
                           "seq 4; sleep 100")
            causeway.window("foot")
        causeway.wait_until_idle()
        shots = check_all(causeway)
        left, top, width, height = images.extents(shots[second])
        check(left == 0 and 100 < width < 160 and height >= 250,
              f"{left},{top} {width}x{height} is not the right half of the window")
        left, top, width, height = images.extents(shots[first])
        check(left + width == 640, "the left half of the window does not touch the border")


def case_desktop_programs_show_on_two_cards():
    """Shows typical programs on two cards. data/guest.png is a screenshot of this case."""
    path = f"{rig.OUT}/desktop.ini"
    with open(path, "w", encoding="ascii") as file:
        # The vkms output keeps its small mode, since the CPU computes its checksums slowly.
        file.write("[output *QEMU Monitor*]\nmode = 1600x900\n[look]\nbackground = #2b4256\n")
    with Causeway(f"--config={path}") as causeway:
        wait_for(lambda: len(causeway.outputs()) == 2, "two outputs")
        if shutil.which("gtk3-demo"):
            causeway.start("gtk3-demo")
            causeway.window("gtk3-demo")
        control = f"{rig.BUILD}/clients/causewayctl"
        causeway.start("foot", "-o", "cursor.blink=no", "-o", "font=monospace:size=9",
                       "-o", "dpi-aware=no", "-W", "54x50", "sh", "-c", "uname -sr; "
                       f"{control} gpus | grep -v caps; {control} outputs | grep -v '0$'; sleep 100")
        causeway.window("foot")
        causeway.start(f"{rig.BUILD}/clients/demo-subsurfaces", "--static")
        causeway.window("demo-subsurfaces")
        causeway.wait_until_idle()
        for client in causeway.clients:
            client.signal(signal.SIGSTOP)
        shots = check_all(causeway)
        check(max(map(images.colors, shots.values())) > 50, "the screens are almost blank")


def case_window_spans_two_cards_pixman():
    two_cards("pixman")


def case_window_spans_two_cards_gles():
    two_cards("gles")


def shown(causeway):
    return [surface for surface in causeway.surfaces() if surface.get("shown")]


def case_output_recovers_from_lost_context():
    """Loses the GL context of one GPU: its output recovers, and the other one misses no frame."""
    with Causeway(renderer="gles") as causeway:
        outputs = causeway.outputs()
        names = sorted(outputs, key=lambda name: outputs[name]["x"])
        with devices.Tablet() as tablet:
            causeway.wait_input(tablet)
            for count, x in enumerate((0.25, 0.75)):
                tablet.move(x, 0.5)
                wait_for(lambda: cursor_places(card_of(names[count])), "the cursor is on a plane")
                causeway.start("weston-simple-shm")
                wait_for(lambda: len(shown(causeway)) == count + 1, "another window is shown")
        places = {surface["output"] for surface in shown(causeway)}
        check(places == set(names), f"windows are on {places}")
        for lost, other in (names, names[::-1]):
            before = causeway.outputs()
            causeway.control("lose-renderer", f"--gpu={gpu_of(causeway, lost)['name']}")
            for name in names:
                wait_for(lambda: causeway.outputs()[name]["presented"] >
                         before[name]["presented"] + 10, f"frames on {name}")
            after = causeway.outputs()
            check(after[other]["missed"] == before[other]["missed"], f"{other} missed frames")
        for client in causeway.clients:
            client.signal(signal.SIGSTOP)
        check_all(causeway)


PLUGGED = "/sys/module/vkms/parameters/plugged"


def case_client_survives_unplugged_connector():
    """Unplugs a connector and plugs it in again while a client draws."""
    with Causeway() as causeway:
        all_outputs = set(causeway.outputs())
        cards = vkms_outputs(causeway)
        check(len(cards) >= 1, "no vkms output")
        causeway.start("weston-simple-shm")
        causeway.window("simple-shm")
        for _ in range(3):
            rig.write(PLUGGED, "0")
            wait_for(lambda: set(causeway.outputs()) == all_outputs - set(cards),
                     "unplugged outputs are removed")
            rig.write(PLUGGED, "255")
            wait_for(lambda: set(causeway.outputs()) == all_outputs, "outputs are back")
        frames = sum(output["frames"] for output in causeway.outputs().values())
        wait_for(lambda: sum(output["frames"] for output in causeway.outputs().values()) >
                 frames + 10, "further frames of the client")
        causeway.clients[0].signal(signal.SIGSTOP)
        causeway.wait_until_idle()
        check_all(causeway)


def case_clients_survive_without_screens():
    """Unplugs all screens: clients keep running, and are shown when a screen returns."""
    status = glob.glob("/sys/class/drm/card0-*/status")[0]
    with Causeway() as causeway:
        causeway.start("weston-simple-shm")
        causeway.window("simple-shm")
        rig.write(PLUGGED, "0")
        rig.write(status, "off")
        # Writing to sysfs causes no event, so udevadm does.
        subprocess.run(["udevadm", "trigger", "--action=change", "/sys/class/drm/card0"],
                       check=True)
        wait_for(lambda: not causeway.outputs(), "no output is left")
        time.sleep(1)
        check(causeway.alive() and causeway.clients[0].alive(), "the compositor or its client ended")
        rig.write(status, "detect")
        rig.write(PLUGGED, "255")
        subprocess.run(["udevadm", "trigger", "--action=change", "/sys/class/drm/card0"],
                       check=True)
        wait_for(lambda: len(causeway.outputs()) >= 2, "outputs are back")
        frames = sum(output["frames"] for output in causeway.outputs().values())
        wait_for(lambda: sum(output["frames"] for output in causeway.outputs().values()) >
                 frames + 10, "further frames of the client")


def pci_card(renderer):
    """Removes the first card and rescans the bus while clients draw."""
    device = os.path.realpath("/sys/class/drm/card0/device")
    while not os.path.exists(f"{device}/remove"):
        device = os.path.dirname(device)
    with Causeway(renderer=renderer) as causeway:
        before = set(causeway.outputs())
        causeway.start("weston-simple-shm")
        causeway.window("simple-shm")
        if renderer == "gles":
            # Unlike GPU drivers, Mesa's software rasterizer crashes when its device is removed.
            causeway.clients[0].signal(signal.SIGSTOP)
            causeway.wait_until_idle()
        rig.write(f"{device}/remove", "1")
        wait_for(lambda: len(causeway.outputs()) == len(before) - 1, "the card's output is removed")
        time.sleep(1)
        check(causeway.alive(), "the compositor ended")
        causeway.clients[0].signal(signal.SIGCONT)
        rig.write("/sys/bus/pci/rescan", "1")
        wait_for(lambda: len(causeway.outputs()) == len(before), "the card's output is back")
        frames = sum(output["frames"] for output in causeway.outputs().values())
        wait_for(lambda: sum(output["frames"] for output in causeway.outputs().values()) >
                 frames + 10, "further frames of the client")
        causeway.clients[0].signal(signal.SIGSTOP)
        causeway.wait_until_idle()
        check_all(causeway)


def case_clients_survive_card_removal_pixman():
    pci_card("pixman")


def case_clients_survive_card_removal_gles():
    pci_card("gles")


def case_session_survives_card_removed_for_good():
    """Removes a card for good; the last case of its group."""
    with Causeway() as causeway:
        before = len(causeway.outputs())
        causeway.start("weston-simple-shm")
        causeway.window("simple-shm")
        rig.write("/sys/module/vkms/parameters/remove", "0")
        wait_for(lambda: len(causeway.outputs()) == before - 1, "the card's output is removed")
        time.sleep(1)
        check(causeway.alive() and causeway.clients[0].alive(), "the compositor or its client ended")
