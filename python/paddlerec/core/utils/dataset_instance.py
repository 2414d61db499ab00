"""The pipe command of a QueueDataset with a data_converter: lines in, multi-slot text out.

    python -m paddlerec.core.utils.dataset_instance READER.py CLASS CONFIG.yaml"""
import sys

from paddlerec.core.utils import envs


def main(argv):
    if len(argv) != 3:
        sys.exit("dataset_instance: wanted the reader's file, its class and config.yaml")
    envs.set_global_envs(envs.load_yaml(argv[2]))
    reader = envs.lazy_instance_by_fliename(argv[0], argv[1])(argv[2])
    reader.init()
    reader.run_from_stdin()


if __name__ == "__main__":
    main(sys.argv[1:])
