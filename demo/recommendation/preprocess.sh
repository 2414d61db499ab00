#!/usr/bin/env bash
# Make what training reads: data/meta.bin, data/ratings.dat.train, data/ratings.dat.test and their
# lists. The data are fetched by data/ml_data.sh where they are not there yet.
set -euo pipefail
cd "$(dirname "$0")"
export PYTHON=${PYTHON:-python}
data/ml_data.sh
cd data

echo "generate meta config file"
"$PYTHON" config_generator.py config.json > meta_config.json

echo "generate meta file"
"$PYTHON" meta_generator.py ml-1m meta.bin --config=meta_config.json

echo "split train/test file"
"$PYTHON" split.py ml-1m/ratings.dat --delimiter="::" --test_ratio=0.1

echo "shuffle train file"
shuf ml-1m/ratings.dat.train > ratings.dat.train
cp ml-1m/ratings.dat.test ratings.dat.test

echo "./data/ratings.dat.train" > train.list
echo "./data/ratings.dat.test" > test.list
