  /* Part of the script of report_page.html: tracks of what else was counted, under the graph, and the
     same as a table. report_curves.h says what is in data.curves. Times here are in ms. */

  const CURVE_TITLE = 17, CURVE_PLOT = 38, CURVE_GAP = 9, CURVE_STARVED = 4; /* CSS pixels */
  const CURVE_TALL = CURVE_TITLE + CURVE_PLOT + CURVE_GAP;
  const CURVE_STEP = 3;         /* so far the arrow keys go at least. Units: CSS pixels */
  const CURVE_ROWS = 300;       /* values of a curve in the table */
  const POOL_NAMES = ['the thread pool of Windows', 'the thread pool of .NET'];

  const curves = data.curves && unpackCurves(data.curves);
  const curveView = {
    pointed: null, /* {curve, x}: where the mouse is */
    picked: null,  /* {curve, from, to}: where the keys are */
    open: new Set(), /* curves whose values the table shows */
  };

  function unpackSpans(packed, isCounter) {
    const from = unpacker(packed), spans = [];
    const value = isCounter ? () => unpackDouble(from) : () => from.number() / 1000;
    for (let us = 0; from.more();) {
      const flags = from.byte();
      if (flags & 1) us += from.signed();
      const span = {start: us / 1000};
      us += from.number();
      span.end = us / 1000;
      span.mean = value();
      span.least = flags & 2 ? value() : span.mean;
      span.greatest = flags & 2 ? value() : span.mean;
      spans.push(span);
    }
    return spans;
  }

  function unpackCurves(packed) {
    const names = {pool: 'thread-pool delay', messages: 'messages', frames: 'frames'};
    const list = packed.list.map((item) => {
      const isCounter = item.of === 'counter';
      const per = item.per_second || !isCounter && item.of !== 'pool' ? '/s' : '';
      return {
        of: item.of,
        name: isCounter ? item.display || item.name : names[item.of],
        more: isCounter ? [item.provider, item.name].filter((text) => text).join('/') :
            item.of === 'pool'   ? 'how long work items waited, the longest' :
            item.of === 'frames' ? 'paint cycles by WM_PAINT' :
                                   'retrieved by the UI thread',
        unit: isCounter ? (item.unit || '') + per : per,
        grain: item.grain_ms || 0,
        spans: unpackSpans(item.spans, isCounter),
      };
    });
    const starvations = packed.starvations.map(([start, length, peak, source, open]) =>
        ({start, length, peak, source, open: !!open})).sort((a, b) => a.start - b.start);
    if (starvations.length && !list.some((curve) => curve.of === 'pool')) {
      list.unshift({of: 'pool', name: names.pool, more: 'not measured; starved by its counters',
        unit: '', grain: 0, spans: []});
    }
    const order = ['pool', 'frames', 'messages', 'counter'];
    list.sort((a, b) => order.indexOf(a.of) - order.indexOf(b.of));
    list.forEach((curve, place) => {
      curve.place = place;
      curve.top = place * CURVE_TALL;
    });
    return {list, starvations, cut: packed.cut};
  }

  /* From here on: words and numbers. */

  function amount(value, digits = 4) {
    const size = Math.abs(value);
    if (size && (size >= 1e15 || size < 1e-4)) return value.toExponential(digits - 1);
    return value.toLocaleString('en-US', {maximumSignificantDigits: digits});
  }

  function curveText(curve, value) {
    if (curve.of === 'pool') return lag(value);
    return amount(value) + (curve.unit && curve.unit[0] !== '/' ? ' ' : '') + curve.unit;
  }

  /* For the margin, where there is little room. */
  function shortAmount(curve, value) {
    if (curve.of === 'pool') return value < 1000 ? amount(value, 3) + ' ms' : value / 1000 + ' s';
    return Math.abs(value) >= 1e15 || (value && Math.abs(value) < 0.001) ? value.toExponential(0) :
        value.toLocaleString('en-US', {notation: 'compact', maximumSignificantDigits: 3});
  }

  /* What a curve was between two times, or null if it was not measured: the mean is that of the time
     in which it was. */
  function curveBetween(curve, from, to) {
    const {spans} = curve;
    let i = firstAfter(spans, from, 'end'), weight = 0, sum = 0;
    if (i < spans.length && spans[i].end === from) i++;
    const all = {least: Infinity, greatest: -Infinity, mean: 0, measured: 0, count: 0};
    for (; i < spans.length && spans[i].start < to; i++) {
      const span = spans[i];
      const length = Math.min(span.end, to) - Math.max(span.start, from);
      const share = length > 0 ? length : 1e-9;
      sum += (span.mean - sum) * (share / (weight + share)); /* no sum of all, which may overflow */
      weight += share;
      all.least = Math.min(all.least, span.least);
      all.greatest = Math.max(all.greatest, span.greatest);
      all.measured += Math.max(length, 0);
      all.count++;
    }
    all.mean = sum;
    return all.count ? all : null;
  }

  /* The line of a curve: of delays the longest. */
  const curveLine = (curve, value) => (curve.of === 'pool' ? value.greatest : value.mean);

  function curveSays(curve, value) {
    if (!value) return 'not measured';
    const spread = value.least !== value.greatest;
    if (curve.of === 'pool')
      return curveText(curve, value.greatest) + (spread ? ', the shortest ' +
          curveText(curve, value.least) : '');
    return curveText(curve, value.mean) + (spread ? ', from ' + curveText(curve, value.least) +
        ' to ' + curveText(curve, value.greatest) : '');
  }

  const starvationsIn = (from, to) => !curves ? [] : curves.starvations.filter(
      (one) => one.start < to && one.start + one.length >= from);

  const starvationText = (one) => (one.open ? 'still starved after ' : 'starved for ') +
      span(one.length) + ' from ' + moment(one.start) + ': ' + POOL_NAMES[one.source] +
      (one.source ? ', up to ' + amount(one.peak) + ' items waited' : ', an item waited ' + span(one.peak));

  /* From here on: the picture. */

  /* 1, 2, 5, 10, ... at or above a number. */
  function roundTop(number) {
    if (!(number > 0)) return 1;
    const power = 10 ** Math.floor(Math.log10(number));
    const top = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= number * (1 - 1e-9));
    return top > 0 && top < Infinity ? top : number;
  }

  /* What the curve was in each pixel; null where it was not measured. */
  function curvePixels(curve) {
    const list = [];
    for (let x = Math.floor(X.left); x < X.right; x++)
      list.push(curveBetween(curve, X.back(x), X.back(x + 1)));
    return list;
  }

  /* Goes along the pixels of a run that was measured, from the left or back from the right. */
  function addSteps(context, run, at, back) {
    const {left, values} = run;
    for (let i = 0; i < values.length; i++) {
      const place = back ? values.length - 1 - i : i, y = at(values[place]);
      context.lineTo(left + place + (back ? 1 : 0), y);
      context.lineTo(left + place + (back ? 0 : 1), y);
    }
  }

  /* Runs of pixels that were measured. */
  function curveRuns(pixels) {
    const runs = [];
    pixels.forEach((value, i) => {
      if (!value) return;
      if (!i || !pixels[i - 1]) runs.push({left: Math.floor(X.left) + i, values: []});
      runs[runs.length - 1].values.push(value);
    });
    return runs;
  }

  function fillRuns(context, runs, alpha, high, low) {
    context.globalAlpha = alpha;
    context.beginPath();
    for (const run of runs) {
      context.moveTo(run.left, high(run.values[0]));
      addSteps(context, run, high, false);
      addSteps(context, run, low, true);
      context.closePath();
    }
    context.fill();
    context.globalAlpha = 1;
  }

  function drawCurveLine(g, curve, pixels, Y, floor) {
    const {context} = g, runs = curveRuns(pixels), line = (value) => Y(curveLine(curve, value));
    context.fillStyle = palette.accent;
    fillRuns(context, runs, 0.16, line, () => floor);
    if (pixels.some((value) => value && value.least !== value.greatest))
      fillRuns(context, runs, 0.3, (value) => Y(value.greatest), (value) => Y(value.least));
    context.strokeStyle = palette.accent;
    context.lineWidth = 1.5;
    context.lineJoin = 'round';
    context.beginPath();
    for (const run of runs) {
      context.moveTo(run.left, line(run.values[0]));
      addSteps(context, run, line, false);
    }
    context.stroke();
  }

  function drawCurveGaps(g, pixels, y) {
    const left = Math.floor(X.left);
    for (let i = 0; i < pixels.length; i++) {
      if (pixels[i]) continue;
      const first = i;
      while (i + 1 < pixels.length && !pixels[i + 1]) i++;
      fillHatched(g, left + first, y, i + 1 - first, CURVE_PLOT, palette.dim);
    }
  }

  function drawStarvations(g, y) {
    for (const one of starvationsIn(view.from, view.to)) {
      const left = Math.max(X(one.start), X.left);
      const right = Math.min(X(one.start + one.length), X.right);
      g.context.fillStyle = palette.starved;
      g.context.globalAlpha = 0.18;
      g.context.fillRect(left, y, Math.max(right - left, 1), CURVE_PLOT);
      g.context.globalAlpha = 1;
      g.context.fillRect(left, y + (one.source ? CURVE_STARVED + 1 : 0), Math.max(right - left, 2),
          CURVE_STARVED);
    }
  }

  /* As much of a text as fits. */
  function fitText(context, text, width) {
    if (context.measureText(text).width <= width) return text;
    let length = text.length;
    while (length > 0 && context.measureText(text.slice(0, length) + '…').width > width) length--;
    return length ? text.slice(0, length) + '…' : '';
  }

  function drawCurveTitle(g, curve, y) {
    const {context} = g, middle = y + CURVE_TITLE / 2;
    const all = curveBetween(curve, view.from, view.to);
    const says = curveSays(curve, all);
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    context.fillStyle = palette.dim;
    context.fillText(says, X.right, middle);
    context.textAlign = 'left';
    const room = X.right - X.left - context.measureText(says).width - 16;
    const name = fitText(context, curve.name.replace(/\s+/g, ' '), room);
    context.fillStyle = palette.ink;
    context.fillText(name, X.left, middle);
    const used = context.measureText(name).width + 9;
    context.fillStyle = palette.dim;
    context.fillText(fitText(context, curve.more, room - used), X.left + used, middle);
    return all;
  }

  function drawCurve(g, curve, scrolled) {
    const {context} = g, top = curve.top - scrolled, y = top + CURVE_TITLE;
    const all = drawCurveTitle(g, curve, top);
    context.fillStyle = palette.plot;
    context.fillRect(X.left, y, X.right - X.left, CURVE_PLOT);
    const pixels = curvePixels(curve);
    drawCurveGaps(g, pixels, y);
    if (curve.of === 'pool') drawStarvations(g, y);
    if (!all) return;
    const most = roundTop(all.greatest);
    const least = all.least < 0 ? -roundTop(-all.least) : 0;
    const Y = (value) => y + CURVE_PLOT - 1 -
        Math.min(Math.max((value / 2 - least / 2) / (most / 2 - least / 2), 0), 1) * (CURVE_PLOT - 2);
    context.save();
    context.beginPath();
    context.rect(X.left, y, X.right - X.left, CURVE_PLOT);
    context.clip();
    drawCurveLine(g, curve, pixels, Y, Y(0));
    context.restore();
    context.fillStyle = palette.dim;
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    context.fillText(shortAmount(curve, most), X.left - 6, y + 6);
    context.fillText(shortAmount(curve, least), X.left - 6, y + CURVE_PLOT - 5);
    context.globalAlpha = 0.2;
    context.fillRect(X.left, g.snap(Y(0)), X.right - X.left, 1 / g.ratio);
    context.globalAlpha = 1;
  }

  /* Where the mouse is on the graph or on a track, over all of them, and where the keys are. */
  function drawCurveCursor(g, scrolled) {
    const {context} = g, {picked, pointed} = curveView;
    const x = pointed ? pointed.x : pointer ? pointer.x : -1;
    if (x >= X.left && x <= X.right) {
      context.fillStyle = palette.ink;
      context.globalAlpha = 0.5;
      context.fillRect(g.snap(x), 0, 1 / g.ratio, g.height);
      context.globalAlpha = 1;
    }
    if (!picked || picked.to < view.from || picked.from > view.to) return;
    const left = Math.max(X(picked.from), X.left), right = Math.min(X(picked.to), X.right);
    context.strokeStyle = palette.ink;
    context.lineWidth = 2;
    context.beginPath();
    context.roundRect(left - 2, picked.curve.top - scrolled + CURVE_TITLE - 1,
        Math.max(right - left, 1) + 4, CURVE_PLOT + 2, 3);
    context.stroke();
  }

  /* The tracks as drawn last, without cursors: the mouse need not draw all of it again. */
  const curvesCopy = {canvas: document.createElement('canvas'), key: ''};

  function drawCurves() {
    if (!curves) return;
    const {g, scrolled} = drawOnce('curves', curvesCopy, (g, scrolled) => {
      for (const curve of curves.list) {
        if (curve.top + CURVE_TALL > scrolled && curve.top < scrolled + g.height)
          drawCurve(g, curve, scrolled);
      }
    });
    drawCurveCursor(g, scrolled);
  }

  /* From here on: what the mouse and the keys are at. */

  function curveTip(curve, x) {
    const time = X.back(x), value = curveBetween(curve, X.back(Math.floor(x)), X.back(Math.floor(x) + 1));
    return [
      el('b', null, foreign(curve.name)), el('div', {class: 'dim'}, foreign(curve.more)),
      el('div', null, moment(time) + ': ', foreign(curveSays(curve, value))),
      ...(curve.of === 'pool' ? starvationsIn(time, time).slice(0, 3) : []).map(
          (one) => el('div', null, swatch('starved'), ' ' + starvationText(one)))
    ];
  }

  function showCurveTip(event) {
    const tip = $('curves-tip'), {pointed} = curveView;
    tip.hidden = !pointed;
    if (!pointed) return;
    tip.replaceChildren(...curveTip(pointed.curve, pointed.x));
    const aside = event.clientX + 14 + tip.offsetWidth > innerWidth;
    const above = event.clientY + 14 + tip.offsetHeight > innerHeight;
    tip.style.left = Math.max(0, event.clientX + (aside ? -14 - tip.offsetWidth : 14)) + 'px';
    tip.style.top = Math.max(0, event.clientY + (above ? -14 - tip.offsetHeight : 14)) + 'px';
  }

  function pickCurve(curve, from, to) {
    curveView.picked = curve && {curve, from, to};
    if (curve) {
      const box = $('curves-box');
      if (to < view.from || from > view.to) {
        const length = view.to - view.from;
        show(from - length / 2, from + length / 2);
      }
      box.scrollTop = Math.min(Math.max(box.scrollTop, curve.top + CURVE_TALL - box.clientHeight),
          curve.top);
    }
    sayCurve();
    draw();
  }

  function sayCurve() {
    const {picked} = curveView;
    const starved = picked && picked.curve.of === 'pool' ? starvationsIn(picked.from, picked.to) : [];
    $('curves-says').replaceChildren(...(!picked ? [] : [
      foreign(picked.curve.name), ', ' + moment(picked.from) + ' to ' + moment(picked.to) + ': ',
      foreign(curveSays(picked.curve, curveBetween(picked.curve, picked.from, picked.to))),
      ...starved.slice(0, 3).map((one) => '; ' + starvationText(one))
    ]));
  }

  /* From a span on, as wide as a step of the keys. */
  function pickFrom(curve, i) {
    const one = curve.spans[i];
    if (!one) return;
    const wide = CURVE_STEP * (view.to - view.from) / (X.right - X.left);
    let last = i;
    while (last + 1 < curve.spans.length && curve.spans[last + 1].end <= one.start + wide &&
        curve.spans[last + 1].start <= curve.spans[last].end)
      last++;
    pickCurve(curve, one.start, curve.spans[last].end);
  }

  /* The values after those that are picked, or before them. */
  function stepInCurve(step) {
    const {picked} = curveView;
    if (!picked) return pickCurveAt(curves.list[0], view.from);
    const {spans} = picked.curve;
    if (step > 0) return pickFrom(picked.curve, firstAfter(spans, picked.to, 'start'));
    let i = firstAfter(spans, picked.from, 'start') - 1;
    const wide = CURVE_STEP * (view.to - view.from) / (X.right - X.left);
    const end = i >= 0 ? spans[i].end : 0;
    while (i > 0 && spans[i - 1].start >= end - wide && spans[i - 1].end >= spans[i].start) i--;
    pickFrom(picked.curve, i);
  }

  /* The value of a curve at a time, or the first after it, or the last. */
  function pickCurveAt(curve, time) {
    if (!curve.spans.length) return pickCurve(curve, time, time);
    const i = firstAfter(curve.spans, time + 1e-6, 'end');
    pickFrom(curve, Math.min(i, curve.spans.length - 1));
  }

  function stepCurve(step) {
    const {picked} = curveView;
    const place = picked ? picked.curve.place + step : 0;
    if (place < 0 || place >= curves.list.length) return;
    pickCurveAt(curves.list[place], picked ? picked.from : view.from);
  }

  function listenToCurveKeys() {
    const middle = () => (curveView.picked ? curveView.picked.from : (view.from + view.to) / 2);
    const at = (time) => () => pickCurveAt((curveView.picked || {curve: curves.list[0]}).curve, time());
    const keys = {
      ArrowLeft: () => stepInCurve(-1),
      ArrowRight: () => stepInCurve(1),
      ArrowUp: () => stepCurve(-1),
      ArrowDown: () => stepCurve(1),
      Home: at(() => view.from),
      End: at(() => view.to),
      ...viewKeys(middle),
      Escape: () => (curveView.picked ? pickCurve(null) : show(0, DURATION)),
    };
    $('curves').addEventListener('keydown', (event) => actOnKey(keys, event));
  }

  function listenToCurveMouse() {
    const canvas = $('curves');
    let drag = null;
    listenToWheel(canvas);
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      drag = {x: event.clientX, from: view.from, to: view.to};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (drag) {
        const by = (drag.x - event.clientX) / (X.right - X.left) * (drag.to - drag.from);
        if (Math.abs(drag.x - event.clientX) > 3) show(drag.from + by, drag.to + by);
      }
      const {x, y} = place(event, canvas);
      const curve = curves.list[Math.floor((y + $('curves-box').scrollTop) / CURVE_TALL)];
      curveView.pointed = curve && x >= X.left && x <= X.right ? {curve, x} : null;
      showCurveTip(event);
      draw();
    });
    for (const name of ['pointerup', 'pointercancel']) {
      canvas.addEventListener(name, () => {
        drag = null;
      });
    }
    canvas.addEventListener('pointerleave', () => {
      curveView.pointed = null;
      showCurveTip();
      draw();
    });
    canvas.addEventListener('dblclick', () => show(0, DURATION));
  }

  /* From here on: the table, which says the same of what is in sight. */

  const cellOf = (curve, value, name) => el('td', {class: value ? 'n' : 'n none'},
      value ? foreign(curveText(curve, value[name])) : '–');

  /* The values of a curve, within its row. */
  function curveValues(curve) {
    const {spans} = curve;
    const first = Math.max(firstAfter(spans, view.from + 1e-6, 'end'), 0);
    const shown = spans.slice(first, firstAfter(spans, view.to, 'start'));
    const table = el('table', {'aria-label': 'Values of ' + curve.name},
        el('thead', null, head('#from', '#to', '#least', '#mean', '#greatest')),
        el('tbody', null, ...shown.slice(0, CURVE_ROWS).map((one) => el('tr', null,
            el('td', {class: 'n'}, moment(one.start)), el('td', {class: 'n'}, moment(one.end)),
            ...['least', 'mean', 'greatest'].map((name) => cellOf(curve, one, name))))));
    return el('tr', {class: 'inner'}, el('td', {colspan: 6}, table, firstOf(shown, CURVE_ROWS)));
  }

  function curveRow(curve) {
    const all = curveBetween(curve, view.from, view.to), isOpen = curveView.open.has(curve);
    const opener = el('button', {class: 'opener', 'aria-label': 'Values of ' + curve.name,
      'aria-expanded': String(isOpen), 'data-curve': curve.place}, isOpen ? '▾' : '▸');
    opener.addEventListener('click', () => {
      if (!curveView.open.delete(curve)) curveView.open.add(curve);
      fillCurvesTable();
      $('curves-table').querySelector('[data-curve="' + curve.place + '"]').focus();
    });
    const row = el('tr', null, el('th', {scope: 'row'}, opener, ' ', foreign(curve.name)),
        el('td', {class: 'wrap dim'}, foreign(curve.more)),
        ...['least', 'mean', 'greatest'].map((name) => cellOf(curve, all, name)),
        el('td', {class: 'n'}, share(all ? all.measured : 0, view.to - view.from)));
    return isOpen ? [row, curveValues(curve)] : [row];
  }

  function starvationRow(one) {
    const row = el('tr', {class: 'jump', title: 'Show it in the graph'},
        el('td', {class: 'n'}, moment(one.start)),
        el('td', {class: 'n'}, (one.open ? '≥ ' : '') + span(one.length)),
        el('td', null, POOL_NAMES[one.source]),
        el('td', {class: 'n'}, one.source ? amount(one.peak) + ' items waited' :
                                            'an item waited ' + span(one.peak)));
    row.addEventListener('click', () => {
      const around = Math.max(one.length, 1000);
      show(one.start - around, one.start + one.length + around);
    });
    return row;
  }

  function fillCurvesTable() {
    if (!curves || !$('curves-list').open) return;
    $('curves-table').tHead.replaceChildren(
        head('what', '', '#least', '#mean', '#greatest', '#measured'));
    $('curves-table').tBodies[0].replaceChildren(...curves.list.flatMap(curveRow));
    const starved = starvationsIn(view.from, view.to);
    $('starvations').hidden = !starved.length;
    $('starvations').tHead.replaceChildren(head('#starved at', '#for', 'which', '#at most'));
    $('starvations').tBodies[0].replaceChildren(...starved.slice(0, CURVE_ROWS).map(starvationRow));
    $('starvations-more').textContent = firstOf(starved, CURVE_ROWS);
  }

  function fillCurves() {
    if (!curves) return;
    const {list, starvations} = curves, tall = list.length * CURVE_TALL;
    const grain = Math.max(...list.map((curve) => curve.grain));
    $('curves-card').hidden = false;
    $('curves-tall').style.height = tall + 'px';
    $('curves-box').style.setProperty('--tall', tall + 'px');
    $('curves-note').textContent = [
      'scales are those of what is in sight',
      starvations.length ? 'starved ' + count(starvations.length, 'time') : '',
      grain ? 'values up to ' + wide(grain) + ' long are made one' : '',
      curves.cut ? 'some are left out' : ''
    ].filter((text) => text).join('; ');
    if (starvations.length)
      $('curves-legend').append(el('span', null, swatch('starved'), 'a thread pool is starved'));
    $('curves-legend').append(el('span', null, swatch('dim', 'hatch'), 'not measured'));
    $('curves-list').addEventListener('toggle', fillCurvesTable);
    $('curves-box').addEventListener('scroll', draw);
    listenToCurveKeys();
    listenToCurveMouse();
  }

