/* Curves over time, and the line of events. */

/* About `n` round numbers between two. */
function ticks(low, high, n) {
  const rough = (high - low) / n, power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map(f => f * power).find(f => f >= rough) || power * 10;
  const out = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-6; v += step) out.push(v);
  return {values: out, step};
}
function span(s) { /* seconds on an axis */
  return s < 120 ? Math.round(s) + ' s' : s < 7200 ? Math.round(s / 60) + ' min' : (s / 3600).toPrecision(2) + ' h';
}
function timeTicks(length, n) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];
  const step = steps.find(s => length / s <= n) || 86400 * Math.ceil(length / n / 86400);
  const out = [];
  for (let v = 0; v <= length; v += step) out.push(v);
  return out;
}

/* lines: [{name, css, points: [[t, v]]}]; from, to: seconds since 1970. */
function drawChart(box, o) {
  const lines = o.lines.map(l => ({...l, points: l.points.map(p => [p[0], num(p[1])])}))
    .filter(l => l.points.length > 0);
  const finite = lines.flatMap(l => l.points.map(p => p[1])).filter(v => isFinite(v));
  if (finite.length === 0) {
    put(box, el('div', {class: 'none'}, lines.length > 0 ? o.name + ' is not a number' : o.empty));
    return;
  }
  const W = Math.max(200, box.clientWidth || 360), H = 168, L = o.axis ? 62 : 46, R = 10, T = 10, B = 20;
  let low = o.zero ? 0 : Math.min(...finite), high = Math.max(...finite);
  if (high - low < 1e-9) { const pad = Math.abs(high) * .05 || 1; high += pad; if (!o.zero) low -= pad; }
  else { const pad = (high - low) * .06; high += pad; if (!o.zero) low -= pad; }
  const from = o.from, to = Math.max(o.to, from + 1);
  const x = t => L + (W - L - R) * (t - from) / (to - from);
  const y = v => H - B - (H - T - B) * (v - low) / (high - low);
  /* Bytes are round in powers of 1024. */
  const unit = o.axis ? Math.pow(1024, Math.floor(Math.log2(Math.max(1, high)) / 10)) : 1, marks = ticks(low / unit, high / unit, 4);
  marks.values = marks.values.map(v => v * unit);
  const places = Math.max(0, Math.min(6, -Math.floor(Math.log10(marks.step) + 1e-9)));
  const root = svg('svg', {class: 'chart', viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': o.label});
  for (const v of marks.values)
    root.append(svg('line', {class: 'grid', x1: L, x2: W - R, y1: y(v), y2: y(v)}),
      svg('text', {x: L - 6, y: y(v) + 4, 'text-anchor': 'end'}, o.axis ? o.axis(v) : Math.abs(v) >= 1e4 ? short(v) : v.toFixed(places)));
  for (const v of timeTicks(to - from, Math.max(2, Math.floor(W / 90))))
    root.append(svg('text', {x: Math.min(x(from + v), W - R), y: H - 4, 'text-anchor': v === 0 ? 'start' : 'middle'}, span(v)));
  for (const e of o.events || [])
    if (e.t >= from && e.t <= to)
      root.append(svg('line', {class: 'mark ' + eventCss(e.kind), x1: x(e.t), x2: x(e.t), y1: T, y2: H - B}, svg('title', {}, `${e.kind} ${e.who}: ${e.text}`)));
  for (const l of lines) {
    const parts = l.points.filter(p => isFinite(p[1])).map(p => x(p[0]).toFixed(1) + ' ' + y(p[1]).toFixed(1));
    if (l.area && parts.length > 1)
      root.append(svg('path', {class: 'area ' + l.css, d: `M${x(l.points[0][0])} ${H - B}L${parts.join('L')}L${x(l.points[l.points.length - 1][0])} ${H - B}Z`}));
    if (parts.length === 1 || l.dots)
      for (const p of parts.slice(-60)) { const [px, py] = p.split(' '); root.append(svg('circle', {class: l.css, fill: 'currentColor', cx: px, cy: py, r: 2.6})); }
    if (parts.length > 1) root.append(svg('path', {class: 'curve ' + l.css, d: 'M' + parts.join('L')}));
  }
  const cross = svg('g', {'pointer-events': 'none'});
  root.append(cross);
  root.addEventListener('pointermove', e => {
    const t = from + (to - from) * ((e.clientX - root.getBoundingClientRect().left) * W / root.getBoundingClientRect().width - L) / (W - L - R);
    const near = lines.map(l => ({l, p: l.points.reduce((a, b) => Math.abs(b[0] - t) < Math.abs(a[0] - t) ? b : a)}));
    const at = near[0].p[0], right = x(at) > W * .6;
    put(cross, svg('line', {class: 'cross', x1: x(at), x2: x(at), y1: T, y2: H - B}),
      svg('text', {x: x(at) + (right ? -6 : 6), y: T + 10, 'text-anchor': right ? 'end' : 'start'},
        near.map(n => o.show(n.p[1])).join(' / ') + '  at ' + span(at - from)));
  });
  root.addEventListener('pointerleave', () => put(cross));
  put(box, root);
}

/* ---- events ---- */

const BAD = ['killed', 'error', 'lost', 'refused', 'stopped', 'stalled'];
const WARN = ['evicted', 'slow'];
function eventCss(kind) { return BAD.includes(kind) ? 'bad' : WARN.includes(kind) ? 'warn' : 'good'; }
const loud = e => eventCss(e.kind) !== 'good';

/* One lane for each process that something happened to. */
function drawTimeline(box, events, from, to) {
  const whos = [...new Set(events.map(e => e.who || 'job'))].sort().slice(0, 12);
  if (events.length === 0) { put(box); return; }
  const W = Math.max(260, box.clientWidth || 500), L = 66, R = 8, row = 18, H = whos.length * row + 18;
  to = Math.max(to, from + 1);
  const x = t => L + (W - L - R) * Math.min(1, Math.max(0, (t - from) / (to - from)));
  const root = svg('svg', {class: 'timeline', viewBox: `0 0 ${W} ${H}`, height: H, role: 'img',
    'aria-label': `${events.length} events of ${whos.join(', ')} on one time line; the list below has them in words`});
  whos.forEach((who, i) => root.append(
    svg('text', {x: 0, y: i * row + 13}, who),
    svg('line', {class: 'lane', x1: L, x2: W - R, y1: i * row + 9, y2: i * row + 9})));
  for (const e of events) {
    const i = whos.indexOf(e.who || 'job');
    if (i >= 0)
      root.append(svg('circle', {class: 'dot ' + eventCss(e.kind), fill: 'currentColor', cx: x(e.t), cy: i * row + 9, r: loud(e) ? 5.5 : 4},
        svg('title', {}, `${clock(e.t)} ${e.kind} ${e.who}: ${e.text}`)));
  }
  for (const v of timeTicks(to - from, Math.max(2, Math.floor(W / 110))))
    root.append(svg('text', {x: x(from + v), y: H - 2, 'text-anchor': v === 0 ? 'start' : 'middle'}, span(v)));
  put(box, root);
}
