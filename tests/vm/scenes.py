# SPDX-License-Identifier: MIT
"""Cases of random scenes: the screen is the same for every route and plane of each surface."""
import functools
import subprocess

import devices
import images
import rig
import screens
from checks import Failure, check, wait_for
from screen_checks import cursor_places, the_screen
from rig import Causeway

STEPS = 3
CURSOR_SIZE, CURSOR_COLOR = 24, b"\xff\0\xff"  # as in scenes-client.c


class Scene:
    """scenes-client, advanced step by step."""

    def __init__(self, causeway, seed, *device):
        self.client = causeway.start(f"{rig.BUILD}/tests/vm/scenes-client", str(seed), *device,
                                     stdin=subprocess.PIPE)
        self.seed = seed
        self.reach(0)

    def reach(self, step):
        wait_for(lambda: self.client.last_line() == f"step {step}",
                 f"'step {step}' of scene {self.seed}")

    def go_to(self, step):
        if step > 0:
            self.client.process.stdin.write(b"\n")
            self.client.process.stdin.flush()
            self.reach(step)


@functools.cache
def reference(seed):
    """Returns each step of the scene, composed by the CPU without planes and dma-bufs."""
    wanted = []
    with Causeway("--output=640x480", backend="headless") as causeway:
        scene = Scene(causeway, seed)
        for step in range(STEPS):
            scene.go_to(step)
            wanted.append(causeway.screenshot())
    check(min(images.colors(image) for image in wanted) > 8, f"scene {seed} is blank")
    return wanted


def with_cursor(image, left, top):
    width, height, pixels = image
    pixels = bytearray(pixels)
    for y in range(top, top + CURSOR_SIZE):
        at = (y * width + left) * 3
        pixels[at:at + CURSOR_SIZE * 3] = CURSOR_COLOR * CURSOR_SIZE
    return width, height, bytes(pixels)


def check_screen(card, wanted, tolerance, what):
    """Waits until the blended planes equal the image."""
    shown, far = wanted, None

    def same():
        nonlocal shown, far
        shown = screens.vkms_screenshot(card)
        far = images.farthest(shown, wanted)
        return far[0] <= tolerance
    try:
        wait_for(same, "the screen equals the reference")
    except Failure as failure:
        images.write_ppm(f"{rig.OUT}/wanted.ppm", wanted)
        images.write_ppm(f"{rig.OUT}/shown.ppm", shown)
        raise Failure(f"{what}: {failure}; {far} with {screens.planes(card)}: "
                      "wanted.ppm, shown.ppm") from None


def random_scenes(renderer, seeds, tolerance):
    for seed in seeds:
        wanted = reference(seed)
        with devices.Tablet() as tablet, Causeway(renderer=renderer) as causeway:
            _, card = the_screen(causeway)
            causeway.wait_input(tablet)
            tablet.move(0.8, 0.8)
            scene = Scene(causeway, seed, f"/dev/dri/card{card}")
            wait_for(lambda: cursor_places(card) and len(screens.planes(card)) > 2,
                     f"the cursor and a surface of scene {seed} on planes")
            cursor, = cursor_places(card)
            for step, image in enumerate(wanted):
                scene.go_to(step)
                check_screen(card, with_cursor(image, *cursor), tolerance,
                             f"seed {seed}, step {step}, {renderer}")


def case_random_scenes_equal_reference_pixman():
    """vkms blends with 16 bits and rounds once; the CPU rounds with each layer."""
    random_scenes("pixman", (1, 2, 3, 4), 3)


def case_random_scenes_equal_reference_gles():
    """GL may be off by two in each layer that it scales or blends (tests/unit/content/compose.c)."""
    random_scenes("gles", (1, 2, 3, 4), 10)
