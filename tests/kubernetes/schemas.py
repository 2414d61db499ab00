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


def check(document, version):
    """Fails, naming the place, where a Kubernetes of this version would not take the object."""
    validate = pytest.importorskip("kubernetes_validate")
    try:
        validate.validate(document, version, strict=True)
    except validate.ValidationError as error:
        pytest.fail("%s %s is no object of Kubernetes %s: %s: %s" % (
            document.get("kind"), document.get("metadata", {}).get("name"), version,
            ".".join(str(part) for part in error.path), error.message))


def check_file(path, version):
    """Each object in the file."""
    with open(str(path)) as file:
        documents = [d for d in yaml.safe_load_all(file) if d is not None]
    assert documents, "%s is empty" % path
    for document in documents:
        check(document, version)
