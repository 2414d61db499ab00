"""The page of a job in a browser: a job that something happens to, and one that is made up."""
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser as web
import made_up_job
from built import PADDLE

from paddle import _core

HERE = os.path.dirname(os.path.abspath(__file__))
SOON = 2.0  # seconds, of the times that the job itself writes down


@pytest.fixture(scope="module")
def browser():
    one = web.open_browser()
    yield one
    one.quit()


def first_line(process, pattern, stream):
    for line in stream:
        found = re.search(pattern, line)
        if found:
            return found.group(1)
    raise AssertionError("it ended: %s" % process.wait(timeout=10))


# ---- a job that runs ----


class Job(object):
    def __init__(self, folder):
        self.data, self.logs = folder / "data", folder / "logs"
        self.data.mkdir()
        drop = {"http_proxy", "https_proxy"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "paddle.distributed.launch_ps", "--print_config", "0",
             "--worker_num", "2", "--server_num", "1", "--restarts", "1", "--start_port",
             str(_core.port_find("127.0.0.1")), "--log_dir", str(self.logs), "--stall_seconds", "1",
             "--page", os.path.join(HERE, "page_job.py"), str(self.data)],
            env={k: v for k, v in os.environ.items() if k not in drop}, cwd=str(folder),
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.address = first_line(self.process, r"the page of this job: (\S+)", self.process.stderr)

    def lines(self, process):
        with open(str(self.logs / "watch" / (process + ".jsonl"))) as file:
            return [json.loads(line) for line in file.read().split("\n")[:-1]]

    def pid(self, process):
        return [line["start"]["pid"] for line in self.lines(process) if "start" in line][-1]


@pytest.fixture
def job(tmp_path):
    one = Job(tmp_path)
    yield one
    if one.process.poll() is None:
        one.process.send_signal(signal.SIGTERM)
    one.process.stderr.close()
    one.process.wait(timeout=30)


def event(browser, kind, who, after=0.0):
    """The event in the list: when it was, when it was first shown, and what it says."""
    return web.until(browser, """
        for (const li of document.querySelectorAll('#events li'))
            if (li.dataset.kind === '%s' && li.dataset.who === '%s' && li.dataset.t > %f)
                return [Number(li.dataset.t), Number(li.dataset.seen), li.innerText];
        return null""" % (kind, who, after))


def state_of(browser, who, wanted):
    web.until(browser, """const row = document.querySelector('tr[data-process="%s"] .state');
        return row && row.textContent === '%s'""" % (who, wanted))


def alert_says(browser, *words):
    web.until(browser, """const box = document.getElementById('alert');
        return !box.hidden && %s.every(word => box.innerText.includes(word))"""
              % json.dumps(words))


def slow_since(job, begin):
    """The first sample of worker 0 in which most of its time went into reading."""
    before = None
    for line in job.lines("worker.0"):
        parts = {p: line.get("m", {}).get('regatta_step_seconds_total{part="%s"}' % p)
                 for p in made_up_job.PARTS}
        if parts["read"] is None:
            continue
        if before and line["t"] > begin:
            grew = {p: parts[p] - before[p] for p in parts if parts[p] and before.get(p)}
            if grew.get("read", 0) > 0.6 * sum(grew.values()):
                return line["t"]
        before = dict(before or {}, **{p: v for p, v in parts.items() if v is not None})
    raise AssertionError("no such sample")


def errors_of(browser):
    """Of its script, and of what it may load; that a server has gone is none."""
    return [line["message"] for line in browser.get_log("browser")
            if line["level"] == "SEVERE" and line["source"] != "network"]


