"""Saving and loading: variables, parameters, inference models, whole programs.

Files are those of real Paddle 1.8.5, both ways. A save is whole or absent: its files are written
aside and moved into place together, with a manifest of checksums beside them that real Paddle
ignores; what the manifest names is checked when it is loaded."""
import os
import sys
import warnings

from .. import _core
from ..batch import batch
from . import core, executor as _executor
from .core import VarDesc
from .framework import Parameter, Program, Variable, default_main_program, program_guard

__all__ = ["save_vars", "save_params", "save_persistables", "load_vars", "load_params",
           "load_persistables", "save_inference_model", "load_inference_model", "save", "load",
           "load_program_state", "set_program_state", "get_program_parameter",
           "get_program_persistable_vars", "get_inference_program", "batch"]

_SPECIAL = (VarDesc.VarType.FEED_MINIBATCH, VarDesc.VarType.FETCH_LIST, VarDesc.VarType.READER,
            VarDesc.VarType.RAW, VarDesc.VarType.STEP_SCOPES)


def is_parameter(var):
    return isinstance(var, Parameter)


def is_persistable(var):
    return var.type not in _SPECIAL and var.persistable


def is_belong_to_optimizer(var):
    return not isinstance(var, Parameter) and not var.need_check_feed and is_persistable(var)


def get_program_parameter(program):
    return [v for v in program.list_vars() if is_parameter(v)]


def get_program_persistable_vars(program):
    return [v for v in program.list_vars() if is_persistable(v)]


def get_parameter_value(para, executor):
    if not is_parameter(para):
        raise TypeError("%s is not a parameter" % para)
    return executor.run(Program(), fetch_list=[para.name])[0]


def get_parameter_value_by_name(name, executor, program=None):
    return get_parameter_value((program or default_main_program()).global_block().var(name),
                               executor)


def _program(main_program):
    """A Program of whatever was given as one."""
    if main_program is None:
        main_program = default_main_program()
    main_program = getattr(main_program, "_program", main_program)
    if not isinstance(main_program, Program):
        raise TypeError("main_program is %s, and must be a Program" % type(main_program))
    return main_program


def _chosen(main_program, vars, predicate, what):
    """The variables that are meant, each once, in byte order of their names."""
    if vars is None:
        vars = filter(predicate, _program(main_program).list_vars())
    else:
        vars = [_program(main_program).global_block().var(v) if isinstance(v, str) else v
                for v in vars]
    chosen = {}
    for var in vars:
        if not isinstance(var, Variable):
            raise TypeError("%s: %r is not a Variable" % (what, var))
        if var.type == VarDesc.VarType.RAW:
            continue
        chosen[var.name] = var
    return [chosen[name] for name in sorted(chosen, key=lambda n: n.encode())]


def _scope():
    return _executor.global_scope()


def _check_folder(dirname, what):
    if not isinstance(dirname, str):
        raise TypeError("%s: dirname is %s, and must be a str" % (what, type(dirname)))


def has_file(folder, name):
    """Whether there is such a file to load: in its place, or of a save that counts and whose
    files have not been moved yet."""
    folder = folder or "."
    path = os.path.join(folder, name)
    if os.path.lexists(path):
        return not os.path.isdir(path)
    return os.path.isdir(folder) and name in _core.staged_files(folder)


def _has_path(path):
    return has_file(*os.path.split(path))


def read_file(path):
    """The bytes of one file of a model, checked as all that is loaded."""
    folder, base = os.path.split(path)
    return _core.load_bytes(folder or ".", [base])[0]


# ---- variables ----

def save_vars(executor, dirname, main_program=None, vars=None, predicate=None, filename=None):
    """One file for each variable, or with `filename` all in one. Without a dirname and a
    filename the bytes of such a file are returned."""
    chosen = _chosen(main_program, vars, predicate, "save_vars")
    names = [v.name for v in chosen]
    if dirname is None and filename is None:
        return _core.tensors_to_bytes(_values(_program(main_program), names), names)
    if dirname is None:
        dirname, filename = os.path.split(filename)
    _check_folder(dirname, "save_vars")
    files = [(filename, names)] if filename is not None else [(n, [n]) for n in names]
    _save_files(main_program, dirname, files, names)


