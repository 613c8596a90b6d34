#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the test programs of an instrumented build against its mutants.

Needs only Python and the folder prepared by tests/mutate (see docs/testing.md), and continues an earlier run with the
same results.
"""
import argparse
import collections
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
MEMORY = 16 << 30  # limit of a program's address space in bytes
SLOWER = 10  # factor of the usual duration after which a program counts as hung
LEAST = 10  # minimum limit in seconds


class Over(Exception):
    """Raised when the time of the whole run is up."""


def environment(manifest, program, home):
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    share = os.path.join(manifest["root"], "share")
    if os.path.isdir(share):
        kept["XKB_CONFIG_ROOT"] = os.path.join(share, "X11", "xkb")
        kept["XDG_DATA_DIRS"] = share
        kept["__EGL_VENDOR_LIBRARY_DIRS"] = os.path.join(share, "glvnd", "egl_vendor.d")
    kept.update(HOME=home, TMPDIR=home, XDG_CACHE_HOME=home, XDG_CONFIG_HOME=home, XDG_RUNTIME_DIR=home,
                LP_NUM_THREADS="1", MALLOC_PERTURB_="165")  # freed memory is overwritten, as by `meson test`
    kept.update(program["env"])
    return kept


class Runner:
    def __init__(self, manifest, results, end):
        self.manifest, self.results, self.end = manifest, results, end
        self.programs = {program["name"]: program for program in manifest["programs"]}
        self.lock = threading.Lock()
        self.running = {}

    def run(self, program, seconds, **variables):
        """Returns the exit status of the program, or None after `seconds`; raises Over."""
        home = tempfile.mkdtemp(prefix="mutant-")
        os.chmod(home, 0o700)
        env = environment(self.manifest, program, home)
        env.update({name: str(value) for name, value in variables.items()})
        begun = time.monotonic()
        left = self.end - begun
        try:
            if left <= 0:
                raise Over
            process = subprocess.Popen(program["cmd"], env=env, cwd=self.manifest["build"], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       start_new_session=True)
            try:
                return process.wait(min(seconds, left))
            except subprocess.TimeoutExpired:
                if left < seconds:
                    raise Over from None
                return None
            finally:
                # Kill remaining child processes too.
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()
        finally:
            shutil.rmtree(home, ignore_errors=True)

    def measure(self, name):
        """Measures the duration of a program without mutants, and the mutants that it reaches."""
        program = self.programs[name]
        descriptor, path = tempfile.mkstemp(prefix="reached-")
        os.close(descriptor)
        try:
            begun = time.monotonic()
            status = self.run(program, program["timeout"], MUTANT=0, MUTANT_REACHED=path)
            seconds = time.monotonic() - begun
            with open(path, "rb") as file:
                reached = [i for i, byte in enumerate(file.read()) if byte]
        finally:
            os.unlink(path)
        with self.lock:
            known = self.results["programs"].get(name)
            if status != 0 and known is None:
                # Try again: many programs ran at the same time.
                self.results["programs"][name] = {"tries": 1}
                return False
            self.results["programs"][name] = {"seconds": round(seconds, 3), "status": status,
                                              "reached": reached if status == 0 else []}
        return True

    def judge(self, number):
        """Runs the programs that reach the mutant, fastest first, up to the first failure."""
        with self.lock:
            entry = self.results["mutants"].setdefault(str(number), {"passed": [], "flaky": []})
        reaching = sorted((known["seconds"], name) for name, known in self.results["programs"].items()
                          if number in known.get("reached", []))
        for usual, name in reaching:
            if name in entry["passed"]:
                continue
            allowed = max(LEAST, SLOWER * usual)
            status = self.run(self.programs[name], allowed, MUTANT=number)
            if status not in (0, None):
                # A second failure excludes chance.
                again = self.run(self.programs[name], allowed, MUTANT=number)
                with self.lock:
                    entry["flaky"] += [name] if again == 0 else []
                status = again
            with self.lock:
                if status != 0:
                    entry.update(verdict="killed", by=name, status=status)
                    return
                entry["passed"].append(name)
        with self.lock:
            entry["verdict"] = "survived" if reaching else "not reached"

    def work(self, queue, do):
        while True:
            with self.lock:
                if not queue or time.monotonic() >= self.end:
                    return
                item = queue.popleft()
            try:
                if do(item) is False:
                    with self.lock:
                        queue.append(item)
            except Over:
                return

    def all(self, items, do, jobs, save):
        queue = collections.deque(items)
        threads = [threading.Thread(target=self.work, args=(queue, do)) for _ in range(jobs)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.5)
            save()
        save()


def pending(manifest, results):
    programs = [p["name"] for p in manifest["programs"]
                if "seconds" not in results["programs"].get(p["name"], {})]
    mutants = [m["number"] for m in manifest["mutants"]
               if "verdict" not in results["mutants"].get(str(m["number"]), {})]
    return programs, mutants


def report(manifest, results, diffs):
    """Prints the counts and the survivors; returns whether all mutants have a verdict."""
    counts = collections.Counter()
    operators = collections.defaultdict(collections.Counter)
    for mutant in manifest["mutants"]:
        verdict = results["mutants"].get(str(mutant["number"]), {}).get("verdict", "open")
        counts[verdict] += 1
        operators[mutant["operator"]][verdict] += 1
        if verdict in ("survived", "not reached"):
            print(f"{verdict}: {mutant['number']}: {mutant['file']}:{mutant['line']} {mutant['function']}: "
                  f"{mutant['operator']}: {mutant['original']}  ->  {mutant['mutated'] or '(nothing)'}")
            if diffs:
                print(mutant["diff"])
    broken = [name for name, known in results["programs"].items() if known.get("status", 0) != 0]
    if broken:
        print(f"left out, as they fail or hang without a mutant: {', '.join(sorted(broken))}")
    for operator, row in sorted(operators.items()):
        print(f"{operator:18} " + ", ".join(f"{n} {verdict}" for verdict, n in sorted(row.items())))
    known = sum(counts.values()) - counts["open"]
    share = 100 * counts["killed"] / known if known else 0
    print(f"seed {manifest['seed']}: {len(manifest['mutants'])} mutants: {counts['killed']} killed, "
          f"{counts['survived']} survived, {counts['not reached']} not reached, {counts['open']} open; "
          f"{share:.1f} % of those with a verdict killed")
    return counts["open"] == 0


def write(path, data):
    with open(path + ".new", "w") as file:
        json.dump(data, file, separators=(",", ":"))
    os.replace(path + ".new", path)


def go(folder, path, jobs, seconds, only=None, pattern=""):
    """Runs for at most `seconds`. Returns the manifest and the results so far. `only` lists numbers of mutants,
    `pattern` selects programs by name."""
    with open(os.path.join(folder, "manifest.json")) as file:
        manifest = json.load(file)
    results = {"seed": manifest["seed"], "programs": {}, "mutants": {}}
    if os.path.exists(path):
        with open(path) as file:
            results = json.load(file)
    if results["seed"] != manifest["seed"]:
        sys.exit(f"{path}: results of seed {results['seed']}, not of {manifest['seed']}: remove it or name another file")
    if only is not None:
        manifest["mutants"] = [m for m in manifest["mutants"] if m["number"] in only]
    manifest["programs"] = [p for p in manifest["programs"] if re.search(pattern, p["name"])]
    # Inherited by the programs.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    runner = Runner(manifest, results, time.monotonic() + seconds)

    def save():
        with runner.lock:
            write(path, results)

    programs, mutants = pending(manifest, results)
    known = {name: value.get("seconds", 0) for name, value in results["programs"].items()}
    # Slow programs come first, if their duration is known.
    programs.sort(key=lambda name: -runner.programs[name].get("seconds", known.get(name, 0)))
    runner.all(programs, runner.measure, jobs, save)
    if not pending(manifest, results)[0]:
        runner.all(mutants, runner.judge, jobs, save)
    return manifest, results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", default=os.path.join(FOLDER, "results.json"), help="read if it exists, and written")
    parser.add_argument("--time", type=float, default=1e9, help="seconds to run for, at most")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--mutant", type=int, action="append", help="only this one; may be repeated")
    parser.add_argument("--programs", default="", metavar="REGEX",
                        help="only these, such as '^unit/'; for a quick look, with results of their own")
    parser.add_argument("--diffs", action="store_true", help="print survivors with their diffs")
    options = parser.parse_args()
    manifest, results = go(FOLDER, options.results, options.jobs, options.time, options.mutant,
                           options.programs)
    done = report(manifest, results, options.diffs)
    sys.exit(0 if done else 3)


if __name__ == "__main__":
    main()
