"""FleetUtil: printing once, metrics over all workers, passes of a day, donefiles on HDFS."""
import importlib
import os
import sys
import time

import numpy as np

from ....io import read_file
from .hdfs import HDFSClient, get_logger

__all__ = ["FleetUtil"]

_FLEETS = {
    "pslib": "paddle.fluid.incubate.fleet.parameter_server.pslib",
    "transpiler": "paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler",
}


def _expand(words):
    """"{0..3}" and "0 1 2 3" are both ["0", "1", "2", "3"]."""
    out = []
    for word in words.split():
        first, dots, last = word.strip("{}").partition("..")
        if word.startswith("{") and word.endswith("}") and dots:
            if not first.isdigit() or not last.isdigit():
                raise ValueError("%r: a range of whole numbers is wanted" % word)
            out += [str(i).zfill(len(first) if first.startswith("0") else 0)
                    for i in range(int(first), int(last) + 1)]
        elif word.isdigit():
            out.append(word)
        else:
            raise ValueError("%r is neither a number nor a range such as {0..23}" % word)
    return out


class FleetUtil(object):
    """mode: which fleet is used, "pslib" or "transpiler"."""

    def __init__(self, mode="pslib"):
        if mode not in _FLEETS:
            raise ValueError('Please choose one mode from ["pslib", "transpiler"]')
        self._mode = mode

    @property
    def _fleet(self):
        return importlib.import_module(_FLEETS[self._mode]).fleet

    # ---- printing, once for all workers ----

    def _is_rank0(self):
        return self._fleet.worker_index() == 0

    def rank0_print(self, s):
        if self._is_rank0():
            print(s)
            sys.stdout.flush()

    def _log(self, s, level):
        if self._is_rank0():
            get_logger("fleet_util", 20, "%(asctime)s-%(levelname)s: %(message)s").log(level, s)

    def rank0_info(self, s):
        self._log(s, 20)

    def rank0_error(self, s):
        self._log(s, 40)

    # ---- metrics over all workers ----

    def set_zero(self, var_name, scope=None, place=None, param_type="int64"):
        """Set a variable of metrics to zero, at the start of a pass."""
        from paddle.fluid import CPUPlace, global_scope
        tensor = (scope or global_scope()).var(var_name).get_tensor()
        tensor.set(np.zeros(tensor.shape(), dtype=param_type), place or CPUPlace())

    def _sum(self, scope, name):
        """A variable summed over all workers; None where the scope has none of that name."""
        from paddle.fluid import global_scope
        var = (scope or global_scope()).find_var(name)
        if var is None:
            return None
        own = np.array(var.get_tensor()).astype("float64").ravel()
        total = np.zeros_like(own)
        self._fleet._role_maker.all_reduce_worker(own, total)
        return total

    def get_global_auc(self, scope=None, stat_pos="_generated_var_2", stat_neg="_generated_var_3"):
        """The AUC over all workers, from the buckets of layers.auc."""
        pos, neg = self._sum(scope, stat_pos), self._sum(scope, stat_neg)
        if pos is None or neg is None:
            self.rank0_print("not found auc bucket")
            return None
        return _auc(pos, neg)

    def print_global_auc(self, scope=None, stat_pos="_generated_var_2",
                         stat_neg="_generated_var_3", print_prefix=""):
        auc = self.get_global_auc(scope, stat_pos, stat_neg)
        self.rank0_print("%s global auc = %s" % (print_prefix, auc))

    def get_global_metrics(self, scope=None, stat_pos_name="_generated_var_2",
                           stat_neg_name="_generated_var_3", sqrerr_name="sqrerr",
                           abserr_name="abserr", prob_name="prob", q_name="q",
                           pos_ins_num_name="pos", total_ins_num_name="total"):
        """[auc, bucket_error, mae, rmse, actual_ctr, predicted_ctr, copc, mean_predict_qvalue,
        total_ins_num] over all workers; all None where the buckets are not there."""
        pos, neg = self._sum(scope, stat_pos_name), self._sum(scope, stat_neg_name)
        if pos is None or neg is None:
            self.rank0_print("not found auc bucket")
            return [None] * 9
        sums = [self._sum(scope, name) for name in (sqrerr_name, abserr_name, prob_name, q_name,
                                                    pos_ins_num_name, total_ins_num_name)]
        for name, value in zip((sqrerr_name, abserr_name, prob_name, q_name, pos_ins_num_name,
                                total_ins_num_name), sums):
            if value is None:
                raise ValueError("the scope has no variable %r" % name)
        sqrerr, abserr, prob, q, clicks, total = (float(v[0]) for v in sums)
        if total == 0:
            return [_auc(pos, neg), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0]
        predicted = prob / total
        return [_auc(pos, neg), _bucket_error(pos, neg), abserr / total, (sqrerr / total) ** 0.5,
                clicks / total, predicted, clicks / total / predicted if predicted else 0.0,
                q / total, int(total)]

    def print_global_metrics(self, scope=None, stat_pos_name="_generated_var_2",
                             stat_neg_name="_generated_var_3", sqrerr_name="sqrerr",
                             abserr_name="abserr", prob_name="prob", q_name="q",
                             pos_ins_num_name="pos", total_ins_num_name="total", print_prefix=""):
        values = self.get_global_metrics(scope, stat_pos_name, stat_neg_name, sqrerr_name,
                                         abserr_name, prob_name, q_name, pos_ins_num_name,
                                         total_ins_num_name)
        if values[0] is not None:
            # "Actural" is how scripts that read this line know it.
            self.rank0_print("%s global AUC=%.6f BUCKET_ERROR=%.6f MAE=%.6f RMSE=%.6f "
                             "Actural_CTR=%.6f Predicted_CTR=%.6f COPC=%.6f MEAN Q_VALUE=%.6f "
                             "Ins number=%s" % ((print_prefix,) + tuple(values)))

    # ---- models, through the fleet ----

    def load_fleet_model(self, path, mode=0):
        self._fleet.load_model(path, mode=mode)

    def load_fleet_model_one_table(self, table_id, path):
        self._fleet.load_one_table(table_id, path)

    def save_fleet_model(self, path, mode=0):
        self._fleet.save_persistables(None, path, mode=mode)

    def load_model(self, output_path, day, pass_id):
        self.load_fleet_model("%s/%s/%s" % (output_path, day, pass_id))

    def save_model(self, output_path, day, pass_id):
        self.save_fleet_model("%s/%s/%s" % (output_path, day, pass_id))

    def save_batch_model(self, output_path, day):
        self.save_fleet_model("%s/%s/0" % (output_path, day), mode=3)

    def save_delta_model(self, output_path, day, pass_id):
        self.save_fleet_model("%s/%s/delta-%s" % (output_path, day, pass_id), mode=1)

    def save_xbox_base_model(self, output_path, day):
        self.save_fleet_model("%s/%s/base" % (output_path, day), mode=2)

    def pull_all_dense_params(self, scope, program):
        """Set the scope's dense parameters of the program to the servers'."""
        from paddle.fluid import CPUPlace, dist_io
        layout = program._parameters_on_pservers
        if layout is None:
            raise ValueError("pull_all_dense_params: the program was not made by a fleet")
        for name in sorted(layout.params - layout.tables):
            scope.var(name).get_tensor().set(dist_io.pull(program, name), CPUPlace())

    def _upload(self, write, path, hadoop_fs_name, hadoop_fs_ugi, hadoop_home):
        """On worker 0 write(folder), and put what it has written at `path`; all wait."""
        import tempfile
        if self._is_rank0():
            client = self._client(hadoop_fs_name, hadoop_fs_ugi, hadoop_home)
            with tempfile.TemporaryDirectory() as folder:
                write(folder)
                client.makedirs(path)
                for name in sorted(os.listdir(folder)):
                    if not client.upload(path, os.path.join(folder, name)):
                        raise OSError("%s/%s could not be written" % (path, name))
        self._fleet.barrier_worker()

    def save_paddle_inference_model(self, executor, scope, program, feeded_vars, target_vars,
                                    output_path, day, pass_id, hadoop_fs_name, hadoop_fs_ugi,
                                    hadoop_home="$HADOOP_HOME", save_combine=True):
        """An inference model on HDFS, at output_path/day/pass_id/dnn_plugin."""
        from paddle.fluid import io, scope_guard

        def write(folder):
            with scope_guard(scope):
                io.save_inference_model(folder, [v.name for v in feeded_vars], target_vars,
                                        executor, program,
                                        params_filename="params" if save_combine else None)
        self._upload(write, self._model_path(output_path, day, pass_id, "dnn_plugin"),
                     hadoop_fs_name, hadoop_fs_ugi, hadoop_home)

    def save_paddle_params(self, executor, scope, program, model_name, output_path, day, pass_id,
                           hadoop_fs_name, hadoop_fs_ugi, hadoop_home="$HADOOP_HOME",
                           var_names=None, save_combine=True):
        """Parameters on HDFS, at output_path/day/pass_id/model_name."""
        from paddle.fluid import io, scope_guard

        def write(folder):
            names = None if var_names is None else list(var_names)
            with scope_guard(scope):
                io.save_vars(executor, folder, program, names, io.is_parameter,
                             model_name if save_combine else None)
        self._upload(write, self._model_path(output_path, day, pass_id, model_name),
                     hadoop_fs_name, hadoop_fs_ugi, hadoop_home)

    @staticmethod
    def _model_path(output_path, day, pass_id, name):
        return "%s/%s/%s/%s" % (output_path, day, "base" if str(pass_id) == "-1"
                                else "delta-%s" % pass_id, name)

    # ---- what is of other systems ----

    def _refuse(self, call, why):
        raise NotImplementedError("FleetUtil.%s(): %s" % (call, why))

    def save_cache_model(self, output_path, day, pass_id, mode=1, **kwargs):
        self._refuse("save_cache_model", "there is no cache of frequent rows")

    def save_cache_base_model(self, output_path, day, **kwargs):
        self._refuse("save_cache_base_model", "there is no cache of frequent rows")

    def write_cache_donefile(self, output_path, day, pass_id, key_num, hadoop_fs_name,
                             hadoop_fs_ugi, hadoop_home="$HADOOP_HOME",
                             donefile_name="sparse_cache.meta", **kwargs):
        self._refuse("write_cache_donefile", "there is no cache of frequent rows")

    def write_xbox_donefile(self, output_path, day, pass_id, xbox_base_key, data_path,
                            hadoop_fs_name, hadoop_fs_ugi, monitor_data={},
                            hadoop_home="$HADOOP_HOME", donefile_name=None):
        self._refuse("write_xbox_donefile", "it is for a serving system that is not public")

    def get_last_save_xbox(self, output_path, hadoop_fs_name, hadoop_fs_ugi,
                           hadoop_home="$HADOOP_HOME"):
        self._refuse("get_last_save_xbox", "it is for a serving system that is not public")

    def get_last_save_xbox_base(self, output_path, hadoop_fs_name, hadoop_fs_ugi,
                                hadoop_home="$HADOOP_HOME"):
        self._refuse("get_last_save_xbox_base", "it is for a serving system that is not public")

    def program_type_trans(self, prog_dir, prog_fn, is_text):
        self._refuse("program_type_trans", "str(program) prints a program; text is not read back")

    def parse_program_proto(self, prog_path, is_text, output_dir):
        self._refuse("parse_program_proto", "str(program) prints a program")

    def check_two_programs(self, config):
        self._refuse("check_two_programs", "a loaded model is checked by load_inference_model")

    def check_vars_and_dump(self, config):
        self._refuse("check_vars_and_dump", "a loaded model is checked by load_inference_model")

    def draw_from_program_file(self, model_filename, is_text, output_dir, output_filename):
        """Draw a saved program with graphviz."""
        from paddle.fluid import Program
        if is_text:
            self._refuse("draw_from_program_file", "a program is read from its binary form")
        self.draw_from_program(Program.parse_from_string(read_file(model_filename)), output_dir,
                               output_filename)

    def draw_from_program(self, program, output_dir, output_name):
        from paddle.fluid import debugger
        debugger.draw_block_graphviz(program.global_block(),
                                     path=os.path.join(output_dir, output_name + ".dot"))

    # ---- donefiles: which models of a day are complete ----

    @staticmethod
    def _client(fs_name, fs_ugi, home):
        return HDFSClient(home, {"fs.default.name": fs_name, "hadoop.job.ugi": fs_ugi})

    def _last_line(self, output_path, donefile, client):
        text = client.cat("%s/%s" % (output_path, donefile))
        return text.splitlines()[-1] if text.strip() else None

    def write_model_donefile(self, output_path, day, pass_id, xbox_base_key, hadoop_fs_name,
                             hadoop_fs_ugi, hadoop_home="$HADOOP_HOME",
                             donefile_name="donefile.txt"):
        """Append "day, key, path, pass, 0" (by tabs) to the list of models, once."""
        if self._is_rank0():
            client = self._client(hadoop_fs_name, hadoop_fs_ugi, hadoop_home)
            path = "%s/%s/%s" % (output_path, day, "0" if str(pass_id) == "-1" else pass_id)
            line = "%s\t%s\t%s\t%s\t%s" % (day, xbox_base_key, path, pass_id, 0)
            donefile = "%s/%s" % (output_path, donefile_name)
            before = client.cat(donefile)
            done = [row.split("\t") for row in before.splitlines() if row.count("\t") >= 3]
            if any(row[0] == str(day) and row[3] == str(pass_id) for row in done):
                self.rank0_error("not write %s because %s/%s already exists"
                                 % (donefile_name, day, pass_id))
            else:
                self._replace(client, donefile, (before + "\n" if before else "") + line + "\n")
        self._fleet.barrier_worker()

    @staticmethod
    def _replace(client, path, text):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, os.path.basename(path))
            with open(name, "w") as file:
                file.write(text)
            if not client.delete(path) or not client.upload(os.path.dirname(path), name):
                raise OSError("%s could not be written" % path)

    def get_last_save_model(self, output_path, hadoop_fs_name, hadoop_fs_ugi,
                            hadoop_home="$HADOOP_HOME"):
        """[day, pass, path, key] of the last model; [-1, -1, "", now] where there is none."""
        client = self._client(hadoop_fs_name, hadoop_fs_ugi, hadoop_home)
        line = self._last_line(output_path, "donefile.txt", client)
        if line is None:
            return [-1, -1, "", int(time.time())]
        row = line.split("\t")
        if len(row) < 4:
            raise ValueError("%s/donefile.txt: its last line is not by tabs: %r"
                             % (output_path, line))
        return [int(row[0]), int(row[3]), row[2], int(row[1])]

    # ---- passes of a day ----

    def get_online_pass_interval(self, days, hours, split_interval, split_per_pass,
                                 is_data_hourly_placed):
        """The passes of a day, each a list of the names of its splits: "HHMM", or "HH" where the
        data stand in a folder for each hour."""
        _expand(days)
        hours = sorted(int(h) for h in _expand(hours))
        split_interval, split_per_pass = int(split_interval), int(split_per_pass)
        if split_interval < 1 or split_per_pass < 1:
            raise ValueError("split_interval and split_per_pass must be at least 1")
        names = []
        for start in range(0, 24 * 60, split_interval):
            hour, minute = divmod(start, 60)
            if hours and hours[0] <= hour <= hours[-1]:
                names.append("%02d" % hour if is_data_hourly_placed
                             else "%02d%02d" % (hour, minute))
        return [names[i:i + split_per_pass]
                for i in range(0, len(names) - split_per_pass + 1, split_per_pass)]


