# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid import (Scope as Scope)
from paddle.fluid.executor import (Executor as Executor)
from paddle.fluid.framework import (Program as Program)

def __getattr__(name: str) -> Any: ...

class FleetUtil:
    """mode: which fleet is used, "pslib" or "transpiler".

    Args:
        mode (str): "pslib" or "transpiler"; of models what is saved: "0" all, "1" what changed.
            Default: 'pslib'.

    Examples:
        >>> from paddle.fluid.incubate.fleet.utils import fleet_util
        >>> util = fleet_util.FleetUtil("transpiler")
        >>> util.get_online_pass_interval(days="20260101", hours="0 1", split_interval=30,
        ...                               split_per_pass=2, is_data_hourly_placed=False)
        [['0000', '0030'], ['0100', '0130']]
    """
    def __init__(self, mode: str = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def rank0_print(self, s: str) -> Any:
        """Print on worker 0 alone.

        Args:
            s (str): The text.
        """
        ...

    def rank0_info(self, s: str) -> Any:
        """Log on worker 0 alone.

        Args:
            s (str): The text.
        """
        ...

    def rank0_error(self, s: str) -> Any:
        """Log an error on worker 0 alone.

        Args:
            s (str): The text.
        """
        ...

    def set_zero(self, var_name: str, scope: Optional[Scope] = ..., place: Any = ..., param_type: str = ...) -> Any:
        """Set a variable of metrics to zero, at the start of a pass.

        Args:
            var_name (str): The variable.
            scope (Scope, optional): Where variables live. Default: None.
            place (CPUPlace or CUDAPlace): Where tensors are. Default: None.
            param_type (str): The type of its elements. Default: 'int64'.
        """
        ...

    def get_global_auc(self, scope: Optional[Scope] = ..., stat_pos: str = ..., stat_neg: str = ...) -> Any:
        """The AUC over all workers, from the buckets of layers.auc.

        Args:
            scope (Scope, optional): Where variables live. Default: None.
            stat_pos (str): The names of the counts by bucket. Default: '_generated_var_2'.
            stat_neg (str): The names of the counts by bucket. Default: '_generated_var_3'.
        """
        ...

    def print_global_auc(self, scope: Optional[Scope] = ..., stat_pos: str = ..., stat_neg: str = ..., print_prefix: str = ...) -> Any:
        """Print the AUC over all workers.

        Args:
            scope (Scope, optional): Where variables live. Default: None.
            stat_pos (str): The names of the counts by bucket. Default: '_generated_var_2'.
            stat_neg (str): The names of the counts by bucket. Default: '_generated_var_3'.
            print_prefix (str): What a line begins with. Default: ''.
        """
        ...

    def get_global_metrics(self, scope: Optional[Scope] = ..., stat_pos_name: str = ..., stat_neg_name: str = ..., sqrerr_name: str = ..., abserr_name: str = ..., prob_name: str = ..., q_name: str = ..., pos_ins_num_name: str = ..., total_ins_num_name: str = ...) -> Any:
        """[auc, bucket_error, mae, rmse, actual_ctr, predicted_ctr, copc, mean_predict_qvalue,
        total_ins_num] over all workers; all None where the buckets are not there.

        Args:
            scope (Scope, optional): Where variables live. Default: None.
            stat_pos_name (str): The name of that sum. Default: '_generated_var_2'.
            stat_neg_name (str): The name of that sum. Default: '_generated_var_3'.
            sqrerr_name (str): The name of that sum. Default: 'sqrerr'.
            abserr_name (str): The name of that sum. Default: 'abserr'.
            prob_name (str): The name of that sum. Default: 'prob'.
            q_name (str): The name of that sum. Default: 'q'.
            pos_ins_num_name (str): The name of that sum. Default: 'pos'.
            total_ins_num_name (str): The name of that sum. Default: 'total'.
        """
        ...

    def print_global_metrics(self, scope: Optional[Scope] = ..., stat_pos_name: str = ..., stat_neg_name: str = ..., sqrerr_name: str = ..., abserr_name: str = ..., prob_name: str = ..., q_name: str = ..., pos_ins_num_name: str = ..., total_ins_num_name: str = ..., print_prefix: str = ...) -> Any:
        """Print AUC, error and click rates over all workers.

        Args:
            scope (Scope, optional): Where variables live. Default: None.
            stat_pos_name (str): The name of that sum. Default: '_generated_var_2'.
            stat_neg_name (str): The name of that sum. Default: '_generated_var_3'.
            sqrerr_name (str): The name of that sum. Default: 'sqrerr'.
            abserr_name (str): The name of that sum. Default: 'abserr'.
            prob_name (str): The name of that sum. Default: 'prob'.
            q_name (str): The name of that sum. Default: 'q'.
            pos_ins_num_name (str): The name of that sum. Default: 'pos'.
            total_ins_num_name (str): The name of that sum. Default: 'total'.
            print_prefix (str): What a line begins with. Default: ''.
        """
        ...

    def load_fleet_model(self, path: str, mode: str = ...) -> Any:
        """Load a model on the servers.

        Args:
            path (str): A folder.
            mode (str): "pslib" or "transpiler"; of models what is saved: "0" all, "1" what changed.
                Default: 0.
        """
        ...

    def load_fleet_model_one_table(self, table_id: int, path: str) -> Any:
        """Load one table on the servers.

        Args:
            table_id (int): The table.
            path (str): A folder.
        """
        ...

    def save_fleet_model(self, path: str, mode: str = ...) -> Any:
        """Save the model of the servers.

        Args:
            path (str): A folder.
            mode (str): "pslib" or "transpiler"; of models what is saved: "0" all, "1" what changed.
                Default: 0.
        """
        ...

    def load_model(self, output_path: str, day: str, pass_id: str) -> Any:
        """Load the model of a day and pass.

        Args:
            output_path (str): The folder of models.
            day (str): The day of the model, YYYYMMDD.
            pass_id (str): The pass of that day.
        """
        ...

    def save_model(self, output_path: str, day: str, pass_id: str) -> Any:
        """Save the model of a day and pass.

        Args:
            output_path (str): The folder of models.
            day (str): The day of the model, YYYYMMDD.
            pass_id (str): The pass of that day.
        """
        ...

    def save_batch_model(self, output_path: str, day: str) -> Any:
        """Save the whole model of a day.

        Args:
            output_path (str): The folder of models.
            day (str): The day of the model, YYYYMMDD.
        """
        ...

    def save_delta_model(self, output_path: str, day: str, pass_id: str) -> Any:
        """Save what has changed in a pass.

        Args:
            output_path (str): The folder of models.
            day (str): The day of the model, YYYYMMDD.
            pass_id (str): The pass of that day.
        """
        ...

    def save_xbox_base_model(self, output_path: str, day: str) -> Any:
        """Save the model that is served, for a day.

        Args:
            output_path (str): The folder of models.
            day (str): The day of the model, YYYYMMDD.
        """
        ...

    def pull_all_dense_params(self, scope: Optional[Scope], program: Optional[Program]) -> Any:
        """Set the scope's dense parameters of the program to the servers'.

        Args:
            scope (Scope, optional): Where variables live.
            program (Program, optional): The program that is meant; None: the default main program.
        """
        ...

    def save_paddle_inference_model(self, executor: Executor, scope: Optional[Scope], program: Optional[Program], feeded_vars: Sequence[Any], target_vars: Sequence[Any], output_path: str, day: str, pass_id: str, hadoop_fs_name: str, hadoop_fs_ugi: str, hadoop_home: str = ..., save_combine: bool = ...) -> Any:
        """An inference model on HDFS, at output_path/day/pass_id/dnn_plugin.

        Args:
            executor (Executor): Runs what has to be run.
            scope (Scope, optional): Where variables live.
            program (Program, optional): The program that is meant; None: the default main program.
            feeded_vars (list of Variable): What is fed.
            target_vars (list of Variable): What the saved program computes.
            output_path (str): The folder of models.
            day (str): The day of the model, YYYYMMDD.
            pass_id (str): The pass of that day.
            hadoop_fs_name (str): Where Hadoop is, and as whom.
            hadoop_fs_ugi (str): Where Hadoop is, and as whom.
            hadoop_home (str): The folder of bin/hadoop. Default: '$HADOOP_HOME'.
            save_combine (bool): Whether all is one file. Default: True.
        """
        ...

    def save_paddle_params(self, executor: Executor, scope: Optional[Scope], program: Optional[Program], model_name: str, output_path: str, day: str, pass_id: str, hadoop_fs_name: str, hadoop_fs_ugi: str, hadoop_home: str = ..., var_names: Optional[Sequence[Any]] = ..., save_combine: bool = ...) -> Any:
        """Parameters on HDFS, at output_path/day/pass_id/model_name.

        Args:
            executor (Executor): Runs what has to be run.
            scope (Scope, optional): Where variables live.
            program (Program, optional): The program that is meant; None: the default main program.
            model_name (str): The name of the file.
            output_path (str): The folder of models.
            day (str): The day of the model, YYYYMMDD.
            pass_id (str): The pass of that day.
            hadoop_fs_name (str): Where Hadoop is, and as whom.
            hadoop_fs_ugi (str): Where Hadoop is, and as whom.
            hadoop_home (str): The folder of bin/hadoop. Default: '$HADOOP_HOME'.
            var_names (list of str): The variables. Default: None.
            save_combine (bool): Whether all is one file. Default: True.
        """
        ...

    def save_cache_model(self, output_path: str, day: str, pass_id: str, mode: str = ..., **kwargs: Any) -> Any:
        """Save the rows that are asked for most.

        Args:
            output_path (str): The folder of models.
            day (str): The day of the model, YYYYMMDD.
            pass_id (str): The pass of that day.
            mode (str): "pslib" or "transpiler"; of models what is saved: "0" all, "1" what changed.
                Default: 1.
            **kwargs (dict): Table_id, mode and others.
        """
        ...

    def save_cache_base_model(self, output_path: str, day: str, **kwargs: Any) -> Any:
        """Save the rows that are asked for most, for a day.

        Args:
            output_path (str): The folder of models.
            day (str): The day of the model, YYYYMMDD.
            **kwargs (dict): Table_id, mode and others.
        """
        ...

    def write_cache_donefile(self, output_path: str, day: str, pass_id: str, key_num: int, hadoop_fs_name: str, hadoop_fs_ugi: str, hadoop_home: str = ..., donefile_name: str = ..., **kwargs: Any) -> Any:
        """Say that save_cache_model is done.

        Args:
            output_path (str): The folder of models.
            day (str): The day of the model, YYYYMMDD.
            pass_id (str): The pass of that day.
            key_num (int): How many keys there are.
            hadoop_fs_name (str): Where Hadoop is, and as whom.
            hadoop_fs_ugi (str): Where Hadoop is, and as whom.
            hadoop_home (str): The folder of bin/hadoop. Default: '$HADOOP_HOME'.
            donefile_name (str): The file that says it is done. Default: 'sparse_cache.meta'.
            **kwargs (dict): Table_id, mode and others.
        """
        ...

    def write_xbox_donefile(self, output_path: str, day: str, pass_id: str, xbox_base_key: str, data_path: str, hadoop_fs_name: str, hadoop_fs_ugi: str, monitor_data: str = ..., hadoop_home: str = ..., donefile_name: Optional[str] = ...) -> Any:
        """Say that a served model is done.

        Args:
            output_path (str): The folder of models.
            day (str): The day of the model, YYYYMMDD.
            pass_id (str): The pass of that day.
            xbox_base_key (str): The key of the base model.
            data_path (str): The data of the model.
            hadoop_fs_name (str): Where Hadoop is, and as whom.
            hadoop_fs_ugi (str): Where Hadoop is, and as whom.
            monitor_data (str): What monitors read. Default: {}.
            hadoop_home (str): The folder of bin/hadoop. Default: '$HADOOP_HOME'.
            donefile_name (str): The file that says it is done. Default: None.
        """
        ...

    def get_last_save_xbox(self, output_path: str, hadoop_fs_name: str, hadoop_fs_ugi: str, hadoop_home: str = ...) -> Any:
        """The last served model: (day, pass, path, key).

        Args:
            output_path (str): The folder of models.
            hadoop_fs_name (str): Where Hadoop is, and as whom.
            hadoop_fs_ugi (str): Where Hadoop is, and as whom.
            hadoop_home (str): The folder of bin/hadoop. Default: '$HADOOP_HOME'.
        """
        ...

    def get_last_save_xbox_base(self, output_path: str, hadoop_fs_name: str, hadoop_fs_ugi: str, hadoop_home: str = ...) -> Any:
        """The last base of the served model: (day, path, key).

        Args:
            output_path (str): The folder of models.
            hadoop_fs_name (str): Where Hadoop is, and as whom.
            hadoop_fs_ugi (str): Where Hadoop is, and as whom.
            hadoop_home (str): The folder of bin/hadoop. Default: '$HADOOP_HOME'.
        """
        ...

    def program_type_trans(self, prog_dir: str, prog_fn: str, is_text: bool) -> Any:
        """The program in the other form: text or bytes.

        Args:
            prog_dir (str): Where the program is.
            prog_fn (str): Its file.
            is_text (bool): Whether the program is text.
        """
        ...

    def parse_program_proto(self, prog_path: str, is_text: bool, output_dir: str) -> Any:
        """Write the parts of a program as text files.

        Args:
            prog_path (str): Where the program is.
            is_text (bool): Whether the program is text.
            output_dir (str): A folder for what is written.
        """
        ...

    def check_two_programs(self, config: Any) -> Any:
        """Whether a pruned program has the variables of the trained one.

        Args:
            config (object): What is checked, and where.
        """
        ...

    def check_vars_and_dump(self, config: Any) -> Any:
        """Run a saved program and show its variables.

        Args:
            config (object): What is checked, and where.
        """
        ...

    def draw_from_program_file(self, model_filename: Optional[str], is_text: bool, output_dir: str, output_filename: str) -> Any:
        """Draw a saved program with graphviz.

        Args:
            model_filename (str, optional): The file of the program; None: __model__.
            is_text (bool): Whether the program is text.
            output_dir (str): A folder for what is written.
            output_filename (str): The file that is written.
        """
        ...

    def draw_from_program(self, program: Optional[Program], output_dir: str, output_name: str) -> Any:
        """Draw a program.

        Args:
            program (Program, optional): The program that is meant; None: the default main program.
            output_dir (str): A folder for what is written.
            output_name (str): The file that is written.
        """
        ...

    def write_model_donefile(self, output_path: str, day: str, pass_id: str, xbox_base_key: str, hadoop_fs_name: str, hadoop_fs_ugi: str, hadoop_home: str = ..., donefile_name: str = ...) -> Any:
        """Append "day, key, path, pass, 0" (by tabs) to the list of models, once.

        Args:
            output_path (str): The folder of models.
            day (str): The day of the model, YYYYMMDD.
            pass_id (str): The pass of that day.
            xbox_base_key (str): The key of the base model.
            hadoop_fs_name (str): Where Hadoop is, and as whom.
            hadoop_fs_ugi (str): Where Hadoop is, and as whom.
            hadoop_home (str): The folder of bin/hadoop. Default: '$HADOOP_HOME'.
            donefile_name (str): The file that says it is done. Default: 'donefile.txt'.
        """
        ...

    def get_last_save_model(self, output_path: str, hadoop_fs_name: str, hadoop_fs_ugi: str, hadoop_home: str = ...) -> Any:
        """[day, pass, path, key] of the last model; [-1, -1, "", now] where there is none.

        Args:
            output_path (str): The folder of models.
            hadoop_fs_name (str): Where Hadoop is, and as whom.
            hadoop_fs_ugi (str): Where Hadoop is, and as whom.
            hadoop_home (str): The folder of bin/hadoop. Default: '$HADOOP_HOME'.
        """
        ...

    def get_online_pass_interval(self, days: str, hours: str, split_interval: int, split_per_pass: int, is_data_hourly_placed: bool) -> Any:
        """The passes of a day, each a list of the names of its splits: "HHMM", or "HH" where the data
        stand in a folder for each hour.

        Args:
            days (str): The days and hours of data, with spaces.
            hours (str): The days and hours of data, with spaces.
            split_interval (int): Minutes that one folder of data covers.
            split_per_pass (int): Folders of a pass.
            is_data_hourly_placed (bool): Whether data is in folders of hours.
        """
        ...
