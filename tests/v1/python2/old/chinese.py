# -*- coding: gbk -*-
# Byte strings are those of the file, as its coding line has them.
word = '中文'
print len(word.decode('gbk')), word.decode('gbk') == u'\u4e2d\u6587', u'中' == u'\u4e2d'
open('gbk.tmp', 'w').write(word)
data = open('gbk.tmp', 'rb').read()
print data == word, len(data), `data`