def _values(program, names):
    """A scope with the variables, of a trainer those that servers keep, too."""
    if not program._is_distributed:
        return _scope()
    from . import dist_io
    return dist_io.collect(program, names, _scope())


def _save_files(main_program, dirname, files, names):
    program = _program(main_program)
    if program._is_distributed:
        from . import dist_io
        _core.save_check_room(dirname, dist_io.bytes_of(program, names))  # before it is fetched
    _write(program, dirname, lambda: (_values(program, names), files))


def _write(program, dirname, make):
    """A trainer that was started again comes by the saves of its predecessor, and leaves them alone:
    the values of that time are not there any more."""
    if program._is_distributed and _core.job_replays():
        sys.stderr.write("note: %s was saved before this trainer was started again, and stays as it "
                         "is\n" % dirname)
        return
    _core.save_files(dirname, make)


def save_params(executor, dirname, main_program=None, filename=None):
    return save_vars(executor, dirname, main_program, None, is_parameter, filename)


def save_persistables(executor, dirname, main_program=None, filename=None):
    """Of a distributed program: as one process would have written them."""
    program = _program(main_program)
    if program._is_distributed and dirname is not None:
        _check_folder(dirname, "save_persistables")
        names = sorted(program._parameters_on_pservers.wanted, key=lambda n: n.encode())
        files = [(filename, names)] if filename is not None else [(n, [n]) for n in names]
        _save_files(program, dirname, files, names)
        return None
    return save_vars(executor, dirname, main_program, None, is_persistable, filename)


def load_vars(executor, dirname, main_program=None, vars=None, predicate=None, filename=None):
    """Load what save_vars() has written. `filename` may be the bytes of such a file. What servers
    keep is set there, by trainer 0."""
    program = _program(main_program)
    chosen = _chosen(program, vars, predicate, "load_vars")
    if not program._is_distributed:
        _load_vars(dirname, chosen, filename)
        return
    from . import dist_io
    whole = core.Scope()
    if filename is None:
        chosen = dist_io.push_parts(program, dirname, chosen)
    _load_vars(dirname, dist_io.to_load(program, chosen, filename is None), filename, whole)
    dist_io.spread(program, chosen, whole, _scope())


def _load_vars(dirname, chosen, filename, scope=None, model=None):
    """False where `model`, (file, bytes), is no longer that file: then nothing is loaded."""
    scope = scope if scope is not None else _scope()
    if isinstance(filename, bytes):
        _core.tensors_from_bytes(scope, chosen, filename)
        return True
    if dirname is None:
        if filename is None:
            raise ValueError("load_vars: give a dirname, a filename, or both")
        dirname, filename = os.path.split(filename)
    _check_folder(dirname, "load_vars")
    if filename is None and os.path.isdir(os.path.join(dirname, "__lookup_table__")):
        from . import dist_io
        in_parts = {v.name for v in chosen if dist_io.is_in_parts(dirname, v.name)}
        dist_io.load_parts(dirname, sorted(in_parts), scope)
        chosen = [v for v in chosen if v.name not in in_parts]
    files = [(filename, chosen)] if filename is not None else [(v.name, [v]) for v in chosen]
    if not files and model is None and not os.path.exists(dirname):
        # real Paddle makes no folder where there is nothing to save
        warnings.warn("nothing is loaded from %s: the program has no such variables" % dirname)
        return True
    return _core.load_files(scope, dirname, ([model] if model else []) + files)


def load_params(executor, dirname, main_program=None, filename=None):
    load_vars(executor, dirname, main_program, None, is_parameter, filename)


