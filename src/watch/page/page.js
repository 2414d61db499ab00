/* The page: what the server says each second, shown. */

const PARTS = {read: 'reading data', pull: 'pulling rows', compute: 'computing', push: 'pushing gradients', wait: 'waiting for others'};
const STATES = {running: 'good', finished: 'good', starting: 'warn', waiting: 'warn', stopped: 'bad', dead: 'bad', failed: 'bad', silent: 'warn', ended: 'warn'};
const STATUS = {running: ['good', 'running'], finished: ['good', 'finished'], failed: ['bad', 'failed'], stopped: ['bad', 'a process is stopped'],
  stalled: ['bad', 'stalled'], silent: ['warn', 'says nothing'], empty: ['warn', 'has not begun']};
const REASONS = {data: 'reading its data', compute: 'computing', network: 'pulling and pushing'};
let job = null, shownLog = null;
const seen = new Map(); /* event -> when it was first shown, by the server's clock */

/* ---- at the top ---- */

function number(what, value, also) {
  return el('div', {}, el('div', {class: 'what'}, what), el('div', {class: 'value'}, value), el('div', {class: 'also'}, also || ''));
}

function showNumbers() {
  const p = job.progress, j = job.job, slow = job.slowest, ended = j.ended;
  const lasted = (ended ? j.newest : j.now) - j.started;
  put($('numbers'),
    number(ended ? 'Examples a second, mean' : 'Examples a second', short(p.per_second), ended ? 'over all of it' : short(p.examples) + ' so far'),
    number('Loss', digits(p.loss, 4), known(p.test_loss) ? 'held out ' + digits(p.test_loss, 4) : 'in training'),
    number('AUC', digits(p.auc, 4), known(p.test_auc) ? 'held out ' + digits(p.test_auc, 4) : 'in training, all workers'),
    ended ? number('Examples', short(p.examples), 'in all')
      : number('Read', p.ratio > 0 ? percent(p.ratio) : '–', known(p.eta) ? duration(p.eta) + ' to go in this pass' : 'of this pass'),
    number(ended ? 'Took' : 'Runs for', duration(lasted), 'since ' + clock(j.started)),
    number('Memory', bytes(job.processes.reduce((s, q) => s + (q.memory || 0), 0)), 'of all processes'),
    slow ? number('Slowest', slow.who, `${percent(slow.share)} of a step: ${REASONS[slow.reason]}`) : null);
}

function showStanding() {
  const j = job.job, [css, words] = STATUS[j.status] || ['warn', j.status];
  const pill = $('status');
  pill.className = 'pill ' + css;
  text(pill, words);
  text($('where'), j.dir);
  text($('clock'), `${j.workers} worker${j.workers === 1 ? '' : 's'}, ${j.servers} server${j.servers === 1 ? '' : 's'}`);
  document.title = `${words} · ${j.dir.split('/').pop()} · Regatta`;
  const ratio = j.status === 'finished' ? 1 : job.progress.ratio || 0, bar = $('bar');
  bar.setAttribute('aria-valuenow', Math.round(100 * ratio));
  bar.firstElementChild.style.width = 100 * ratio + '%';
  text($('foot'), `Job ${j.id || '?'} · the same in a terminal: paddle top ${j.dir} · afterwards: paddle page ${j.dir}` +
    (j.bad_lines ? ` · ${j.bad_lines} lines of ${j.bad_line} could not be read` : ''));
}

