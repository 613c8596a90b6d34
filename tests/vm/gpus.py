# SPDX-License-Identifier: MIT
"""Cases of GPU selection for clients, and of copies to other GPUs."""
import glob
import json
import os
import re
import signal
import subprocess
import time

import images
import rig
import screens
from checks import check, wait_for
from screen_checks import card_of, check_screen, gpu_of, planes_client, vkms_outputs
from rig import Causeway


def opened_nodes(causeway, *argv, **environment):
    """Runs a client until it draws or ends. Returns the render nodes that it opened and its surfaces."""
    path = f"{rig.OUT}/{os.path.basename(argv[0])}.trace"
    if os.path.exists(path):
        os.unlink(path)
    client = causeway.start("strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=open,openat", "-o", path,
                            *argv,
                            **environment)
    wait_for(lambda: not client.alive() or causeway.surfaces(), f"{argv[0]} draws or ends")
    surfaces = causeway.surfaces()
    client.end()
    wait_for(lambda: not causeway.surfaces(), "the client's window is destroyed")
    with open(path, encoding="utf-8", errors="replace") as trace:
        nodes = set(re.findall(r'"/dev/dri/(renderD\d+)"[^=]*= \d+', trace.read()))
    return nodes, surfaces


EGL, VULKAN = ("weston-simple-egl",), ("vulkaninfo", "--summary")


def check_nodes(causeway, wanted, unwanted, anyway, rules):
    """Checks the GPUs of EGL (main device of the feedback) and of Vulkan's device selection layer (wl_drm)."""
    node, name = os.path.basename(wanted["render_node"]), wanted["name"]
    other = os.path.basename(unwanted["render_node"])
    for command, rule, opened in ((EGL, "egl", set()), (VULKAN, "vulkan", anyway)):
        nodes, surfaces = opened_nodes(causeway, *command)
        check(node in nodes and other not in nodes - opened,
              f"{command[0]} with{'' if rules else 'out'} a rule opened {nodes}, not {node}")
        for surface in surfaces:
            check(surface["gpu"] == name, f"the feedback named {surface['gpu']}")
            check(surface.get("rule") == (rule if rules else None), f"its rule: {surface}")
            check(surface.get("buffer_gpu", name) == name, f"its buffer: {surface}")


def pci_address(gpu):
    """Returns the PCI address: 0000:00:05.0 for pci-0000_00_05_0."""
    domain, bus, device, function = gpu["name"].removeprefix("pci-").split("_")
    return f"{domain}:{bus}:{device}.{function}"


def case_rule_selects_gpu():
    """Programs with a GPU rule open that GPU; others open the default one."""
    rules, cache = "/tmp/rules.ini", "/tmp/cache"
    rig.write(rules, "")
    with Causeway(f"--config={rules}", renderer="gles",
                  environment={"XDG_CACHE_HOME": cache}) as causeway:
        gpus = json.loads(causeway.control("gpus", "--json"))
        check(len(gpus) == 2, f"{len(gpus)} GPUs")
        first = next(gpu for gpu in gpus if "composes" in gpu["role"])
        second = next(gpu for gpu in gpus if gpu is not first)
        # Vulkan drivers open devices without a compositor too.
        anyway, _ = opened_nodes(causeway, *VULKAN, WAYLAND_DISPLAY="none")
        check_nodes(causeway, first, second, anyway, False)
        rig.write(rules, f"[app egl]\nexe = */weston-simple-egl\ngpu = {second['name']}\n"
                         "[app vulkan]\ncmdline = vulkaninfo*\n"
                         f"gpu = {os.path.basename(second['render_node'])}\n")
        causeway.control("reload")
        check_nodes(causeway, second, first, set(), True)
        # The formats that the engines read are cached.
        known = wait_for(lambda: glob.glob(f"{cache}/causeway/formats-*"), "a cache of formats")
        with open(known[0], encoding="ascii") as file:
            readers = [line.split() for line in file.read().split("reader ")[1:]]
        check({"gles", "cpu"} <= {words[0] for words in readers if len(words) > 2},
              f"its readers: {[words[:3] for words in readers]}")
        # After the GPU is removed, its clients get feedback with the remaining one.
        causeway.start(*EGL)
        wait_for(causeway.surfaces, "a window on the second GPU")
        causeway.clients[-1].signal(signal.SIGSTOP)
        rig.write(f"/sys/bus/pci/devices/{pci_address(second)}/remove", "1")
        wait_for(lambda: causeway.surfaces()[0]["gpu"] == first["name"], "feedback with the first GPU")
        check(len(json.loads(causeway.control("gpus", "--json"))) == 1, "the removed GPU is still listed")
        check(causeway.alive(), "the compositor ended")


