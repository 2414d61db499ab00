"""Parses as Python 3 too, and means something else there."""


def half(n):
    return n / 2


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def next(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n + 1

    def __nonzero__(self):
        return self.n > 1


class Version(object):
    def __init__(self, number):
        self.number = number

    def __cmp__(self, other):
        return cmp(self.number, other.number)
