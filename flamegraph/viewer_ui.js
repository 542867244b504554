'use strict';
/* What the user does, and the state of the page: it stands behind the # of the address. */
const $ = id => document.getElementById(id);
const state = { view: 0, side: 'now', icicle: page.inverted, reverse: false, zoom: 0, fn: -1, q: '', fold: false, table: false };
const cache = new Map();	/* trees that were made, functions that were counted */
let before = [];		/* zooms before this one */

function cached(key, make) {
	key = state.view + ' ' + key;
	if (!cache.has(key))
		cache.set(key, make());
	return cache.get(key);
}

const plainTree = () => views[state.view];
const isPair = () => !!plainTree().was;

function oneTree() {
	plainTree().plain = true;
	return state.reverse ? cached('reverse', () => treeReversed(plainTree())) : plainTree();
}

function panelsSet() {
	if (state.fn >= 0) {
		const callers = cached('callers ' + state.fn, () => treeCallers(plainTree(), state.fn));
		const callees = cached('callees ' + state.fn, () => treeCallees(plainTree(), state.fn));
		shown.panels = [{ tree: callers, zoom: 0, top: callers.deepest, up: true },
				{ tree: callees, zoom: 0, top: callers.deepest, up: false }];
		shown.rows = callers.deepest + callees.deepest + 1;
		return;
	}
	const tree = oneTree(), up = !state.icicle;
	if (state.zoom >= tree.n)
		state.zoom = 0;
	shown.panels = [{ tree, zoom: state.zoom, top: up ? tree.deepest : 0, up }];
	shown.rows = tree.deepest + 1;
}

/* ---- search ---- */

function searchTest() {
	const flags = state.fold ? 'iu' : 'u';
	$('search').classList.remove('literal');
	try {
		const re = new RegExp(state.q, flags);
		return s => re.test(s);
	} catch (e) {
		$('search').classList.add('literal');
		const what = state.fold ? state.q.toLowerCase() : state.q;
		return s => (state.fold ? s.toLowerCase() : s).includes(what);
	}
}

/* The share of stacks that hold a frame that was found, exactly. */
function matchedSum() {
	const t = plainTree(), list = shown.width === 'before' ? t.was : t.self;
	let sum = 0n, places = 0;
	for (let i = 1; i < t.n; )
		if (shown.hits[t.name[i]]) {
			sum += exact(list, i, t.end[i]);
			places++;
			i = t.end[i];
		} else {
			i++;
		}
	return [sum, places];
}

function searchSet() {
	const t = plainTree(), whole = exact(shown.width === 'before' ? t.was : t.self, 0, t.n);
	shown.hits = null;
	$('matched').textContent = '';
	if (!state.q)
		return;
	const test = searchTest();
	shown.hits = names.map(test);
	const [sum, places] = matchedSum(), found = shown.hits.filter(x => x).length;
	$('matched').textContent = `found ${found} name${found === 1 ? '' : 's'}, ${places} place${places === 1 ? '' : 's'}: ` +
		`${fullValue(sum, t.unit)}, ${percent(Number(sum), Number(whole))}`;
}

/* ---- words ---- */

function changeText(now, was) {
	if (!was)
		return now ? ', new' : '';
	const more = Number(now - was) / Number(was) * 100;
	return ` (${more < 0 ? '' : '+'}${more.toFixed(1)}%)`;
}

/* [line]: what there is to say of a frame */
function frameLines(f) {
	const t = f.panel.tree, i = f.i, now = exact(t.self, i, t.end[i]), all = exact(t.self, 0, t.n);
	const lines = [fullValue(now, t.unit) + ', ' + percent(Number(now), Number(all)) + ' of all'];
	if (i && t.total[t.parent[i]])
		lines[0] += ', ' + percent(Number(now), t.total[t.parent[i]]) + ' of the frame before it';
	const self = exact(t.self, i, i + 1);
	if (self && self !== now)
		lines.push('of it in this frame itself: ' + fullValue(self, t.unit));
	if (t.was) {
		const was = exact(t.was, i, t.end[i]);
		lines.push('before: ' + fullValue(was, t.unit) + changeText(now, was));
	}
	return lines;
}