def load_persistables(executor, dirname, main_program=None, filename=None):
    """A server's program: its rows, out of a folder of whole files. A trainer's: its own, and
    trainer 0 sets the servers'."""
    program = _program(main_program)
    if program._parameters_on_pservers is not None and isinstance(dirname, str):
        from . import dist_io
        if filename is not None:
            raise ValueError("load_persistables: a distributed program is loaded from one file "
                             "for each variable, not from %s" % filename)
        if dist_io.is_servers(program):
            dist_io.load_server(program, dirname, _scope())
            return
        names = [v.name for v in _chosen(program, None, is_persistable, "load_persistables")]
        own = set(dist_io.load_trainer(program, dirname, names, _scope()))
        _load_vars(dirname, _chosen(program, None, lambda v: v.name in own and is_persistable(v),
                                    "load_persistables"), None)
        return
    load_vars(executor, dirname, main_program, None, is_persistable, filename)


# ---- inference models ----

def prepend_feed_ops(inference_program, feed_target_names, feed_holder_name="feed"):
    if not feed_target_names:
        return
    block = inference_program.global_block()
    holder = block.create_var(name=feed_holder_name, type=VarDesc.VarType.FEED_MINIBATCH,
                              persistable=True)
    for i, name in enumerate(feed_target_names):
        if not block.has_var(name):
            raise ValueError("The feeded_var_names[%d]: '%s' doesn't exist in pruned inference "
                             "program. Please check whether '%s' is a valid feed_var name, or "
                             "remove it from feeded_var_names if '%s' is not involved in the "
                             "target_vars calculation." % (i, name, name, name))
        block._prepend_op("feed", {"X": [holder]}, {"Out": [block.var(name)]}, {"col": i})


def append_fetch_ops(inference_program, fetch_target_names, fetch_holder_name="fetch"):
    block = inference_program.global_block()
    holder = block.create_var(name=fetch_holder_name, type=VarDesc.VarType.FETCH_LIST,
                              persistable=True)
    for i, name in enumerate(fetch_target_names):
        block.append_op("fetch", {"X": [name]}, {"Out": [holder]}, {"col": i})


def _variable_list(vars, what):
    if isinstance(vars, Variable):
        return [vars]
    if not vars or not all(isinstance(v, Variable) for v in vars):
        raise ValueError("'%s' should be a list of Variable." % what)
    return list(vars)


def _name_list(names, what):
    if isinstance(names, str):
        return [names]
    if names is None:
        return []
    if not all(isinstance(n, str) for n in names):
        raise ValueError("'%s' should be a list of str." % what)
    return list(names)


def _scale_targets(program, targets):
    """Names of the targets as a saved program gives them: each through an op of its own."""
    from . import layers
    block, names = program.global_block(), []
    with program_guard(program, Program()):
        for i, target in enumerate(targets):
            out = layers.scale(block.var(target.name), 1.0,
                               name="save_infer_model/scale_%d" % i)
            names.append(out.name)
    return names


def _inference_program(main_program, feeds, targets):
    """(the part that the targets need, with feed and fetch ops; the names fetched)"""
    if main_program._is_distributed:
        from .dist_io import without_servers
        program = without_servers(main_program)
    else:
        program = main_program.clone()
    block = program.global_block()
    for i in reversed([i for i, op in enumerate(block.ops) if op.type in ("feed", "fetch")]):
        block._remove_op(i)
    names = _scale_targets(program, targets)
    program = program._prune_with_input(feeds, names)
    program = program._inference_optimize(prune_read_op=True)
    prepend_feed_ops(program, feeds)
    append_fetch_ops(program, names)
    return program, names


def save_inference_model(dirname, feeded_var_names, target_vars, executor, main_program=None,
                         model_filename=None, params_filename=None, export_for_deployment=True,
                         program_only=False):
    """The part of the program that computes the targets, and its parameters; the names under
    which the saved program gives the targets are returned. Not for deployment: the whole program
    as PATH.main_program, to go on training; there need be no target."""
    feeds = _name_list(feeded_var_names, "feeded_var_names")
    main_program = _program(main_program)
    _check_folder(dirname, "save_inference_model")
    model = "__model__" if model_filename is None else os.path.basename(model_filename)
    if export_for_deployment:
        targets = _variable_list(target_vars, "target_vars")
        program, names = _inference_program(main_program, feeds, targets)
        files = [(model, program._serialize())]
    else:
        targets = _variable_list(target_vars, "target_vars") if target_vars else []
        program = main_program.clone()
        names = _scale_targets(program, targets)
        files = [(model + ".main_program", program._serialize())]
    params = []
    if not program_only:
        params = [v.name for v in _chosen(program, None, is_persistable, "save_inference_model")]
        if params_filename is not None:
            files.append((os.path.basename(params_filename), params))
        else:
            files += [(name, [name]) for name in params]
    _save_files(main_program, dirname, files, params)
    return names


