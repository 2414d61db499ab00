import shape
from shape import count


def title(s):
    return ' '.join(map(shape.cap, s.split()))