function tipShow(f, x, y) {
	const tip = $('tip'), name = document.createElement('b'), t = f.panel.tree;
	name.textContent = names[t.name[f.i]];
	tip.replaceChildren(name);
	for (const line of frameLines(f)) {
		const p = document.createElement('div');
		p.textContent = line;
		tip.append(p);
	}
	tip.hidden = false;
	const w = tip.offsetWidth, h = tip.offsetHeight;
	tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - w - 8)) + 'px';
	tip.style.top = Math.max(4, y + 18 + h > innerHeight ? y - h - 10 : y + 18) + 'px';
	$('details').textContent = names[t.name[f.i]] + ': ' + frameLines(f)[0];
}

function tipHide() {
	$('tip').hidden = true;
	if (shown.hover) {
		shown.hover = null;
		redraw();
	}
	details();
}

function details() {
	const t = plainTree(), all = exact(t.self, 0, t.n);
	let text = 'all: ' + fullValue(all, t.unit);
	if (t.was)
		text += ', before: ' + fullValue(exact(t.was, 0, t.n), t.unit);
	text += `, ${t.n - 1} frames`;
	if (state.fn >= 0)
		text = `callers above, callees below: ${names[state.fn]}: ` + fullValue(exact(shown.panels[1].tree.self, 0, shown.panels[1].tree.n), t.unit);
	$('details').textContent = text;
}

function legend() {
	const box = $('legend'), put = (color, text) => {
		const i = document.createElement('i');
		i.style.background = color;
		box.append(i, text);
	};
	box.replaceChildren();
	if (shown.change && isPair())
		for (const [now, was, text] of [[2, 1, 'grew by half or more'], [10, 9, 'by a tenth'], [1, 1, 'the same within 1%'], [9, 10, 'shrank by a tenth'], [1, 2, 'by half or more']])
			put(changeColor({ wasTotal: [0] }, now, was), text);
	else
		for (const k of page.legend)
			put(k[1], k[0]);
}

/* The picture for those who do not see it: its first frames as a list. */
const READ = 400;

function readerFill() {
	const list = [];
	for (const panel of shown.panels) {
		const t = panel.tree, last = Math.min(t.end[panel.zoom], panel.zoom + READ);
		for (let i = panel.zoom; i < last; i++) {
			const li = document.createElement('li');
			li.textContent = `${panel.up ? '+' : '-'}${t.depth[i]} ${names[t.name[i]]}: ${exact(t.self, i, t.end[i])}` +
				(t.was ? ` before ${exact(t.was, i, t.end[i])}` : '');
			list.push(li);
		}
	}
	$('reader').replaceChildren(...list);
}

/* ---- the table of functions ---- */

const MOST_ROWS = 1000;
let order = 'self';

function tableRow(f, t, whole) {
	const tr = document.createElement('tr'), cells = [names[f.name], shortValue(f.self, t.unit), percent(f.self, whole), shortValue(f.total, t.unit), percent(f.total, whole)];
	if (t.was)
		cells.push(f.was ? (f.total >= f.was ? '+' : '') + ((f.total - f.was) / f.was * 100).toFixed(1) + '%' : 'new');
	for (const text of cells) {
		const td = document.createElement('td');
		td.textContent = text;
		tr.append(td);
	}
	tr.title = names[f.name];
	tr.classList.toggle('hit', !!shown.hits && shown.hits[f.name]);
	tr.addEventListener('click', () => go({ fn: f.name, zoom: 0 }));
	return tr;
}

