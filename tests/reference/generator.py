# SPDX-License-Identifier: Apache-2.0
"""Writes random programs in the typed notation, valid by construction, and counts what they cover.

    generate(seed=1, count=60)  ->  [Program], Coverage

A program is C++ text: tensors, a constant `program` and a function that compares engine and interpreter. The same seed
gives the same programs. Choices prefer what few programs of the run have so far.
"""
import random
from collections import Counter

TYPES = {
    "float": ("float", 8191), "double": ("double", 1000003), "int32": ("std::int32_t", 1000003),
    "int64": ("std::int64_t", 1000003), "bool": ("bool", 2), "half": ("ts::half", 1021), "bf16": ("ts::bf16", 251),
}
MAPPINGS = ["by_rows", "by_cols", "by_blocks", "on_tile", "on_tiles", "replicated"]
FILLS = ["even", "uneven", "empty tiles", "copies"]
READS = ["own", "halo", "halo zero", "halo clamp", "halo wrap", "whole", "rows", "cols", "block", "neighbour",
         "neighbour wrap", "gather", "at"]
WRITES = ["> own", "inout", "> at", "> whole", "> block", "> neighbour"]
COPIES = ["copy from", "copy to"]
ACCESSES = READS + WRITES + COPIES
STEPS = ["execute", "on", "compute_set", "copy", "repeat", "repeat_while", "if then", "if else", "block"]
LAYOUTS = ["row_major", "col_major", "panels", "row_panels"]
FOLLOWING = {"own", "halo", "halo zero", "halo clamp", "halo wrap", "rows", "cols", "neighbour", "neighbour wrap",
             "gather", "> own", "inout", "> neighbour"}

MACHINES_SMALL = [("ts::machines::host<%d>", True), ("separate<%d>", False)]
MACHINES_LARGE = [("ts::machines::gc2", 1216, False), ("ts::machines::gc200", 1472, False),
                  ("ts::machines::bow", 1472, False), ("ts::machines::host<320>", 320, True),
                  ("separate<400>", 400, False), ("ts::machines::host<1472>", 1472, True)]


class Coverage:
    """How often each pair of properties occurs together in one access."""
    AXES = {"step": STEPS, "access": ACCESSES, "mapping": MAPPINGS, "type": list(TYPES), "fill": FILLS,
            "layout": LAYOUTS}
    TABLES = [("step", "access"), ("access", "mapping"), ("access", "type"), ("access", "fill"), ("step", "mapping"),
              ("step", "type"), ("step", "fill"), ("mapping", "type"), ("mapping", "fill"), ("type", "fill"),
              ("layout", "access"), ("layout", "type"), ("layout", "fill")]

    def __init__(self):
        self.cells = Counter()
        self.programs = Counter()

    def copy(self):
        other = Coverage()
        other.cells, other.programs = self.cells.copy(), self.programs.copy()
        return other

    @staticmethod
    def possible(a, b):
        """Whether two properties can occur together at all."""
        pair = {a, b}
        vertex_step = pair & {"execute", "on", "compute_set"}
        copying = pair & set(COPIES)
        if vertex_step and copying:
            return False
        if "copy" in pair and pair & set(READS + WRITES):
            return False
        if "execute" in pair and pair & {"> whole", "> block"}:
            return False                       # one tile writes: on<k>
        if pair & set(WRITES) and pair & {"replicated", "copies"}:
            return False
        if "copies" in pair and pair & set(MAPPINGS) and "replicated" not in pair:
            return False
        if "replicated" in pair and pair & {"even", "uneven", "empty tiles"}:
            return False
        if "on_tile" in pair and pair & {"uneven", "empty tiles"}:
            return False
        if pair & set(LAYOUTS) and pair & set(WRITES + COPIES):
            return False
        return True

    def add(self, steps, access, tensor, layout=None):
        facts = {"access": access, "mapping": tensor.kind, "type": tensor.type, "fill": tensor.fill}
        if layout:
            facts["layout"] = layout
        for step in steps:
            facts["step"] = step
            for a, b in self.TABLES:
                if a in facts and b in facts and (a == "step" or b == "step" or step == steps[0]):
                    self.cells[(a, facts[a], b, facts[b])] += 1

    def need(self, steps, access, kind, type_, fill, goal=6):
        """How much one more access with these properties is wanted."""
        facts = {"access": access, "mapping": kind, "type": type_, "fill": fill}
        wanted = 0.0
        for a, b in self.TABLES:
            for step in steps if a == "step" else steps[:1]:
                facts["step"] = step
                if a in facts and b in facts:
                    wanted += max(0, goal - self.cells[(a, facts[a], b, facts[b])]) ** 2
        return wanted

    def thin(self, least=3):
        """The cells that have fewer than `least`."""
        return [(a, x, b, y, self.cells[(a, x, b, y)]) for a, b in self.TABLES
                for x in self.AXES[a] for y in self.AXES[b]
                if self.possible(x, y) and self.cells[(a, x, b, y)] < least]

    def text(self):
        lines = []
        for a, b in self.TABLES:
            across = self.AXES[b] if len(self.AXES[b]) <= 9 else None
            rows, cols, flip = (self.AXES[a], self.AXES[b], False) if across else (self.AXES[b], self.AXES[a], True)
            lines.append("%-16s" % (a + " x " + b) + "".join("%13s" % c for c in cols))
            for r in rows:
                line = "  %-14s" % r
                for c in cols:
                    x, y = (c, r) if flip else (r, c)
                    line += "%13s" % (self.cells[(a, x, b, y)] if self.possible(x, y) else "-")
                lines.append(line)
            lines.append("")
        p = self.programs
        lines.append("programs: %d; over 300 tiles: %d; fewer rows than tiles or halos wider than a block: %d; "
                     "control flow nested twice: %d; swaps possible: %d" %
                     (p["all"], p["large"], p["sparse"], p["nested"], p["swap"]))
        return "\n".join(lines)


