"""Cases of planes of a card: scan-out, overlays, cursors, pools, and screens that are lent."""
import json
import signal
import time

import devices
import pictures
import rig
import screens
from checks import check, wait_for
from looks import cursor_places, planes_client, the_screen, wait_for_crc
from rig import Causeway
from screens import Crc


def roads(causeway):
    return {surface["role"]: surface["route"] for surface in causeway.surfaces()}


def check_not_drawn(causeway, name):
    """Frames go on, and none of them is composed."""
    before = causeway.outputs()[name]
    after = wait_for(lambda: (lambda output: output["frames"] > before["frames"] + 10 and output)(
        causeway.outputs()[name]), "frames go on")
    drawn = (after["frames"] - before["frames"]) - (after["scanouts"] - before["scanouts"])
    check(drawn == 0, f"{drawn} frames were drawn")


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
        check(roads(causeway) == {"xdg_toplevel": "scan-out"}, f"{causeway.surfaces()}")
        wait_for_crc(causeway, name, card, "scanned out")
        wait_for(lambda: client.last_line() == "zero-copy", "the client hears of zero-copy")
        check_not_drawn(causeway, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(f"[output {name}]\nscan-out = no\n")
        causeway.control("reload")
        wait_for(lambda: screens.planes(card) == [("plane-0", "XR24", (640, 480, 0, 0))],
                 "it is composed as the configuration says")
        wait_for(lambda: client.last_line() == "copied", "the client hears that it is copied")
        wait_for_crc(causeway, name, card, "composed")


def case_scan_out_pixman():
    scan_out("pixman")


def case_scan_out_gles():
    scan_out("gles")


def overlay(renderer):
    """A subsurface is on an overlay and the cursor on its plane; no frame shows a hole."""
    with Causeway(renderer=renderer) as causeway:
        name, card = the_screen(causeway)
        device = f"/dev/dri/card{card}"
        video = planes_client(causeway, "video", device)
        on_overlay = wait_for(lambda: [plane for plane in screens.planes(card)
                                       if plane[2][:2] == (160, 96)], "the video is on a plane")
        check(on_overlay[0][0] not in ("plane-0", "plane-9"), f"{on_overlay}")
        check(roads(causeway)["wl_subsurface"] == "scan-out", f"{causeway.surfaces()}")
        bare = wait_for_crc(causeway, name, card, "with a video on an overlay")
        # Not drawn meanwhile: vkms may read for its CRC what it says that it shows no more.
        video.signal(signal.SIGSTOP)
        causeway.settle()
        with screens.CrcStream(card) as stream:
            still = planes_client(causeway, "still", device)
            wait_for(lambda: len(screens.planes(card)) == 1, "with a window over it, it is composed")
            time.sleep(0.5)
            seen = stream.collect()
            check(roads(causeway)["wl_subsurface"] != "scan-out", f"{causeway.surfaces()}")
        covered = wait_for_crc(causeway, name, card, "with a window over the video")
        check(covered != bare, "the window covers nothing")
        with screens.CrcStream(card) as stream:
            still.end()
            causeway.settle()
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
                  "moving the cursor drew something")
            check(after["cursors_drawn"] - before["cursors_drawn"] <= 1,
                  "moving the cursor drew it again")


def case_overlay_pixman():
    overlay("pixman")


def case_overlay_gles():
    overlay("gles")


def uploaded(causeway):
    return sum(surface["uploaded"] for surface in causeway.surfaces())


def pool_on_plane(renderer):
    """A fullscreen client of sealed shared memory is scanned out of it, and nothing is copied."""
    with Causeway(renderer=renderer) as causeway:
        name, card = the_screen(causeway)
        client = planes_client(causeway, "pool", f"/dev/dri/card{card}", name)
        wait_for(lambda: screens.planes(card) == [("plane-0", "AR24", (640, 480, 0, 0))],
                 "the client's pool is on the primary plane")
        check(roads(causeway) == {"xdg_toplevel": "scan-out"}, f"{causeway.surfaces()}")
        wait_for_crc(causeway, name, card, "scanned out of the pool")
        wait_for(lambda: client.last_line() == "zero-copy", "the client hears of zero-copy")
        before = uploaded(causeway)
        check_not_drawn(causeway, name)
        check(uploaded(causeway) == before, f"{uploaded(causeway) - before} bytes were uploaded")
        client.end()
        causeway.settle()
        wait_for_crc(causeway, name, card, "after the client")


def case_pool_on_plane_pixman():
    pool_on_plane("pixman")


def case_pool_on_plane_gles():
    pool_on_plane("gles")