def _by_column(program, op_type, slot):
    """The variables of the feed (or fetch) ops in the order of their columns."""
    ops = [op for op in program.global_block().ops if op.type == op_type]
    pick = (lambda op: op.output(slot)[0]) if op_type == "feed" else (lambda op: op.input(slot)[0])
    return [pick(op) for op in sorted(ops, key=lambda op: op.attr("col"))]


def _replace_endpoints(program, endpoints):
    for block in program.blocks:
        for op in block.ops:
            if op.has_attr("epmap") and op.attr("epmap"):
                op._set_attr("epmap", endpoints)


def _parse_model(text, where, endpoints):
    """A model of whomever: it may compute, and ask the servers that the caller names."""
    try:
        program = Program.parse_from_string(text)
        program._check_outside(["prefetch", "recv", "fetch_barrier"] if endpoints else [])
    except core.EnforceNotMet as e:
        raise core.EnforceNotMet("%s: %s" % (where, e)) from None
    if endpoints:
        _replace_endpoints(program, endpoints)
    return program


def _load_model(dirname, model_filename, params_filename, endpoints):
    """The program, its variables set: of one save, also where the folder is being saved to."""
    _check_folder(dirname, "load_inference_model")
    if not os.path.isdir(dirname):
        raise ValueError("There is no directory named '%s'" % dirname)
    model = "__model__" if model_filename is None else os.path.basename(model_filename)
    if params_filename is not None:
        params_filename = os.path.basename(params_filename)
    for _ in range(100):
        text, = _core.load_bytes(dirname, [model])
        program = _parse_model(text, os.path.join(dirname, model), endpoints)
        chosen = _chosen(program, None, is_persistable, "load_inference_model")
        if _load_vars(dirname, chosen, params_filename, model=(model, text)):
            return program
    raise RuntimeError("%s changes all the time: another model is saved there again and again"
                       % os.path.join(dirname, model))


def get_inference_program(target_vars, main_program=None):
    """A copy of the program with only the ops that the targets need, as of a test. Of Fluid 0.11 to
    1.5; program.clone(for_test=True) is the newer way."""
    program = _program(main_program)
    targets = list(target_vars) if isinstance(target_vars, (list, tuple)) else [target_vars]
    return program._prune(targets)._inference_optimize()


def load_inference_model(dirname, executor, model_filename=None, params_filename=None,
                         pserver_endpoints=None):
    """[program, names to feed, variables to fetch]"""
    if dirname is None:
        if not isinstance(model_filename, bytes) or params_filename is None:
            raise ValueError("without a dirname, model_filename and params_filename are the bytes "
                             "of the model and of its parameters")
        program = _parse_model(model_filename, "model_filename", pserver_endpoints)
        load_persistables(executor, dirname, program, params_filename)
    else:
        program = _load_model(dirname, model_filename, params_filename, pserver_endpoints)
    block = program.global_block()
    feeds = _by_column(program, "feed", "Out")
    fetches = [block.var(name) for name in _by_column(program, "fetch", "X")]
    return [program, feeds, fetches]


# ---- programs: model.pdparams, model.pdopt, model.pdmodel ----

def _array(scope, name):
    import numpy
    var = scope.find_var(name)
    if var is None or not var.get_tensor()._is_initialized():
        raise ValueError("variable %s has no value yet: run the startup program first" % name)
    return numpy.array(var.get_tensor())