class Tensor:
    def __init__(self, name, type_, shape, mapping, kind, tiles):
        self.name, self.type, self.shape, self.mapping, self.kind = name, type_, tuple(shape), mapping, kind
        self.first, self.parts = grid(mapping, len(shape), tiles)
        self.replicated = kind == "replicated"
        self.role = "data"
        self.bound = TYPES[type_][1]
        self.fill = fill_of(self.shape, self.parts, self.replicated)

    @property
    def rank(self):
        return len(self.shape)

    @property
    def volume(self):
        v = 1
        for e in self.shape:
            v *= e
        return v

    def declaration(self):
        return "constexpr ts::tensor<\"%s\", %s, ts::shape<%s>, %s> %s;" % (
            self.name, TYPES[self.type][0], ", ".join(map(str, self.shape)), self.cpp_mapping(self.mapping), self.name)

    @staticmethod
    def cpp_mapping(m):
        if m[0] == "by_blocks":
            return "ts::by_blocks<%d, %d>" % m[1:]
        if m[0] == "on_tile":
            return "ts::on_tile<%d>" % m[1]
        if m[0] == "on_tiles":
            return "ts::on_tiles<%d, %d, %s>" % (m[1], m[2], Tensor.cpp_mapping(m[3]))
        return "ts::" + m[0]


def grid(mapping, rank, tiles):
    """First tile and blocks in each dimension."""
    if mapping[0] == "by_rows":
        return 0, (tiles, 1, 1)
    if mapping[0] == "by_cols":
        return 0, ((tiles, 1, 1) if rank == 1 else (1, tiles, 1))
    if mapping[0] == "by_blocks":
        return 0, (mapping[1], mapping[2], 1)
    if mapping[0] == "on_tile":
        return mapping[1], (1, 1, 1)
    if mapping[0] == "on_tiles":
        first, parts = grid(mapping[3], rank, mapping[2] - mapping[1] + 1)
        return first + mapping[1], parts
    return 0, (1, 1, 1)


def fill_of(shape, parts, replicated):
    if replicated:
        return "copies"
    pairs = list(zip(shape, parts))
    if any(e < p for e, p in pairs):
        return "empty tiles"
    return "uneven" if any(e % p for e, p in pairs) else "even"


def correspond(a, b):
    if a.replicated or b.replicated:
        return True
    tiles = lambda t: t.parts[0] * t.parts[1] * t.parts[2]
    if a.first != b.first or tiles(a) != tiles(b):
        return False
    split = lambda t: sum(p > 1 for p in t.parts)
    return a.parts == b.parts or ((a.rank == 1 or b.rank == 1) and split(a) == 1 and split(b) == 1)


