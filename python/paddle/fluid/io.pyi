# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.batch import (batch as batch)
from paddle.fluid.executor import (Executor as Executor)
from paddle.fluid.framework import (Program as Program)
from paddle.fluid.reader import (DataLoader as DataLoader, PyReader as PyReader, default_collate_fn as default_collate_fn)
from paddle.reader.decorator import (ComposeNotAligned as ComposeNotAligned, buffered as buffered, cache as cache, chain as chain, compose as compose, firstn as firstn, map_readers as map_readers, multiprocess_reader as multiprocess_reader, shuffle as shuffle, xmap_readers as xmap_readers)

def __getattr__(name: str) -> Any: ...

def save(program: Optional[Program], model_path: str) -> None:
    """Parameters, optimizer state and the program, as PATH.pdparams, .pdopt and .pdmodel.

    Args:
        program (Program, optional): The program that is meant; None: the default main program.
        model_path (str): The beginning of the files' names.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1, param_attr="w")
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> program = fluid.default_main_program()
        >>> fluid.save(program, "model/step_100")
        >>> fluid.load(program, "model/step_100", exe)
        >>> state = fluid.load_program_state("model/step_100")
        >>> state["w"].shape
        (8, 1)
        >>> fluid.set_program_state(program, state)
    """
    ...

def load(program: Optional[Program], model_path: str, executor: Optional[Executor] = ..., var_list: Optional[Sequence[Any]] = ...) -> None:
    """What fluid.save(), or save_vars() and its kin, have written, into the scope.

    Args:
        program (Program, optional): The program that is meant; None: the default main program.
        model_path (str): The beginning of the files' names.
        executor (Executor): Runs what has to be run. Default: None.
        var_list (list of Variable, optional): Which; None: all. Default: None.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1, param_attr="w")
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> program = fluid.default_main_program()
        >>> fluid.save(program, "model/step_100")
        >>> fluid.load(program, "model/step_100", exe)
        >>> state = fluid.load_program_state("model/step_100")
        >>> state["w"].shape
        (8, 1)
        >>> fluid.set_program_state(program, state)
    """
    ...

def load_program_state(model_path: str, var_list: Optional[Sequence[Any]] = ...) -> Dict[Any, Any]:
    """{name: array} of a saved model, without a program.

    Args:
        model_path (str): The beginning of the files' names.
        var_list (list of Variable, optional): Which; None: all. Default: None.

    Returns:
        dict: arrays by name.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1, param_attr="w")
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> program = fluid.default_main_program()
        >>> fluid.save(program, "model/step_100")
        >>> fluid.load(program, "model/step_100", exe)
        >>> state = fluid.load_program_state("model/step_100")
        >>> state["w"].shape
        (8, 1)
        >>> fluid.set_program_state(program, state)
    """
    ...

def set_program_state(program: Optional[Program], state_dict: Dict[Any, Any]) -> None:
    """Set the program's persistable variables that the state has; others of it are not used.

    Args:
        program (Program, optional): The program that is meant; None: the default main program.
        state_dict (dict): Arrays by name.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1, param_attr="w")
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> program = fluid.default_main_program()
        >>> fluid.save(program, "model/step_100")
        >>> fluid.load(program, "model/step_100", exe)
        >>> state = fluid.load_program_state("model/step_100")
        >>> state["w"].shape
        (8, 1)
        >>> fluid.set_program_state(program, state)
    """
    ...

def save_vars(executor: Executor, dirname: str, main_program: Optional[Program] = ..., vars: Optional[Sequence[Any]] = ..., predicate: Optional[Callable[..., Any]] = ..., filename: Optional[str] = ...) -> None:
    """One file for each variable, or with `filename` all in one. Without a dirname and a filename the
    bytes of such a file are returned.

    Args:
        executor (Executor): Runs what has to be run.
        dirname (str): A folder.
        main_program (Program, optional): The program that is meant; None: the default main program.
            Default: None.
        vars (list of Variable, optional): Which; None: those of predicate. Default: None.
        predicate (callable, optional): Whether a variable is meant. Default: None.
        filename (str, optional): One file of that name for all variables; None: a file for each.
            Default: None.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1, param_attr="w")
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> program = fluid.default_main_program()
        >>> fluid.io.save_vars(exe, "model", program, vars=[program.global_block().var("w")])
        >>> fluid.io.load_vars(exe, "model", program, vars=[program.global_block().var("w")])
    """
    ...

def save_params(executor: Executor, dirname: str, main_program: Optional[Program] = ..., filename: Optional[str] = ...) -> None:
    """Save the parameters of a program.

    Args:
        executor (Executor): Runs what has to be run.
        dirname (str): A folder.
        main_program (Program, optional): The program that is meant; None: the default main program.
            Default: None.
        filename (str, optional): One file of that name for all variables; None: a file for each.
            Default: None.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> fluid.io.save_params(exe, "model")
        >>> fluid.io.load_params(exe, "model")
    """
    ...

