# SPDX-License-Identifier: MIT
"""Preloaded libraries in programs under test."""
import json
import os
import sys


def skip_if_sanitized(build):
    """Skips the test in a build with a sanitizer, whose runtime must come before a preloaded library."""
    with open(os.path.join(build, "meson-info", "intro-buildoptions.json"), encoding="utf-8") as file:
        options = {option["name"]: option["value"] for option in json.load(file)}
    if options["b_sanitize"] not in ("none", []):
        print("skip: a sanitizer's runtime must come before a preloaded library")
        sys.exit(77)
