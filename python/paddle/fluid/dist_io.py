"""Variables that live on servers: where each part is, and saving and loading them whole.

A save of a distributed program is the folder that a single process would have written: what
servers keep is fetched whole by the trainer that writes. A folder made so, by one process, by
any number of servers or by real Paddle, can be loaded by servers of any other number: each cuts
its rows out of the whole files."""
import collections
import os
import sys

import numpy

from .. import _core
from . import communicator, core
from .framework import Program

__all__ = []

# One part of a variable: its name at its server, its first row and how many it has. Where the
# variable is not cut, rows is None.
Part = collections.namedtuple("Part", "remote endpoint begin rows")


class Layout(object):
    """Which variables of the program that was transpiled are on servers, and where.

    parts: {name: [Part]}, in the order of rows. tables: those looked up by rows. params: those
    that an optimizer trains. wanted: all persistable ones of the program, as (name, shape, data
    type, type), which is what one process would save."""

    def __init__(self, slices, before, trainer):
        self.wanted = before
        shapes = {name: tuple(shape) for name, shape, _, _ in before}
        kept = {v.name for v in trainer.list_vars() if v.persistable}
        self.parts = collections.OrderedDict()
        self.params, self.tables = set(), set()
        taken = set()
        for number, (param, name, _, endpoint, begin, rows, height, table, states) in enumerate(
                slices):
            self.params.add(param)
            if table:
                self.tables.add(param)
            cut = rows != height
            self._add(param, Part(name, endpoint, begin, rows if cut else None))
            # Two slices of one parameter at one server: the later one's states have its suffix.
            suffix = name[len(param):] if (param, endpoint) in taken else ""
            taken.add((param, endpoint))
            for state in states:
                if state in kept:
                    continue  # geo: the optimizer is the trainer's
                if cut and shapes[state] == shapes[param]:
                    self._add(state, Part(state + suffix, endpoint, begin, rows))
                elif state not in self.parts:
                    self._add(state, Part(state, endpoint, 0, None))
                else:
                    self._copies(state).append(Part(state + suffix, endpoint, 0, None))
        self._add_shared(slices, kept)

    # Whole variables of which every slice has a copy (powers of Adam's betas): loaded by all,
    # fetched from the first.
    copies = None

    def _copies(self, name):
        if self.copies is None:
            self.copies = {}
        return self.copies.setdefault(name, [])

    def _add(self, name, part):
        self.parts.setdefault(name, []).append(part)

    def _add_shared(self, slices, kept):
        """Learning rates and counters: on every server whose optimizers read them."""
        endpoints = list(collections.OrderedDict.fromkeys(s[3] for s in slices))
        for name, _, _, _ in self.wanted:
            if name not in self.parts and name not in kept:
                self._add(name, Part(name, endpoints[0], 0, None))
                for endpoint in endpoints[1:]:
                    self._copies(name).append(Part(name, endpoint, 0, None))

    def at(self, endpoint):
        """[(name, Part)] of everything that the server keeps."""
        everything = list(self.parts.items()) + list((self.copies or {}).items())
        return [(name, part) for name, parts in everything for part in parts
                if part.endpoint == endpoint]


def persistables(program):
    """What Layout wants to know of the program before it is transpiled."""
    from .io import is_persistable
    return [(v.name, tuple(v.shape), v.dtype, v.type) for v in program.list_vars()
            if is_persistable(v)]


def is_trainers(program):
    return program._is_distributed and program._ps_endpoint is None


def is_servers(program):
    return program._ps_endpoint is not None


# ---- saving: the trainer that writes has every variable whole ----

def writes(program):
    """Whether this trainer writes. The others say once that they do not."""
    if communicator.trainer_id(program._trainer_id) == 0:
        return True
    if not getattr(writes, "said", False):
        writes.said = True
        sys.stderr.write("note: trainer 0 saves the model; this trainer's call writes nothing\n")
    return False