def save_persistables(executor: Executor, dirname: str, main_program: Optional[Program] = ..., filename: Optional[str] = ...) -> None:
    """Of a distributed program: as one process would have written them.

    Args:
        executor (Executor): Runs what has to be run.
        dirname (str): A folder.
        main_program (Program, optional): The program that is meant; None: the default main program.
            Default: None.
        filename (str, optional): One file of that name for all variables; None: a file for each.
            Default: None.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> fluid.io.save_persistables(exe, "model", filename="all")
        >>> fluid.io.load_persistables(exe, "model", filename="all")
    """
    ...

def load_vars(executor: Executor, dirname: str, main_program: Optional[Program] = ..., vars: Optional[Sequence[Any]] = ..., predicate: Optional[Callable[..., Any]] = ..., filename: Optional[str] = ...) -> None:
    """Load what save_vars() has written. `filename` may be the bytes of such a file. What servers keep
    is set there, by trainer 0.

    Args:
        executor (Executor): Runs what has to be run.
        dirname (str): A folder.
        main_program (Program, optional): The program that is meant; None: the default main program.
            Default: None.
        vars (list of Variable, optional): Which; None: those of predicate. Default: None.
        predicate (callable, optional): Whether a variable is meant. Default: None.
        filename (str, optional): One file of that name for all variables; None: a file for each.
            Default: None.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1, param_attr="w")
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> program = fluid.default_main_program()
        >>> fluid.io.save_vars(exe, "model", program, vars=[program.global_block().var("w")])
        >>> fluid.io.load_vars(exe, "model", program, vars=[program.global_block().var("w")])
    """
    ...

def load_params(executor: Executor, dirname: str, main_program: Optional[Program] = ..., filename: Optional[str] = ...) -> None:
    """Load what save_params() has written.

    Args:
        executor (Executor): Runs what has to be run.
        dirname (str): A folder.
        main_program (Program, optional): The program that is meant; None: the default main program.
            Default: None.
        filename (str, optional): One file of that name for all variables; None: a file for each.
            Default: None.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> fluid.io.save_params(exe, "model")
        >>> fluid.io.load_params(exe, "model")
    """
    ...

def load_persistables(executor: Executor, dirname: str, main_program: Optional[Program] = ..., filename: Optional[str] = ...) -> None:
    """A server's program: its rows, out of a folder of whole files. A trainer's: its own, and trainer
    0 sets the servers'.

    Args:
        executor (Executor): Runs what has to be run.
        dirname (str): A folder.
        main_program (Program, optional): The program that is meant; None: the default main program.
            Default: None.
        filename (str, optional): One file of that name for all variables; None: a file for each.
            Default: None.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> fluid.io.save_persistables(exe, "model", filename="all")
        >>> fluid.io.load_persistables(exe, "model", filename="all")
    """
    ...

def save_inference_model(dirname: str, feeded_var_names: Sequence[Any], target_vars: Sequence[Any], executor: Executor, main_program: Optional[Program] = ..., model_filename: Optional[str] = ..., params_filename: Optional[str] = ..., export_for_deployment: bool = ..., program_only: bool = ...) -> Sequence[Any]:
    """The part of the program that computes the targets, and its parameters; the names under which the
    saved program gives the targets are returned. Not for deployment: the whole program as
    PATH.main_program, to go on training; there need be no target.

    Args:
        dirname (str): A folder.
        feeded_var_names (list of str): The variables that will be fed.
        target_vars (list of Variable): What the saved program computes.
        executor (Executor): Runs what has to be run.
        main_program (Program, optional): The program that is meant; None: the default main program.
            Default: None.
        model_filename (str, optional): The file of the program; None: __model__. Default: None.
        params_filename (str, optional): One file for all parameters; None: a file for each.
            Default: None.
        export_for_deployment (bool): Whether the program is pruned to what the targets need.
            Default: True.
        program_only (bool): Whether parameters are left out. Default: False.

    Returns:
        list of str: the names of the targets.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.layers.fc(x, 1)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> _ = fluid.io.save_inference_model("model", ["x"], [y], exe)
        >>> program, feeds, targets = fluid.io.load_inference_model("model", exe)
        >>> exe.run(program, feed={feeds[0]: numpy.ones((3, 8), "float32")},
        ...         fetch_list=targets)[0].shape
        (3, 1)
    """
    ...

