# -*- coding: utf-8 -*-
"""The library of Python 2 and older turns of phrase; what it prints was recorded (../record.py)."""
import os, sys, re, csv, json, gzip, glob, struct, hashlib, time, types, codecs, copy, random
import threading, Queue, tarfile, zlib, base64, ConfigParser, urlparse, collections, commands
import multiprocessing
from collections import OrderedDict, defaultdict, namedtuple, Counter
from optparse import OptionParser
from operator import itemgetter
import cPickle as pickle
import cStringIO
import datetime

def work(n): return n / 2
d = defaultdict(int)
for w in 'a b a c'.split(): d[w] += 1
print sorted(d.iteritems(), key=itemgetter(1, 0), reverse=True), d.iteritems().next()[0] in d
print Counter('aab').most_common(1), OrderedDict([('x', 1)]).items(), OrderedDict(a=1).keys()[0]
P = namedtuple('P', 'x y'); print P(1, 2)
it = iter([1, 2]); print it.next(), it.next()
def gen():
    for i in xrange(3):
        yield i
g = gen(); print g.next(), list(g)
print 'hello'.translate(None, 'l') if hasattr(str, 'format') else ''
import string
print 'abc'.translate(string.maketrans('ab', 'xy')), string.zfill('7', 3), string.upper('a')
print '%s|%r|%5.2f|%x' % (u'x'.encode('utf8'), 'y', 3.14159, 255)
with open('w.csv', 'wb') as f:
    w = csv.writer(f); w.writerow(['a', 1, 'x y']); w.writerow(['b', 2, 'c,d'])
print [row for row in csv.reader(open('w.csv', 'rb'))]
print [r['q'] for r in csv.DictReader(open('w.csv'), fieldnames=['p', 'q', 'r'])]
json.dump({'k': [1, 2.5, 'v']}, open('w.json', 'w')); print json.load(open('w.json'))['k'][2] == 'v'
print json.dumps({'a': u'中'}), json.dumps([1, 'é'], ensure_ascii=False)
f = gzip.open('w.gz', 'wb'); f.write('line one\nline two\n'); f.close()
for line in gzip.open('w.gz'): print line.strip().split(' ')[1],
print ''
print struct.unpack('<IH', struct.pack('<IH', 5, 6)), len(struct.pack('4s', 'ab')), hashlib.md5('x').hexdigest()[:6]
f = open('w.bin', 'wb'); f.write(struct.pack('<if', 3, 1.5)); f.write('tail'); f.close()
f = open('w.bin', 'rb'); print struct.unpack('<if', f.read(8)), f.read() == 'tail'; f.close()
print base64.b64encode('abc'), base64.b64decode('YWJj') == 'abc', zlib.decompress(zlib.compress('zz')) == 'zz'
q = Queue.Queue(); q.put(3); print q.get()
try:
    q.get_nowait()
except Queue.Empty, e:
    print 'empty'
c = ConfigParser.ConfigParser(); c.readfp(cStringIO.StringIO('[s]\nk=v\n')); print c.get('s', 'k')
print urlparse.urlparse('http://h/p?q=1').netloc, commands.getoutput('echo hi')
print isinstance(u'x', types.StringTypes), type([]) == types.ListType, type(None) is types.NoneType
f = codecs.open('w.txt', 'w', 'utf-8'); f.write(u'中文\n'); f.close()
print len(codecs.open('w.txt', encoding='utf-8').read()), open('w.txt').read().strip() == '中文'
print open('w.txt').read().decode('utf-8')[0] == u'中', u'中'.encode('gbk').decode('gbk') == u'中'
t = tarfile.open('w.tar', 'w'); t.add('w.csv'); t.close()
t = tarfile.open('w.tar'); print t.getnames(), [l.strip().split(',')[0] for l in t.extractfile('w.csv')]
pool = multiprocessing.Pool(2); print pool.map(work, [4, 5]); pool.close()
r = []
th = threading.Thread(target=lambda: r.append(1)); th.start(); th.join(timeout=5); print r
p = OptionParser(); p.add_option('-n', type='int', default=3); o, a = p.parse_args([]); print o.n
class Old:
    x = 1
    def __getitem__(self, i): return i * 2
    def __len__(self): return 2
    def __unicode__(self): return u'old'
    def __str__(self): return 'OLD'
    def __cmp__(self, o): return 0
o = Old(); print o[3], len(o), str(o), unicode(3), Old() == Old()
class M(type):
    def __new__(cls, n, b, dd): dd['made'] = True; return type.__new__(cls, n, b, dd)
class K(object):
    __metaclass__ = M
print K.made, callable(work), apply(work, (9,)), intern('a')
try:
    try: raise KeyError, 'inner'
    except KeyError, e: raise ValueError, 'outer', sys.exc_info()[2]
except ValueError as e: print 'E', e, e.args, sys.exc_info()[0].__name__
print [x for x in 1, 2, 3], {1: 'a'}.has_key(1), dict(a=1).values(), set([1]) == {1}
print sum(i / 2 for i in range(5)), max(3, 2), min([4, 1]), abs(-3), divmod(7, 2), 2 ** 3, 7 % 3, -7 % 3
l = range(5); l.reverse(); print l, l.index(4), l[1:3]
with open('w.re', 'wb') as f: f.write('k=1 k=2')
data = open('w.re', 'rb').read(); os.unlink('w.re')
print re.findall(r'k=(\d)', data), re.compile('k').sub('v', data), re.match('k', data) is not None
print data[0], data[-1], data >= 'a', 'k' in data, [c for c in data[:2]], data.index('='), max(data)
s = 'a,b;c'; print re.split('[,;]', s), re.sub('a', 'z', s), s.split(',', 1), s.upper()
print os.path.join('a', 'b'), os.path.splitext('x.py')[1], sorted(glob.glob('w.*'))[:2], os.path.basename('/a/b')
lam = lambda (a, b), c=1: a + b + c
print lam((1, 2)), sorted({'b': 1, 'a': 2}.items(), key=lambda (k, v): v), filter(lambda x: x % 2, (1, 2, 3))
def f(a, (b, (c, d)), *args, **kw): return a + b + c + d + len(args) + len(kw)
print f(1, (2, (3, 4)), 5, k=6)
print datetime.date(2016, 1, 2).strftime('%Y'), time.clock() >= 0, copy.copy([1]), random.randint(1, 1)
print 'caf\xc3\xa9'.decode('utf8').encode('utf-8') == 'caf\xc3\xa9', unichr(0x4e2d) == u'\u4e2d'
print "a" "b", ur'\d', 'tab\there', """multi
line""", not None, 3 if True else 4, 5 in [5], 'x' * 3
exec "zz = 5"
print zz, eval("zz / 2"), int('0x1f', 16), float('1e3'), long(3), int(3.9), str(1.5), `[1]`, oct(8), hex(255)
print >>sys.stdout, "to", "stdout"
print("paren"), ("tuple", 1)
print
print "end",
print "of line"
sys.stdout.write("x" + str(3) + "\n")
for n in 'w.csv w.json w.gz w.bin w.txt w.tar'.split(): os.unlink(n)
assert isinstance(sys.maxint, int) and sys.version_info
print os.popen('echo popen').read().strip(), os.environ.has_key('PATH'), os.getcwdu() == os.getcwd()
print reduce(lambda x, y: x + y, map(int, raw_input().split())), input() / 2
print sys.stdin.readline().strip(), [l.strip() for l in sys.stdin]