def collect(program, names, scope):
    """A scope with the named variables whole: those of servers fetched, the others shared out
    of `scope`."""
    layout, whole = program._parameters_on_pservers, core.Scope()
    for name in names:
        if name in layout.parts:
            communicator.pull(whole, name, layout.parts[name])
            continue
        var = scope.find_var(name)
        if var is None or not var.get_tensor()._is_initialized():
            raise ValueError("variable %s is not in the scope: run the startup program first"
                             % name)
        tensor = whole.var(name).get_tensor()
        tensor.set(numpy.array(var.get_tensor()), core.CPUPlace())
        if var.get_tensor().lod():
            tensor.set_lod(var.get_tensor().lod())
    return whole


def without_servers(program):
    """A copy of a trainer's program in which tables are looked up in their own variable."""
    copy = program.clone()
    for block in copy.blocks:
        index = 0
        while index < len(block.ops):
            op = block.ops[index]
            if op.type != "distributed_lookup_table":
                index += 1
                continue
            table, ids, outs = op.input("W"), op.input("Ids"), op.output("Outputs")
            attrs = {"is_sparse": True, "padding_idx": op.attr("padding_idx")}
            kind = op.attr("lookup_table_version") or "lookup_table"
            block._remove_op(index)
            for one, out in zip(ids, outs):
                block._insert_op(index, kind, {"W": table, "Ids": [one]}, {"Out": [out]}, attrs)
                index += 1
    copy._is_distributed = False
    return copy


# ---- loading ----

def _present(layout, names, dirname):
    """The names that have a file, where the others may be missing. Parameters may not; the
    optimizer's state may be missing as a whole, which is said; learning rates and counters may
    (real Paddle does not write them)."""
    there = {n for n in names if os.path.isfile(os.path.join(dirname, n))}
    missing = sorted(n for n in names if n in layout.params and n not in there)
    if missing:
        raise ValueError("%s does not hold %s: it was not written for this program"
                         % (dirname, ", ".join(missing[:5])))
    states = [n for n in names if n not in layout.params and _is_state(layout, n)]
    absent = [n for n in states if n not in there]
    if absent and len(absent) < len(states):
        raise ValueError("%s holds some of the optimizer's state, but not %s"
                         % (dirname, ", ".join(sorted(absent)[:5])))
    if absent:
        sys.stderr.write("note: %s has no state of the optimizer, which starts anew\n" % dirname)
    return [n for n in names if n in there]


def _is_state(layout, name):
    return any(name.startswith(param + "_") for param in layout.params)


def _whole_file(dirname, name):
    scope = core.Scope()
    _core.load_files(scope, dirname, [(name, [name])])
    return numpy.array(scope.find_var(name).get_tensor())


def _check(layout, name, array, dirname):
    for wanted, shape, _, _ in layout.wanted:
        if wanted == name and tuple(array.shape) != tuple(shape):
            raise ValueError("%s: variable %s has the shape %s, and the program wants %s"
                             % (dirname, name, list(array.shape), list(shape)))


def load_server(program, dirname, scope):
    """Set what this server keeps from a folder of whole files."""
    if not os.path.isdir(dirname):
        raise ValueError("There is no directory named '%s'" % dirname)
    layout = program._parameters_on_pservers
    mine = collections.OrderedDict()
    for name, part in layout.at(program._ps_endpoint):
        mine.setdefault(name, []).append(part)
    for name in _present(layout, list(mine), dirname):
        array = _whole_file(dirname, name)
        _check(layout, name, array, dirname)
        for part in mine[name]:
            rows = array if part.rows is None else array[part.begin:part.begin + part.rows]
            scope.var(part.remote).get_tensor().set(numpy.ascontiguousarray(rows),
                                                    core.CPUPlace())


def load_trainer(program, dirname, names, scope):
    """Set this trainer's own variables; trainer 0 sets those of servers too."""
    layout = program._parameters_on_pservers
    if communicator.trainer_id(program._trainer_id) == 0:
        remote = [n for n in layout.parts]
        for name in _present(layout, remote, dirname):
            one = core.Scope()
            array = _whole_file(dirname, name)
            _check(layout, name, array, dirname)
            one.var(name).get_tensor().set(array, core.CPUPlace())
            communicator.push(one, name, layout.parts[name])
            for part in (layout.copies or {}).get(name, ()):
                communicator.push(one, name, [part])
    return [n for n in names if n not in layout.tables]
