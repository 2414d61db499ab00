"""Make meta.bin, all that is known of the movies and users, of the files in a folder.

    python meta_generator.py ml-1m meta.bin --config=meta_config.json

meta.bin is a pickle: of "movie" and "user" each a dict. Under "__meta__" it has
{"raw_meta": the features as meta_config.json has them, "feature_map": the features of a row in their
order, with their dictionaries and sizes}; under the number of a movie or user the list of its
features."""
import argparse
import json
import os
import pickle
import re


def values(feature, text):
    """What the column says, as the strings that are numbered."""
    if "strip" in feature:
        text = re.sub(feature["strip"], "", text)
    if feature["type"] == "sequence":
        return [word.lower() for word in text.split()]
    return text.split(feature["delimiter"]) if "delimiter" in feature else [text]


def number(feature, dictionary, text):
    """The feature of one movie or user."""
    found = [dictionary[value] for value in values(feature, text)]
    if feature["type"] == "vector":
        return [1.0 if i in found else 0.0 for i in range(len(dictionary))]
    return found if feature["type"] == "sequence" else found[0]


def rows(folder, table):
    path = os.path.join(folder, table["file"])
    columns = max(feature["position"] for feature in table["features"]) + 1
    with open(path, encoding="latin-1") as lines:  # as the data are
        for at, line in enumerate(lines, 1):
            row = line.rstrip("\r\n").split(table["delimiter"])
            if len(row) < columns:
                raise SystemExit("meta_generator: %s:%d has %d columns, and needs %d: %r"
                                 % (path, at, len(row), columns, line))
            yield row


def ordered(values):
    """Numbers by their size, texts by the alphabet."""
    return sorted(values, key=lambda value: (0, int(value), "") if value.isdigit()
                  else (1, 0, value))


def read(folder, table):
    """The dict of one table."""
    lines = list(rows(folder, table))
    features = table["features"]
    key, = [feature["position"] for feature in features if feature["type"] == "id"]
    described, feature_map = [f for f in features if f["type"] != "id"], []
    for feature in described:
        seen = {value for row in lines for value in values(feature, row[feature["position"]])}
        dictionary = {value: i for i, value in enumerate(ordered(seen))}
        feature_map.append({"name": feature["name"], "type": feature["type"],
                            "dict": dictionary, "size": len(dictionary)})
    out = {"__meta__": {"raw_meta": features, "feature_map": feature_map,
                        "max_id": max(int(row[key]) for row in lines)}}
    for row in lines:
        out[int(row[key])] = [number(feature, made["dict"], row[feature["position"]])
                              for feature, made in zip(described, feature_map)]
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder")
    parser.add_argument("output")
    parser.add_argument("--config", default="meta_config.json")
    args = parser.parse_args()
    with open(args.config) as f:
        config = json.load(f)
    meta = {name: read(args.folder, table) for name, table in config.items()}
    with open(args.output, "wb") as f:
        pickle.dump(meta, f, pickle.HIGHEST_PROTOCOL)


if __name__ == "__main__":
    main()