function tableFill() {
	const box = $('functions'), t = plainTree(), whole = t.total[0];
	box.hidden = !state.table;
	if (!state.table)
		return;
	let list = cached('functions', () => functionsOf(t));
	if (shown.hits)
		list = list.filter(f => shown.hits[f.name]);
	const key = { self: f => f.self, total: f => f.total, change: f => Math.abs(f.total - f.was) }[order] || (f => f.self);
	list = order === 'name' ? [...list].sort((a, b) => names[a.name] < names[b.name] ? -1 : 1) : [...list].sort((a, b) => key(b) - key(a));
	const table = document.createElement('table'), head = table.createTHead().insertRow(), body = table.createTBody();
	for (const [text, by] of [['function', 'name'], ['self', 'self'], ['%', 'self'], ['total', 'total'], ['%', 'total']].concat(t.was ? [['change', 'change']] : [])) {
		const th = document.createElement('th');
		th.textContent = text + (by === order && text !== '%' ? ' \u25be' : '');
		th.addEventListener('click', () => { order = by; tableFill(); });
		head.append(th);
	}
	body.append(...list.slice(0, MOST_ROWS).map(f => tableRow(f, t, whole)));
	box.replaceChildren(table);
	if (list.length > MOST_ROWS)
		box.append(`${list.length - MOST_ROWS} more: search for them`);
}

/* ---- the state ---- */

function hashRead() {
	const h = new URLSearchParams(location.hash.slice(1)), number = (k, most) => {
		const v = Number(h.get(k));
		return Number.isInteger(v) && v >= 0 && v < most ? v : 0;
	};
	state.view = number('view', views.length);
	state.side = ['now', 'before', 'change', 'normal'].includes(h.get('side')) ? h.get('side') : isPair() ? 'change' : 'now';
	state.icicle = h.has('icicle') ? h.get('icicle') === '1' : page.inverted;
	state.reverse = h.get('reverse') === '1';
	state.table = h.get('table') === '1';
	state.fold = h.get('fold') === '1';
	state.q = h.get('q') || '';
	state.zoom = number('zoom', 1e9);
	state.fn = h.has('fn') ? names.indexOf(h.get('fn')) : -1;
	if (h.get('dark'))
		document.documentElement.classList.toggle('dark', h.get('dark') === '1');
}

function hashWrite() {
	const h = new URLSearchParams();
	if (state.view)
		h.set('view', state.view);
	if (isPair() && state.side !== 'change')
		h.set('side', state.side);
	if (state.icicle !== page.inverted)
		h.set('icicle', state.icicle ? 1 : 0);
	for (const k of ['reverse', 'table', 'fold'])
		if (state[k])
			h.set(k, 1);
	if (state.q)
		h.set('q', state.q);
	if (state.zoom)
		h.set('zoom', state.zoom);
	if (state.fn >= 0)
		h.set('fn', names[state.fn]);
	const text = h.toString();
	if (text !== location.hash.slice(1))
		history.replaceState(null, '', text ? '#' + text : location.pathname + location.search);
}

function buttons() {
	for (const [id, on] of [['icicle', state.icicle], ['reverse', state.reverse], ['table', state.table], ['case', state.fold]])
		$(id).classList.toggle('on', on);
	$('back').disabled = !before.length;
	$('reset').disabled = !state.zoom && state.fn < 0;
	$('side').hidden = !isPair();
	$('side').value = state.side;
	$('view').value = state.view;
	$('view').hidden = views.length < 2;
	if (document.activeElement !== $('search'))
		$('search').value = state.q;
}

function update() {
	shown.width = state.side === 'before' && isPair() ? 'before' : 'now';
	shown.change = state.side === 'change' || state.side === 'normal';
	shown.normal = state.side === 'normal';
	shown.hover = null;
	panelsSet();
	searchSet();
	legend();
	details();
	tableFill();
	readerFill();
	buttons();
	draw();
}

/* Where the user looks next: the root of what is drawn is in sight. */
function scrollHome() {
	const panel = shown.panels[0], t = panel.tree, row = panel.up ? panel.top - t.depth[panel.zoom] : panel.top + t.depth[panel.zoom];
	const high = scroller.clientHeight, y = row * ROW;
	if (state.fn >= 0)
		scroller.scrollTop = y - high / 2;
	else if (panel.up && (y + ROW > scroller.scrollTop + high || !panel.zoom))
		scroller.scrollTop = y + ROW - high;
	else if (!panel.up && (y < scroller.scrollTop || !panel.zoom))
		scroller.scrollTop = y;
}