/* What needs someone: named, at the top. */
function showAlert() {
  const box = $('alert'), lines = [];
  for (const p of job.processes)
    if (['stopped', 'dead', 'failed'].includes(p.state)) {
      const e = job.events.filter(e => e.who === p.name && loud(e)).pop();
      lines.push([`${p.name} is ${p.state}`, e ? e.text : '']);
    }
  const goesOn = (kind, end) => job.job.ended ? [] : Object.values(Object.fromEntries(
    job.events.filter(e => e.kind === kind || e.kind === end).map(e => [e.who, e]))).filter(e => e.kind === kind);
  for (const e of goesOn('stalled', 'recovered'))
    lines.push([e.who === 'job' ? 'No step is made' : `${e.who} makes no step`, e.text]);
  for (const e of goesOn('slow', 'quick')) lines.push([`${e.who} is slow`, e.text]);
  const error = job.events.filter(e => e.kind === 'error').pop();
  if (error && !lines.some(l => l[1] === error.text) && job.job.now - error.t < 60 && !job.job.ended) lines.push([`${error.who} failed`, error.text]);
  box.hidden = lines.length === 0;
  const severe = lines.length > 0 && !lines.every(l => l[0].endsWith('slow'));
  box.className = 'alert ' + (severe ? 'bad' : 'warn');
  const key = JSON.stringify(lines);
  if (box.dataset.key === key) return; /* a screen reader says it once */
  box.dataset.key = key;
  put(box, ...lines.map(l => el('div', {}, el('b', {}, l[0]), el('span', {}, l[1]))));
}

/* ---- curves ---- */

function rates(points) {
  const out = [];
  for (let i = 1; i < points.length; i++) {
    const over = points[i][0] - points[i - 1][0];
    if (over > 0) out.push([points[i][0], Math.max(0, (points[i][1] - points[i - 1][1]) / over)]);
  }
  return out;
}

function caption(id, name, lines) {
  const keys = lines.filter(l => l.points.length).map(l => el('span', {class: 'key ' + l.css}, l.name));
  put($(id), name, el('span', {}, ...keys.flatMap((k, i) => i ? [' ', k] : [k])));
}

function showCurves() {
  const c = job.curves, from = job.job.started, to = job.job.ended ? job.job.newest : Math.max(job.job.newest, job.job.now);
  const events = job.events.filter(loud).slice(-40);
  const show = (id, name, lines, o) => {
    const all = lines.filter(l => l.points.length), last = all.length ? all[0].points[all[0].points.length - 1][1] : null;
    caption(id + '-title', name, all.length > 1 ? lines : []);
    drawChart($(id + '-chart'), {name, lines, from, to, events, ...o,
      label: all.length ? `${name} over time; now ${o.show(num(last))}` : `${name}: nothing yet`});
  };
  show('loss', 'Loss', [{name: 'train', css: 'train', points: c.loss}, {name: 'held out', css: 'test', points: c.test_loss, dots: c.test_loss.length < 20}],
    {empty: 'No loss yet: fetch it in train_from_dataset', show: v => digits(v, 4)});
  show('auc', 'AUC, all workers', [{name: 'train', css: 'train', points: c.auc}, {name: 'held out', css: 'test', points: c.test_auc, dots: c.test_auc.length < 20}],
    {empty: 'No AUC: the program has no auc op, or has not begun', show: v => digits(v, 4)});
  show('speed', 'Examples a second', [{name: 'all workers', css: 'train', points: rates(c.examples), area: true}],
    {empty: 'No example yet', zero: true, show: short});
  $('tables-chart').hidden = c.table_bytes.length < 2;
  if (c.table_bytes.length < 2) return;
  const limit = known(job.tables.limit) ? [[from, job.tables.limit], [to, job.tables.limit]] : [];
  drawChart($('tables-chart'), {name: 'Memory of tables', from, to, zero: true, show: bytes, axis: bytes,
    lines: [{name: 'tables', css: 'train', points: c.table_bytes, area: true}, {name: 'limit', css: 'test', points: limit}],
    label: `Memory of tables over time; now ${bytes(job.tables.bytes)}`});
}

/* ---- processes ---- */

function splitBar(split) {
  const words = Object.keys(PARTS).map(k => `${PARTS[k]} ${percent(split[k])}`).join(', ');
  return el('div', {class: 'split', role: 'img', 'aria-label': words, title: words},
    ...Object.keys(PARTS).filter(k => split[k] > 0).map(k => {
      const part = el('i', {class: 'p-' + k});
      part.style.width = 100 * split[k] + '%';
      return part;
    }));
}

