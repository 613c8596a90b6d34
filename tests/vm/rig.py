"""What cases in the guest stand on: the compositor as a process, QEMU's control, a typed keyboard."""
import ctypes
import fcntl
import functools
import glob
import json
import os
import re
import signal
import struct
import subprocess
import time
import zlib

BUILD = os.environ.get("BUILD", "build")
OUT = "/out"
VT_ACTIVATE, VT_WAITACTIVE, KDGETMODE = 0x5606, 0x5607, 0x4B3B
CONNECTORS = "/sys/class/drm"


class Failure(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Failure(what)


# For what hangs: a guest without a processor's help, on a busy machine, is slow.
WAIT = 150


def wait_for(condition, what, seconds=WAIT):
    """Polls, because what is waited for is in another process."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        check(time.monotonic() < end, f"not within {seconds} s: {what}")
        time.sleep(0.05)


class Qmp:
    """QEMU's control, through a port of the guest."""

    def __init__(self):
        self.port = open("/dev/virtio-ports/qmp", "r+b", buffering=0)
        self.line()
        self.run("qmp_capabilities")

    def line(self):
        data = b""
        while not data.endswith(b"\n"):
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
        """The picture on a virtio-gpu's screen: (width, height, rgb)."""
        name = f"screen-{device}-{head}.ppm"
        self.run("screendump", filename=f"{os.environ['HOST_OUT']}/{name}", device=device,
                 head=head)
        return read_ppm(f"{OUT}/{name}")


@functools.cache
def qmp():
    return Qmp()


def screen():
    """The picture on the screen of the first virtio-gpu."""
    return qmp().screen()


def write_ppm(path, picture):
    with open(path, "wb") as file:
        file.write(f"P6\n{picture[0]} {picture[1]}\n255\n".encode() + picture[2])


def read_ppm(path):
    with open(path, "rb") as file:
        magic, size, depth, pixels = file.read().split(b"\n", 3)
    check(magic == b"P6" and depth == b"255", f"{path}: not the kind of picture expected")
    width, height = map(int, size.split())
    return width, height, pixels


def differences(a, b):
    """Number of pixels that differ."""
    check(a[:2] == b[:2], f"pictures of {a[0]}x{a[1]} and {b[0]}x{b[1]}")
    if a[2] == b[2]:
        return 0
    return sum(a[2][i:i + 3] != b[2][i:i + 3] for i in range(0, len(a[2]), 3))


def distance(a, b):
    """By how much the channels of a pixel differ at most."""
    return farthest(a, b)[0]


def farthest(a, b):
    """By how much the channels of a pixel differ at most, and the x, y of such a pixel."""
    check(a[:2] == b[:2], f"pictures of {a[0]}x{a[1]} and {b[0]}x{b[1]}")
    most, stride = (0, 0, 0), a[0] * 3
    for y in range(a[1]):
        one, two = (picture[2][y * stride:(y + 1) * stride] for picture in (a, b))
        if one != two:
            row = [abs(i - j) for i, j in zip(one, two)]
            most = max(most, (max(row), row.index(max(row)) // 3, y))
    return most


def colors(picture):
    """How many colours a part of its pixels has: a blank picture has one."""
    pixels = picture[2]
    return len({pixels[i:i + 3] for i in range(0, len(pixels), 3 * 37)})


def extents(picture):
    """x, y, width, height of what is not as the top left pixel."""
    width, height, pixels = picture
    blank = pixels[:3] * width
    rows = [y for y in range(height) if pixels[y * width * 3:(y + 1) * width * 3] != blank]
    check(rows, "the picture is blank")
    left, right = width, 0
    for y in rows:
        row = pixels[y * width * 3:(y + 1) * width * 3]
        different = [x for x in range(width) if row[x * 3:x * 3 + 3] != blank[:3]]
        left, right = min(left, different[0]), max(right, different[-1])
    return left, rows[0], right - left + 1, rows[-1] - rows[0] + 1


def vkms_crc(picture):
    """What vkms says of this picture, opaque and alone on the screen: of 16 bits a channel, argb."""
    width, height, pixels = picture
    wide = bytearray(width * height * 8)
    wide[0::8] = wide[1::8] = b"\xff" * (width * height)
    for channel in range(3):
        wide[2 + 2 * channel::8] = wide[3 + 2 * channel::8] = pixels[channel::3]
    return zlib.crc32(bytes(wide), 0xffffffff) ^ 0xffffffff


class Crc:
    """CRCs of what a CRTC of vkms shows. Its driver now and then gives none: asked again then."""

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


def vkms_picture(card, width=640, height=480):
    """What the planes of a CRTC of vkms make together, cut to 8 bits a channel."""
    for _ in range(4):
        with CrcStream(card) as stream:
            try:
                wait_for(lambda: stream.frames() > 1, "frames with a CRC", 15)
                break
            except Failure:
                continue  # its driver now and then gives none
    with open("/sys/kernel/debug/vkms_picture", "rb") as file:
        wide = file.read()
    check(len(wide) == width * height * 8, f"a picture of {len(wide)} bytes")
    pixels = bytearray(width * height * 3)
    for channel in range(3):
        pixels[channel::3] = wide[3 + 2 * channel::8]
    return width, height, bytes(pixels)


class CrcStream:
    """The CRCs of all frames that a CRTC of vkms shows while it is open."""

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
        """How many there were since the stream was opened, or since the last call of collect()."""
        self.read()
        return self.data.count(b"\n")

    def collect(self):
        """The CRCs since the last call, each once for a row of frames that have it."""
        self.read()
        *lines, self.data = self.data.split(b"\n")
        all_crcs = [int(line.split()[1], 16) for line in lines if line]
        return [crc for i, crc in enumerate(all_crcs) if i == 0 or crc != all_crcs[i - 1]]


def planes(card):
    """What the planes of a card show: [(name, format, (width, height, x, y))], those that do."""
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


class Client:
    """A program under the compositor, in a process group of its own."""

    def __init__(self, argv, socket, stdin=subprocess.DEVNULL, **environment):
        variables = {**os.environ, "WAYLAND_DISPLAY": socket, **environment}
        self.name = os.path.basename(argv[0])
        self.log = open(f"{OUT}/{self.name}.log", "ab")
        self.process = subprocess.Popen(argv, env=variables, stdin=stdin, stdout=self.log,
                                        stderr=self.log, start_new_session=True)

    def alive(self):
        return self.process.poll() is None

    def last_line(self):
        """Of what all programs of its name have printed so far."""
        with open(self.log.name, encoding="utf-8", errors="replace") as log:
            lines = log.read().splitlines()
        return lines[-1] if lines else None

    def signal(self, number):
        os.killpg(self.process.pid, number)

    def end(self):
        if self.alive():
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.signal(signal.SIGKILL)
                self.process.wait()
        self.log.close()


class Listener:
    """A client that writes down its events: see listen.c. With "lock", it locks the session."""

    count = 0

    def __init__(self, causeway, *arguments):
        Listener.count += 1
        self.path = f"{OUT}/listen-{Listener.count}.log"
        self.seen = 0
        with open(self.path, "wb") as log:
            self.process = subprocess.Popen(
                [f"{BUILD}/tests/vm/listen", *arguments], stdin=subprocess.PIPE, stdout=log,
                stderr=log, env=dict(os.environ, WAYLAND_DISPLAY=causeway.socket))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.process.kill()
        self.process.wait()

    def events(self):
        """Since forget() was called last."""
        with open(self.path, encoding="utf-8", errors="replace") as log:
            return log.read().splitlines()[self.seen:]

    def forget(self):
        self.seen += len(self.events())

    def count_of(self, pattern):
        return sum(1 for event in self.events() if re.search(pattern, event))

    def wait(self, pattern, what):
        """Until there is an event like this."""
        try:
            wait_for(lambda: self.count_of(pattern), what)
        except Failure:
            print("\n".join(self.events()[-30:]))
            raise


class Causeway:
    """The compositor on the seat of the guest."""

    count = 0

    def __init__(self, *options, renderer="pixman", environment=None, backend="drm"):
        Causeway.count += 1
        self.socket = f"wl-{Causeway.count}"
        self.path = f"{OUT}/causeway-{Causeway.count}.log"
        self.clients = []
        self.log = open(self.path, "wb")
        variables = dict(os.environ, **(environment or {}))
        variables.pop("WAYLAND_DISPLAY", None)
        self.process = subprocess.Popen(
            [f"{BUILD}/compositor/causeway", f"--backend={backend}", f"--renderer={renderer}",
             f"--socket={self.socket}", "--log=backend,copy,gpu", *options],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=variables)

    def __enter__(self):
        control = f"{os.environ['XDG_RUNTIME_DIR']}/causeway-{self.socket}.ctl"
        try:
            wait_for(lambda: os.path.exists(control) or not self.alive(), "it starts", 4 * WAIT)
            check(self.alive(), "it ended at once")
        except Failure:
            self.__exit__(Failure, None, None)
            raise
        return self

    def __exit__(self, kind, value, trace):
        for client in self.clients:
            client.end()
        code = self.stop() if self.alive() else self.process.poll()
        self.log.close()
        if kind is not None:
            with open(self.path, encoding="utf-8", errors="replace") as log:
                print("".join(log.readlines()[-60:]))
        else:
            check(code == 0, f"causeway ended with {code}")

    def alive(self):
        return self.process.poll() is None

    def wake_ups(self):
        """How often it has given the processor back so far."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("voluntary_ctxt_switches"):
                    return int(line.split()[1])
        raise Failure("no count of wake-ups")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(WAIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failure("it did not end at SIGTERM") from None

    def start(self, *argv, **environment):
        client = Client(argv, self.socket, **environment)
        self.clients.append(client)
        return client

    def wait_input(self, *devices):
        """Until it has taken these devices: what they do before is lost."""
        def taken():
            with open(self.path, encoding="utf-8", errors="replace") as file:
                log = file.read()
            return all(log.count(f"input: {device.name} comes") >
                       log.count(f"input: {device.name} goes") for device in devices)
        wait_for(taken, "input devices are taken")

    def control(self, *arguments):
        environment = dict(os.environ, WAYLAND_DISPLAY=self.socket)
        done = subprocess.run([f"{BUILD}/clients/causewayctl", *arguments], env=environment,
                              capture_output=True, text=True, timeout=WAIT, check=False)
        check(done.returncode == 0, f"causewayctl {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def outputs(self):
        return {output["name"]: output for output in json.loads(self.control("outputs", "--json"))}

    def surfaces(self):
        return json.loads(self.control("surfaces", "--json"))

    def window(self, application):
        """Its surface, once it is shown."""
        def find():
            for surface in self.surfaces():
                if application in (surface.get("application") or surface.get("client") or ""):
                    if surface.get("shown"):
                        return surface
            return None
        return wait_for(find, f"{application} is shown")

    def screenshot(self, output=None):
        name = f"{OUT}/shot"
        arguments = [f"--output={output}"] if output else []
        self.control("screenshot", f"{name}.png", *arguments)
        subprocess.run(["convert", f"{name}.png", f"{name}.ppm"], check=True)
        return read_ppm(f"{name}.ppm")

    def settle(self):
        """Waits until outputs show no more frames."""
        last = None

        def still():
            nonlocal last
            frames = {name: (output.get("frames"), output.get("presented"))
                      for name, output in self.outputs().items()}
            was, last = last, frames
            time.sleep(0.2)
            return was == frames
        wait_for(still, "the screen is still")


def connectors():
    """Status of each connector but writeback ones: {'card0-Virtual-1': 'connected'}."""
    found = {}
    for path in sorted(glob.glob(f"{CONNECTORS}/card*-*/status")):
        name = path.split("/")[-2]
        if "Writeback" not in name:
            with open(path, encoding="ascii") as file:
                found[name] = file.read().strip()
    return found


def write(path, value):
    with open(path, "w", encoding="ascii") as file:
        file.write(value)


class Terminal:
    """Virtual terminals."""

    def __init__(self):
        self.descriptor = os.open("/dev/tty0", os.O_RDWR | os.O_NOCTTY)

    def active(self):
        with open("/sys/class/tty/tty0/active", encoding="ascii") as file:
            return int(file.read().strip()[3:])

    def switch(self, number):
        fcntl.ioctl(self.descriptor, VT_ACTIVATE, number)
        wait_for(lambda: self.active() == number, f"virtual terminal {number} is shown")

    def is_text(self, number):
        descriptor = os.open(f"/dev/tty{number}", os.O_RDWR | os.O_NOCTTY)
        mode = fcntl.ioctl(descriptor, KDGETMODE, struct.pack("i", -1))
        os.close(descriptor)
        return struct.unpack("i", mode)[0] == 0


class Master:
    """The right to set modes, taken from a process and given back behind its and the seat's back."""

    SET, DROP, PIDFD_OPEN, PIDFD_GETFD = 0x641e, 0x641f, 434, 438

    def __init__(self, pid, node):
        libc = ctypes.CDLL(None, use_errno=True)
        process = libc.syscall(self.PIDFD_OPEN, pid, 0)
        check(process >= 0, "no such process")
        self.descriptors = []
        for path in glob.glob(f"/proc/{pid}/fd/*"):
            if os.path.realpath(path) == node:
                copy = libc.syscall(self.PIDFD_GETFD, process, int(os.path.basename(path)), 0)
                check(copy >= 0, f"its {node} cannot be had")
                self.descriptors.append(copy)
        os.close(process)
        check(self.descriptors, f"it has no {node}")

    def ask(self, request):
        """True if one of the descriptors could; a process has some that never had the right."""
        done = False
        for descriptor in self.descriptors:
            try:
                fcntl.ioctl(descriptor, request)
                done = True
            except OSError:
                pass
        return done

    def take(self):
        check(self.ask(self.DROP), "nothing was taken")

    def give_back(self):
        check(self.ask(self.SET), "nothing was given back")
        for descriptor in self.descriptors:
            os.close(descriptor)


class Keyboard:
    """A keyboard that types what it is told."""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()

    def __init__(self, name="test keyboard"):
        from evdev import UInput, ecodes
        self.codes = ecodes
        self.device = UInput({ecodes.EV_KEY: list(range(1, 128)),
                              ecodes.EV_LED: [ecodes.LED_NUML, ecodes.LED_CAPSL]}, name=name)
        self.name = name
        os.set_blocking(self.device.fd, False)
        self.lights = {}

    def set(self, name, down):
        self.device.write(self.codes.EV_KEY, self.codes.ecodes[f"KEY_{name}"], down)
        self.device.syn()

    def press(self, *names):
        """A chord: down in order, up in reverse."""
        for name in names:
            self.set(name, 1)
        for name in reversed(names):
            self.set(name, 0)

    def light(self, name):
        """Whether it was told to show this one."""
        size = struct.calcsize("llHHi")
        try:
            while True:
                _, _, kind, code, value = struct.unpack("llHHi", os.read(self.device.fd, size))
                if kind == self.codes.EV_LED:
                    self.lights[code] = value
        except BlockingIOError:
            pass
        return bool(self.lights.get(self.codes.ecodes[f"LED_{name}"]))

    def type(self, text):
        special = {"\n": "ENTER", " ": "SPACE", "-": "MINUS"}
        for character in text:
            self.press(special.get(character, character.upper()))

    def close(self):
        self.device.close()


class Tablet:
    """A pointer that says where it is, in 0..1 of the layout."""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()

    def __init__(self):
        from evdev import AbsInfo, UInput, ecodes
        self.codes = ecodes
        axis = AbsInfo(value=0, min=0, max=10000, fuzz=0, flat=0, resolution=0)
        self.device = UInput({
            ecodes.EV_KEY: [ecodes.BTN_LEFT, ecodes.BTN_RIGHT, ecodes.BTN_MIDDLE],
            ecodes.EV_ABS: [(ecodes.ABS_X, axis), (ecodes.ABS_Y, axis)],
            ecodes.EV_REL: [ecodes.REL_WHEEL],
        }, name="test tablet")
        self.name = "test tablet"

    def move(self, x, y):
        self.device.write(self.codes.EV_ABS, self.codes.ABS_X, int(x * 10000))
        self.device.write(self.codes.EV_ABS, self.codes.ABS_Y, int(y * 10000))
        self.device.syn()

    def drag(self, start, end):
        self.move(*start)
        time.sleep(0.3)
        self.device.write(self.codes.EV_KEY, self.codes.BTN_LEFT, 1)
        self.device.syn()
        for step in range(1, 11):
            self.move(*(a + (b - a) * step / 10 for a, b in zip(start, end)))
            time.sleep(0.05)
        self.device.write(self.codes.EV_KEY, self.codes.BTN_LEFT, 0)
        self.device.syn()

    def click(self):
        for value in (1, 0):
            self.device.write(self.codes.EV_KEY, self.codes.BTN_LEFT, value)
            self.device.syn()

    def close(self):
        self.device.close()


class Device:
    """What the devices below share."""

    def __init__(self, name, keys, axes, switches=(), properties=()):
        from evdev import AbsInfo, UInput, ecodes
        self.codes = ecodes
        self.name = name
        events = {ecodes.EV_KEY: [ecodes.ecodes[key] for key in keys],
                  ecodes.EV_ABS: [(ecodes.ecodes[axis], AbsInfo(0, 0, most, 0, 0, resolution))
                                  for axis, most, resolution in axes],
                  ecodes.EV_SW: [ecodes.ecodes[switch] for switch in switches]}
        self.device = UInput({kind: codes for kind, codes in events.items() if codes}, name=name,
                             input_props=[ecodes.ecodes[each] for each in properties])

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.device.close()

    def set(self, **values):
        """Keys, axes and switches, by name; one group of events."""
        for name, value in values.items():
            kind = {"BTN": self.codes.EV_KEY, "KEY": self.codes.EV_KEY, "SW": self.codes.EV_SW,
                    "ABS": self.codes.EV_ABS}[name.split("_")[0]]
            self.device.write(kind, self.codes.ecodes[name], value)
        self.device.syn()


class TouchPad(Device):
    """Fingers on a touch pad of 100 by 60 mm."""

    def __init__(self, name="test touch pad"):
        super().__init__(
            name, ["BTN_LEFT", "BTN_TOUCH", "BTN_TOOL_FINGER", "BTN_TOOL_DOUBLETAP",
                   "BTN_TOOL_TRIPLETAP"],
            [("ABS_X", 4000, 40), ("ABS_Y", 2400, 40), ("ABS_MT_SLOT", 4, 0),
             ("ABS_MT_TRACKING_ID", 65535, 0), ("ABS_MT_POSITION_X", 4000, 40),
             ("ABS_MT_POSITION_Y", 2400, 40)],
            properties=["INPUT_PROP_POINTER", "INPUT_PROP_BUTTONPAD"])
        self.next_id = 1

    def put(self, fingers, dx=0, dy=0, fresh=False):
        """So many of them, from the middle by so much."""
        write = self.device.write
        for slot in range(fingers):
            write(self.codes.EV_ABS, self.codes.ABS_MT_SLOT, slot)
            if fresh:
                write(self.codes.EV_ABS, self.codes.ABS_MT_TRACKING_ID, self.next_id)
                self.next_id += 1
            write(self.codes.EV_ABS, self.codes.ABS_MT_POSITION_X, 1400 + 600 * slot + dx)
            write(self.codes.EV_ABS, self.codes.ABS_MT_POSITION_Y, 1200 + dy)
        tool = ["BTN_TOOL_FINGER", "BTN_TOOL_DOUBLETAP", "BTN_TOOL_TRIPLETAP"][fingers - 1]
        self.set(BTN_TOUCH=1, ABS_X=1400 + dx, ABS_Y=1200 + dy, **{tool: 1})

    def lift(self, fingers):
        for slot in range(fingers):
            self.device.write(self.codes.EV_ABS, self.codes.ABS_MT_SLOT, slot)
            self.device.write(self.codes.EV_ABS, self.codes.ABS_MT_TRACKING_ID, -1)
        tool = ["BTN_TOOL_FINGER", "BTN_TOOL_DOUBLETAP", "BTN_TOOL_TRIPLETAP"][fingers - 1]
        self.set(BTN_TOUCH=0, **{tool: 0})

    def tap(self):
        self.put(1, fresh=True)
        time.sleep(0.03)
        self.lift(1)
        time.sleep(0.3)

    def slide(self, fingers, dx, dy):
        self.put(fingers, fresh=True)
        for step in range(1, 21):
            time.sleep(0.015)
            self.put(fingers, dx * step // 20, dy * step // 20)
        self.lift(fingers)
        time.sleep(0.3)


class Pen(Device):
    """A pen and the tablet for it."""

    def __init__(self, name="test pen tablet"):
        super().__init__(
            name, ["BTN_TOOL_PEN", "BTN_TOUCH", "BTN_STYLUS", "BTN_STYLUS2"],
            [("ABS_X", 20000, 100), ("ABS_Y", 12000, 100), ("ABS_PRESSURE", 2047, 0)],
            properties=["INPUT_PROP_POINTER"])

    def draw(self, x, y):
        """A stroke that begins there, in 0..1, and back into the air."""
        x, y = int(20000 * x), int(12000 * y)
        self.set(ABS_X=x, ABS_Y=y, BTN_TOOL_PEN=1)
        self.set(ABS_X=x + 10, ABS_Y=y, BTN_TOUCH=1, ABS_PRESSURE=1900)
        for step in range(1, 6):
            self.set(ABS_X=x + 100 * step, ABS_Y=y, ABS_PRESSURE=1900 - step)
        self.set(BTN_STYLUS=1)
        self.set(BTN_STYLUS=0)
        self.set(BTN_TOUCH=0, ABS_PRESSURE=0)
        self.set(BTN_TOOL_PEN=0)


class Mouse:
    """A mouse whose wheel has more than detents."""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.device.close()

    def __init__(self):
        from evdev import UInput, ecodes
        self.codes = ecodes
        self.name = "test mouse"
        self.device = UInput({
            ecodes.EV_KEY: [ecodes.BTN_LEFT, ecodes.BTN_RIGHT, ecodes.BTN_MIDDLE],
            ecodes.EV_REL: [ecodes.REL_X, ecodes.REL_Y, ecodes.REL_WHEEL, ecodes.REL_HWHEEL,
                            ecodes.REL_WHEEL_HI_RES, ecodes.REL_HWHEEL_HI_RES],
        }, name=self.name)

    def move(self, **values):
        """By so much, by name; one group of events."""
        for name, value in values.items():
            self.device.write(self.codes.EV_REL, self.codes.ecodes[name], value)
        self.device.syn()


class Lid(Device):
    """The switch under a lid."""

    def __init__(self):
        super().__init__("test lid", [], [], switches=["SW_LID"])
