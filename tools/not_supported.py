#!/usr/bin/env python3
"""Write docs/not-supported.md: what real Paddle's package has and this one has not.

    .venv/bin/python tools/not_supported.py          change the page
    .venv/bin/python tools/not_supported.py --check  fail where it is not up to date"""
import os
import subprocess
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "not-supported.md")
HEAD = """# What is not supported

Made by `tools/not_supported.py`. Every module and public name of PaddlePaddle 1.8.5 can be imported; those
below say when they are used what they are, and what to use instead (`paddle._names.NotSupported`, a
NotImplementedError). All other names of 1.8.5 are there. Ops that are: `paddle ops`, `docs/ops.md`.

## Names that are there to refuse
They take their arguments and say why: `fluid.CUDAPlace`, `CUDAPinnedPlace`, `cuda_places`, `cuda_pinned_places`,
`device_guard("gpu")` where there is no GPU (`docs/guide-gpu.md`); `enable_dygraph`; `load_op_library`, `sysconfig.get_include`,
`get_lib` (custom C++ ops); `optimizer.DGCMomentumOptimizer`, `PipelineOptimizer`; `BoxPSDataset` and what datasets
have of page views (`set_parse_logkey`, `set_enable_pv_merge`, `set_rank_offset`); `DataLoader(num_workers=...)`;
`AnalysisConfig.enable_tensorrt_engine`, `enable_lite_engine`, `enable_quantizer`.
"""


def refused():
    """{reason: {module: [names]}}"""
    from paddle import _names
    found = {}
    for module, (own, _) in sorted(_names.tables().items()):
        here = _names._imported(module)
        for name in sorted(n for n in own if not n.startswith("_")):
            value = getattr(here, name)
            if isinstance(value, _names._Refused) and value._full == "%s.%s" % (module, name):
                found.setdefault(value._why, {}).setdefault(module, []).append(name)
    return found


def refused_ops():
    """A paragraph for each reason why ops are not here."""
    told = subprocess.run([os.path.join(ROOT, "build", "paddle"), "ops", "--refused"],
                          stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
    parts = ["## Ops\nA program that has one of these does not run; the error says as much as this "
             "page.\n"]
    for line in told.splitlines():
        why, types = line.split("\t")
        parts.append(textwrap.fill("- %s: an op that %s." % (
            ", ".join("`%s`" % t for t in types.split()), why), 110, subsequent_indent="  ",
            break_long_words=False, break_on_hyphens=False))
    return parts + [""]


def page():
    parts = [HEAD] + refused_ops()
    for reason, modules in sorted(refused().items(), key=lambda item: sorted(item[1])):
        title = os.path.commonprefix([m + "." for m in modules]).rpartition(".")[0]
        title = "In many modules" if title == "paddle" else title
        if len(modules) == 1 and len(modules[title]) == 1:
            title += "." + modules[title][0]
        parts.append("## %s\n%s.\n" % (title, reason[0].upper() + reason[1:]))
        for module, names in sorted(modules.items()):
            parts.append(textwrap.fill("- `%s`: %s" % (module, ", ".join(names)), 110,
                                       subsequent_indent="  ", break_long_words=False,
                                       break_on_hyphens=False))
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def main():
    text = page()
    if "--check" in sys.argv[1:]:
        with open(PAGE) as f:
            if f.read() != text:
                sys.exit("docs/not-supported.md is not up to date: run tools/not_supported.py")
        return
    with open(PAGE, "w") as f:
        f.write(text)


if __name__ == "__main__":
    main()
