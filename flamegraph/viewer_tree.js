'use strict';
/*
 * Trees as arrays, depth first: depth, name, self, was (self before), and from those
 * total, wasTotal, end (the place behind the subtree) and parent. Sums are drawn as
 * doubles and said exactly: exact() adds integers of any size.
 */
const page = JSON.parse(document.getElementById('data').textContent);
const names = page.names, colors = page.colors, kinds = page.kind;

function treeFinish(t) {
	const n = t.depth.length, above = [];
	t.n = n;
	t.total = new Float64Array(n);
	t.wasTotal = new Float64Array(n);
	t.end = new Uint32Array(n);
	t.parent = new Int32Array(n);
	t.deepest = 0;
	for (let i = 0; i < n; i++) {
		above.length = t.depth[i];
		t.parent[i] = i ? above[t.depth[i] - 1] : -1;
		above.push(i);
		if (t.depth[i] > t.deepest)
			t.deepest = t.depth[i];
	}
	for (let i = n - 1; i >= 0; i--) {
		t.total[i] += Number(t.self[i]);
		t.wasTotal[i] += t.was ? Number(t.was[i]) : 0;
		if (!t.end[i])
			t.end[i] = i + 1;
		if (i) {
			const p = t.parent[i];
			t.total[p] += t.total[i];
			t.wasTotal[p] += t.wasTotal[i];
			if (t.end[p] < t.end[i])
				t.end[p] = t.end[i];
		}
	}
	return t;
}

/* The exact sum of self (or was) of the places from..to. */
function exact(list, from, to) {
	let sum = 0n, part = 0;
	for (let i = from; list && i < to; i++) {
		const v = list[i];
		if (typeof v === 'number' && part + v <= Number.MAX_SAFE_INTEGER) {
			part += v;
		} else {
			sum += BigInt(part) + BigInt(v);
			part = 0;
		}
	}
	return sum + BigInt(part);
}

const views = page.views.map(v => treeFinish({
	title: v.name, unit: v.unit, depth: v.depth, name: v.name_of, self: v.self, was: v.was || null,
}));

/* ---- trees that are made from a tree: stacks are added, equal ones become one ---- */

class Builder {
	constructor(source) {
		this.source = source;
		this.nodes = [{ name: 0, kids: new Map(), self: 0n, was: 0n, sum: 0 }];
	}
	child(at, name) {
		const kids = this.nodes[at].kids;
		let c = kids.get(name);
		if (c === undefined) {
			c = this.nodes.length;
			this.nodes.push({ name, kids: new Map(), self: 0n, was: 0n, sum: 0 });
			kids.set(name, c);
		}
		return c;
	}
	add(at, self, was) {
		this.nodes[at].self += BigInt(self);
		this.nodes[at].was += BigInt(was || 0);
	}
	/* The larger stands first. */
	tree(title) {
		const nodes = this.nodes, t = { title, unit: this.source.unit, depth: [], name: [], self: [], was: this.source.was ? [] : null };
		for (let i = nodes.length - 1; i >= 0; i--) {
			nodes[i].sum += Number(nodes[i].self);
			for (const c of nodes[i].kids.values())
				nodes[i].sum += nodes[c].sum;
		}
		const todo = [[0, 0]];
		while (todo.length) {
			const [i, depth] = todo.pop();
			t.depth.push(depth);
			t.name.push(nodes[i].name);
			t.self.push(plain(nodes[i].self));
			if (t.was)
				t.was.push(plain(nodes[i].was));
			const kids = [...nodes[i].kids.values()].sort((a, b) => nodes[a].sum - nodes[b].sum);
			for (const c of kids)
				todo.push([c, depth + 1]);
		}
		return treeFinish(t);
	}
}

function plain(v) {
	return v <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(v) : v;
}

/* From the innermost frames outwards. */
function treeReversed(t) {
	const b = new Builder(t);
	for (let i = 1; i < t.n; i++) {
		const was = t.was ? t.was[i] : 0;
		if (!Number(t.self[i]) && !Number(was))
			continue;
		let at = 0;
		for (let k = i; k > 0; k = t.parent[k])
			at = b.child(at, t.name[k]);
		b.add(at, t.self[i], was);
	}
	return b.tree(t.title);
}

/* Places of a function that are not inside another one of it. */
function outermost(t, name) {
	const places = [];
	for (let i = 1; i < t.n; )
		if (t.name[i] === name) {
			places.push(i);
			i = t.end[i];
		} else {
			i++;
		}
	return places;
}

/* What a function calls, merged over all places; the root is the function. */
function treeCallees(t, name) {
	const b = new Builder(t);
	b.nodes[0].name = name;
	for (const place of outermost(t, name)) {
		const at = [0];
		for (let i = place; i < t.end[place]; i++) {
			const d = t.depth[i] - t.depth[place];
			at[d] = d ? b.child(at[d - 1], t.name[i]) : 0;
			b.add(at[d], t.self[i], t.was ? t.was[i] : 0);
		}
	}
	return b.tree(t.title);
}

/* Who calls it, from the function outwards. */
function treeCallers(t, name) {
	const b = new Builder(t);
	b.nodes[0].name = name;
	for (const place of outermost(t, name)) {
		let at = 0;
		for (let k = t.parent[place]; k > 0; k = t.parent[k])
			at = b.child(at, t.name[k]);
		b.add(at, exact(t.self, place, t.end[place]), t.was ? exact(t.was, place, t.end[place]) : 0);
	}
	return b.tree(t.title);
}

/* [{name, self, total, was}]: a function inside itself counts once in total. */
function functionsOf(t) {
	const self = new Float64Array(names.length), total = new Float64Array(names.length),
	      was = new Float64Array(names.length), open = new Uint32Array(names.length), ends = [];
	const seen = new Uint8Array(names.length), list = [];
	for (let i = 1; i < t.n; i++) {
		while (ends.length && ends[ends.length - 1][1] <= i)
			open[ends.pop()[0]]--;
		const name = t.name[i];
		self[name] += Number(t.self[i]);
		if (!open[name]++) {
			total[name] += t.total[i];
			was[name] += t.wasTotal[i];
		}
		ends.push([name, t.end[i]]);
		if (!seen[name]) {
			seen[name] = 1;
			list.push(name);
		}
	}
	return list.map(name => ({ name, self: self[name], total: total[name], was: was[name] }));
}

/* ---- numbers ---- */

const scales = {
	nanoseconds: [[3600e9, 'h'], [60e9, 'min'], [1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']],
	bytes: [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'bytes']],
};

function unitWord(unit) {
	return unit === 'nanoseconds' ? 'ns' : unit;
}

/* v: a double */
function shortValue(v, unit) {
	for (const [size, word] of scales[unit] || [])
		if (Math.abs(v) >= size)
			return (v / size).toPrecision(4) + ' ' + word;
	return v.toLocaleString('en') + ' ' + unitWord(unit);
}

/* v: a BigInt */
function fullValue(v, unit) {
	const digits = v.toLocaleString('en') + ' ' + unitWord(unit), near = shortValue(Number(v), unit);
	return digits === near ? digits : near + ' (' + digits + ')';
}

function percent(part, whole) {
	return whole ? (part / whole * 100).toFixed(2) + '%' : '-';
}
