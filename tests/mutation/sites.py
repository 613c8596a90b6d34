# SPDX-License-Identifier: MIT
"""Mutation sites of C sources: places where an operator can change the code, found with libclang."""
import bisect
import os
import re
import sys

# Distributions install the bindings for their own Python, which may differ from the one in PATH.
sys.path.append("/usr/lib/python3/dist-packages")
from clang import cindex  # noqa: E402
from clang.cindex import CursorKind as Kind, TypeKind  # noqa: E402

NEGATED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "&": "|", "|": "&", "<<": ">>", ">>": "<<"}
LOGIC = {"&&": "||", "||": "&&"}
ORDERED = {"-", "/", "%", "<<", ">>"}
ASSIGNED = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=", "<<=": ">>=", ">>=": "<<="}
SIBLINGS = {
    "pixman_region32_union": "pixman_region32_subtract",
    "pixman_region32_subtract": "pixman_region32_union",
    "pixman_region32_intersect": "pixman_region32_union",
    "pixman_region32_union_rect": "pixman_region32_intersect_rect",
    "pixman_region32_intersect_rect": "pixman_region32_union_rect",
    "region_scale_inward": "region_scale",
    "floor": "ceil",
    "ceil": "floor",
}
NUMBERS = {TypeKind.BOOL, TypeKind.CHAR_U, TypeKind.UCHAR, TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG,
           TypeKind.ULONGLONG, TypeKind.CHAR_S, TypeKind.SCHAR, TypeKind.SHORT, TypeKind.INT, TypeKind.LONG,
           TypeKind.LONGLONG, TypeKind.FLOAT, TypeKind.DOUBLE, TypeKind.ENUM}
SILENT = re.compile(r"(log_|abort$|assert_)")
# Swapping operands of the former has no effect; dropping the latter only leaks, as sanitizers report.
COMMUTATIVE = re.compile(r"pixman_region32_(union|intersect)$|x?calloc$|\w*(equal|same)$")
LEAKS = re.compile(r"free$|close$|fd_close$|munmap$|\w+_fini$|drmMode(Atomic)?Free\w*$")
COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*", re.S)


class Site:
    """One possible mutant. `edits` are what the instrumented source gets, with MUTANT(%d) in the texts:
    (start, end, text) replaces, with start == end it inserts; `opening` tells how insertions nest.
    `original` at [start, end) becomes `mutated` in the mutant that people read."""

    def __init__(self, operator, start, end, mutated, edits, source, function):
        self.operator, self.start, self.end, self.mutated = operator, start, end, mutated
        self.edits, self.function = edits, function
        self.original = source[start:end].decode()


def plain(text):
    return COMMENT.sub(b"", text).strip().decode()


def is_number(node):
    return node.type.get_canonical().kind in NUMBERS