def case_confined_program_opens_its_own_gpu_only():
    """`see = own` with real nodes: shells that open each of them, and the Vulkan loader."""
    path, seen = "/tmp/confined.ini", "/tmp/seen"
    rig.write(path, "")
    with Causeway(f"--config={path}", renderer="gles") as causeway:
        gpus = json.loads(causeway.control("gpus", "--json"))
        check(len(gpus) == 2, f"{len(gpus)} GPUs")
        for gpu in gpus:
            rig.write(path, f"[app probe]\ncmdline = *open-nodes*\ngpu = {gpu['name']}\nsee = own\n")
            causeway.control("reload")
            if os.path.exists(seen):
                os.unlink(seen)
            causeway.control("spawn", "--", "sh", "-c",
                             ": open-nodes; { for node in /dev/dri/*[0-9]; do (: <>$node) 2>/dev/null && echo $node; done; "
                             f"strace -f -o {seen}.trace vulkaninfo --summary; "
                             f"grep NoNewPrivs /proc/self/status; }} >{seen}.new; mv {seen}.new {seen}")
            wait_for(lambda: os.path.exists(seen), "the program ends")
            with open(seen, encoding="utf-8", errors="replace") as file:
                lines = file.read().split("\n")
            node = os.path.basename(gpu["render_node"])
            own = {f"/dev/dri/{name}" for name in os.listdir(f"/sys/class/drm/{node}/device/drm")
                   if not name.startswith("control")}
            opened = {line for line in lines if line.startswith("/dev/dri/")}
            check(opened == own and len(own) == 2, f"opened {opened}, not {own}")
            check(any(line.split() == ["NoNewPrivs:", "1"] for line in lines), f"privileges: {lines}")
            with open(f"{seen}.trace", encoding="utf-8", errors="replace") as trace:
                text = trace.read()
            nodes = {f"/dev/dri/{name}" for name in re.findall(r'"/dev/dri/(\w+\d+)"[^=\n]*= \d+', text)}
            check(nodes <= own, f"Vulkan opened {nodes}, not only {own}")
            check(re.search(r'"/dev/dri/\w+\d+"[^=\n]*= -1 EACCES', text), "Vulkan tried no other node")


def case_hardware_report_covers_every_card():
    """The report of a machine with two cards: planes, GBM memory, and readers on the other card."""
    path = "/tmp/report.json"
    done = subprocess.run([f"{rig.BUILD}/compositor/causeway", f"--hardware-report={path}"],
                          env={**os.environ, "XDG_CACHE_HOME": "/tmp/report"}, capture_output=True, text=True)
    check(done.returncode == 0, done.stderr)
    with open(path, encoding="ascii") as file:
        gpus = json.load(file)["gpus"]
    check(len(gpus) == 2, f"{len(gpus)} GPUs")
    for gpu in gpus:
        types = {plane["type"] for plane in gpu["kms"]["planes"]}
        check("primary" in types, f"{gpu['name']}: planes {types}")
        copies = [copy for engine in gpu["engines"] for copy in engine.get("copies", [])]
        check(any(copy.get("exact") for copy in copies), f"{gpu['name']}: no exact copy: {copies}")
        check(all(copy.get("exact", True) for copy in copies), f"{gpu['name']}: {copies}")


