count = 3 / 2


def cap(word):
	if word:
	        return word[:1].upper() + word[1:]
	return word
