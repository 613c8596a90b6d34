# SPDX-License-Identifier: MIT
"""Cases of KMS planes: scan-out, overlays, cursors, shared memory pools, and leases."""
import json
import signal
import time

import devices
import images
import rig
import screens
from checks import check, wait_for
from screen_checks import cursor_places, planes_client, the_screen, wait_for_crc
from rig import Causeway
from screens import Crc


def routes(causeway):
    return {surface["role"]: surface["route"] for surface in causeway.surfaces()}


def check_not_drawn(causeway, name):
    """Checks that further frames are scanned out without composition."""
    before = causeway.outputs()[name]
    after = wait_for(lambda: (lambda output: output["frames"] > before["frames"] + 10 and output)(
        causeway.outputs()[name]), "frames go on")
    drawn = (after["frames"] - before["frames"]) - (after["scanouts"] - before["scanouts"])
    check(drawn == 0, f"{drawn} frames were composed")


def scan_out(renderer):
    """A fullscreen client is scanned out directly, unless the configuration forbids it."""
    path = "/tmp/planes.ini"
    open(path, "w", encoding="ascii").close()
    with Causeway(f"--config={path}", renderer=renderer) as causeway:
        name, card = the_screen(causeway)
        device = f"/dev/dri/card{card}"
        client = planes_client(causeway, "fullscreen", device, name)
        wait_for(lambda: screens.planes(card) == [("plane-0", "AR24", (640, 480, 0, 0))],
                 "the client's buffer is on the primary plane")
        check(routes(causeway) == {"xdg_toplevel": "scan-out"}, f"{causeway.surfaces()}")
        wait_for_crc(causeway, name, card, "scanned out")
        wait_for(lambda: client.last_line() == "zero-copy", "zero-copy feedback in the client")
        check_not_drawn(causeway, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(f"[output {name}]\nscan-out = no\n")
        causeway.control("reload")
        wait_for(lambda: screens.planes(card) == [("plane-0", "XR24", (640, 480, 0, 0))],
                 "composition as configured")
        wait_for(lambda: client.last_line() == "copied", "feedback without zero-copy in the client")
        wait_for_crc(causeway, name, card, "composed")


def case_fullscreen_client_is_scanned_out_pixman():
    scan_out("pixman")


def case_fullscreen_client_is_scanned_out_gles():
    scan_out("gles")


def overlay(renderer, *options):
    """A subsurface moves between an overlay and composition without a wrong frame; the cursor has a plane."""
    with Causeway(*options, renderer=renderer) as causeway:
        name, card = the_screen(causeway)
        device = f"/dev/dri/card{card}"
        video = planes_client(causeway, "video", device)
        on_overlay = wait_for(lambda: [plane for plane in screens.planes(card)
                                       if plane[2][:2] == (160, 96)], "the video is on a plane")
        check(on_overlay[0][0] not in ("plane-0", "plane-9"), f"{on_overlay}")
        check(routes(causeway)["wl_subsurface"] == "scan-out", f"{causeway.surfaces()}")
        bare = wait_for_crc(causeway, name, card, "with a video on an overlay")
        # The client is stopped, since vkms may read released buffers for its CRC.
        video.signal(signal.SIGSTOP)
        causeway.wait_until_idle()
        with screens.CrcStream(card) as stream:
            still = planes_client(causeway, "still", device)
            wait_for(lambda: len(screens.planes(card)) == 1, "composition with a window above the video")
            time.sleep(0.5)
            seen = stream.collect()
            check(routes(causeway)["wl_subsurface"] != "scan-out", f"{causeway.surfaces()}")
        covered = wait_for_crc(causeway, name, card, "with a window over the video")
        check(covered != bare, "the window covers nothing")
        with screens.CrcStream(card) as stream:
            still.end()
            causeway.wait_until_idle()
            video.signal(signal.SIGCONT)
            wait_for(lambda: len(screens.planes(card)) == 2, "the video is on a plane again")
            time.sleep(0.5)
            seen += stream.collect()
        check({bare, covered} == set(seen),
              f"frames of {[hex(crc) for crc in seen]}, not just {bare:x} and {covered:x}")
        with devices.Tablet() as tablet:
            causeway.wait_input(tablet)
            tablet.move(0.1, 0.1)
            wait_for(lambda: cursor_places(card), "the cursor is on a plane")
            before = causeway.outputs()[name]
            for step in range(20):
                tablet.move(0.1 + step / 25, 0.15)
                time.sleep(0.02)
            wait_for(lambda: [place for place in cursor_places(card) if
                              abs(place[0] - 0.86 * 640) < 32 and abs(place[1] - 0.15 * 480) < 32],
                     "the cursor is where it was moved to")
            after = causeway.outputs()[name]
            check(len(screens.planes(card)) == 3, f"not on three planes: {screens.planes(card)}")
            check(after["frames"] - before["frames"] == after["scanouts"] - before["scanouts"],
                  "moving the cursor caused composition")
            check(after["cursors_drawn"] - before["cursors_drawn"] <= 1,
                  "moving the cursor drew it again")


def case_subsurface_uses_overlay_pixman():
    overlay("pixman")


def case_subsurface_uses_overlay_gles():
    overlay("gles")


def uploaded(causeway):
    return sum(surface["uploaded"] for surface in causeway.surfaces())


def pool_on_plane(renderer):
    """A fullscreen client with sealed shared memory is scanned out without a copy."""
    with Causeway(renderer=renderer) as causeway:
        name, card = the_screen(causeway)
        client = planes_client(causeway, "pool", f"/dev/dri/card{card}", name)
        wait_for(lambda: screens.planes(card) == [("plane-0", "AR24", (640, 480, 0, 0))],
                 "the client's pool is on the primary plane")
        check(routes(causeway) == {"xdg_toplevel": "scan-out"}, f"{causeway.surfaces()}")
        wait_for_crc(causeway, name, card, "scanned out of the pool")
        wait_for(lambda: client.last_line() == "zero-copy", "zero-copy feedback in the client")
        before = uploaded(causeway)
        check_not_drawn(causeway, name)
        check(uploaded(causeway) == before, f"{uploaded(causeway) - before} bytes were uploaded")
        client.end()
        causeway.wait_until_idle()
        wait_for_crc(causeway, name, card, "after the client")


def case_pool_is_scanned_out_pixman():
    pool_on_plane("pixman")


def case_pool_is_scanned_out_gles():
    pool_on_plane("gles")


def case_pool_is_sampled_in_place():
    """The GPU samples an updating window's pool in place; a still window is uploaded once."""
    path = "/tmp/pool.ini"
    open(path, "w", encoding="ascii").close()
    with Causeway(f"--config={path}", renderer="gles") as causeway:
        name, card = the_screen(causeway)
        with open(path, "w", encoding="ascii") as file:
            file.write(f"[output {name}]\nscan-out = no\n")
        causeway.control("reload")
        client = planes_client(causeway, "pool-window", f"/dev/dri/card{card}")
        wait_for(lambda: routes(causeway) == {"xdg_toplevel": "zero-copy"},
                 "the pool is sampled in place")

        def is_sampled():
            before = causeway.surfaces()[0]
            time.sleep(1)
            after = causeway.surfaces()[0]
            return after["shown"] > before["shown"] and after["uploaded"] == before["uploaded"]
        wait_for(is_sampled, "frames without uploads")
        before = uploaded(causeway)
        sampled = wait_for_crc(causeway, name, card, "sampled from the pool")
        client.signal(signal.SIGSTOP)
        wait_for(lambda: routes(causeway) == {"xdg_toplevel": "upload"}, "the still window is uploaded")
        # Several uploads are possible if a slow guest made the window seem still before.
        check(uploaded(causeway) >= before + 256 * 192 * 4, f"{uploaded(causeway) - before}")
        check(wait_for_crc(causeway, name, card, "uploaded") == sampled, "sampled and uploaded contents differ")
        client.signal(signal.SIGCONT)
        wait_for(lambda: routes(causeway) == {"xdg_toplevel": "zero-copy"}, "the pool is sampled again")
        client.end()
        causeway.wait_until_idle()
        check(causeway.alive(), "the compositor ended")


def drawer(causeway, damage):
    """Starts a client that changes a rectangle of this size with each frame."""
    return causeway.start(f"{rig.BUILD}/tests/bench/commit-client", "300", "200",
                          *(str(length) for length in damage), "100000000")


def stats(causeway):
    return json.loads(causeway.control("stats", "--json"))


def case_cpu_composes_small_changes():
    """The CPU composes small updates; the GPU composes larger ones, and repeats the CPU's after it."""
    with Causeway(renderer="gles") as causeway:
        name, card = the_screen(causeway)

        def by_cpu():
            return causeway.outputs()[name]["composed_by_cpu"]
        little = drawer(causeway, (64, 64))
        wait_for(lambda: by_cpu() > 10, "frames composed by the CPU")
        before = stats(causeway)
        count = by_cpu()
        wait_for(lambda: by_cpu() > count + 30, "further frames composed by the CPU")
        after = stats(causeway)
        check(after["passes"] == before["passes"], f"the GPU composed: {before} {after}")
        check(after["bytes_uploaded"] == before["bytes_uploaded"], "bytes were uploaded")
        check(routes(causeway) == {"xdg_toplevel": "shm"}, f"{causeway.surfaces()}")
        little.signal(signal.SIGSTOP)
        causeway.wait_until_idle()
        wait_for_crc(causeway, name, card, "composed by the CPU")
        much = drawer(causeway, (300, 200))
        wait_for(lambda: "shm" not in routes(causeway).values(), "frames composed by the GPU")
        much.signal(signal.SIGSTOP)
        causeway.wait_until_idle()
        wait_for_crc(causeway, name, card, "composed by the GPU again")
        much.end()
        causeway.wait_until_idle()
        wait_for_crc(causeway, name, card, "composed by the GPU after the client ended")


def case_lease_ends_in_each_way():
    """Leases a screen to programs and takes it back in each way that a lease ends."""
    path = "/tmp/lease.ini"
    terminal = rig.Terminal()
    home = terminal.active()
    other = 2 if home != 2 else 3
    lent = images.vkms_crc((640, 480, bytes([0x20, 0x40, 0x80]) * (640 * 480)))
    open(path, "w", encoding="ascii").close()

    def shows(card):
        try:
            return Crc(card).read() == lent
        except OSError:
            return False  # the CRTC is off

    def borrow(causeway, name, card):
        client = causeway.start(f"{rig.BUILD}/tests/vm/lease-client", name)
        wait_for(lambda: causeway.outputs()[name]["lent"], "an active lease")
        wait_for(lambda: shows(card), "the contents of the lessee on the screen")
        return client

    def is_back(causeway, name):
        return causeway.outputs()[name].get("lent") is False

    with Causeway(f"--config={path}") as causeway:
        name, card = the_screen(causeway)

        def configure(text):
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            causeway.control("reload")

        configure(f"[output {name}]\nlease = yes\n")
        wait_for(lambda: is_back(causeway, name), "the connector is offered")
        check(not causeway.outputs()[name]["enabled"], "the output is part of the session")
        # The lessee closes its descriptor; the kernel reports it.
        client = borrow(causeway, name, card)
        client.signal(signal.SIGUSR1)
        wait_for(lambda: client.last_line() == "finished", "the finished event of the lease")
        wait_for(lambda: is_back(causeway, name), "the connector is back after closing")
        client.end()
        # The client is killed.
        client = borrow(causeway, name, card)
        client.signal(signal.SIGKILL)
        wait_for(lambda: is_back(causeway, name), "the connector is back after the client's end")
        # Another virtual terminal and back.
        client = borrow(causeway, name, card)
        terminal.switch(other)
        wait_for(lambda: client.last_line() == "finished", "the finished event when the session is inactive")
        terminal.switch(home)
        wait_for(lambda: is_back(causeway, name), "the connector is back with the session")
        client.end()
        client = borrow(causeway, name, card)
        # The configuration takes it back.
        configure("")
        wait_for(lambda: client.last_line() == "finished", "the finished event after the reload")
        wait_for(lambda: causeway.outputs()[name]["enabled"], "the output is part of the session")
        wait_for_crc(causeway, name, card, "after the lease")