def _params_and_state(program):
    """Names of the parameters, and of what fluid.save() writes beside them."""
    params = [v.name for v in get_program_parameter(program)]
    if program._is_distributed:  # what one process would save: servers have the optimizer's state
        layout = program._parameters_on_pservers
        params += sorted(layout.params.difference(params))
        return params, [name for name in layout.wanted if name not in params]
    return params, [v.name for v in program.list_vars() if is_belong_to_optimizer(v)]


def save(program, model_path):
    """Parameters, optimizer state and the program, as PATH.pdparams, .pdopt and .pdmodel."""
    from .pickle_writer import dumps_arrays
    program = _program(program)
    folder, base = os.path.split(model_path)
    if not base:
        raise ValueError("fluid.save: model_path must be in the form of dirname/file_prefix, and "
                         "is %r" % model_path)

    def make():
        names = _params_and_state(program)
        scope = _values(program, names[0] + names[1])
        params, state = ({name: _array(scope, name) for name in some} for some in names)
        return scope, [(base + ".pdparams", dumps_arrays(params)),
                       (base + ".pdopt", dumps_arrays(state)),
                       (base + ".pdmodel", program._serialize())]
    _write(program, folder or ".", make)


def _prefix(model_path):
    for suffix in (".pdparams", ".pdopt", ".pdmodel"):
        if model_path.endswith(suffix):
            return model_path[:-len(suffix)]
    return model_path


def _read_pickles(paths):
    """What the files, of one folder, hold, [{name: array}], all of one save."""
    from .safe_pickle import UnpicklingError, loads
    folder, states = os.path.dirname(paths[0]) or ".", []
    for path, text in zip(paths, _core.load_bytes(folder, [os.path.basename(p) for p in paths])):
        try:
            state = loads(text)
        except UnpicklingError as e:
            raise UnpicklingError("%s: %s" % (path, e)) from None
        if not isinstance(state, dict):
            raise ValueError("%s does not hold variables by name" % path)
        states.append(state)
    return states


def load(program, model_path, executor=None, var_list=None):
    """What fluid.save(), or save_vars() and its kin, have written, into the scope."""
    program = _program(program)
    prefix = _prefix(model_path)
    if not _has_path(prefix + ".pdparams"):
        _load_binary(program, model_path, executor, var_list)
        return
    if var_list is not None:
        raise ValueError("fluid.load: var_list is for models saved by save_vars and its kin; %s "
                         "was saved by fluid.save" % model_path)
    paths, (params, state) = [prefix + ".pdparams"], _params_and_state(program)
    if state:
        paths.append(prefix + ".pdopt")
        if not _has_path(paths[1]):
            raise ValueError("fluid.load: the program has the optimizer's state %s ..., but there "
                             "is no %s" % (state[0], paths[1]))
    arrays = {}
    for path, names, found in zip(paths, (params, state), _read_pickles(paths)):
        for name in names:
            if name not in found:
                raise ValueError("%s does not hold variable %s" % (path, name))
            arrays[name] = found[name]
        _check_arrays(program, names, found, path)
    _set_arrays(program, arrays)


def _load_binary(program, model_path, executor, var_list):
    if os.path.isdir(model_path):
        wanted = var_list if var_list is not None else get_program_persistable_vars(program)
        present = [v for v in wanted if has_file(model_path, v.name)]
        if not present:
            raise ValueError("fluid.load: %s holds none of the program's variables" % model_path)
        load_vars(executor, model_path, program, present)
        return
    if not _has_path(model_path):
        raise ValueError("fluid.load: there is no %s.pdparams, no folder and no file %s"
                         % (_prefix(model_path), model_path))
    if var_list is None:
        raise ValueError("fluid.load: var_list is required to load the one file %s: it has no "
                         "names inside" % model_path)
    folder, base = os.path.split(model_path)
    load_vars(executor, folder or ".", program, var_list, filename=base)


def _check_arrays(program, names, arrays, where):
    known = {v.name: v for v in program.list_vars()}
    for name in names:
        if name in known:
            _check_array(known[name], arrays[name], where)
        else:
            from . import dist_io
            dist_io.check(program._parameters_on_pservers, name, arrays[name], where)