function go(change, back) {
	if (!back && ('zoom' in change || 'fn' in change))
		before.push({ zoom: state.zoom, fn: state.fn, reverse: state.reverse, view: state.view });
	Object.assign(state, change);
	update();
	scrollHome();
	draw();
	hashWrite();
}

function goBack() {
	if (before.length)
		go(before.pop(), true);
}

function reset() {
	if (state.zoom || state.fn >= 0)
		go({ zoom: 0, fn: -1 });
}

/* ---- events ---- */

function pointer(e) {
	const box = canvas.getBoundingClientRect();
	return frameAt(e.clientX - box.left, e.clientY - box.top);
}

canvas.addEventListener('mousemove', e => {
	const f = pointer(e);
	if (!f) {
		tipHide();
		return;
	}
	if (!shown.hover || shown.hover.panel !== f.panel || shown.hover.i !== f.i) {
		shown.hover = f;
		redraw();
	}
	tipShow(f, e.clientX, e.clientY);
});
canvas.addEventListener('mouseleave', tipHide);
canvas.addEventListener('click', e => {
	const f = pointer(e);
	if (!f)
		return;
	if (e.shiftKey || state.fn >= 0)
		go({ fn: f.panel.tree.name[f.i], zoom: 0 });
	else if (f.i !== state.zoom)
		go({ zoom: f.i });
});
canvas.addEventListener('dblclick', e => {
	const f = pointer(e);
	if (f && navigator.clipboard)
		navigator.clipboard.writeText(names[f.panel.tree.name[f.i]]).catch(() => {});
});
scroller.addEventListener('scroll', () => { tipHide(); redraw(); });
window.addEventListener('resize', redraw);
window.addEventListener('hashchange', () => { hashRead(); update(); });
$('search').addEventListener('input', () => { state.q = $('search').value; update(); hashWrite(); });
$('case').addEventListener('click', () => go({ fold: !state.fold }));
$('icicle').addEventListener('click', () => go({ icicle: !state.icicle }));
$('reverse').addEventListener('click', () => go({ reverse: !state.reverse, zoom: 0, fn: -1 }));
$('table').addEventListener('click', () => go({ table: !state.table }));
$('back').addEventListener('click', goBack);
$('reset').addEventListener('click', reset);
$('dark').addEventListener('click', () => { document.documentElement.classList.toggle('dark'); redraw(); });
$('view').addEventListener('change', () => go({ view: Number($('view').value), zoom: 0, fn: -1 }));
$('side').addEventListener('change', () => go({ side: $('side').value }));

const keys = {
	'/': () => $('search').focus(), i: () => $('icicle').click(), r: () => $('reverse').click(), t: () => $('table').click(),
	d: () => $('dark').click(), Escape: reset, Backspace: goBack,
	v: () => go({ view: (state.view + 1) % views.length, zoom: 0, fn: -1 }),
	c: () => isPair() && go({ side: { now: 'before', before: 'change', change: 'normal', normal: 'now' }[state.side] }),
	s: () => shown.hover && go({ fn: shown.hover.panel.tree.name[shown.hover.i], zoom: 0 }),
};
window.addEventListener('keydown', e => {
	if (e.key === 'i' && e.ctrlKey) {
		e.preventDefault();
		$('case').click();
	} else if (e.key === 'f' && e.ctrlKey) {
		e.preventDefault();
		$('search').focus();
	} else if (e.target === $('search')) {
		if (e.key === 'Escape')
			$('search').blur();
	} else if (!e.ctrlKey && !e.metaKey && !e.altKey && keys[e.key]) {
		e.preventDefault();
		keys[e.key]();
	}
});

document.title = $('title').textContent = page.title;
$('subtitle').textContent = page.subtitle;
for (const [i, v] of page.views.entries()) {
	const o = document.createElement('option');
	o.value = i;
	o.textContent = v.name;
	$('view').append(o);
}
document.documentElement.classList.toggle('dark', matchMedia('(prefers-color-scheme: dark)').matches);
hashRead();
update();
scrollHome();
draw();
document.body.dataset.drawn = frames.length;	/* for tests and the bench */
document.body.dataset.ms = Math.round(performance.now());
