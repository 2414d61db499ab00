"""Variables that live on servers: where each part is, and saving and loading them whole.

A save of a distributed program is the folder that a single process would have written: what
servers keep is fetched whole by the trainer that writes. A folder made so, by one process, by
any number of servers or by real Paddle, can be loaded by servers of any other number: each cuts
its rows out of the whole files. Where a table has no such file, but servers have written their
parts of it by themselves (op checkpoint_notify), the rows that are in those files are loaded and
the others stay as they start."""
import collections
import os
import re
import sys

import numpy

from .. import _core
from . import communicator, core
from .framework import Program

__all__ = []

PARTS = "__lookup_table__"  # the folder of parts in a save

# One part of a variable: its name at its server, its first row and how many it has. Where the
# variable is not cut, rows is None.
Part = collections.namedtuple("Part", "remote endpoint begin rows")


class Layout(object):
    """Which variables of the program that was transpiled are on servers, and where.

    parts: {name: [Part]}, in the order of rows. copies: {name: [Part]} of those not cut that
    other servers have too (learning rates, powers of Adam's betas): fetched from the first,
    set on all. params: what an optimizer trains; states: what it keeps for that; tables: what
    trainers have no value of. wanted: {name: shape} of all persistable ones of the program,
    which is what one process would save."""

    def __init__(self, slices, before, trainer):
        self.slices = slices  # as the transpiler dealt them
        self.wanted = before
        self.parts, self.copies = collections.OrderedDict(), collections.OrderedDict()
        self.params, self.states = set(), set()
        self.tables = {name for block in trainer.blocks for op in block.ops
                       if op.type == "distributed_lookup_table" for name in op.input("W")}
        kept = {v.name for v in trainer.list_vars() if v.persistable}
        taken = set()
        for param, name, _, endpoint, begin, rows, height, _, states in slices:
            self.params.add(param)
            cut = rows if rows != height else None
            self._add(param, Part(name, endpoint, begin, cut))
            # Two slices of one parameter at one server: the later one's states have its suffix.
            suffix = name[len(param):] if (param, endpoint) in taken else ""
            taken.add((param, endpoint))
            for state in states:
                if state in kept:
                    continue  # geo: the optimizer is the trainer's
                self.states.add(state)
                rows_too = cut is not None and before[state] == before[param]
                self._add(state, Part(state + suffix, endpoint, begin if rows_too else 0,
                                      cut if rows_too else None))
        for endpoint in collections.OrderedDict.fromkeys(s[3] for s in slices):
            for name in before:
                if name not in self.params and name not in self.states and name not in kept:
                    self._add(name, Part(name, endpoint, 0, None))

    def _add(self, name, part):
        whole = part.rows is None and name in self.parts
        (self.copies if whole else self.parts).setdefault(name, []).append(part)

    def everywhere(self, name):
        """Every Part of the variable, copies too."""
        return self.parts[name] + self.copies.get(name, [])

    def at(self, endpoint):
        """{name: [Part]} of everything that the server keeps."""
        out = collections.OrderedDict()
        for name in self.parts:
            mine = [part for part in self.everywhere(name) if part.endpoint == endpoint]
            if mine:
                out[name] = mine
        return out


def persistables(program):
    """What Layout wants to know of the program before it is transpiled."""
    from .io import is_persistable
    return {v.name: tuple(v.shape) for v in program.list_vars() if is_persistable(v)}


def is_servers(program):
    return program._ps_endpoint is not None


# ---- saving: whoever writes has every variable whole ----

def bytes_of(program, names):
    """What the named variables take that servers keep, whole."""
    layout = program._parameters_on_pservers
    return sum(4 * int(numpy.prod(layout.wanted[name], dtype="object")) for name in names
               if name in layout.parts)


def collect(program, names, scope):
    """A scope with the named variables whole: those of servers fetched, the others copied from
    `scope`."""
    layout, whole = program._parameters_on_pservers, core.Scope()
    if any(name in layout.parts for name in names):
        communicator.flush()
    for name in names:
        if name in layout.parts:
            tensor, parts = whole.var(name).get_tensor(), layout.parts[name]
            if len(parts) == 1:
                tensor._share_data_with(communicator.pull_one(parts[0]))
            else:
                tensor.set(communicator.pull(parts), core.CPUPlace())
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


# ---- parts that servers wrote ----