function processRow(p) {
  const live = ['running', 'waiting', 'starting'].includes(p.state), done = p.state === 'finished' && p.newest > 0;
  const cell = (what, value, css) => el('td', {class: 'n ' + (css || ''), 'data-what': what}, value);
  const lived = Math.max(1e-3, p.newest - p.started); /* of one that has ended: means, and sums of bytes */
  const speed = p.role === 'worker' ? short(live ? p.examples_per_second : p.examples / lived) + ' ex/s' : live ? `${short(p.pulls)} pulls/s` : '–';
  const step = p.role === 'worker'
    ? p.split ? splitBar(p.split) : el('small', {}, p.stepped ? 'no step for ' + duration(job.job.now - p.stepped) : 'no step yet')
    : el('small', {}, live ? `busy ${percent(p.busy)}, ${short(p.pushes)} pushes/s` : '');
  return el('tr', {'data-process': p.name},
    el('td', {class: 'name'}, p.name, p.incarnation > 0 ? el('small', {}, ` life ${p.incarnation + 1}`) : null, p.pid ? el('small', {}, ` pid ${p.pid}`) : null),
    el('td', {class: 'stands'}, el('span', {class: `state ${p.state} ${STATES[p.state] || 'warn'}`}, p.state)),
    cell('CPU', live ? percent(p.cpu) : done ? percent(p.cpu_seconds / lived) : '–'), cell('Memory', p.memory ? bytes(p.memory) : '–'),
    el('td', {class: 'wide'}, step),
    cell('Speed', live || done ? speed : '–'), cell('Sent', live ? bytes(p.sent) + '/s' : done ? bytes(p.sent_bytes) : '–'),
    cell('Received', live ? bytes(p.received) + '/s' : done ? bytes(p.received_bytes) : '–'));
}

function showProcesses() {
  put($('process-table').tBodies[0], ...job.processes.filter(p => p.role !== 'launcher').map(processRow));
  const s = job.slowest;
  text($('slowest'), !s ? '' : s.behind < .9
    ? `${s.who} is the slowest, at ${percent(s.behind)} of the others' speed: ${percent(s.share)} of its step is ${REASONS[s.reason]}`
    : `${s.who} sets the pace: ${percent(s.share)} of its step is ${REASONS[s.reason]}`);
}

/* ---- tables and events ---- */

function showTables() {
  const t = job.tables, note = [];
  put($('table-table').tBodies[0], ...t.each.map(x => el('tr', {}, el('td', {}, el('code', {}, x.name)),
    el('td', {class: 'n'}, short(x.rows)), el('td', {class: 'n'}, bytes(x.bytes)), el('td', {class: 'n'}, x.rows ? Math.round(x.bytes / x.rows) + ' B' : '–'))));
  $('table-table').hidden = t.each.length === 0;
  if (t.each.length === 0) note.push('none that are sparse');
  if (known(t.lookups)) note.push(`${percent(t.hits / t.lookups)} of look-ups found a row`);
  if (t.evicted) note.push(`${short(t.evicted)} rows evicted`);
  if (known(t.limit)) {
    const used = t.bytes / t.limit, css = used > .95 ? 'bad' : used > .8 || known(t.full_in) && t.full_in < (job.progress.eta ?? 600) ? 'warn' : '';
    const words = `${bytes(t.bytes)} of ${bytes(t.limit)}` + (known(t.full_in) && t.full_in < 1e7 ? `, full in ${duration(t.full_in)}` +
      (known(job.progress.eta) ? t.full_in > job.progress.eta ? ', after the end of this pass' : ', before the end of this pass' : '') : '');
    const fillPart = el('i', {class: css});
    fillPart.style.width = Math.min(100, 100 * used) + '%';
    put($('room'), el('p', {class: css}, words), el('div', {class: 'meter', role: 'img', 'aria-label': words}, fillPart));
  } else {
    put($('room'));
    if (t.each.length) note.push(`${bytes(t.bytes)}, without a limit`);
  }
  text($('tables-note'), note.join(' · '));
}

