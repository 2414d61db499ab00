/* The program as a graph: an op below those whose outputs it reads. */

const UPDATES = ['sgd', 'momentum', 'adam', 'adagrad', 'adamax', 'ftrl', 'rmsprop', 'adadelta', 'decayed_adagrad',
  'lamb', 'lars_momentum', 'dpsgd', 'send', 'send_barrier', 'recv', 'fetch_barrier', 'scale', 'feed', 'fetch'];
const graph = {program: null, chosen: null};

const names = slots => Object.values(slots || {}).flat();
/* What runs forward: no gradient, and nothing that only changes parameters or talks to servers. */
function isForward(op) {
  const out = names(op.outputs);
  return !/_grad2?$/.test(op.type) && !out.some(n => n.includes('@GRAD')) &&
    !names(op.inputs).some(n => n.includes('@GRAD')) && !(UPDATES.includes(op.type) && op.type !== 'scale');
}
function shapeOf(name) {
  const v = graph.program.blocks[0].vars && graph.program.blocks[0].vars[name];
  return v && v.shape ? '[' + v.shape.map(d => d < 0 ? '?' : d).join(', ') + ']' : '';
}

/* Layers by the longest way from the top. In a layer nodes stand in the order of the program. */
function layOut(ops) {
  const made = new Map(), layers = [];
  const nodes = ops.map((op, i) => {
    const from = new Set();
    for (const n of names(op.inputs)) if (made.has(n)) from.add(made.get(n));
    const layer = from.size ? 1 + Math.max(...[...from].map(f => f.layer)) : 0;
    const node = {op, i, layer, from: [...from]};
    for (const n of names(op.outputs)) made.set(n, node);
    (layers[layer] = layers[layer] || []).push(node);
    return node;
  });
  return {nodes, layers};
}

function drawGraph() {
  const box = $('graph');
  if (!graph.program || !graph.program.blocks || !graph.program.blocks.length) return;
  const all = graph.program.blocks[0].ops || [];
  const ops = $('program-all').checked ? all : all.filter(isForward);
  const {nodes, layers} = layOut(ops);
  const W = 168, H = 40, GX = 16, GY = 26, PAD = 14;
  const widest = Math.max(1, ...layers.map(l => l.length));
  const width = Math.max(widest * (W + GX) - GX + 2 * PAD, box.clientWidth - 4);
  const height = layers.length * (H + GY) - GY + 2 * PAD;
  layers.forEach((layer, depth) => {
    /* Each under the middle of those it reads, as far as there is room. */
    layer.forEach(n => { n.want = n.from.length ? n.from.reduce((s, f) => s + f.x, 0) / n.from.length : null; });
    const taken = layer.length * (W + GX) - GX, start = (width - taken) / 2;
    layer.sort((a, b) => (a.want ?? a.i) - (b.want ?? b.i) || a.i - b.i);
    layer.forEach((n, k) => {
      n.x = start + k * (W + GX);
      if (layer.length === 1 && n.want !== null) n.x = Math.min(Math.max(PAD, n.want), width - W - PAD);
      n.y = PAD + depth * (H + GY);
    });
  });
  const root = svg('svg', {width, height: Math.max(height, 60), viewBox: `0 0 ${width} ${Math.max(height, 60)}`});
  for (const n of nodes)
    for (const f of n.from) {
      const x1 = f.x + W / 2, y1 = f.y + H, x2 = n.x + W / 2, y2 = n.y, m = (y1 + y2) / 2;
      root.append(svg('path', {class: 'edge', d: `M${x1} ${y1}C${x1} ${m} ${x2} ${m} ${x2} ${y2}`}));
    }
  for (const n of nodes) {
    const out = names(n.op.outputs)[0] || '', shape = shapeOf(out);
    const g = svg('g', {class: 'op' + (n.from.length ? '' : ' data'), tabindex: 0, role: 'button',
      'aria-pressed': graph.chosen === n.op ? 'true' : 'false', transform: `translate(${n.x} ${n.y})`,
      'aria-label': `${n.op.type}, makes ${out} ${shape}`},
    svg('title', {}, `${n.op.type} → ${out} ${shape}`),
    svg('rect', {width: W, height: H}),
    svg('text', {x: 10, y: 17}, n.op.type.length > 22 ? n.op.type.slice(0, 21) + '…' : n.op.type),
    svg('text', {class: 'shape', x: 10, y: 32}, shape || out.slice(0, 24)));
    const choose = () => {
      graph.chosen = n.op;
      root.querySelectorAll('.op').forEach(o => o.setAttribute('aria-pressed', o === g ? 'true' : 'false'));
      showOp(n.op);
    };
    g.addEventListener('click', choose);
    g.addEventListener('keydown', e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); choose(); } });
    root.append(g);
  }
  const focused = [...box.querySelectorAll('.op')].indexOf(document.activeElement);
  put(box, root);
  if (focused >= 0 && root.querySelectorAll('.op')[focused]) root.querySelectorAll('.op')[focused].focus();
  const params = Object.values(graph.program.blocks[0].vars || {}).filter(v => v.persistable).length;
  text($('program-note'), `${ops.length} of ${all.length} ops, ${params} persistable variables`);
}

function slotList(slots, docs) {
  return el('ul', {}, ...Object.entries(slots || {}).map(([slot, vars]) => {
    const doc = docs.find(d => d.name === slot);
    return el('li', {}, el('code', {}, slot), doc && doc.doc ? ' ' + doc.doc : '',
      el('br'), el('code', {class: 'dim'}, [].concat(vars).map(v => v + ' ' + shapeOf(v)).join(', ')));
  }));
}

async function showOp(op) {
  let doc = {doc: '', inputs: [], outputs: [], attrs: []};
  try { doc = await (await ask('/api/op', {type: op.type})).json(); }
  catch (e) { doc.doc = e.message; }
  if (graph.chosen !== op) return;
  const attrs = Object.entries(op.attrs || {});
  put($('op'), el('h3', {}, op.type), el('p', {}, doc.doc),
    el('h4', {}, 'Inputs'), slotList(op.inputs, doc.inputs || []),
    el('h4', {}, 'Outputs'), slotList(op.outputs, doc.outputs || []),
    attrs.length ? el('h4', {}, 'Attributes') : null,
    attrs.length ? el('ul', {}, ...attrs.map(([name, value]) => {
      const d = (doc.attrs || []).find(a => a.name === name);
      return el('li', {}, el('code', {}, name + ' = ' + JSON.stringify(value)), d && d.doc ? ' ' + d.doc : '');
    })) : null);
}

async function loadProgram() {
  try {
    graph.program = await (await ask('/api/program')).json();
    drawGraph();
  } catch (e) {
    text($('program-note'), e.message);
    setTimeout(loadProgram, 5000);
  }
}