def test_what_happens_to_a_job_is_seen_and_named_at_once(browser, job):
    browser.get(job.address)
    web.until(browser, "return job && job.progress.per_second > 0 && job.curves.loss.length > 3")
    assert browser.execute_script("return document.getElementById('status').innerText") == "running"

    # A slow disk.
    began = time.time()
    (job.data / "slow").touch()
    t, seen, text = event(browser, "slow", "worker.0")
    assert "data" in text
    assert t - slow_since(job, began) < SOON and seen - t < SOON
    alert_says(browser, "worker.0 is slow", "waiting for data")
    slowest = web.until(browser, "return job.slowest && job.slowest.reason === 'data' && job.slowest")
    assert slowest["who"] == "worker.0"
    (job.data / "slow").unlink()

    # A server that is stopped.
    server = job.pid("server.0")
    began = time.time()
    os.kill(server, signal.SIGSTOP)
    try:
        t, seen, text = event(browser, "stopped", "server.0")
        assert str(server) in text and t - began < SOON and seen - t < SOON
        state_of(browser, "server.0", "stopped")
        alert_says(browser, "server.0 is stopped", "kill -CONT")
        # Nobody makes a step then, and it is said because of whom.
        t, seen, text = event(browser, "stalled", "job", began)
        assert "server.0 is stopped" in text and seen - t < SOON
    finally:
        os.kill(server, signal.SIGCONT)
    state_of(browser, "server.0", "running")
    event(browser, "recovered", "job", t)

    # A worker that is killed, and comes back.
    worker = job.pid("worker.1")
    began = time.time()
    os.kill(worker, signal.SIGKILL)
    t, seen, text = event(browser, "killed", "worker.1")
    assert "SIGKILL" in text and t - began < SOON and seen - t < SOON
    event(browser, "started", "worker.1", t)
    state_of(browser, "worker.1", "running")
    web.until(browser, "return document.querySelector('tr[data-process=\"worker.1\"]').innerText"
              ".includes('life 2')")

    # Data that is broken: the last that the page shows before the job has ended.
    (job.data / "bad").touch()
    who = web.until(browser, """const e = job.events.filter(e => e.kind === 'error'
        && e.text.includes('nonsense')).pop(); return e && e.who""")
    t, seen, text = event(browser, "error", who)
    assert "part-%s" % who[-1] in text and "slot 'ids'" in text and seen - t < SOON
    assert job.process.wait(timeout=60) != 0
    web.until(browser, "return job.job.ended && document.getElementById('status').innerText "
              "=== 'failed'")
    assert errors_of(browser) == []


# ---- a job that is made up ----


def serve(folder, *options):
    process = subprocess.Popen([PADDLE, "page", str(folder), *options], stdout=subprocess.PIPE,
                               text=True)
    return process, first_line(process, r"page of \S+ (\S+)", process.stdout)


def end(process):
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 0
    process.stdout.close()


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made_up") / "logs"
    job = made_up_job.make(str(folder), 60, ends=True)
    job.event("worker.0", job.now, "error", "worker.0", "<img src=x onerror='window.hacked=1'>")
    process, address = serve(folder)
    yield address
    end(process)


# ---- how far it is ----

TRAIN = """
import sys
import paddle.fluid as fluid
x, y = fluid.data("x", [None, 1]), fluid.data("y", [None, 1])
loss = fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(x, 1), y))
fluid.optimizer.SGD(0.01).minimize(loss)
data = fluid.DatasetFactory().create_dataset("QueueDataset")
data.set_use_var([x, y])
data.set_batch_size(10)
data.set_pipe_command("; ".join(
    "head -c 10000; until [ -e go%d ]; do sleep 0.05; done" % i for i in range(2)) + "; cat")
data.set_filelist(["lines"])
exe = fluid.Executor()
exe.run(fluid.default_startup_program())
for _ in range(2):
    exe.train_from_dataset(fluid.default_main_program(), data)
"""


def test_how_far_a_pass_is_and_how_long_it_takes(browser, tmp_path):
    """Of data that come through a pipe, in two passes, the second of which does not wait."""
    (tmp_path / "lines").write_text("1 0.5 1 1\n" * 3000)
    watch = tmp_path / "logs" / "watch"
    process = subprocess.Popen([sys.executable, "-c", TRAIN], cwd=str(tmp_path), env=dict(
        os.environ, FLAGS_watch_dir=str(watch), FLAGS_watch_seconds="0.05"))
    try:
        while not (watch / "worker.0.jsonl").exists():
            assert process.poll() is None
            time.sleep(0.05)
        page, address = serve(tmp_path / "logs")
        browser.get(address)
        web.until(browser, "return job && job.progress.ratio > 0.3")
        assert browser.execute_script("return job.progress.ratio") < 0.4
        (tmp_path / "go0").touch()
        web.until(browser, "return job.progress.ratio > 0.6 && job.progress.eta > 0")
        assert re.search(r"Read\s+67 %\s+\S+ m?s to go in this pass", browser.execute_script(
            "return document.getElementById('numbers').innerText"))
        (tmp_path / "go1").touch()
        assert process.wait(timeout=60) == 0
        web.until(browser, "return job.job.ended && job.progress.ratio === 1")
        assert browser.execute_script("return job.events.filter(e => e.kind === 'finished').length") == 1
    finally:
        process.kill()
        process.wait()
    end(page)


