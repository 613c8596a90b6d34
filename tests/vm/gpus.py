"""Cases of GPUs that clients render on: which one, and how their pixels get to another."""
import glob
import json
import os
import re
import signal

import rig
import screens
from checks import check, wait_for
from looks import card_of, gpu_of, planes_client, vkms_outputs
from rig import Causeway


def opened_nodes(causeway, *argv, **environment):
    """The render nodes that a client opened by the time that it has drawn, or has ended by itself; and
    its surfaces."""
    path = f"{rig.OUT}/{os.path.basename(argv[0])}.trace"
    if os.path.exists(path):
        os.unlink(path)
    client = causeway.start("strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=open,openat", "-o", path,
                            *argv,
                            **environment)
    wait_for(lambda: not client.alive() or causeway.surfaces(), f"{argv[0]} draws or ends")
    surfaces = causeway.surfaces()
    client.end()
    wait_for(lambda: not causeway.surfaces(), "its window is gone")
    with open(path, encoding="utf-8", errors="replace") as trace:
        nodes = set(re.findall(r'"/dev/dri/(renderD\d+)"[^=]*= \d+', trace.read()))
    return nodes, surfaces


EGL, VULKAN = ("weston-simple-egl",), ("vulkaninfo", "--summary")


def check_nodes(causeway, wanted, unwanted, anyway, rules):
    """EGL goes by the feedback's main device, Vulkan's layer that chooses a device by wl_drm."""
    node, name = os.path.basename(wanted["render_node"]), wanted["name"]
    other = os.path.basename(unwanted["render_node"])
    for command, rule, opened in ((EGL, "egl", set()), (VULKAN, "vulkan", anyway)):
        nodes, surfaces = opened_nodes(causeway, *command)
        check(node in nodes and other not in nodes - opened,
              f"{command[0]} with{'' if rules else 'out'} a rule opened {nodes}, not {node}")
        for surface in surfaces:
            check(surface["gpu"] == name, f"it was told to render on {surface['gpu']}")
            check(surface.get("rule") == (rule if rules else None), f"its rule: {surface}")
            check(surface.get("buffer_gpu", name) == name, f"its buffer: {surface}")


def pci_address(gpu):
    """pci-0000_00_05_0 is 0000:00:05.0."""
    domain, bus, device, function = gpu["name"].removeprefix("pci-").split("_")
    return f"{domain}:{bus}:{device}.{function}"


def case_rules():
    """Programs under a rule open the GPU that it names, and others do not."""
    rules, cache = "/tmp/rules.ini", "/tmp/cache"
    rig.write(rules, "")
    with Causeway(f"--config={rules}", renderer="gles",
                  environment={"XDG_CACHE_HOME": cache}) as causeway:
        gpus = json.loads(causeway.control("gpus", "--json"))
        check(len(gpus) == 2, f"{len(gpus)} GPUs")
        first = next(gpu for gpu in gpus if "composes" in gpu["role"])
        second = next(gpu for gpu in gpus if gpu is not first)
        # Drivers of Vulkan look at devices by themselves, too, without any compositor.
        anyway, _ = opened_nodes(causeway, *VULKAN, WAYLAND_DISPLAY="none")
        check_nodes(causeway, first, second, anyway, False)
        rig.write(rules, f"[app egl]\nexe = */weston-simple-egl\ngpu = {second['name']}\n"
                         "[app vulkan]\ncmdline = vulkaninfo*\n"
                         f"gpu = {os.path.basename(second['render_node'])}\n")
        causeway.control("reload")
        check_nodes(causeway, second, first, set(), True)
        # Its engines were asked what they read of it.
        known = wait_for(lambda: glob.glob(f"{cache}/causeway/formats-*"), "its formats are kept")
        with open(known[0], encoding="ascii") as file:
            readers = [line.split() for line in file.read().split("reader ")[1:]]
        check({"gles", "cpu"} <= {words[0] for words in readers if len(words) > 2},
              f"its readers: {[words[:3] for words in readers]}")
        # A GPU that goes takes nothing with it but itself: its programs are told what is left.
        causeway.start(*EGL)
        wait_for(causeway.surfaces, "a window on the second GPU")
        causeway.clients[-1].signal(signal.SIGSTOP)
        rig.write(f"/sys/bus/pci/devices/{pci_address(second)}/remove", "1")
        wait_for(lambda: causeway.surfaces()[0]["gpu"] == first["name"], "it is told the first GPU")
        check(len(json.loads(causeway.control("gpus", "--json"))) == 1, "the GPU is listed still")
        check(causeway.alive(), "it ended")


def painted(width, height):
    """What planes-client paints."""
    return bytes(value for y in range(height) for x in range(width)
                 for value in (x * 255 // width, y * 255 // height,
                               200 if (x // 8 + y // 8) % 2 else 60))


def copies(renderer, engines, settings, card, output):
    """A fullscreen window of a card's buffers on another card's screen, copied there by each engine."""
    path = "/tmp/copies.ini"
    picture = painted(640, 480)
    for engine in engines:
        rig.write(path, f"[gpu]\nengine = {engine}\nqueue = any\n{settings}\n")
        with Causeway(f"--config={path}", renderer=renderer) as causeway:
            wait_for(lambda: output in causeway.outputs(), "its screen")
            planes_client(causeway, "fullscreen", f"/dev/dri/card{card}", output)
            surface = wait_for(lambda: next((surface for surface in causeway.surfaces()
                                             if surface.get("engine")), None),
                               f"{engine} copies: {causeway.surfaces()}")
            check(surface["engine"] == engine and surface["copied"] >= len(picture) // 3 * 4,
                  f"{surface}")
            # It fills the screen: where the screen's plane takes the copy, nothing is drawn from it.
            check(surface["route"] in ("copy", "scan-out"), f"{surface}")
            wait_for(lambda: causeway.screenshot(output)[2] == picture, f"{engine} copies exactly")
            wait_for(lambda: screens.screen()[2] == picture, f"the screen shows what {engine} copied")
            check(causeway.alive(), "it ended")


def case_copies_gles():
    """vkms composes, so that its buffers are what clients have by default; virtio-gpu shows them."""
    with Causeway(renderer="gles") as causeway:
        outputs = wait_for(lambda: len(causeway.outputs()) == 2 and causeway.outputs(), "outputs")
        (name, card), = vkms_outputs(causeway).items()
        (other,) = set(outputs) - {name}
    copies("gles", ("vulkan", "gles", "cpu"), "primary = platform-vkms", card, other)


def case_copies_pixman():
    """
    From the second virtio-gpu into memory that the CPU reads: a udmabuf. Not by GLES: virtio-gpu without
    virgl takes no memory but its own (EGL_BAD_ALLOC), neither udmabufs nor other cards' buffers.
    """
    with Causeway(renderer="pixman") as causeway:
        outputs = wait_for(lambda: len(causeway.outputs()) == 2 and causeway.outputs(), "outputs")
        first, second = sorted(outputs, key=card_of)
        nodes = [os.path.basename(gpu_of(causeway, name)["render_node"]) for name in (first, second)]
        card = card_of(second)
    copies("pixman", ("vulkan", "cpu"),
           f"primary = {nodes[0]}\n[app planes]\nexe = */planes-client\ngpu = {nodes[1]}", card, first)
