"""A fixer for fissix: `lambda x, (k, v): x + v` as `lambda x, k_v: x + k_v[1]`."""
from fissix import fixer_base
from fissix.fixer_util import Name
from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols


def _is_tuple(node):
    return bool(node.children) and node.children[0].type == token.LPAR and \
        node.type not in (symbols.varargslist,)


def _places(node, path, found):
    """The names of a tuple, each with the subscripts that lead to it."""
    inner = node.children[1] if _is_tuple(node) else node
    if inner.type == token.NAME:
        found[inner.value] = path if inner is node else path + "[0]" * _trailing_comma(node)
        return
    parts = [inner] if _is_tuple(inner) else [c for c in inner.children if c.type != token.COMMA]
    for number, part in enumerate(parts):
        if part.type == token.NAME:
            found[part.value] = "%s[%d]" % (path, number)
        else:
            _places(part, "%s[%d]" % (path, number), found)


def _trailing_comma(node):
    return any(child.type == token.COMMA for child in node.children)


def _is_variable(leaf):
    """Not the name of an attribute or of a keyword argument."""
    before = leaf.prev_sibling
    if before is not None and before.type == token.DOT:
        return False
    parent = leaf.parent
    return not (parent is not None and parent.type == symbols.argument and
                parent.children[0] is leaf and parent.children[1].type == token.EQUAL)


class FixLambdaParams(fixer_base.BaseFix):
    BM_compatible = True
    run_order = 4  # before tuple_params, which knows lambdas of one tuple alone
    PATTERN = "lambdef< 'lambda' args=any ':' body=any >"

    def transform(self, node, results):
        arguments, body = results["args"], results["body"]
        many = arguments.type == symbols.varargslist
        found = {}
        for part in list(arguments.children) if many else [arguments]:
            if not _is_tuple(part) or part.type == token.NAME:
                continue
            names = {}
            _places(part, "", names)
            name = "_".join(names)
            found.update({each: name + path for each, path in names.items()})
            part.replace(Name(name, prefix=part.prefix))
        if not found:
            return
        body = results["body"]
        for leaf in list(body.leaves()):
            if leaf.type == token.NAME and leaf.value in found and _is_variable(leaf):
                leaf.value = found[leaf.value]
        node.changed()