def load_inference_model(dirname: str, executor: Executor, model_filename: Optional[str] = ..., params_filename: Optional[str] = ..., pserver_endpoints: Optional[Sequence[Any]] = ...) -> Sequence[Any]:
    """[program, names to feed, variables to fetch].

    Args:
        dirname (str): A folder.
        executor (Executor): Runs what has to be run.
        model_filename (str, optional): The file of the program; None: __model__. Default: None.
        params_filename (str, optional): One file for all parameters; None: a file for each.
            Default: None.
        pserver_endpoints (list of str, optional): Servers that hold a table of the model. Default:
            None.

    Returns:
        list: the program, the names to feed, and the variables to fetch.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.layers.fc(x, 1)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> _ = fluid.io.save_inference_model("model", ["x"], [y], exe)
        >>> program, feeds, targets = fluid.io.load_inference_model("model", exe)
        >>> exe.run(program, feed={feeds[0]: numpy.ones((3, 8), "float32")},
        ...         fetch_list=targets)[0].shape
        (3, 1)
    """
    ...

def get_program_parameter(program: Optional[Program]) -> Sequence[Any]:
    """The parameters of a program.

    Args:
        program (Program, optional): The program that is meant; None: the default main program.

    Returns:
        list of Variable: the variables.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> [p.name for p in fluid.io.get_program_parameter(fluid.default_main_program())]
        ['fc_0.w_0', 'fc_0.b_0']
    """
    ...

def get_program_persistable_vars(program: Optional[Program]) -> Sequence[Any]:
    """The variables of a program that live on between runs.

    Args:
        program (Program, optional): The program that is meant; None: the default main program.

    Returns:
        list of Variable: the variables.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> [v.name for v in fluid.io.get_program_persistable_vars(fluid.default_main_program())]
        ['fc_0.w_0', 'fc_0.b_0']
    """
    ...

def get_inference_program(target_vars: Sequence[Any], main_program: Optional[Program] = ...) -> Callable[..., Any]:
    """A copy of the program with only the ops that the targets need, as of a test. Of Fluid 0.11 to
    1.5; program.clone(for_test=True) is the newer way.

    Args:
        target_vars (list of Variable): What the saved program computes.
        main_program (Program, optional): The program that is meant; None: the default main program.
            Default: None.

    Returns:
        callable: a reader.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(y))
        ([inputs {
          parameter: "Param"
          arguments: "fc_0.b_0"
        }
        inputs {
          parameter: "Grad"
          arguments: "fc_0.b_0@GRAD"
        }
        inputs {
          parameter: "LearningRate"
          arguments: "learning_rate_0"
        }
        outputs {
          parameter: "ParamOut"
          arguments: "fc_0.b_0"
        }
        type: "sgd"
        attrs {
          name: "op_role"
          type: INT
          i: 2
        }
        attrs {
          name: "op_role_var"
          type: STRINGS
          strings: "fc_0.b_0"
          strings: "fc_0.b_0@GRAD"
        }
        attrs {
          name: "op_namescope"
          type: STRING
          s: "/optimizer_38/"
        }
        attrs {
          name: "op_callstack"
          type: STRINGS
          strings: "<paddle.fluid.io.get_inference_program>:1"
        }
        , inputs {
          parameter: "Param"
          arguments: "fc_0.w_0"
        }
        inputs {
          parameter: "Grad"
          arguments: "fc_0.w_0@GRAD"
        }
        inputs {
          parameter: "LearningRate"
          arguments: "learning_rate_0"
        }
        outputs {
          parameter: "ParamOut"
          arguments: "fc_0.w_0"
        }
        type: "sgd"
        attrs {
          name: "op_role"
          type: INT
          i: 2
        }
        attrs {
          name: "op_role_var"
          type: STRINGS
          strings: "fc_0.w_0"
          strings: "fc_0.w_0@GRAD"
        }
        attrs {
          name: "op_namescope"
          type: STRING
          s: "/optimizer_39/"
        }
        attrs {
          name: "op_callstack"
          type: STRINGS
          strings: "<paddle.fluid.io.get_inference_program>:1"
        }
        ], [(name: "fc_0.w_0"
        type {
          type: LOD_TENSOR
          lod_tensor {
            tensor {
              data_type: FP32
              dims: 8
              dims: 1
            }
            lod_level: 0
          }
        }
        persistable: true
        , name: "fc_0.w_0@GRAD"
        type {
          type: LOD_TENSOR
          lod_tensor {
            tensor {
              data_type: FP32
              dims: 8
              dims: 1
            }
            lod_level: 0
          }
        }
        persistable: false
        ), (name: "fc_0.b_0"
        type {
          type: LOD_TENSOR
          lod_tensor {
            tensor {
              data_type: FP32
              dims: 1
            }
            lod_level: 0
          }
        }
        persistable: true
        , name: "fc_0.b_0@GRAD"
        type {
          type: LOD_TENSOR
          lod_tensor {
            tensor {
              data_type: FP32
              dims: 1
            }
            lod_level: 0
          }
        }
        persistable: false
        )])
        >>> [op.type for op in fluid.io.get_inference_program([y]).global_block().ops]
        ['mul', 'elementwise_add']
    """
    ...