def _auc(pos, neg):
    """Area under the curve of counts by bucket of rising score; 0.5 without both kinds."""
    pos, neg = pos[::-1].cumsum(), neg[::-1].cumsum()
    if pos[-1] == 0 or neg[-1] == 0:
        return 0.5
    before_pos = np.concatenate([[0.0], pos[:-1]])
    before_neg = np.concatenate([[0.0], neg[:-1]])
    area = ((neg - before_neg) * (pos + before_pos) / 2.0).sum()
    return float(area / (pos[-1] * neg[-1]))


def _bucket_error(pos, neg, max_span=0.01, relative_bound=0.05):
    """How far predicted and real rates are apart, over ranges of scores wide enough to tell."""
    begin, seen, clicks, weighted = 0.0, 0.0, 0.0, 0.0
    error = total = 0.0
    size = len(pos)
    for i in range(size):
        click, show = pos[i], pos[i] + neg[i]
        score = float(i) / size
        if abs(score - begin) > max_span:
            begin, seen, clicks, weighted = score, 0.0, 0.0, 0.0
        seen += show
        clicks += click
        weighted += score * show
        if seen == 0:
            continue
        predicted = weighted / seen
        if predicted == 0:
            continue
        relative = ((1.0 - predicted) / (seen * predicted)) ** 0.5
        if relative < relative_bound:
            error += abs(clicks / seen / predicted - 1.0) * seen
            total += seen
            begin = -1.0
    return float(error / total) if total > 0 else 0.0
