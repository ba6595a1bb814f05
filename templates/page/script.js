'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (tag, values = {}, ...inside) => {
    const made = document.createElement(tag);
    Object.assign(made, values);
    made.append(...inside);
    return made;
  };
  const draw = (tag, values = {}, text) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(values)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const hex = value => '0x' + value.toString(16).toUpperCase();
  const size = bytes => {
    for (const [unit, step] of [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 1024]]) {
      if (bytes >= step) return `${+(bytes / step).toFixed(2)} ${unit}`;
    }
    return `${bytes} B`;
  };
  const rows = all('#regions tbody tr');
  const owners = rows.filter(row => !row.classList.contains('al'));
  const named = new Map();
  for (const row of rows.filter(one => one.classList.contains('al'))) {
    named.set(row.dataset.o, [...(named.get(row.dataset.o) ?? []), row]);
  }
  const otherNames = owner => named.get(owner.dataset.r) ?? [];

  // Of all that shows one region: strips, lanes, rows.
  const shows = name => all('[data-r]').filter(one => (one.dataset.o ?? one.dataset.r) === name);
  // Its carve-out, and the entries that show it to a core.
  const around = name => {
    const row = owners.find(one => one.dataset.r === name);
    const label = row ? row.cells[8]?.textContent : '';
    const seen = data.lanes.flatMap(lane => lane.seen.filter(one => one[1] === name).map(one => [lane.core, one[3]]));
    return [...all('tr[data-c]').filter(one => label && one.dataset.c === label),
      ...all('.e').filter(one => seen.some(([core, at]) => one.dataset.core === core && +one.dataset.base <= at && at < +one.dataset.base + +one.dataset.bytes))];
  };
  const heat = (name, on) => [...shows(name), ...around(name)].forEach(one => one.classList.toggle('hot', on));
  const picked = document.getElementById('picked');
  let chosen = '';
  const choose = (name, scroll) => {
    if (chosen) heat(chosen, false);
    chosen = name;
    picked.hidden = !name;
    if (!name) return;
    heat(name, true);
    const row = owners.find(one => one.dataset.r === name);
    const titles = all('#regions thead th').map(one => one.textContent.trim());
    const words = [...row.cells].map((cell, i) => [titles[i], cell.cloneNode(true)]).slice(1)
      .filter(([, cell]) => cell.textContent).map(([title, cell]) => `${title}: ${cell.textContent}`);
    const seen = data.lanes.flatMap(lane => lane.seen.filter(one => one[1] === name)
      .map(one => `${lane.core} at ${hex(one[3])}${one[6] ? ', ' + one[6] : ''}`
        + lane.entries.filter(entry => entry[1] <= one[3] && one[3] < entry[1] + entry[2]).map(entry => ` [${entry[0]}]`).join('')));
    picked.replaceChildren(
      make('button', {type: 'button', textContent: 'Close', onclick: () => choose('')}),
      make('b', {textContent: name}), ' ' + words.join(' \u00b7 '),
      make('div', {className: 'mut', textContent: seen.length ? 'Seen by ' + seen.join('; ') : ''}));
    if (scroll) {
      row.hidden = false;
      row.scrollIntoView({block: 'center'});
    }
  };

  // Segments of strips and lanes at their places of [from, to): bytes of the strip.
  const place = (svg, from, to) => {
    const width = svg.getBoundingClientRect().width || 1;
    for (const one of svg.children) {
      const a = +one.dataset.a, n = +one.dataset.n;
      const x = (a - from) / (to - from) * width;
      const w = n / (to - from) * width;
      const left = Math.max(x, -2), right = Math.min(x + w, width + 2);
      const off = right <= 0 || left >= width;
      one.style.display = off ? 'none' : '';
      if (off) continue;
      // In percent, so that paper and a narrower window keep the scale.
      one.setAttribute('x', left / width * 100 + '%');
      one.setAttribute('width', Math.max(right - left, 1) / width * 100 + '%');
      const text = one.querySelector('text');
      if (text) text.setAttribute('display', text.textContent.length * 6.2 + 8 < right - left ? 'inline' : 'none');
    }
  };
  // Ticks where `ticks` says, unless the one before is too close.
  const ruler = (svg, from, to, ticks) => {
    const width = svg.getBoundingClientRect().width || 1;
    let free = 0;
    svg.replaceChildren();
    for (const [at, text] of ticks(from, to, 2 ** Math.ceil(Math.log2((to - from) / Math.max(2, width / 110))))) {
      const x = (at - from) / (to - from) * width;
      if (x < free || x > width - 70) continue;
      free = x + 78;
      svg.append(draw('line', {x1: x / width * 100 + '%', x2: x / width * 100 + '%', y1: 0, y2: 4}), draw('text', {x: x / width * 100 + '%', dx: 2, y: 12}, text));
    }
  };
  // Round addresses of a run of them that begins at `base` and stands at `at`.
  const rounds = (base, at, length, from, to, step) => {
    const made = [];
    const first = Math.max(base, base + from - at), last = Math.min(base + length, base + to - at);
    for (let address = Math.ceil(first / step) * step; address <= last; address += step) made.push([at + address - base, hex(address)]);
    return made;
  };

  // What is shown of a bank or a lane, and the ways to show less or more of it.
  const zoomable = (box, bytes, head, ticks, views, label, first = 0, shown = bytes) => {
    let from = first, to = first + shown;
    const scale = draw('svg', {class: 'ruler', width: '100%', height: 14, 'aria-hidden': 'true'});
    const line = make('div', {className: 'lane'}, make('span', {className: 'side'}), make('div', {className: 'view'}, scale));
    box.append(line);
    const show = () => {
      views.forEach(svg => place(svg, from, to));
      ruler(scale, from, to, ticks);
    };
    const set = (a, b) => {
      const span = Math.min(bytes, Math.max(b - a, 64));
      from = Math.min(Math.max(0, a), bytes - span);
      to = from + span;
      show();
    };
    const by = (factor, at = (from + to) / 2) => set(at - (at - from) * factor, at + (to - at) * factor);
    const spot = (event, view) => from + (event.clientX - view.getBoundingClientRect().left) / view.getBoundingClientRect().width * (to - from);
    const button = (text, title, act) => make('button', {type: 'button', textContent: text, title, ariaLabel: `${title}: ${label}`, onclick: act});
    head.append(make('span', {className: 'zoom'},
      button('+', 'Zoom in', () => by(1 / 4)), button('\u2212', 'Zoom out', () => by(4)), button('\u25c2', 'Left', () => set(from - (to - from) / 2, to - (to - from) / 2)),
      button('\u25b8', 'Right', () => set(from + (to - from) / 2, to + (to - from) / 2)), ...(shown < bytes ? [button('regions', 'Show where regions lie', () => set(first, first + shown))] : []), button('all', 'Show all', () => set(0, bytes))));
    box.tabIndex = 0;
    box.setAttribute('role', 'group');
    box.setAttribute('aria-label', `${label}: arrow keys choose a region, plus and minus zoom, 0 shows all, Enter goes to the row`);
    const segments = () => [...views[views.length - 1].children].filter(one => one.dataset.r);
    box.addEventListener('keydown', event => {
      if (event.target !== box) return;
      const list = segments();
      const at = list.findIndex(one => (one.dataset.o ?? one.dataset.r) === chosen);
      const go = i => {
        const one = list[Math.min(Math.max(i, 0), list.length - 1)];
        const a = +one.dataset.a, n = +one.dataset.n;
        if (a < from || a + n > to) set(a + n / 2 - (to - from) / 2, a + n / 2 + (to - from) / 2);
        choose(one.dataset.o ?? one.dataset.r);
      };
      const middle = at < 0 ? undefined : +list[at].dataset.a + list[at].dataset.n / 2;
      const keys = {
        ArrowRight: () => go(at + 1), ArrowLeft: () => go(at < 0 ? 0 : at - 1), '+': () => by(1 / 4, middle), '=': () => by(1 / 4, middle),
        '-': () => by(4, middle), 0: () => set(0, bytes), Enter: () => chosen && choose(chosen, true), Escape: () => choose(''),
      };
      if (keys[event.key]) {
        event.preventDefault();
        keys[event.key]();
      }
    });
    for (const svg of views) {
      const view = svg.parentNode;
      view.addEventListener('wheel', event => {
        if (!event.ctrlKey && !event.shiftKey) return;
        event.preventDefault();
        by((event.deltaY || event.deltaX) > 0 ? 1.5 : 1 / 1.5, spot(event, view));
      }, {passive: false});
      view.addEventListener('pointerdown', event => {
        const start = event.clientX, a = from, b = to;
        const per = (b - a) / view.getBoundingClientRect().width;
        const move = moved => Math.abs(moved.clientX - start) > 3 && set(a - (moved.clientX - start) * per, b - (moved.clientX - start) * per);
        const end = () => ['pointermove', 'pointerup', 'pointercancel'].forEach((kind, i) => window.removeEventListener(kind, i ? end : move));
        window.addEventListener('pointermove', move);
        window.addEventListener('pointerup', end);
        window.addEventListener('pointercancel', end);
      });
      view.addEventListener('dblclick', event => {
        const one = event.target.closest('.s, .e');
        if (one) set(+one.dataset.a - one.dataset.n * 0.3, +one.dataset.a + one.dataset.n * 1.3);
      });
    }
    show();
    return {show, reset: () => set(first, first + shown)};
  };

  const zooms = [];
  for (const bank of all('.bank')) {
    const base = +bank.dataset.base;
    zooms.push(zoomable(bank, +bank.dataset.bytes, bank.querySelector('h2'), (from, to, step) => rounds(base, 0, +bank.dataset.bytes, from, to, step), all('svg.strip', bank), bank.querySelector('h2').textContent.trim(), +bank.dataset.from, +bank.dataset.shown));
  }

  // A core's addresses: what lies close together is to scale, holes are as wide as one another.
  const lane = (of, box) => {
    const list = [...of.seen].sort((one, other) => one[3] - other[3]);
    const runs = [];
    for (const [, , , base, bytes] of list) {
      const last = runs[runs.length - 1];
      if (last && base - last.end < 2 ** 24) last.end = Math.max(last.end, base + bytes);
      else runs.push({base, end: base + bytes});
    }
    const hole = runs.reduce((sum, run) => sum + run.end - run.base, 0) * 0.02;
    let sum = 0;
    for (const run of runs) {
      run.at = sum;
      sum += run.end - run.base + hole;
    }
    const bytes = Math.max(sum - hole, 1);
    // Where an address is in the lane; of what no run has, nothing.
    const runOf = address => runs.find(run => run.base <= address && address < run.end);
    const ticks = (from, to, step) => runs.flatMap(run => [
      ...(run.at >= from && run.at < to ? [[run.at, hex(run.base)]] : []), ...rounds(run.base, run.at, run.end - run.base, from, to, step)]);
    // What overlaps stands below: of an MPU's regions the lower ones, which win.
    const entries = draw('svg', {class: 'strip brackets', width: '100%', 'aria-hidden': 'true'});
    const tracks = [];
    const track = (a, b) => {
      let i = tracks.findIndex(taken => taken.every(([c, d]) => b <= c || d <= a));
      if (i < 0) i = tracks.push([]) - 1;
      tracks[i].push([a, b]);
      return i;
    };
    const strip = draw('svg', {class: 'strip', width: '100%', height: 24, 'aria-hidden': 'true'});
    for (const [label, base, length, target, cached] of of.entries) {
      for (const run of runs) {
        const a = Math.max(base, run.base), b = Math.min(base + length, run.end);
        if (a >= b) continue;
        const one = draw('svg', {class: 'e', height: 16, y: track(a, b) * 17, 'data-a': run.at + a - run.base, 'data-n': b - a, 'data-core': of.core, 'data-base': base, 'data-bytes': length});
        one.append(draw('title', {}, `${label}: ${hex(base)}, ${size(length)}${target === base ? '' : ' to ' + hex(target)}${cached ? ', ' + cached : ''}`),
          draw('rect', {width: '100%', height: '100%', ...(cached && cached !== 'cached' ? {style: 'fill:url(#hatch)'} : {})}), draw('text', {x: 4, y: 12}, label));
        one.addEventListener('click', () => {
          const first = list.find(seen => base <= seen[3] && seen[3] < base + length);
          if (first) choose(first[1]);
        });
        entries.append(one);
      }
    }
    entries.setAttribute('height', Math.max(tracks.length * 17 - 1, 1));
    for (const [name, owner, kind, base, length, physical, cached] of list) {
      const run = runOf(base);
      const one = draw('svg', {class: 's ' + kind, 'data-a': run.at + base - run.base, 'data-n': length, 'data-r': name, 'data-o': owner});
      one.append(draw('title', {}, `${name}, ${size(length)} at ${hex(base)}${physical === null || physical === base ? '' : ', physical ' + hex(physical)}${cached ? ', ' + cached : ''}`),
        draw('rect', {width: '100%', height: '100%'}));
      if (cached && cached !== 'cached') one.append(draw('rect', {width: '100%', height: '100%', style: 'fill:url(#hatch)'}));
      one.append(draw('text', {x: 4, y: 16}, name));
      strip.append(one);
    }
    const head = make('h2', {}, make('span', {className: 'mut', textContent: of.core}));
    const view = of.entries.length ? [entries, strip] : [strip];
    box.classList.add('bank');
    box.append(head, ...view.map((svg, i) => make('div', {className: 'lane'},
      make('span', {className: 'mut side', textContent: i + 1 < view.length ? 'entries' : 'regions'}), make('div', {className: 'view'}, svg))));
    return zoomable(box, bytes, head, ticks, view, of.core);
  };
  const section = document.getElementById('lanes');
  const hatch = draw('svg', {width: 0, height: 0, 'aria-hidden': 'true', style: 'position:absolute'});
  const pattern = draw('pattern', {id: 'hatch', width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)'});
  pattern.append(draw('rect', {width: 1.4, height: 5, style: 'fill:#0008;stroke:none'}));
  hatch.append(pattern);
  document.body.append(hatch);
  const select = document.getElementById('core');
  const unit = document.getElementById('unit');
  const lanes = new Map();
  if (data.lanes.length) {
    section.hidden = false;
    for (const of of data.lanes) {
      const box = make('div', {className: 'onelane'});
      document.getElementById('lane').append(box);
      lanes.set(of.core, {box, zoom: lane(of, box), of});
    }
    const switchTo = core => {
      for (const [name, one] of lanes) one.box.hidden = name !== core;
      const {of, zoom} = lanes.get(core);
      unit.textContent = `${of.seen.length} ranges, ${of.entries.length} entries of ${[...new Set(of.entries.map(entry => entry[0].split(' ')[0]))].join(' and ') || 'no MMU or MPU'}`;
      zoom.show();
    };
    select.addEventListener('change', () => switchTo(select.value));
    const changed = rows.find(row => row.classList.contains('ch'));
    const first = changed && data.lanes.find(of => of.core === changed.cells[4].textContent.split(' ')[0]);
    select.value = (first ?? data.lanes[0]).core;
    switchTo(select.value);
  }

  document.addEventListener('mouseover', event => {
    const one = event.target.closest('[data-r]');
    if (one) heat(one.dataset.o ?? one.dataset.r, true);
  });
  document.addEventListener('mouseout', event => {
    const one = event.target.closest('[data-r]');
    if (one && (one.dataset.o ?? one.dataset.r) !== chosen) heat(one.dataset.o ?? one.dataset.r, false);
  });
  document.addEventListener('click', event => {
    const one = event.target.closest('[data-r]');
    if (one && !event.target.closest('button')) choose(one.dataset.o ?? one.dataset.r, !one.closest('table'));
    const carveout = event.target.closest('tr[data-c]');
    const first = carveout && owners.find(row => row.cells[8]?.textContent === carveout.dataset.c);
    if (first) choose(first.dataset.r, true);
  });

  // Other names of a region fold under it.
  const open = new Set();
  const filter = document.getElementById('filter');
  const hits = document.getElementById('hits');
  const matches = (row, words) => words.every(word => {
    if (/^0x[0-9a-f]+$/.test(word)) {
      const address = parseInt(word, 16);
      return [row.dataset.a, row.dataset.v].some(base => base !== '' && +base <= address && address < +base + +row.dataset.n);
    }
    return row.textContent.toLowerCase().includes(word);
  });
  const update = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const owner of owners) {
      const others = otherNames(owner);
      const own = matches(owner, words);
      const found = others.filter(row => words.length && matches(row, words));
      owner.hidden = !own && !found.length;
      for (const row of others) row.hidden = owner.hidden || !(open.has(owner.dataset.r) || (found.includes(row) && !own));
      count += owner.hidden ? 0 : 1;
    }
    const folded = rows.length - owners.length;
    hits.textContent = words.length ? `${count} of ${owners.length}` : `${owners.length} rows${folded ? `, ${folded} other names folded` : ''}`;
  };
  for (const owner of owners.filter(row => row.classList.contains('folds'))) {
    const button = make('button', {type: 'button', className: 'fold', textContent: `+${otherNames(owner).length}`, ariaLabel: `+${otherNames(owner).length} other names of ${owner.dataset.r}`, ariaExpanded: 'false'});
    button.onclick = () => {
      const now = !open.has(owner.dataset.r);
      now ? open.add(owner.dataset.r) : open.delete(owner.dataset.r);
      button.ariaExpanded = String(now);
      update();
    };
    owner.cells[0].append(button);
  }
  filter.hidden = false;
  filter.addEventListener('input', update);
  update();

  const body = document.querySelector('#regions tbody');
  const heads = all('#regions thead th');
  heads.forEach((head, column) => {
    const button = make('button', {type: 'button'}, ...head.childNodes);
    head.append(button);
    // A button is on no further page of paper.
    window.addEventListener('beforeprint', () => head.replaceChildren(...button.childNodes));
    window.addEventListener('afterprint', () => {
      button.append(...head.childNodes);
      head.append(button);
    });
    button.onclick = () => {
      const down = head.getAttribute('aria-sort') === 'ascending';
      heads.forEach(one => one.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const value = row => head.dataset.k ? +(row.dataset[head.dataset.k] || -1) : row.cells[column].textContent;
      const sorted = [...owners].sort((one, other) => {
        const [a, b] = [value(one), value(other)];
        return (a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1);
      });
      for (const owner of sorted) body.append(owner, ...otherNames(owner));
    };
  });

  // On paper everything is open, and to the paper's width.
  const folds = all('details');
  folds.forEach(one => { one.open = false; });
  const fit = () => {
    zooms.forEach(one => one.show());
    lanes.forEach(one => one.zoom.show());
  };
  window.addEventListener('beforeprint', () => {
    folds.forEach(one => { one.dataset.was = one.open; one.open = true; });
    zooms.forEach(one => one.reset());
    lanes.forEach(one => { one.box.hidden = false; one.zoom.reset(); });
  });
  window.addEventListener('afterprint', () => {
    folds.forEach(one => { one.open = one.dataset.was === 'true'; });
    lanes.forEach((one, core) => { one.box.hidden = core !== select.value; });
    fit();
  });
  window.addEventListener('resize', fit);
})();
