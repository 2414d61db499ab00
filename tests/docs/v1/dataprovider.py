from paddle.trainer.PyDataProvider2 import *


@provider(input_types={"x": dense_vector(3), "y": dense_vector(1)}, cache=CacheType.CACHE_PASS_IN_MEM)
def process(settings, filename):
    for line in open(filename):
        a, b, c, d = map(float, line.split())
        yield {"x": [a, b, c], "y": [d]}
