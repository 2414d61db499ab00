#!/usr/bin/env bash
# Put movies.dat, users.dat and ratings.dat of MovieLens 1M into ml-1m/: from the cache of
# paddle.dataset, or from the network; where it can be had from neither, generated ones of the same
# form, which is said.
set -euo pipefail
cd "$(dirname "$0")"
if [ -s ml-1m/ratings.dat ]; then
    echo "ml-1m is there"
    exit 0
fi
"${PYTHON:-python}" - << 'EOF'
import os
import shutil

from paddle.dataset import movielens
from paddle.dataset.common import fetch_or_synthetic

fetch_or_synthetic(movielens)
limit = int(os.environ.get("MAX_RATINGS", "0"))  # for a trial
shutil.rmtree("ml-1m.part", ignore_errors=True)
os.mkdir("ml-1m.part")
for name in ("movies.dat", "users.dat", "ratings.dat"):
    with open(os.path.join("ml-1m.part", name), "w", encoding="latin-1") as out:
        for count, line in enumerate(movielens._lines(name)):
            if name == "ratings.dat" and limit and count == limit:
                break
            out.write(line + "\n")
shutil.rmtree("ml-1m", ignore_errors=True)
os.rename("ml-1m.part", "ml-1m")
EOF
