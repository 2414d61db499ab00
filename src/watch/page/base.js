/* What everything below uses: elements, numbers in words, questions to the server.
   Text of the job goes into the page as text alone (textContent), never as markup. */
const token = new URLSearchParams(location.search).get('token');
const $ = id => document.getElementById(id);

function el(name, attributes, ...children) {
  const node = document.createElement(name);
  return fill(node, attributes, children);
}
function svg(name, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}
function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
  for (const child of children)
    if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
}
function put(node, ...children) {
  node.replaceChildren(...children.filter(c => c !== null && c !== undefined && c !== false));
}
function text(node, value) {
  if (node.textContent !== value) node.textContent = value;
}

function at(path, args) {
  const query = new URLSearchParams(args || {});
  if (token) query.set('token', token);
  const tail = query.toString();
  return path + (tail ? '?' + tail : '');
}
async function ask(path, args) {
  const answer = await fetch(at(path, args), {cache: 'no-store'});
  if (!answer.ok) throw new Error((await answer.text()).trim() || answer.statusText);
  return answer;
}

/* ---- numbers ---- */

/* JSON has no NaN: it comes as a text, and is shown as what it is. */
const num = v => v === 'NaN' ? NaN : v === '+Inf' ? Infinity : v === '-Inf' ? -Infinity : v;
const known = v => v !== undefined && v !== null;

function short(v) {
  if (!known(v)) return '–';
  v = num(v);
  if (!isFinite(v)) return String(v);
  const a = Math.abs(v);
  if (a >= 1e9) return (v / 1e9).toPrecision(3) + ' G';
  if (a >= 1e6) return (v / 1e6).toPrecision(3) + ' M';
  if (a >= 1e4) return (v / 1e3).toPrecision(3) + ' k';
  return a >= 100 || Number.isInteger(v) ? String(Math.round(v)) : v.toPrecision(3);
}
function bytes(v) {
  if (!known(v)) return '–';
  v = num(v);
  if (!isFinite(v)) return String(v);
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let i = 0;
  for (; v >= 1024 && i < units.length - 1; i++) v /= 1024;
  return (i === 0 || v >= 100 ? Math.round(v) : v.toPrecision(3)) + ' ' + units[i];
}
function digits(v, n) {
  if (!known(v)) return '–';
  v = num(v);
  return isFinite(v) ? v.toFixed(n) : String(v);
}
function percent(v) { return known(v) ? Math.round(100 * v) + ' %' : '–'; }
function duration(s) {
  if (!known(s)) return '–';
  s = Math.max(0, Math.round(s));
  if (s < 60) return s + ' s';
  if (s < 3600) return Math.floor(s / 60) + ' min ' + (s % 60) + ' s';
  if (s < 172800) return Math.floor(s / 3600) + ' h ' + Math.floor(s % 3600 / 60) + ' min';
  return Math.floor(s / 86400) + ' d ' + Math.floor(s % 86400 / 3600) + ' h';
}
function clock(t) {
  return new Date(1000 * t).toLocaleTimeString([], {hour12: false});
}
