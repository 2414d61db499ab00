"""Make meta_config.json of config.json: of each field what the model gets to see of it.

    python config_generator.py config.json > meta_config.json

config.json names the columns of movies.dat and users.dat, in their order, and what each is:

    id            the number of the movie or user itself
    category      one of a few values: a number
    categories    any of a few values, between `delimiter`s: a vector of 0 and 1
    words         a text: the numbers of its words; what the pattern `strip` finds is left out first"""
import json
import sys

# kind of a field -> what is made of it
FEATURES = {
    "id": {"type": "id"},
    "category": {"type": "integer", "values": "dictionary"},
    "categories": {"type": "vector", "values": "dictionary"},
    "words": {"type": "sequence", "values": "dictionary"},
}


def feature(table, position, field):
    kind = field.get("kind")
    if kind not in FEATURES:
        sys.exit("config_generator: %s.%s: kind is %r, and must be one of %s"
                 % (table, field.get("name"), kind, ", ".join(sorted(FEATURES))))
    made = dict(FEATURES[kind], name=field["name"], position=position)
    made.update((key, field[key]) for key in ("delimiter", "strip") if key in field)
    return made


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1]) as f:
        config = json.load(f)
    meta = {table: {"file": about["file"], "delimiter": about["delimiter"],
                    "features": [feature(table, i, field)
                                 for i, field in enumerate(about["fields"])]}
            for table, about in config.items()}
    json.dump(meta, sys.stdout, indent=2, sort_keys=True)
    print()


if __name__ == "__main__":
    main()