WIDER = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
# What a process shows of itself is seen whole on a phone, and not behind the edge of its box.
CLIPPED = """const box = document.getElementById('process-table').closest('.scroll');
return box.scrollWidth - box.clientWidth"""
# Text whose colour is too near to what is behind it, by the rule of WCAG (4.5 to 1).
FAINT = r"""
const rgb = c => c.match(/[\d.]+/g).map(Number);
const lum = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b; };
const behind = n => { for (; n; n = n.parentElement) { const c = rgb(getComputedStyle(n).backgroundColor);
  if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
const faint = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let n; (n = walker.nextNode());) {
  const e = n.parentElement;
  if (!n.data.trim() || !e.getClientRects().length || ['SCRIPT', 'STYLE', 'title'].includes(e.tagName)) continue;
  const style = getComputedStyle(e), front = lum(rgb(e.namespaceURI.includes('svg') ? style.fill : style.color));
  const back = lum(behind(e)), ratio = (Math.max(front, back) + .05) / (Math.min(front, back) + .05);
  if (ratio < 4.5) faint.push(ratio.toFixed(2) + ' ' + n.data.trim());
}
return faint;"""
NAMELESS = r"""
return [...document.querySelectorAll('button, a, input, [role=button], [role=img], [role=progressbar], [role=tab], [tabindex="0"]')]
  .filter(n => !(n.getAttribute('aria-label') || n.innerText || n.closest('label') || n.getAttribute('aria-labelledby')))
  .map(n => n.outerHTML.slice(0, 120));"""


def test_it_is_legible_wide_and_narrow_light_and_dark_and_by_keyboard(browser, shown):
    web.look(browser)
    browser.get(shown)
    web.until(browser, "return job && document.querySelectorAll('.op').length > 10")
    text = browser.execute_script("return document.body.innerText")
    for word in ("finished", "worker.1", "SparseFeatFactors", "snapshot", "SIGKILL", "held out"):
        assert word in text
    for width, dark in ((1280, False), (1280, True), (360, False), (360, True)):
        web.look(browser, width, 800, dark)
        assert browser.execute_script(WIDER) <= 0, "at %d it must be pushed sideways" % width
        assert browser.execute_script(CLIPPED) <= 0, "at %d processes are cut off" % width
        assert browser.execute_script(FAINT) == []
    assert browser.execute_script(NAMELESS) == []
    # What is in files is text.
    assert "<img src=x" in browser.execute_script("return document.body.innerText")
    assert browser.execute_script("return window.hacked || document.querySelectorAll('img').length") == 0
    # By keys alone: an op of the program, and another one's log.
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
    browser.execute_script("document.querySelectorAll('.op')[4].focus()")
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    web.until(browser, "return document.getElementById('op').innerText.includes('concat')")
    browser.execute_script("document.querySelector('[role=tab][aria-selected=true]').focus()")
    ActionChains(browser).send_keys(Keys.ARROW_RIGHT).perform()
    web.until(browser, "return document.activeElement.dataset.who === 'worker.1' && "
              "document.getElementById('log').textContent.includes('step=5900')")
    assert browser.execute_script("return document.getElementById('log').querySelectorAll('b').length") == 0
    assert errors_of(browser) == []


def get(address, path="", token=None):
    headers = {"Authorization": "Bearer " + token} if token else {}
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(urllib.request.Request(address.split("?")[0].rstrip("/") + path,
                                                headers=headers), timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode()


def test_its_parts_can_be_asked_for(shown):
    status, text = get(shown, "/api/job")
    job = json.loads(text)
    assert status == 200 and job["job"]["status"] == "finished" and len(job["processes"]) == 5
    assert json.loads(get(shown, "/api/op?type=mul")[1])["doc"].startswith("The matrix product")
    assert get(shown, "/api/log?process=worker.0&lines=2")[1].count("\n") == 2
    assert 'regatta_examples_total{process="worker.0"}' in get(shown, "/metrics")[1]
    for path, code in (("/api/op?type=no_such_op", 404), ("/api/log?process=../../etc/passwd", 404),
                       ("/api/log?process=worker.0&lines=0", 400), ("/etc/passwd", 404)):
        status, why = get(shown, path)
        assert status == code and why.strip()


def test_elsewhere_than_on_loopback_it_needs_a_token(tmp_path):
    made_up_job.make(str(tmp_path), 5, ends=True)
    done = subprocess.run([PADDLE, "page", str(tmp_path), "--host", "0.0.0.0"],
                          stderr=subprocess.PIPE, text=True, timeout=30)
    assert done.returncode == 1 and "token" in done.stderr
    process, address = serve(tmp_path, "--host", "0.0.0.0", "--token", "s3cret")
    near = address.replace("0.0.0.0", "127.0.0.1")
    assert "?token=s3cret" in near
    assert get(near, "/api/job")[0] == 401 and "token" in get(near, "/api/job")[1]
    assert get(near, "/api/job", "s3cret")[0] == get(near, "/api/job?token=s3cret")[0] == 200
    end(process)
