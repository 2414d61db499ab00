"""YAML against the schemas of Kubernetes itself, for several of its versions."""
import pytest
import yaml


def versions():
    """The oldest that kubernetes-validate has the schemas of, the newest, and two between."""
    try:
        import kubernetes_validate
    except ImportError:
        return ["none"]
    known = {tuple(int(n) for n in v.split(".")[:2])
             for v in kubernetes_validate.utils.all_versions()}
    known = ["%d.%d" % v for v in sorted(known)]
    return sorted({known[i * (len(known) - 1) // 3] for i in range(4)}, key=known.index)


def fault_in(document, version):
    """Why a Kubernetes of this version would not take the object, naming the place; else None."""
    validate = pytest.importorskip("kubernetes_validate")
    try:
        validate.validate(document, version, strict=True)
    except validate.ValidationError as error:
        return "%s %s is no object of Kubernetes %s: %s: %s" % (
            document.get("kind"), document.get("metadata", {}).get("name"), version,
            ".".join(str(part) for part in error.path), error.message)
    return None


def check(document, version):
    wrong = fault_in(document, version)
    if wrong:
        pytest.fail(wrong)


def check_file(path, version):
    """Each object in the file."""
    with open(str(path)) as file:
        documents = [d for d in yaml.safe_load_all(file) if d is not None]
    assert documents, "%s is empty" % path
    for document in documents:
        check(document, version)