def _part_files(dirname, name):
    folder, base = os.path.split(os.path.join(dirname, PARTS, name))
    if not os.path.isdir(folder):
        return []
    return [os.path.join(folder, file) for file in sorted(os.listdir(folder))
            if re.fullmatch(re.escape(base) + r"_\d+", file)]


def _has_file(dirname, name):
    from .io import has_file
    return has_file(dirname, name)


def is_in_parts(dirname, name):
    """Whether the variable has no file of its own, but parts."""
    return not _has_file(dirname, name) and bool(_part_files(dirname, name))


def _read_part(path, shape):
    folder, file = os.path.split(path)
    scope = core.Scope()
    var = Program().global_block().create_var(
        name="part", type=core.VarDesc.VarType.SELECTED_ROWS, dtype="float32",
        shape=[-1] + list(shape[1:]))
    _core.load_files(scope, folder, [(file, [var])])
    rows = scope.find_var("part").get_selected_rows()
    return numpy.array(rows.rows(), dtype="int64"), numpy.array(rows.get_tensor())


def _read_parts(dirname, name, shape, begin=0, end=None):
    """(ids, rows) of the variable's parts, from row `begin` to before `end`, ids ascending. No
    more than one part is held beside them."""
    files, parts = _part_files(dirname, name), []
    for path in files:
        ids, rows = _read_part(path, shape)
        wanted = (ids >= begin) & ((ids < end) if end is not None else True)
        parts.append((ids[wanted], rows[wanted]))
    ids = numpy.concatenate([part[0] for part in parts])
    order = numpy.argsort(ids, kind="stable")
    ids = ids[order]
    twice = ids[1:][ids[1:] == ids[:-1]]
    if len(twice):
        raise ValueError("%s: row %d of %s is in more than one of its %d parts: they are of "
                         "different saves" % (os.path.dirname(files[0]), twice[0], name,
                                              len(files)))
    return ids, numpy.concatenate([part[1] for part in parts])[order]


def _check_ids(ids, height, dirname, name):
    if len(ids) and ids[-1] >= height:
        raise ValueError("%s: the parts of %s have row %d, and the program's variable ends at %d"
                         % (dirname, name, ids[-1], height - 1))


def put_parts(array, dirname, name):
    """Set the rows of a whole variable that are in its parts."""
    ids, rows = _read_parts(dirname, name, array.shape)
    _check_ids(ids, len(array), dirname, name)
    array[ids] = rows
    return array


def load_parts(dirname, names, scope):
    """Set variables of one process that have values already: other rows stay."""
    for name in names:
        tensor = scope._find_or_make_var(name).get_tensor()
        if not tensor._is_initialized():
            raise ValueError("%s has only some rows of %s: run the startup program first"
                             % (dirname, name))
        tensor.set(put_parts(numpy.array(tensor), dirname, name), core.CPUPlace())


def _load_server_parts(layout, name, mine, dirname, scope):
    """The rows of a server's slices. A table that grows has those beyond its height in the last."""
    shape = layout.wanted[name]
    for part in mine:
        end = shape[0] if part.rows is None else part.begin + part.rows
        ids, rows = _read_parts(dirname, name, shape, part.begin, end if end < shape[0] else None)
        var = scope._find_or_make_var(part.remote)
        if var.get_tensor()._is_initialized():
            array = numpy.array(var.get_tensor())
            _check_ids(ids, end, dirname, name)
            array[ids - part.begin] = rows
            var.get_tensor().set(array, core.CPUPlace())
        elif len(ids):
            var.get_selected_rows().set(ids.tolist(), max(end, int(ids[-1]) + 1), rows)


# ---- loading ----

def _present(layout, names, dirname):
    """The names that have a file, where the others may be missing. Parameters may not; the
    optimizer's state may be missing as a whole, which is said; learning rates and counters may
    (real Paddle does not write them)."""
    there = {n for n in names if _has_file(dirname, n) or
             n in layout.params and _part_files(dirname, n)}
    missing = sorted(n for n in names if n in layout.params and n not in there)
    if missing:
        raise ValueError("%s does not hold %s: it was not written for this program"
                         % (dirname, ", ".join(missing[:5])))
    states = [n for n in names if n in layout.states]
    absent = [n for n in states if n not in there]
    if absent and len(absent) < len(states):
        raise ValueError("%s holds some of the optimizer's state, but not %s"
                         % (dirname, ", ".join(sorted(absent)[:5])))
    if absent:
        sys.stderr.write("note: %s has no state of the optimizer, which starts anew\n" % dirname)
    return [n for n in names if n in there]


