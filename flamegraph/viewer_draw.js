'use strict';
/*
 * The picture: a canvas of the window's size over a strip of the picture's height. What is
 * narrower than half a pixel is not drawn, nor looked into; its room stays.
 */
const ROW = 18, SIDE = 4, NARROW = 0.5;
const canvas = document.getElementById('canvas'), strip = document.getElementById('strip'),
      scroller = document.getElementById('scroller'), pen = canvas.getContext('2d');
const FONT = '12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
pen.font = FONT;
const LETTER = pen.measureText('mmmmmmmmmm').width / 10;

const shorts = new Map();	/* name: the same without what matters least */

/* f<...>(...) instead of lists of template arguments and parameters */
function withoutLists(text) {
	let out = '', depth = 0;
	for (let i = 0; i < text.length; i++) {
		const c = text[i], opens = c === '<' || c === '(';
		if (opens && text.slice(i, i + 2) !== '()' && !/operator.?$/.test(out) && out) {
			if (!depth++)
				out += c === '<' ? '<\u2026>' : '(\u2026)';
		} else if (depth && opens) {
			depth++;
		} else if (depth && (c === '>' || c === ')') && text[i - 1] !== '-') {
			depth--;
		} else if (!depth) {
			out += c;
		}
	}
	return depth ? text : out;
}

function shortName(name) {
	let s = shorts.get(name);
	if (s === undefined) {
		s = names[name].replace(/^\[gpu\] /, '');
		if (s.length > 24)
			s = withoutLists(s);
		shorts.set(name, s);
	}
	return s;
}

function label(name, columns) {
	let s = names[name];
	if (s.length <= columns)
		return s;
	s = shortName(name);
	if (s.length <= columns)
		return s;
	if (columns < 3)
		return '';
	const tail = columns > 12 ? Math.floor(columns / 3) : 0;
	return s.slice(0, columns - 1 - tail) + '\u2026' + (tail ? s.slice(s.length - tail) : '');
}

/* ---- what is drawn ---- */

const shown = {			/* by viewer_ui.js */
	panels: [],		/* trees below each other: { tree, zoom, top: row of its root, up } */
	rows: 1,
	width: 'now', change: false, normal: false,
	hits: null,		/* by name: found */
	hover: null, base: page.base,
};
let frames = [];		/* of the last drawing: panel, place, x, y, w */

function widthOf(t) {
	return shown.width === 'before' ? t.wasTotal : t.total;
}

/* White where nothing changed, red what grew, blue what shrank: full at half of the larger. */
function changeColor(t, now, before) {
	if (shown.normal && t.wasTotal[0])
		before *= t.total[0] / t.wasTotal[0];
	const most = Math.max(now, before), part = most ? Math.abs(now - before) / most : 0;
	const k = part < .01 ? 0 : part >= .5 ? 1 : .16 + (part - .01) / .49 * .84;
	const to = now > before ? [232, 70, 58] : [104, 150, 240];
	return 'rgb(' + [250, 246, 240].map((c, i) => Math.round(c + (to[i] - c) * k)) + ')';
}

function frameColor(t, i) {
	if (shown.hits && shown.hits[t.name[i]])
		return '#e646e6';
	if (shown.change && t.was)
		return changeColor(t, t.total[i], t.wasTotal[i]);
	return t.depth[i] && t.depth[i] <= shown.base && t.plain ? page.baseColor : colors[t.name[i]];
}

function drawFrame(panel, i, x, w, faded) {
	const t = panel.tree, row = panel.up ? panel.top - t.depth[i] : panel.top + t.depth[i];
	const y = row * ROW - scroller.scrollTop;
	if (y < -ROW || y > scroller.clientHeight)
		return;
	frames.push({ panel, i, x, y, w });
	pen.globalAlpha = faded ? .45 : 1;
	pen.fillStyle = frameColor(t, i);
	pen.fillRect(x, y, Math.max(w - .6, NARROW), ROW - 1);
	if (w > 4 * LETTER) {
		pen.fillStyle = '#000';
		pen.fillText(label(t.name[i], Math.floor((w - 6) / LETTER)), x + 3, y + 13);
	}
	pen.globalAlpha = 1;
	if (shown.hover && shown.hover.panel === panel && shown.hover.i === i) {
		pen.strokeStyle = getComputedStyle(document.body).color;
		pen.strokeRect(x + .5, y + .5, Math.max(w - 1.6, 1), ROW - 2);
	}
}

function drawBelow(panel, wide) {
	const t = panel.tree, z = panel.zoom, size = widthOf(t), scale = wide / size[z];
	const at = [];		/* by depth: where the next one begins */
	at[t.depth[z]] = SIDE;
	for (let i = z; i < t.end[z]; ) {
		const d = t.depth[i], x = at[d], w = size[i] * scale;
		at[d] = x + w;
		at[d + 1] = x;
		if (w >= NARROW)
			drawFrame(panel, i, x, w, false);
		i = w < NARROW ? t.end[i] : i + 1;
	}
}

function drawPanel(panel, wide) {
	const t = panel.tree;
	for (let i = t.parent[panel.zoom]; i >= 0; i = t.parent[i])
		drawFrame(panel, i, SIDE, wide, true);
	if (widthOf(t)[panel.zoom])
		drawBelow(panel, wide);
	else
		drawFrame(panel, panel.zoom, SIDE, wide, true);
}

function draw() {
	const dpr = window.devicePixelRatio || 1;
	strip.style.height = shown.rows * ROW + 'px';
	const wide = scroller.clientWidth, high = scroller.clientHeight;
	canvas.width = Math.round(wide * dpr);
	canvas.height = Math.round(high * dpr);
	canvas.style.width = wide + 'px';
	canvas.style.height = high + 'px';
	pen.setTransform(dpr, 0, 0, dpr, 0, 0);
	pen.font = FONT;
	frames = [];
	for (const panel of shown.panels)
		drawPanel(panel, wide - 2 * SIDE);
}

let asked = false;
function redraw() {
	if (asked)
		return;
	asked = true;
	requestAnimationFrame(() => { asked = false; draw(); });
}

function frameAt(x, y) {
	for (let k = frames.length - 1; k >= 0; k--) {
		const f = frames[k];
		if (y >= f.y && y < f.y + ROW && x >= f.x && x < f.x + Math.max(f.w, 1))
			return f;
	}
	return null;
}