def painted(width, height):
    """Returns the pixels that planes-client draws."""
    return bytes(value for y in range(height) for x in range(width)
                 for value in (x * 255 // width, y * 255 // height,
                               200 if (x // 8 + y // 8) % 2 else 60))


def copies(renderer, engines, settings, card, output):
    """Shows a fullscreen window of one card on another card's screen, copied by each engine."""
    path = "/tmp/copies.ini"
    pixels = painted(640, 480)
    for engine in engines:
        rig.write(path, f"[gpu]\nengine = {engine}\nqueue = any\n{settings}\n")
        with Causeway(f"--config={path}", renderer=renderer) as causeway:
            wait_for(lambda: output in causeway.outputs(), f"output {output}")
            planes_client(causeway, "fullscreen", f"/dev/dri/card{card}", output)
            surface = wait_for(lambda: next((surface for surface in causeway.surfaces()
                                             if surface.get("engine")), None),
                               f"{engine} copies: {causeway.surfaces()}")
            check(surface["engine"] == engine and surface["copied"] >= len(pixels) // 3 * 4,
                  f"{surface}")
            # The window fills the output, so the copy may be scanned out.
            check(surface["route"] in ("copy", "scan-out"), f"{surface}")
            wait_for(lambda: causeway.screenshot(output)[2] == pixels, f"{engine} copies exactly")
            wait_for(lambda: screens.screen()[2] == pixels, f"the screen shows what {engine} copied")
            check(causeway.alive(), "the compositor ended")


def case_engines_copy_exactly_gles():
    """vkms is the primary GPU, so clients use its buffers; virtio-gpu shows them."""
    with Causeway(renderer="gles") as causeway:
        outputs = wait_for(lambda: len(causeway.outputs()) == 2 and causeway.outputs(), "outputs")
        (name, card), = vkms_outputs(causeway).items()
        (other,) = set(outputs) - {name}
    copies("gles", ("vulkan", "gles", "cpu"), "primary = platform-vkms", card, other)


def case_engines_copy_exactly_pixman():
    """
    Copies from the second virtio-gpu into a udmabuf that the CPU reads. GLES is left out: virtio-gpu
    without virgl imports its own memory only (EGL_BAD_ALLOC for udmabufs and other cards' buffers).
    """
    with Causeway(renderer="pixman") as causeway:
        outputs = wait_for(lambda: len(causeway.outputs()) == 2 and causeway.outputs(), "outputs")
        first, second = sorted(outputs, key=card_of)
        nodes = [os.path.basename(gpu_of(causeway, name)["render_node"]) for name in (first, second)]
        card = card_of(second)
    copies("pixman", ("vulkan", "cpu"),
           f"primary = {nodes[0]}\n[app planes]\nexe = */planes-client\ngpu = {nodes[1]}", card, first)


def case_x_server_of_each_gpu_without_ptrace():
    """Yama forbids ptrace to everyone, and so writes into X servers. It cannot be undone."""
    rig.write("/proc/sys/kernel/yama/ptrace_scope", "3")
    case_x_server_of_each_gpu()


def cpu_time(pid):
    """Returns the hundredths of a second that a process has run."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return sum(map(int, file.read().rpartition(") ")[2].split()[11:13]))


def case_x_server_of_each_gpu():
    """A rule sends an X program to the X server of the second GPU; another one uses the default server."""
    path = "/tmp/x.ini"
    rig.write(path, f"{rig.PLAIN}[app ruled]\ncmdline = *xclock*\ngpu = renderD129\n")
    # Without GL, X servers start sooner: no driver of these cards would be used by them.
    with Causeway(f"--config={path}", renderer="pixman",
                  environment={"__EGL_VENDOR_LIBRARY_FILENAMES": "/dev/null"}) as causeway:
        displays, server_pids = set(), set()
        for program, window, node in (("xlogo", "XLogo", "renderD128"), ("xclock", "XClock", "renderD129")):
            causeway.control("spawn", "--", program)
            surface = causeway.window(window)
            gpu, = (gpu for gpu in json.loads(causeway.control("gpus", "--json"))
                    if os.path.basename(gpu["render_node"]) == node)
            check(surface["gpu"] == gpu["name"], f"{program} renders on {surface}")
            check(surface["route"] and surface["reason"], f"its route: {surface}")
            server = re.search(rf":(\d+) \({surface['pid']}\)", gpu["x_servers"])
            check(server, f"{program}: no X server of process {surface['pid']} in '{gpu['x_servers']}'")
            displays.add(server[1])
            server_pids.add(surface["pid"])
        check(len(displays) == 2, f"displays: {displays}")
        before = {pid: cpu_time(pid) for pid in server_pids}
        time.sleep(3)
        for pid, ticks in before.items():
            check(cpu_time(pid) - ticks < 100, f"X server {pid} spins")
        # Windows open on the first card's screen.
        shot = check_screen(causeway, "with X windows", surface["output"])
        check(images.colors(shot) > 1, "the screen is blank")
