"""pipe_reader of v2: samples out of what a command prints, such as `hadoop fs -cat ...`."""

__all__ = ["pipe_reader"]


def pipe_reader(left_cmd, parser, bufsize=8192, file_type="plain", cut_lines=True,
                line_break="\n"):
    """parser(text) makes a sample of each line of the command's output, or with cut_lines=False of
    each piece as it comes. file_type: "plain" or "gzip". Each call of the reader runs the command;
    its words are separated by blanks, and no shell sees it."""
    if not isinstance(left_cmd, str):
        raise TypeError("pipe_reader: left_cmd is %r, and must be a command as text" % (left_cmd,))
    if not callable(parser):
        raise TypeError("pipe_reader: parser is %r, and must be a function" % (parser,))
    if file_type not in ("plain", "gzip"):
        raise TypeError("pipe_reader: file_type is %r, and must be 'plain' or 'gzip'"
                        % (file_type,))

    def reader():
        pieces = _texts(left_cmd, int(bufsize), file_type)
        for text in _lines(pieces, line_break) if cut_lines else pieces:
            yield parser(text)
    return reader


def _texts(command, bufsize, file_type):
    """The command's output, piece by piece; an error where it fails."""
    import codecs
    import shlex
    import subprocess
    import zlib
    whole = codecs.getincrementaldecoder("utf-8")()
    unpack = zlib.decompressobj(32 + zlib.MAX_WBITS)
    child = subprocess.Popen(shlex.split(command), stdout=subprocess.PIPE)
    try:
        for data in iter(lambda: child.stdout.read1(bufsize), b""):
            text = whole.decode(unpack.decompress(data) if file_type == "gzip" else data)
            if text:
                yield text
        if child.wait() != 0:
            raise RuntimeError("pipe_reader: the command %r ended with status %d"
                               % (command, child.returncode))
    finally:
        if child.poll() is None:  # the consumer has gone
            child.kill()
        child.stdout.close()
        child.wait()


def _lines(pieces, line_break):
    rest = ""
    for piece in pieces:
        *lines, rest = (rest + piece).split(line_break)
        yield from lines
    if rest:
        yield rest