def _whole_file(dirname, name):
    scope = core.Scope()
    _core.load_files(scope, dirname, [(name, [name])])
    return numpy.array(scope.find_var(name).get_tensor())


def check(layout, name, array, dirname):
    if tuple(array.shape) != layout.wanted[name]:
        raise ValueError("%s: variable %s has the shape %s, and the program wants %s"
                         % (dirname, name, list(array.shape), list(layout.wanted[name])))


def _of_one_save(dirname, read):
    """Call read(), which loads one file after the other, until nobody has saved meanwhile."""
    for _ in range(100):
        before = _core.save_identity(dirname)
        read()
        if _core.save_identity(dirname) == before:
            return
    raise RuntimeError("%s changes all the time: it is saved to faster than it can be loaded"
                       % dirname)


def load_server(program, dirname, scope):
    """Set what this server keeps from a folder of whole files."""
    if not os.path.isdir(dirname):
        raise ValueError("There is no directory named '%s'" % dirname)
    _of_one_save(dirname, lambda: _load_server(program, dirname, scope))


def _load_server(program, dirname, scope):
    layout = program._parameters_on_pservers
    mine = layout.at(program._ps_endpoint)
    for name in _present(layout, list(mine), dirname):
        if is_in_parts(dirname, name):
            _load_server_parts(layout, name, mine[name], dirname, scope)
            continue
        array = _whole_file(dirname, name)
        check(layout, name, array, dirname)
        for part in mine[name]:
            rows = array if part.rows is None else array[part.begin:part.begin + part.rows]
            scope._find_or_make_var(part.remote).get_tensor().set(
                numpy.ascontiguousarray(rows), core.CPUPlace())


def push(program, name, array):
    """Set a variable of servers, whole."""
    communicator.push(array, program._parameters_on_pservers.everywhere(name))


def push_file(program, dirname, name):
    if is_in_parts(dirname, name):
        push(program, name, put_parts(pull(program, name), dirname, name))
        return
    array = _whole_file(dirname, name)
    check(program._parameters_on_pservers, name, array, dirname)
    push(program, name, array)


def pull(program, name):
    """A variable of servers, whole."""
    return communicator.pull(program._parameters_on_pservers.parts[name])


def scale(program, name, factor):
    """Multiply a variable of servers."""
    array = pull(program, name)
    push(program, name, (array * factor).astype(array.dtype))


def _is_first(program):
    return communicator.trainer_id(program._trainer_id) == 0


def push_parts(program, dirname, variables):
    """Trainer 0 sets tables of which servers have written parts. The variables that are left."""
    in_parts = {v.name for v in variables if is_in_parts(dirname, v.name)}
    for name in sorted(in_parts):
        if _is_first(program):
            push_file(program, dirname, name)
    return [v for v in variables if v.name not in in_parts]


def to_load(program, variables, one_by_one):
    """The variables that this trainer must read: tables are for trainer 0, which sets them, but
    a file of several variables has no names inside and is read as a whole."""
    tables = program._parameters_on_pservers.tables
    if not one_by_one or _is_first(program):
        return variables
    return [v for v in variables if v.name not in tables]


def spread(program, variables, whole, scope):
    """Set variables of `whole`: on servers, by trainer 0, and this trainer's own."""
    arrays = {}
    for var in variables:
        found = whole.find_var(var.name)
        if found is not None and found.get_tensor()._is_initialized():
            arrays[var.name] = numpy.array(found.get_tensor())
    set_arrays(program, arrays, scope)


def set_arrays(program, arrays, scope):
    """Set variables, {name: array}: on servers, by trainer 0, and this trainer's own."""
    layout = program._parameters_on_pservers
    own = {v.name for v in program.list_vars() if v.persistable} - layout.tables
    for name, array in arrays.items():
        if name in layout.parts and _is_first(program):
            push(program, name, array)
        if name in own:
            scope._find_or_make_var(name).get_tensor().set(array, core.CPUPlace())


def load_trainer(program, dirname, names, scope):
    """Set this trainer's own variables; trainer 0 sets those of servers too."""
    layout = program._parameters_on_pservers

    def push_all():
        for name in _present(layout, list(layout.parts), dirname):
            push_file(program, dirname, name)
    if _is_first(program):
        _of_one_save(dirname, push_all)
    return [n for n in names if n in layout.wanted and n not in layout.tables]