function showEvents() {
  const e = job.events, to = job.job.ended ? job.job.newest : job.job.now;
  text($('events-note'), e.length ? `${e.length + job.forgotten_events}` + (job.forgotten_events ? `, the last ${e.length} shown` : '') : 'none yet');
  drawTimeline($('timeline'), e, job.job.started, to);
  const list = $('events'), key = e.length + ':' + (e.length ? e[e.length - 1].t : 0);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  for (const x of e) { const name = [x.t, x.kind, x.who].join(); if (!seen.has(name)) seen.set(name, job.job.now); }
  put(list, ...e.slice().reverse().map(x => el('li', {'data-kind': x.kind, 'data-who': x.who, 'data-t': x.t, 'data-seen': seen.get([x.t, x.kind, x.who].join())},
    el('time', {datetime: new Date(1000 * x.t).toISOString()}, clock(x.t)), el('b', {class: eventCss(x.kind)}, x.kind), el('span', {}, x.who), el('span', {}, x.text))));
}

/* ---- logs ---- */

async function showLog() {
  const box = $('log'), who = shownLog;
  if (!who) return;
  try {
    const lines = await (await ask('/api/log', {process: who, lines: 200})).text();
    if (who !== shownLog) return;
    const follows = box.scrollHeight - box.scrollTop - box.clientHeight < 30;
    text(box, lines || '(nothing was written yet)');
    if (follows) box.scrollTop = box.scrollHeight;
  } catch (e) { if (who === shownLog) text(box, e.message); }
}

function chooseLog(name, focus) {
  shownLog = name;
  for (const tab of $('log-tabs').children) {
    const on = tab.dataset.who === name;
    tab.setAttribute('aria-selected', on);
    tab.tabIndex = on ? 0 : -1;
    if (on && focus) tab.focus();
  }
  showLog();
}

function showTabs() {
  const names = job.processes.filter(p => p.role !== 'launcher').map(p => p.name), tabs = $('log-tabs');
  if (tabs.dataset.key === names.join()) return;
  tabs.dataset.key = names.join();
  put(tabs, ...names.map(name => {
    const tab = el('button', {role: 'tab', 'data-who': name, 'aria-controls': 'log', 'aria-selected': 'false', tabindex: -1}, name);
    tab.addEventListener('click', () => chooseLog(name));
    return tab;
  }));
  tabs.onkeydown = e => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[e.key];
    if (by) chooseLog(names[(names.indexOf(shownLog) + by + names.length) % names.length], true);
  };
  if (names.length) chooseLog(names.includes(shownLog) ? shownLog : names[0]);
}

/* ---- all of it ---- */

function show(state) {
  job = state;
  showStanding(); showNumbers(); showAlert(); showCurves(); showProcesses(); showTables(); showEvents(); showTabs();
  document.body.dataset.shown = state.job.now;
}

function listen() {
  const source = new EventSource(at('/api/events'));
  source.onmessage = e => { text($('link'), ''); show(JSON.parse(e.data)); };
  source.onerror = () => {
    text($('link'), job && job.job.ended ? 'its launcher has ended' : 'no connection, trying again');
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  };
}

put($('legend'), ...Object.keys(PARTS).map(k => el('li', {}, el('i', {class: 'p-' + k}), k)));
$('program-all').addEventListener('change', drawGraph);
let resized;
addEventListener('resize', () => { clearTimeout(resized); resized = setTimeout(() => { if (job) { showCurves(); showEvents(); } drawGraph(); }, 150); });
setInterval(() => { if (!job || !job.job.ended) showLog(); }, 2000);
listen();
loadProgram();