def case_pool_sampled():
    """A window's pool is sampled where it lies; what has come to rest is uploaded once."""
    path = "/tmp/pool.ini"
    open(path, "w", encoding="ascii").close()
    with Causeway(f"--config={path}", renderer="gles") as causeway:
        name, card = the_screen(causeway)
        with open(path, "w", encoding="ascii") as file:
            file.write(f"[output {name}]\nscan-out = no\n")
        causeway.control("reload")
        client = planes_client(causeway, "pool-window", f"/dev/dri/card{card}")
        wait_for(lambda: roads(causeway) == {"xdg_toplevel": "zero-copy"},
                 "the pool is sampled")

        def plays():
            before = causeway.surfaces()[0]
            time.sleep(1)
            after = causeway.surfaces()[0]
            return after["shown"] > before["shown"] and after["uploaded"] == before["uploaded"]
        wait_for(plays, "frames are shown without a byte uploaded")
        before = uploaded(causeway)
        sampled = wait_for_crc(causeway, name, card, "sampled from the pool")
        client.signal(signal.SIGSTOP)
        wait_for(lambda: roads(causeway) == {"xdg_toplevel": "upload"}, "at rest, it is uploaded")
        # More often than once if the guest was so slow that it seemed to be at rest before.
        check(uploaded(causeway) >= before + 256 * 192 * 4, f"{uploaded(causeway) - before}")
        check(wait_for_crc(causeway, name, card, "uploaded") == sampled, "the pictures differ")
        client.signal(signal.SIGCONT)
        wait_for(lambda: roads(causeway) == {"xdg_toplevel": "zero-copy"}, "and sampled again")
        client.end()
        causeway.settle()
        check(causeway.alive(), "it ended")


def drawer(causeway, damage):
    """A window of which so much changes with each frame."""
    return causeway.start(f"{rig.BUILD}/tests/bench/commit-client", "300", "200",
                          *(str(length) for length in damage), "100000000")


def stats(causeway):
    return json.loads(causeway.control("stats", "--json"))


def case_little_changes():
    """While little changes the CPU composes; the GPU draws what is more, and knows what it missed."""
    with Causeway(renderer="gles") as causeway:
        name, card = the_screen(causeway)

        def by_cpu():
            return causeway.outputs()[name]["composed_by_cpu"]
        little = drawer(causeway, (64, 64))
        wait_for(lambda: by_cpu() > 10, "the CPU composes")
        before = stats(causeway)
        count = by_cpu()
        wait_for(lambda: by_cpu() > count + 30, "it goes on")
        after = stats(causeway)
        check(after["passes"] == before["passes"], f"the GPU drew: {before} {after}")
        check(after["bytes_uploaded"] == before["bytes_uploaded"], "something was uploaded")
        check(roads(causeway) == {"xdg_toplevel": "shm"}, f"{causeway.surfaces()}")
        little.signal(signal.SIGSTOP)
        causeway.settle()
        wait_for_crc(causeway, name, card, "drawn by the CPU")
        much = drawer(causeway, (300, 200))
        wait_for(lambda: "shm" not in roads(causeway).values(), "the GPU composes")
        much.signal(signal.SIGSTOP)
        causeway.settle()
        wait_for_crc(causeway, name, card, "drawn by the GPU again")
        much.end()
        causeway.settle()
        wait_for_crc(causeway, name, card, "what the CPU drew, drawn by the GPU")


def case_lease():
    """A screen that programs drive by themselves: lent, and taken back whatever ends it."""
    path = "/tmp/lease.ini"
    terminal = rig.Terminal()
    home = terminal.active()
    other = 2 if home != 2 else 3
    lent = pictures.vkms_crc((640, 480, bytes([0x20, 0x40, 0x80]) * (640 * 480)))
    open(path, "w", encoding="ascii").close()

    def shows(card):
        try:
            return Crc(card).read() == lent
        except OSError:
            return False  # it is off as yet

    def borrow(causeway, name, card):
        client = causeway.start(f"{rig.BUILD}/tests/vm/lease-client", name)
        wait_for(lambda: causeway.outputs()[name]["lent"], "it is lent")
        wait_for(lambda: shows(card), "the borrower's picture is on the screen")
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
        wait_for(lambda: is_back(causeway, name), "it is on offer")
        check(not causeway.outputs()[name]["enabled"], "it is part of the session")
        # Its descriptor is closed: the kernel tells of that.
        client = borrow(causeway, name, card)
        client.signal(signal.SIGUSR1)
        wait_for(lambda: client.last_line() == "finished", "it heard that its lease is over")
        wait_for(lambda: is_back(causeway, name), "what is closed is back")
        client.end()
        # It dies.
        client = borrow(causeway, name, card)
        client.signal(signal.SIGKILL)
        wait_for(lambda: is_back(causeway, name), "what a dead client had is back")
        # Away and back.
        client = borrow(causeway, name, card)
        terminal.switch(other)
        wait_for(lambda: client.last_line() == "finished", "it heard that the session is away")
        terminal.switch(home)
        wait_for(lambda: is_back(causeway, name), "what was lent before is back")
        client.end()
        client = borrow(causeway, name, card)
        # The session wants it.
        configure("")
        wait_for(lambda: client.last_line() == "finished", "it heard that the session wants it")
        wait_for(lambda: causeway.outputs()[name]["enabled"], "it is part of the session")
        wait_for_crc(causeway, name, card, "after it was lent")
