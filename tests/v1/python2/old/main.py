#!/usr/bin/env python
# coding: utf-8
"""Python 2 as it was written: what this prints was recorded with Python 2.7 (../record.py)."""
import cPickle
import os
import sys
import string
import urllib
from StringIO import StringIO
from itertools import izip
import helper
from words import text


def section(name):
    print '--', name


section('division')
print 7 / 2, -7 / 2, 7 / 2.0, 7 // 2, helper.half(9)
x = 9
x /= 2
print x
a = [5, 6]
a[0] /= 2
print a, 1 / 3 * 3

section('lists')
print map(lambda v: v * 2, [1, 2]) + [3], filter(None, [0, 1, 2]), zip('ab', [1, 2])[0]
print range(3) + [9], map(None, [1, 2], [3]), filter(str.isdigit, 'a1b2')
print reduce(lambda p, q: p * q, range(1, 6)), list(xrange(0, 6, 2))

section('dicts')
d = {'one': 1, 'two': 2}
print d.has_key('one'), d.has_key('ten'), sorted(d.iteritems()), sorted(d.keys())[0]
keys = d.keys()
keys.sort(reverse=True)
print keys, len(d.values()), [k for k, v in sorted(d.items(), key=lambda (k, v): -v)]

section('sorting')
print sorted([3, 1, 2], cmp=lambda p, q: cmp(q, p)), cmp(1, 2)
pairs = [('a', 3), ('b', 1)]
pairs.sort(lambda p, q: cmp(p[1], q[1]))
print pairs
best, cost = None, 3.5
print best < cost, cost > best, 'a' > cost, (None, 2) < (1, 1), cmp(None, 'a'), sorted([3, None, 'b', 1.5, 'a'])
mixed = ['x', 2, None]
mixed.sort(reverse=True)
print mixed, sorted([(0, 2), (None, 1)])[0]

section('numbers')
print 0777, 0xFFL, 10L, round(2.5), round(-2.5), round(1.25, 1), round(3), sys.maxint > 2 ** 62
print isinstance(3, (int, long)), long('12'), `1 + 1`

section('text')
print isinstance('x', basestring), isinstance(u'x', unicode), string.letters[:3].lower()
print string.join(['a', 'b'], '-'), 'caf\xc3\xa9', u'caf\xe9'.encode('utf-8'), '中文'
print 'caf\xc3\xa9'.decode('utf-8') == u'caf\xe9', '6162'.decode('hex'), 'ab'.encode('hex')
print urllib.quote('a b'), urllib.urlencode({'k': 'v w'})
print 1 <> 2, 'abc'.find('c'), unichr(65), ord('a')

section('errors')
try:
    raise ValueError, 'no value'
except (ValueError, TypeError), e:
    pass
print 'caught', e
try:
    {}['x']
except KeyError, e:
    print 'key', e.args

section('exec')
space = {}
exec 'y = 7 / 2\nprint "in", y' in space
value_of = eval
print space['y'], value_of('9 / 2')

section('classes')
for item in helper.Countdown(3):
    print item,
print 'gone'
c = helper.Countdown(2)
print c.next(), bool(c), helper.Version(1) < helper.Version(2), max(
    [helper.Version(3), helper.Version(1)]).number

section('tuples')
def add((p, q), r):
    return p + q + r
print add((1, 2), 3), text.title('a b'), text.count


section('files')
name = 'work.tmp'
with open(name, 'w') as f:
    print >> f, 'line', 1
    print >>f, 'two,3'
    f.write('caf\xc3\xa9\n')
for line in open(name, 'rb'):
    print line.strip().split(',')[0]
print ''.join(open(name, 'rb').read().split('\n')), os.path.getsize(name)
print sum(map(len, open(name).readlines()[:2])), open(name, 'rb').read()[:4] == 'line'
lookup = {'two': 22}
print [lookup.get(w) for w in open(name, 'rb').read().split()[2].split(',')]
with open(name, 'w') as f:
    cPickle.dump({'w': [1, 2], u'\u4e2d': 'caf\xc3\xa9'}, f)
print sorted(cPickle.load(open(name)).items())[0], cPickle.load(open(name, 'r'))[u'\u4e2d']
print cPickle.loads(cPickle.dumps((1, 'a'), -1))
os.remove(name)
s = StringIO()
print >> s, 'held', 5
print repr(s.getvalue()), list(izip([1], [2])), [raw for raw in StringIO('a\nb')]
print >> sys.stderr, 'to stderr'
sys.stdout.write('%s %d\n' % (sys.argv[1:], 3.9))