class Program:
    """One random program. `text` is its C++, `features` the words of what it contains."""

    def __init__(self, name, rng, coverage, large, nested):
        self.name, self.rng, self.coverage, self.large = name, rng, coverage, large
        if large:
            self.machine, self.tiles, self.shared = rng.choice(MACHINES_LARGE)
        else:
            machine, self.shared = rng.choice(MACHINES_SMALL)
            self.tiles = rng.choice([1, 2, 3, 4, 4, 5, 6, 6, 8, 9, 12])
            self.machine = machine % self.tiles
        self.tensors = []
        self.inputs = []          # tensors the host writes
        self.written = set()      # names of tensors that are complete at this point
        self.stepped = set()      # names of tensors that some step writes
        self.features = set()
        self.sparse = False
        self.depth_reached = 0
        self.swapped, self.copied_back = [], []   # what a twin was copied to, the twin being dead, or read later
        self.blocks = 0
        self.left = rng.randint(6, 9) if large else rng.randint(9, 15)   # executes and copies still to be written
        steps = []
        if nested:
            steps += self.control(["program"], 2)
        while self.left > 0:
            steps += self.statement([], 2)
        steps += self.finish()
        self.write_text(steps)

    # --- Tensors ------------------------------------------------------------------------------------------------------

    def random_mapping(self, kind, rank):
        rng, n = self.rng, self.tiles
        if kind == "by_blocks":
            rows = rng.randint(1, n)
            if self.large:
                rows = rng.choice([r for r in (8, 16, 19, 23, 32, 40) if r <= n])
            cols = rng.randint(1, max(1, n // rows))
            if self.large or rng.random() < 0.5:
                cols = n // rows
            return ("by_blocks", rows, cols)
        if kind == "on_tile":
            return ("on_tile", rng.randrange(n))
        if kind == "on_tiles":
            first = rng.randrange(n)
            last = rng.randint(first, n - 1)
            if n > 1 and first == last:
                first, last = (first - 1, last) if first > 0 else (first, last + 1)
            if self.large:
                first, last = rng.randint(0, 5), rng.randint(n // 2, n - 1)
            inner = rng.choice(["by_rows", "by_cols", "by_blocks"])
            if inner == "by_blocks" and rank >= 2:
                size = last - first + 1
                rows = rng.choice([r for r in range(1, min(size, 24) + 1)])
                return ("on_tiles", first, last, ("by_blocks", rows, max(1, size // rows)))
            return ("on_tiles", first, last, ("by_cols" if inner == "by_cols" else "by_rows",))
        return (kind,)

    def random_shape(self, rank, parts, fill):
        """Extents that fill `parts` blocks in this way; None where that cannot be."""
        rng, shape = self.rng, []
        splits = [d for d in range(rank) if parts[d] > 1]
        if any(parts[d] > 1 for d in range(rank, 3)):
            return None
        if fill in ("uneven", "empty tiles") and not splits:
            return None
        special = rng.choice(splits) if splits else -1
        for d in range(rank):
            p = parts[d]
            if p == 1:
                shape.append(rng.choice([1, 1, 2, 3] if self.large else [1, 2, 3, 4, 5, 7, 9]))
                continue
            most = 1 if p > 100 else 2 if p > 12 else 3
            how = fill if d == special else rng.choice(["even", fill]) if fill != "copies" else "even"
            if how == "even":
                shape.append(p * rng.randint(1, most))
            elif how == "uneven":
                shape.append(p * rng.randint(1, most) + rng.randint(1, p - 1))
            else:
                shape.append(rng.randint(1, p - 1))
        return shape

    def new_tensor(self, type_, rank, kind, fill, mapping=None, shape=None):
        mapping = mapping or self.random_mapping(kind, rank)
        if mapping[0] == "by_blocks" and rank < 2 or mapping[0] == "on_tiles" and mapping[3][0] == "by_blocks" and rank < 2:
            return None
        _, parts = grid(mapping, rank, self.tiles)
        shape = shape or self.random_shape(rank, parts, fill)
        if shape is None:
            return None
        t = Tensor("t%d" % len(self.tensors), type_, shape, mapping, mapping[0], self.tiles)
        if t.volume > 6000:
            return None
        self.tensors.append(t)
        return t

    def complete(self, t):
        return t in self.inputs or t.name in self.written

    def mark_written(self, t):
        self.written.add(t.name)
        self.stepped.add(t.name)

    def candidates(self, steps, accesses, ok, existing, make_mapping=None, count=14):
        """The most wanted of some random (access, tensor) pairs: existing tensors and blueprints of new ones."""
        rng, best = self.rng, (-1, None)
        pool = [t for t in existing if t.role == "data"]
        for _ in range(count):
            access = rng.choice(accesses)
            if pool and rng.random() < 0.55:
                t = rng.choice(pool)
                if not ok(access, t):
                    continue
                score = self.coverage.need(steps, access, t.kind, t.type, t.fill) + rng.random() * 40 + 25
                if score > best[0]:
                    best = (score, (access, t))
            else:
                kind, type_ = rng.choice(MAPPINGS), rng.choice(list(TYPES))
                rank = rng.choice([1, 2, 2, 3])
                mapping = make_mapping(kind, rank) if make_mapping else self.random_mapping(kind, rank)
                if mapping is None or access in ("cols",) and rank < 2:
                    continue
                kind = mapping[0]
                fill = "copies" if kind == "replicated" else rng.choice(FILLS[:3])
                score = self.coverage.need(steps, access, kind, type_, fill) + rng.random() * 40
                if score <= best[0]:
                    continue
                before = len(self.tensors)
                t = self.new_tensor(type_, rank, kind, fill, mapping)
                if t is None:
                    continue
                self.tensors.pop()
                if ok(access, t) and len(self.tensors) == before:
                    best = (score, (access, t))
        if best[1] is None:
            return None
        access, t = best[1]
        if t not in self.tensors:
            t.name = "t%d" % len(self.tensors)
            self.tensors.append(t)
        return access, t

    # --- Accesses -----------------------------------------------------------------------------------------------------

    def too_much(self, access, t, many):
        """Whether this access on all tiles of a large machine would take long."""
        if not self.large:
            return t.volume > 3000
        return many and access in ("whole", "rows", "cols", "gather", "at", "block") and t.volume > 400

    def read(self, steps, reference, forbidden, many=True, plain=False):
        """Access text, field type and the tensor whose blocks the access follows (or None) of one complete input."""
        rng = self.rng

        def ok(access, t):
            if t.name in forbidden or self.too_much(access, t, many):
                return False
            if access == "cols" and t.rank < 2:
                return False
            if access in FOLLOWING and access != "gather" and reference is not None and not correspond(t, reference):
                return False
            if self.large and access in FOLLOWING and t.replicated and t.volume > 400:
                return False
            return True

        def like(kind, rank):
            """New tensors are mapped like the reference, half of the time."""
            if reference is not None and rng.random() < 0.6:
                return reference.mapping
            return self.random_mapping(kind, rank)

        accesses = ["own", "whole", "block", "at"] if plain else READS
        existing = [t for t in self.tensors if self.complete(t)]
        chosen = self.candidates(steps, accesses, ok, existing, like)
        if chosen is None:
            t = self.new_tensor("int32", 1, "on_tile", "even", ("on_tile", 0))
            chosen = ("whole", t)
        access, t = chosen
        if not self.complete(t):
            self.inputs.append(t)
        follows, ids = t if access in FOLLOWING else None, None
        if access == "gather":
            follows = ids = self.index_vector(t, reference, forbidden)
            if ids is None:
                access = "block" if self.too_much("whole", t, many) else "whole"
        text = self.read_text(access, t, ids)
        layout, name = "", "row_major"
        if t.rank == 2:
            cells = self.coverage.cells
            seen = lambda l: (min(6, cells[("layout", l, "access", access)]) + min(6, cells[("layout", l, "type", t.type)])
                              + min(6, cells[("layout", l, "fill", t.fill)]) + 5 * rng.random())
            name = min(LAYOUTS, key=seen) if rng.random() < 0.7 else "row_major"
            width = rng.choice([2, 3, 4, 8, 16, 32])
            if self.large and width * max(t.shape) > 2000:
                width = 2
            if name != "row_major":
                layout = ", ts::col_major" if name == "col_major" else ", ts::%s<%d>" % (name, width)
        self.coverage.add(steps, access, t, name)
        self.features.add(access)
        self.features.add(name)
        return text, "ts::input<%s, %d%s>" % (TYPES[t.type][0], t.rank, layout), follows

    def read_text(self, access, t, ids):
        rng = self.rng
        if access == "own":
            return t.name
        if access.startswith("halo"):
            dims = rng.randint(1, t.rank)
            radii = []
            for d in range(dims):
                block = max(1, t.shape[d] // t.parts[d])
                radius = rng.choice([0, 1, 1, 2, block + 1, 2 * block + 1])
                if access == "halo wrap":
                    radius = min(radius, t.shape[d])
                radii.append(min(radius, 3 if self.large else 12))
            if not any(radii):
                radii[0] = 1
            if any(r > t.shape[d] // t.parts[d] for d, r in enumerate(radii)) and not t.replicated:
                self.sparse = True
                self.features.add("wide halo")
            edge = access.split()[1:]
            return "ts::halo<%s>(%s%s)" % (", ".join(map(str, radii)), t.name, ", ts::edge::%s" % edge[0] if edge else "")
        if access in ("whole", "rows", "cols"):
            return "ts::%s(%s)" % (access, t.name)
        if access == "block":
            c = [rng.randrange(t.parts[d]) for d in range(rng.randint(1, t.rank))]
            return "ts::block<%s>(%s)" % (", ".join(map(str, c)), t.name)
        if access.startswith("neighbour"):
            c = [rng.choice([-2, -1, 0, 1, 1, 2]) for d in range(rng.randint(1, t.rank))]
            if not any(c):
                c[0] = 1
            return "ts::neighbour<%s>(%s%s)" % (", ".join(map(str, c)), t.name,
                                               ", ts::edge::wrap" if access == "neighbour wrap" else "")
        if access == "gather":
            return "ts::gather(%s, %s)" % (t.name, ids.name)
        e = t.shape[0]
        way = rng.choice(["part", "turn", "reverse", "corner"])
        if way == "part":
            lo = rng.randrange(e)
            box = ".rows = {%d, %d}" % (lo, rng.randint(lo + 1, e))
        elif way == "turn":
            box = ".rows = {t.index %% %d, t.index %% %d + 1}" % (e, e)
        elif way == "reverse":
            box = ".rows = {%d * (t.count - 1 - t.index) / t.count, %d * (t.count - t.index) / t.count}" % (e, e)
        else:
            box = ".rows = {0, t.index %% %d + 1}" % e
            if t.rank >= 2:
                box += ", .cols = {%d, %d}" % (rng.randrange(t.shape[1]), t.shape[1])
        unused = "" if "t." in box else "/*t*/"
        return "ts::at(%s, [](ts::tile %s) { return ts::box{%s}; })" % (t.name, unused or "t", box)

    def index_vector(self, t, reference, forbidden):
        """A vector of rows of t whose blocks go with those of the reference."""
        rng = self.rng
        fits = [i for i in self.tensors if i.role == "index" and self.complete(i) and i.bound <= t.shape[0]
                and i.name not in forbidden and (reference is None or correspond(i, reference))]
        if fits and rng.random() < 0.5:
            return rng.choice(fits)
        for _ in range(8):
            if reference is not None and rng.random() < 0.8:
                mapping = reference.mapping
            else:
                mapping = self.random_mapping(rng.choice(["by_rows", "on_tile", "on_tiles", "replicated"]), 1)
            fill = "copies" if mapping[0] == "replicated" else rng.choice(FILLS[:3])
            ids = self.new_tensor(rng.choice(["int32", "int64"]), 1, mapping[0], fill, mapping)
            if ids is None:
                continue
            if reference is not None and not correspond(ids, reference) or (self.large and ids.replicated):
                self.tensors.pop()
                continue
            ids.role, ids.bound = "index", t.shape[0]
            self.inputs.append(ids)
            return ids
        return None

    def target(self, steps, accesses, ok=lambda a, t: True):
        """The (access name, tensor) that a vertex is to write."""
        def fits(access, t):
            if t.replicated or t.role != "data":
                return False
            if access != "> own" and access != "> at" and access != "> whole" and not self.complete(t):
                return False
            if access == "> at" and self.large and t.volume > 3000:
                return False
            return ok(access, t)
        partial = [a for a in accesses]
        existing = [t for t in self.tensors if t.role == "data"]
        chosen = self.candidates(steps, partial, fits, existing, count=20)
        if chosen is None:
            for _ in range(50):
                t = self.new_tensor(self.rng.choice(list(TYPES)), 2, "by_rows", self.rng.choice(FILLS[:3]), ("by_rows",))
                if t is not None:
                    break
            else:
                t = self.new_tensor("float", 1, "on_tile", "even", ("on_tile", 0))
            access = "> own" if "> own" in accesses else accesses[0]
            if access not in ("> own", "> at", "> whole"):
                self.inputs.append(t)
            return access, t
        return chosen

    def write_access(self, access, t):
        """(access text, direction) of a written field."""
        rng = self.rng
        if access == "> own":
            return t.name, "output"
        if access == "inout":
            return t.name, "inout"
        if access == "> whole":
            return "ts::whole(%s)" % t.name, "output"
        if access == "> block":
            c = [rng.randrange(t.parts[d]) for d in range(t.rank)]
            return "ts::block<%s>(%s)" % (", ".join(map(str, c)), t.name), "output"
        if access == "> neighbour":
            c = [rng.choice([-1, 0, 1]) for d in range(t.rank)]
            if not any(c):
                c[0] = 1
            return "ts::neighbour<%s>(%s, ts::edge::wrap)" % (", ".join(map(str, c)), t.name), "output"
        e = t.shape[0]
        return ("ts::at(%s, [](ts::tile t) { return ts::box{.rows = {%d * t.index / t.count, "
                "%d * (t.index + 1) / t.count}}; })" % (t.name, e, e)), "output"

    # --- Steps --------------------------------------------------------------------------------------------------------

    def vertex(self, steps, written, forbidden, many=True, same=None):
        """The text of one execute whose written fields are [(access, tensor)], reading nothing in `forbidden`."""
        self.left -= 1
        rng = self.rng
        reference = None
        for access, t in written:
            if access in FOLLOWING:
                reference = t
                break
        outs = []
        for access, t in written:
            text, direction = same or self.write_access(access, t)
            self.coverage.add(steps, access, t)
            self.features.add(access)
            outs.append((text, "ts::%s<%s, %d>" % (direction, TYPES[t.type][0], t.rank)))
        count = 1 if len(outs) == 2 else rng.choice([1, 1, 2, 2, 3])
        if len(outs) == 1 and rng.random() < 0.04:
            self.features.add("iota")
            return "ts::execute<iota<%s>>(%s)" % (outs[0][1], outs[0][0])
        reads = []
        for _ in range(count):
            text, field, follows = self.read(steps, reference, forbidden, many)
            if reference is None and follows is not None and not follows.replicated:
                reference = follows           # what nothing written binds, the first access that follows the tile does
            reads.append((text, field))
        if len(written) == 1 and count == 2 and written[0][0] == "> own" and self.complete(written[0][1]) \
                and rng.random() < 0.3:
            t = written[0][1]                 # the old values of what is written
            reads[1] = (t.name, "ts::input<%s, %d>" % (TYPES[t.type][0], t.rank))
            self.features.add("old values")
        if len(outs) == 2:
            return "ts::execute<split2<%s, %s, %s>>(%s, %s, %s)" % (reads[0][1], outs[0][1], outs[1][1], reads[0][0],
                                                                   outs[0][0], outs[1][0])
        (out, out_field), = outs
        if count == 3:
            return "ts::execute<map3<%s, %s, %s, %s>>(%s, %s, %s, %s)" % (
                reads[0][1], reads[1][1], out_field, reads[2][1], reads[0][0], reads[1][0], out, reads[2][0])
        if count == 2:
            return "ts::execute<map2<%s, %s, %s>>(%s, %s, %s)" % (out_field, reads[0][1], reads[1][1], out,
                                                                  reads[0][0], reads[1][0])
        if rng.random() < 0.3:
            self.features.add("state")
            given = rng.choice(["", "ts::value<parameters{.a = %d, .b = %d}>, " % (rng.randint(0, 99), rng.randint(0, 99)),
                                "ts::per_tile([](ts::tile t) { return parameters{t.index, t.count}; }), "])
            calls = rng.choice(["", "ts::value<%d>, " % rng.randint(0, 9)])
            return "ts::execute<stateful<%s, %s>>(%s%s, %s%s)" % (reads[0][1], out_field, given, reads[0][0], calls, out)
        return "ts::execute<map1<%s, %s>>(%s, %s)" % (reads[0][1], out_field, reads[0][0], out)

    def execute(self, context):
        """One execute on all tiles."""
        steps = ["execute"] + context
        access, t = self.target(steps, ["> own", "> own", "> own", "inout", "> at", "> neighbour"])
        written = [(access, t)]
        if access == "> own" and self.rng.random() < 0.15:
            other = self.target(steps, ["> own"], lambda a, o: o is not t and correspond(o, t))
            if other[1] is not t and correspond(other[1], t):
                written.append(other)
        text = self.vertex(steps, written, {w.name for _, w in written})
        for _, w in written:
            self.mark_written(w)
        return [text]

    def on(self, context):
        """One execute on some tiles; its target is complete before, or written as a whole."""
        rng, steps = self.rng, ["on"] + context
        access, t = self.target(steps, ["> own", "inout", "> at", "> neighbour", "> whole", "> whole", "> block"],
                                lambda a, t: a == "> whole" or self.complete(t))
        if access != "> whole" and not self.complete(t):
            self.inputs.append(t)
        if access in ("> whole", "> block"):
            k = rng.randrange(self.tiles)
            if t.kind != "on_tile" and rng.random() < 0.5:
                k = t.first
            text = self.vertex(steps, [(access, t)], {t.name}, many=False)
            self.mark_written(t)
            return ["ts::on<%d>(%s)" % (k, text)]
        if not self.complete(t):
            raise AssertionError("incomplete target")
        first = rng.randrange(self.tiles)
        last = rng.randint(first, self.tiles - 1)
        stride = rng.choice([1, 1, 2, 3])
        if access == "> own" and t.kind == "on_tile":
            first, last, stride = 0, t.first, 1
        text = self.vertex(steps, [(access, t)], {t.name})
        self.mark_written(t)
        self.features.add("partial")
        return ["ts::on<%d, %d, %d>(%s)" % (first, last, stride, text)]

    def compute_set(self, context):
        """Two or three executes in one superstep."""
        rng, n, steps = self.rng, self.tiles, ["compute_set"] + context
        way = rng.choice(["halves", "strides", "two", "one tile"])
        if n == 1:
            way = rng.choice(["two", "one tile"])
        if way in ("halves", "strides"):
            access, t = self.target(steps, ["> own", "> own", "inout"] + ([] if self.large else ["> at", "> neighbour"]),
                                    lambda a, t: a == "> own" or self.complete(t))
            if way == "halves":
                m = rng.randint(1, n - 1)
                ranges = ["ts::on<0, %d>" % (m - 1), "ts::on<%d, %d>" % (m, n - 1)]
            else:
                ranges = ["ts::on<0, %d, 2>" % (n - 1), "ts::on<1, %d, 2>" % (n - 1)]
            same = self.write_access(access, t)    # other blocks in each range would overlap
            parts = ["%s(%s)" % (r, self.vertex(steps, [(access, t)], {t.name}, same=same)) for r in ranges]
            self.mark_written(t)
            return ["ts::compute_set(%s)" % ", ".join(parts)]
        first = self.target(steps, ["> own", "inout", "> at"] if way == "two" else ["> whole", "> block"])
        second = self.target(steps, ["> own", "> own", "> neighbour"], lambda a, t: t is not first[1])
        if second[1] is first[1]:
            return ["ts::execute<iota<ts::output<%s, %d>>>(%s)" % (TYPES[first[1].type][0], first[1].rank, first[1].name)] \
                if not self.mark_written(first[1]) else []
        names = {first[1].name, second[1].name}
        a = self.vertex(steps, [first], names, many=way == "two")
        b = self.vertex(steps, [second], names)
        if way == "one tile":
            a = "ts::on<%d>(%s)" % (rng.randrange(n), a)
        self.mark_written(first[1])
        self.mark_written(second[1])
        parts = [a, b] if rng.random() < 0.5 else [b, a]
        return ["ts::compute_set(%s)" % ", ".join(parts)]

    def copy(self, context):
        rng, steps = self.rng, ["copy"] + context
        sources = [t for t in self.tensors if self.complete(t) and t.role == "data"]
        chosen = self.candidates(steps, ["copy from"], lambda a, t: True, sources)
        if chosen is None:
            return self.execute(context)
        _, source = chosen
        if not self.complete(source):
            self.inputs.append(source)
        existing = [t for t in self.tensors if t.role == "data" and t is not source and t.type == source.type
                    and t.shape == source.shape]
        best = (-1, None)
        for t in existing:
            best = max(best, (self.coverage.need(steps, "copy to", t.kind, t.type, t.fill) + rng.random() * 60, t),
                       key=lambda x: x[0])
        for _ in range(8):
            kind = rng.choice(MAPPINGS + [source.kind])
            mapping = source.mapping if rng.random() < 0.3 else self.random_mapping(kind, source.rank)
            t = self.new_tensor(source.type, source.rank, mapping[0], "", mapping, source.shape)
            if t is None:
                continue
            self.tensors.pop()
            score = self.coverage.need(steps, "copy to", t.kind, t.type, t.fill) + rng.random() * 60
            best = max(best, (score, t), key=lambda x: x[0])
        if best[1] is None:
            return self.execute(context)
        t = best[1]
        if t not in self.tensors:
            t.name = "t%d" % len(self.tensors)
            self.tensors.append(t)
        return [self.copy_of(steps, source, t)]

    def copy_of(self, steps, source, t):
        self.left -= 1
        self.coverage.add(steps, "copy from", source)
        self.coverage.add(steps, "copy to", t)
        self.mark_written(t)
        if t.mapping == source.mapping and not t.replicated:
            self.features.add("swap")
        return "ts::copy(%s, %s)" % (source.name, t.name)

    def twin_of(self, u):
        v = self.new_tensor(u.type, u.rank, u.kind, "", u.mapping, u.shape)
        return v

    def pair(self, context):
        """Two tensors that are alike; the second is written from the first, then copied back (a swap, if it is dead)."""
        rng, steps = self.rng, ["execute"] + context
        _, u = self.target(steps, ["> own"])
        if not self.complete(u):
            self.inputs.append(u)
        v = self.twin_of(u)
        if v is None:
            return self.execute(context)
        edge = rng.choice(["", ", ts::edge::zero", ", ts::edge::clamp", ", ts::edge::wrap"])
        kind = "halo" + (" " + edge.split("::")[-1] if edge else "")
        field = "ts::input<%s, %d>" % (TYPES[u.type][0], u.rank)
        out = "ts::output<%s, %d>" % (TYPES[u.type][0], u.rank)
        self.coverage.add(steps, kind, u, "row_major")
        self.coverage.add(steps, "> own", v)
        text = ["ts::execute<map1<%s, %s>>(ts::halo<1>(%s%s), %s)" % (field, out, u.name, edge, v.name)]
        self.mark_written(v)
        self.left -= 1
        if rng.random() < 0.3:
            text += self.simple(context)
        text.append(self.copy_of(["copy"] + context, v, u))
        if rng.random() < 0.4:                 # the source is read later: no swap
            text += self.use_of(context, v)
            self.features.add("read after copy")
            self.copied_back.append(u)
        else:
            self.features.add("pair")
            self.swapped.append(u)
        if rng.random() < 0.7 and len(context) < 3:
            return ["ts::repeat<%d>(%s)" % (rng.randint(1, 4), ", ".join(text))]
        return text

    def use_of(self, context, v):
        """A step that reads a neighbourhood of v."""
        self.left -= 1
        steps = ["execute"] + context
        y = self.twin_of(v)
        if y is None:
            return []
        self.coverage.add(steps, "halo", v, "row_major")
        self.coverage.add(steps, "> own", y)
        self.mark_written(y)
        return ["ts::execute<map1<ts::input<%s, %d>, ts::output<%s, %d>>>(ts::halo<1>(%s), %s)" % (
            TYPES[v.type][0], v.rank, TYPES[y.type][0], y.rank, v.name, y.name)]

    def temporaries(self, context):
        """A chain of tensors, each dead after its only reader: their memory is shared. Then what came before is read."""
        rng = self.rng
        steps = ["execute"] + context
        _, u = self.target(steps, ["> own"])
        if not self.complete(u):
            text = ["ts::execute<iota<ts::output<%s, %d>>>(%s)" % (TYPES[u.type][0], u.rank, u.name)]
            self.mark_written(u)
        else:
            text = []
        last = u
        for _ in range(rng.randint(2, 4)):
            more = self.use_of(context, last)
            if not more:
                break
            text += more
            last = self.tensors[-1]
        if rng.random() < 0.5 and self.tiles > 1:      # only a part of the old value is replaced
            k = rng.randrange(self.tiles)
            self.features.add("patch")
            text.append("ts::on<%d>(ts::execute<map1<ts::input<%s, %d>, ts::output<%s, %d>>>(%s, %s))" % (
                k, TYPES[last.type][0], last.rank, TYPES[u.type][0], u.rank, last.name, u.name))
            self.mark_written(u)
        for _ in range(rng.randint(0, 1)):
            text += self.use_of(context, last)
        text += self.use_of(context, u)
        self.features.add("temporaries")
        return text

    def carried(self, context):
        """A tensor that only the next round of a loop reads, and others that only live meanwhile."""
        rng, steps = self.rng, ["execute"] + context
        _, x = self.target(steps, ["> own"])
        t = self.twin_of(x)
        if t is None:
            return self.execute(context)
        kinds = (TYPES[x.type][0], x.rank)
        text = ["ts::execute<iota<ts::output<%s, %d>>>(%s)" % (kinds + (t.name,))]
        self.mark_written(t)
        apply = "ts::execute<map1<ts::input<%s, %d>, ts::output<%s, %d>>>(ts::halo<1>(%%s), %%s)" % (kinds + kinds)
        inner = context + ["repeat"]
        body = [apply % (t.name, x.name), apply % (x.name, t.name)]
        for source, written in ((t, x), (x, t)):
            self.coverage.add(["execute"] + inner, "halo", source, "row_major")
            self.coverage.add(["execute"] + inner, "> own", written)
        self.mark_written(x)
        self.left -= 3
        last = x
        for _ in range(2):
            body += self.use_of(inner, last)
            last = self.tensors[-1]
        text.append("ts::repeat<3>(%s)" % ", ".join(body))
        t.role = "carried"                     # nothing else reads it
        self.features.add("carried")
        self.depth_reached = max(self.depth_reached, len(context) + 1)
        return text + self.use_of(context, x)

    def simple(self, context):
        return self.rng.choice([self.execute, self.execute, self.execute, self.on, self.compute_set, self.copy])(context)

    def statement(self, context, depth):
        r = self.rng.random() if self.left > 2 else 0.5 + self.rng.random() / 2
        if depth > 0 and r < 0.28:
            return self.control(context, depth)
        if r < 0.36:
            return self.pair(context)
        if r < 0.42:
            return self.temporaries(context)
        if r < 0.46 and len(context) < 3:
            return self.carried(context)
        if r < 0.66:
            return self.execute(context)
        if r < 0.78:
            return self.on(context)
        if r < 0.90:
            return self.compute_set(context)
        return self.copy(context)

    def body(self, context, depth, least=1):
        steps = []
        for i in range(self.rng.randint(least, 2 if self.large else 3)):
            if i > 0 and self.left <= 0:
                break
            steps += self.statement(context, depth - 1)
        return steps

    def control(self, context, depth):
        rng = self.rng
        must_nest = context == ["program"]
        context = [c for c in context if c != "program"]
        self.depth_reached = max(self.depth_reached, len(context) + 1)
        way = rng.choice(["repeat", "repeat", "repeat_while", "repeat_while", "if", "if", "if", "block"])
        inside = {"if": "if then"}.get(way, way)
        self.features.add(way)

        def nested(name):
            steps = self.body(context + [name], depth)
            if must_nest:
                steps += self.control(context + [name], depth - 1)
            return steps

        if way == "repeat":
            return ["ts::repeat<%d>(%s)" % (rng.randint(1, 4), ", ".join(nested(inside)))]
        if way == "block":
            self.blocks += 1
            return ["ts::block<\"part %d\">(%s)" % (self.blocks, ", ".join(nested(inside)))]
        if way == "repeat_while":
            return self.loop(context, nested)
        predicate, before = self.predicate(context)
        start = set(self.written)
        then = nested("if then")
        after_then, self.written = self.written, set(start)
        if rng.random() < 0.75:
            other = self.body(context + ["if else"], depth)
            self.written &= after_then
            return before + ["ts::if_(%s, ts::sequence(%s), ts::sequence(%s))" % (predicate.name, ", ".join(then),
                                                                               ", ".join(other))]
        self.written = start
        return before + ["ts::if_(%s, ts::sequence(%s))" % (predicate.name, ", ".join(then))]

    def scalar(self, type_, mapping):
        t = self.new_tensor(type_, 1, mapping[0], "even", mapping, [1])
        t.role = "predicate"
        return t

    def predicate(self, context):
        """One element that is true or false, from the host or from data."""
        rng = self.rng
        type_ = rng.choice(["bool", "int32", "int64"])
        t = self.scalar(type_, ("on_tile", rng.randrange(self.tiles)))
        before = []
        if rng.random() < 0.4:                 # may become a parameter
            self.inputs.append(t)
            t.bound = 2
        else:
            text, field, _ = self.read(["execute"] + context, t, {t.name}, many=False, plain=True)
            before.append("ts::execute<decide<%s, %s>>(%s, %s)" % (field, TYPES[type_][0], text, t.name))
            self.mark_written(t)
        if rng.random() < 0.4:
            r = self.scalar(type_, ("replicated",))
            before.append(self.copy_of(["copy"] + context, t, r))
            return r, before
        return t, before

    def loop(self, context, nested):
        rng = self.rng
        type_ = rng.choice(["bool", "int32", "int32", "int64"])
        counter = self.scalar(type_, ("on_tile", rng.randrange(self.tiles)))
        counter.bound = 2 if type_ == "bool" else 4
        self.inputs.append(counter)
        before, after, tested = [], [], counter
        if rng.random() < 0.4:
            tested = self.scalar(type_, ("replicated",))
            before.append(self.copy_of(["copy"] + context, counter, tested))
            after.append("ts::copy(%s, %s)" % (counter.name, tested.name))
        start = set(self.written)
        steps = nested("repeat_while")
        step = "ts::execute<count_down<%s>>(%s)" % (TYPES[type_][0], counter.name)
        self.stepped.add(counter.name)
        steps = [step] + steps if rng.random() < 0.4 else steps + [step]
        self.written = start | {w for w in self.written if w == tested.name}
        return before + ["ts::repeat_while(%s, %s)" % (tested.name, ", ".join(steps + after))]

    # --- The end ------------------------------------------------------------------------------------------------------

    def finish(self):
        """Chooses the outputs; now and then one step reads much of what there is."""
        rng, steps = self.rng, []
        if rng.random() < 0.3:
            t = self.new_tensor(rng.choice(["int64", "double", "float"]), 1, "on_tile", "even",
                                ("on_tile", rng.randrange(self.tiles)), [3])
            steps.append(self.vertex(["execute"], [("> own", t)], {t.name}, many=False))
            self.mark_written(t)
        made = [t for t in self.tensors if t.role == "data" and t.name in self.written]
        if not made:
            t = self.new_tensor("float", 1, "by_rows", "uneven", ("by_rows",), [5])
            steps.append(self.vertex(["execute"], [("> own", t)], {t.name}))
            self.mark_written(t)
            made = [t]
        self.outputs = [t for t in made if rng.random() < 0.5] or [made[-1]]
        self.features |= {"swap seen"} if set(self.swapped) & set(self.outputs) else set()
        self.features |= {"copy seen"} if set(self.copied_back) & set(self.outputs) else set()
        return steps

    def write_text(self, steps):
        rng = self.rng
        names = lambda list_: ", ".join(t.name for t in list_)
        host, parameters, inputs = [], [], []
        for t in self.inputs:
            constant = t.name not in self.stepped
            (parameters if constant and rng.random() < 0.25 else inputs).append(t)
            keeps = (constant or t in self.outputs) and rng.random() < 0.4
            host.append("%s<%d>(%s)" % ("kept" if keeps else "fresh", t.bound, t.name))
        boundary = ["ts::outputs(%s)" % names(self.outputs)]
        if inputs:
            boundary.append("ts::inputs(%s)" % names(inputs))
        if parameters:
            boundary.append("ts::parameters(%s)" % names(parameters))
            self.features.add("parameters")
        text = "namespace %s {\n" % self.name
        text += "\n".join(t.declaration() for t in self.tensors)
        text += "\nconstexpr auto program = ts::program<%s>([] {\n  return ts::sequence(\n      %s);\n});\n" % (
            self.machine, ",\n      ".join(boundary + steps))
        text += "bool run() {\n  return compare(\"%s\", program, host_side(%s), results(%s));\n}\n}  // namespace %s\n" % (
            self.name, ", ".join(host), names(self.outputs), self.name)
        self.text = text
        self.sparse |= any(t.fill == "empty tiles" for t in self.tensors)
        self.nested = self.depth_reached >= 2
        self.records = text.count("ts::execute") + text.count("ts::copy")
        self.features |= {t.fill for t in self.tensors if t.name in self.stepped}


def generate(seed, count, tries=4):
    """`count` programs and what they cover; a fifth has over 300 tiles, half has control flow nested twice. Of a few
    candidates each time the one is taken that fills most of the cells that are still thin."""
    rng = random.Random(seed)
    coverage, programs = Coverage(), []
    for i in range(count):
        best = None
        for _ in range(tries):
            covered = coverage.copy()
            p = Program("p%d_%d" % (seed, i), random.Random(rng.randrange(2 ** 60)), covered, large=i % 5 == 4,
                        nested=i % 2 == 0)
            gain = sum(min(4, n) - min(4, coverage.cells[cell]) for cell, n in covered.cells.items())
            if best is None or gain > best[0]:
                best = (gain, p, covered)
        _, p, coverage = best
        programs.append(p)
        coverage.programs.update({"all": 1, "large": int(p.large), "sparse": int(p.sparse), "nested": int(p.nested),
                                  "swap": int("swap" in p.features)})
    return programs, coverage


if __name__ == "__main__":
    import sys
    made, covered = generate(int(sys.argv[1]) if len(sys.argv) > 1 else 1, int(sys.argv[2]) if len(sys.argv) > 2 else 60)
    if len(sys.argv) > 3:
        print(made[int(sys.argv[3])].text)
    else:
        print(covered.text())
        print(len(covered.thin()), "thin cells:", covered.thin()[:20])
