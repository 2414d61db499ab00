"""What tests of paddle.dataset share."""
import pytest


@pytest.fixture
def no_datasets(tmp_path, monkeypatch):
    """Nothing is there, and there is no network: every URL is refused."""
    from paddle.dataset import common
    monkeypatch.delenv("PADDLE_DATASET", raising=False)
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    import urllib.request

    def refused(url, timeout):
        raise urllib.request.URLError("no network")
    monkeypatch.setattr(urllib.request, "urlopen", refused)
    return str(tmp_path)