class Finder:
    def __init__(self, unit, path, source):
        self.unit, self.path, self.source = unit, path, source
        self.sites = []
        spans = [(c.extent.start.offset, c.extent.end.offset) for c in unit.cursor.get_children()
                 if c.kind == Kind.MACRO_INSTANTIATION and self.is_here(c)]
        self.macros = sorted(spans)
        self.starts = [start for start, _ in self.macros]

    def is_here(self, node):
        file = node.location.file
        return file is not None and file.name == self.path

    def in_macro(self, position):
        at = bisect.bisect_right(self.starts, position) - 1
        return at >= 0 and self.macros[at][0] <= position < self.macros[at][1]

    def span(self, node):
        """Returns the offsets of the node's text; None if a macro produced an inseparable part of it."""
        start, end = node.extent.start.offset, node.extent.end.offset
        if start >= end:
            return None
        whole = any(s == start and e == end for s, e in self.macros)
        if whole or not self.is_here(node):
            return None
        # A macro at either end must be included as a whole.
        for position in (start, end - 1):
            at = bisect.bisect_right(self.starts, position) - 1
            if at >= 0 and position < self.macros[at][1] and not (start <= self.macros[at][0] and self.macros[at][1] <= end):
                return None
        return start, end

    def text(self, span):
        return self.source[span[0]:span[1]].decode()

    def add(self, operator, span, mutated, edits):
        self.sites.append(Site(operator, span[0], span[1], mutated, edits, self.source, self.function))

    def add_either(self, operator, span, mutated):
        """Returns an expression that evaluates one of two."""
        original = self.text(span)
        self.add(operator, span, mutated, [(*span, f"(MUTANT(%d) ? ({mutated}) : ({original}))", "replace")])

    def add_around(self, operator, span, mutated, before, after):
        self.add(operator, span, mutated, [(span[0], span[1], (before, after), "around")])

    def find(self):
        for node in self.unit.cursor.get_children():
            if node.kind == Kind.FUNCTION_DECL and node.is_definition() and self.is_here(node):
                self.function = node.spelling
                for child in node.get_children():
                    if child.kind == Kind.COMPOUND_STMT:
                        self.walk(child, node, 0)
        return self.sites

    def walk(self, node, parent, index):
        if node.kind in (Kind.CXX_UNARY_EXPR, Kind.ENUM_DECL, Kind.STATIC_ASSERT):
            return
        if node.kind == Kind.CALL_EXPR and SILENT.match(node.spelling or ""):
            return
        if node.kind == Kind.VAR_DECL and node.storage_class == cindex.StorageClass.STATIC:
            return
        children = list(node.get_children())
        span = self.span(node)
        if span:
            self.mutate(node, parent, index, children, span)
        for i, child in enumerate(children):
            if node.kind == Kind.CASE_STMT and i == 0:
                continue
            if node.kind == Kind.VAR_DECL and b"=" not in self.source[node.extent.start.offset:child.extent.start.offset]:
                continue
            if node.kind == Kind.INIT_LIST_EXPR and self.text((node.extent.start.offset, node.extent.end.offset)) == "{0}":
                continue
            self.walk(child, node, i)

    def mutate(self, node, parent, index, children, span):
        kind = node.kind
        statement = parent.kind == Kind.COMPOUND_STMT or \
            (parent.kind in (Kind.CASE_STMT, Kind.DEFAULT_STMT, Kind.LABEL_STMT) and kind != Kind.INTEGER_LITERAL)
        if kind in (Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            self.mutate_binary(children, span, statement)
        elif kind == Kind.CALL_EXPR:
            self.mutate_call(node, span, statement)
        elif kind == Kind.IF_STMT:
            self.negate(children[0])
            if len(children) == 3:
                self.drop_else(children, span)
        elif kind == Kind.CONDITIONAL_OPERATOR:
            self.negate(children[0])
        elif kind == Kind.INTEGER_LITERAL:
            self.mutate_number(node, span)
        elif kind == Kind.RETURN_STMT:
            match = re.match(rb"return\s+(true|false)\s*;", self.source[span[0]:span[0] + 40])
            if match:
                at = (span[0] + match.start(1), span[0] + match.end(1))
                self.add_either("constant", at, "false" if match.group(1) == b"true" else "true")

    def mutate_binary(self, children, span, statement):
        left, right = (self.span(child) for child in children)
        if not left or not right or left[1] > right[0] or left[0] < span[0] or right[1] > span[1]:
            return
        between = self.source[left[1]:right[0]]
        operator = plain(between)
        a, b = self.text((span[0], left[1])), self.text((right[0], span[1]))
        numbers = is_number(children[0]) and is_number(children[1])
        if operator in NEGATED:
            self.add_either("comparison", span, f"{a} {NEGATED[operator]} {b}")
        if operator in ARITHMETIC and numbers:
            self.add_either("arithmetic", span, f"{a} {ARITHMETIC[operator]} {b}")
        if operator in LOGIC:
            self.add_either("logic", span, f"{a} {LOGIC[operator]} {b}")
        if operator in ORDERED and numbers:
            self.add_either("swapped operands", span, f"{b} {operator} {a}")
        if operator in ASSIGNED and numbers:
            self.add_either("arithmetic", span, f"{a} {ASSIGNED[operator]} {b}")
        if operator == "=" and statement:
            self.add_around("missing reset", span, "", "(MUTANT(%d) ? (void)0 : (void)(", "))")

    def mutate_call(self, node, span, statement):
        if statement and not LEAKS.match(node.spelling or ""):
            self.add_around("dropped call", span, "", "(MUTANT(%d) ? (void)0 : (void)(", "))")
        name = re.match(rb"\w+", self.source[span[0]:span[1]])
        name = name.group().decode() if name else ""
        if name in SIBLINGS:
            self.add_either("sibling call", (span[0], span[0] + len(name)), SIBLINGS[name])
        arguments = [] if COMMUTATIVE.match(name) else list(node.get_arguments())
        for first, second in zip(arguments, arguments[1:]):
            a, b = self.span(first), self.span(second)
            if not a or not b or a[1] > b[0] or self.text(a) == self.text(b):
                continue
            if first.type.get_canonical().spelling != second.type.get_canonical().spelling:
                continue
            mutated = self.text((span[0], a[0])) + self.text(b) + self.text((a[1], b[0])) + \
                self.text(a) + self.text((b[1], span[1]))
            self.add_either("swapped operands", span, mutated)

    def negate(self, condition):
        span = self.span(condition)
        if span:
            self.add_around("negated condition", span, f"!({self.text(span)})", "(MUTANT(%d) == !(", "))")

    def drop_else(self, children, span):
        start, end = children[2].extent.start.offset, children[2].extent.end.offset
        then = children[1].extent.end.offset
        if self.in_macro(start) or not then < start < end or plain(self.source[then:start]) != "else":
            return
        self.add("dropped else", (then, end), "", [(start, end, ("if (!MUTANT(%d)) ", ""), "around")])

    def mutate_number(self, node, span):
        text = self.text(span)
        match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)", text)
        if match and not self.in_macro(span[0]):
            value = int(match.group(1), 0) if not re.fullmatch(r"0\d+", match.group(1)) else int(match.group(1), 8)
            self.add_either("constant", span, f"{0 if value == 1 else value + 1}{match.group(2)}")


def find(path, arguments):
    """Returns the sites of a source file; `arguments` are the compiler's arguments for the parser."""
    index = cindex.Index.create()
    unit = index.parse(path, args=arguments, options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
    errors = [str(d) for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
    if errors:
        raise RuntimeError(f"{path}: {errors[0]}")
    with open(path, "rb") as file:
        return Finder(unit, path, file.read()).find()


def conflict(a, b):
    """Returns whether two sites cannot be compiled together: one repeats a text that contains the other."""
    for start, end, _, kind in a.edits:
        for other_start, other_end, _, other_kind in b.edits:
            apart = end <= other_start or other_end <= start
            if not apart and "replace" in (kind, other_kind):
                return True
            if (start, end) == (other_start, other_end):
                return True
    return False


def instrument(source, chosen):
    """Returns the source as bytes with all (number, site) inserted, with the same line numbers."""
    events = []
    for number, site in chosen:
        for start, end, text, kind in site.edits:
            if kind == "replace":
                events.append((start, 1, start - end, text.replace("%d", str(number)), end))
            else:
                events.append((start, 1, start - end, text[0].replace("%d", str(number)), start))
                events.append((end, 0, end - start, text[1], end))
    out, at = [], 0
    for start, _, _, text, end in sorted(events, key=lambda event: event[:3]):
        out.append(source[at:start])
        out.append(text.encode())
        at = end
    return b"".join(out) + source[at:]
