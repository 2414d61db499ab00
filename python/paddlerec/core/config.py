"""config.yaml and backend.yaml: read with the line of every key, so that a check can name it.

A value can be overridden from the environment, by the name that the table of the configuration
shows: `env runner.NAME.epochs=1 python -m paddlerec.run -m config.yaml`. A shell has no dots in
names; there `runner__NAME__epochs=1` says the same."""
import difflib
import os
import sys

import yaml

__all__ = ["Config", "ConfigError", "Problem", "read", "refuse", "near", "did_you_mean", "LISTS"]

LISTS = ("runner", "dataset", "phase")  # lists of dicts with names
_ROOTS = LISTS + ("hyper_parameters",)


class Problem:
    """Something wrong at a line of a file."""

    def __init__(self, file, line, text):
        self.file, self.line, self.text = file, line, text

    def __str__(self):
        where = "%s:%d" % (self.file, self.line) if self.line else self.file
        return "%s: %s" % (where, self.text)


class ConfigError(Exception):
    """A file that cannot be used; problems says why, each with its line."""

    def __init__(self, problems):
        super().__init__("\n".join(map(str, problems)))
        self.problems = list(problems)


def refuse(problems):
    """The end with status 2, and all that is wrong."""
    sys.stdout.flush()
    sys.stderr.write("paddlerec: %d problem%s, nothing was started\n" % (
        len(problems), "" if len(problems) == 1 else "s"))
    for problem in problems:
        sys.stderr.write("  %s\n" % problem)
    sys.exit(2)


def near(name, known, likeness=0.6):
    """The one of `known` that may have been meant, or None."""
    return next(iter(difflib.get_close_matches(str(name), known, 1, likeness)), None)


def did_you_mean(name, known, there_are="known are "):
    """How the text of a problem with an unknown name ends."""
    meant = near(name, known)
    return "; did you mean %s?" % meant if meant else "; " + there_are + ", ".join(known)


class Config:
    """A YAML file: its data, the line of each key and list item, and what was odd about it."""

    def __init__(self, file):
        self.file, self.data, self.lines = file, {}, {}
        self.problems, self.notes = [], []

    def line(self, path):
        """Of a key, or of the nearest thing around it that is in the file."""
        path = tuple(path)
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def problem(self, path, text):
        where = self.lines.get(tuple(path))
        if isinstance(where, str):  # a key of the environment's
            self.problems.append(Problem(where, 0, text))
        else:
            self.problems.append(Problem(self.file, self.line(path), text))

    def note(self, path, text):
        self.notes.append(Problem(self.file, self.line(path), text))


class _Walk:
    """Nodes to plain Python data, with their lines."""

    def __init__(self, config, loader):
        self.config, self.loader = config, loader

    def value(self, node, path):
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self._item(item, path + (i,)) for i, item in enumerate(node.value)]
        return self.loader.construct_object(node)

    def _item(self, node, path):
        self.config.lines[path] = node.start_mark.line + 1
        return self.value(node, path)

    def _mapping(self, node, path):
        result = {}
        self.loader.flatten_mapping(node)  # << of YAML
        for key_node, value_node in node.value:
            key = self.loader.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                key = str(key)
            line = key_node.start_mark.line + 1
            at = path + (key,)
            value = self.value(value_node, at)
            if key in result:
                self._twice(at, line, result[key], value)
            self.config.lines[at] = line
            result[key] = value
        return result

    def _twice(self, path, line, old, new):
        config = self.config
        text = "%s is given twice, first in line %d" % (path[-1], config.line(path))
        if old == new:
            config.notes.append(Problem(config.file, line, text + ", with the same value"))
        else:
            config.problems.append(Problem(config.file, line, text + " as %r" % (old,)))


def _syntax(file, error):
    mark = getattr(error, "problem_mark", None)
    text = getattr(error, "problem", None) or str(error)
    return ConfigError([Problem(file, mark.line + 1 if mark else 0, "no YAML: %s" % text)])


def read(file):
    """A Config; ConfigError where the file is not there or no YAML."""
    config = Config(file)
    try:
        with open(file, encoding="utf-8") as f:
            text = f.read()
    except (OSError, UnicodeDecodeError) as e:
        raise ConfigError([Problem(file, 0, "cannot be read: %s"
                                   % (getattr(e, "strerror", None) or e))])
    try:
        loader = yaml.SafeLoader(text)
    except yaml.reader.ReaderError as e:
        raise ConfigError([Problem(file, text.count("\n", 0, e.position) + 1,
                                   "no YAML: character %r may not be in it" % text[e.position])])
    try:
        node = loader.get_single_node()
        data = _Walk(config, loader).value(node, ()) if node is not None else None
    except yaml.YAMLError as e:
        raise _syntax(file, e)
    finally:
        loader.dispose()
    if not isinstance(data, dict):
        raise ConfigError([Problem(file, 1, "holds no keys; wanted workspace, mode, runner, "
                                            "dataset and phase")])
    config.data = data
    return config


# ---- the environment ----

def _place(config, path):
    """The dict that holds the key at the end of `path`, and the key's own path in the config."""
    here, at = config.data, ()
    parts = list(path)
    while len(parts) > 1:
        part = parts.pop(0)
        here, at = here.get(part), at + (part,)
        if part in LISTS and len(at) == 1:
            name = parts.pop(0)
            for i, item in enumerate(here if isinstance(here, list) else ()):
                if isinstance(item, dict) and str(item.get("name")) == name:
                    here, at = item, at + (i,)
                    break
            else:
                return None, None
        if here is None and at[0] == "hyper_parameters":
            inner = config.data
            for key in at:
                inner = inner.setdefault(key, {})
            here = inner
        if not isinstance(here, dict) or not parts:
            return None, None
    return here, at + (parts[0],)


def override(config, environ=None):
    """Keys that the environment sets."""
    for name, text in sorted((os.environ if environ is None else environ).items()):
        dotted = name.replace("__", ".") if "." not in name else name
        path = dotted.split(".")
        if path[0] not in _ROOTS or len(path) < 2 or not all(path):
            continue
        holder, at = _place(config, path)
        what = "environment variable %s=%s" % (name, text)
        if holder is None:
            config.problems.append(Problem(what, 0, "there is no %s %s in %s" % (
                path[0], path[1] if path[0] in LISTS else "", config.file)))
            continue
        try:
            holder[at[-1]] = yaml.safe_load(text)
        except yaml.YAMLError:
            holder[at[-1]] = text
        config.lines[at] = what
        config.notes.append(Problem(what, 0, "used instead of the value in %s" % config.file))