def _set_arrays(program, arrays):
    """Set variables that have been checked; of a trainer those that servers keep, too."""
    if not program._is_distributed:
        for name, array in arrays.items():
            _scope()._find_or_make_var(name).get_tensor().set(array, core.CPUPlace())
        return
    from . import dist_io
    dist_io.set_arrays(program, arrays, _scope())


def _check_array(var, array, where):
    from .data_feeder import convert_dtype
    if tuple(array.shape) != tuple(var.shape):
        raise ValueError("%s: variable %s has the shape %s, and the program wants %s"
                         % (where, var.name, list(array.shape), list(var.shape)))
    if array.dtype.name != convert_dtype(var.dtype):
        raise ValueError("%s: variable %s is %s, and the program wants %s"
                         % (where, var.name, array.dtype.name, convert_dtype(var.dtype)))


def _all_files(folder):
    """The files of variables in a folder that was saved to."""
    found = set(_core.staged_files(folder))
    for root, folders, files in os.walk(folder):
        folders[:] = [f for f in folders if not f.startswith(".regatta-")]
        found.update(os.path.relpath(os.path.join(root, name), folder) for name in files
                     if not name.startswith(".regatta-") and
                     not name.endswith((".regatta-new", ".regatta-lock")))
    return sorted(found - {"__model__", "MANIFEST.regatta"})


def load_program_state(model_path, var_list=None):
    """{name: array} of a saved model, without a program."""
    prefix = _prefix(model_path)
    if _has_path(prefix + ".pdparams"):
        paths = [prefix + suffix for suffix in (".pdparams", ".pdopt")
                 if _has_path(prefix + suffix)]
        return {name: array for state in _read_pickles(paths) for name, array in state.items()}
    if os.path.isdir(model_path):
        names = [v.name for v in var_list] if var_list is not None else _all_files(model_path)
        files = [(name, [name]) for name in names]
        folder = model_path
    elif _has_path(model_path):
        if var_list is None:
            raise ValueError("load_program_state: var_list is required to load the one file %s: it "
                             "has no names inside" % model_path)
        names = sorted((v.name for v in var_list), key=lambda n: n.encode())
        folder, base = os.path.split(model_path)
        files = [(base, names)]
    else:
        raise ValueError("load_program_state: there is no %s.pdparams, no folder and no file %s"
                         % (prefix, model_path))
    import numpy
    scope = core.Scope()
    _core.load_files(scope, folder or ".", files)
    return {name: numpy.array(scope.find_var(name).get_tensor()) for name in names}


def set_program_state(program, state_dict):
    """Set the program's persistable variables that the state has; others of it are not used."""
    import warnings
    program = _program(program)
    known = {v.name for v in program.list_vars() if is_persistable(v)}
    if program._is_distributed:
        known.update(program._parameters_on_pservers.wanted)
    wanted = {name: array for name, array in state_dict.items() if name in known}
    for name in wanted:
        if _scope().find_var(name) is None and not program._is_distributed:
            raise ValueError("variable %s is not in the scope: run the startup program first"
                             % name)
    _check_arrays(program, wanted, wanted, "set_program_state")
    _set_arrays(program, wanted)
    unused = [name for name in state_dict if name not in known]
    if unused:
        warnings.warn("set_program_state: these are not variables of the program: %s" % unused)


# Imported when they are first used: readers bring threads and queues with them.
_OF_READER = ("cache", "map_readers", "buffered", "compose", "chain", "shuffle",
              "ComposeNotAligned", "firstn", "xmap_readers", "multiprocess_reader")
_OF_LOADERS = ("PyReader", "DataLoader", "default_collate_fn")
__all__ += _OF_READER + _OF_LOADERS


def __getattr__(name):
    if name in _OF_READER:
        from .. import reader
        return getattr(reader, name)
    if name in _OF_LOADERS:
        from . import reader
        return getattr(reader, name)
    from .._names import missing
    return missing(__name__, name)
