  /* The components of the target's windows: what their layout has cost, and when. */

  const COST_MS = [2, 8, 16];    /* of a layout frame: green, yellow and orange up to here */
  const COST_RATIO = [3, 8, 20]; /* the same of windows, rendered for each that was authored */
  const SPARK_MS = 33, SPARK_WIDTH = 132, SPARK_HEIGHT = 22;

  const costOf = (value, limits) => limits.filter((limit) => value > limit).length;
  const costColor = (value, limits) => 'cost-' + costOf(value, limits);
  const costName = (cost, limits, unit) => (cost < limits.length ? 'up to ' + limits[cost] :
                                                'over ' + limits[cost - 1]) + unit;

  /* The summary's components, with the one around each and their worst frame in each stretch. */
  function unpackComponents() {
    const from = unpacker(data.components);
    const rows = (summary.layout || []).map((row, start) => {
      const around = from.signed(), worst = [];
      for (let i = 0; i < data.stretch_count; i++)
        worst.push(from.number() / 1000);
      return {...row, start, around, worst, within: [], level: 0, place: -1};
    });
    for (const row of rows) {
      row.around = rows[row.around] || null;
      if (row.around) row.around.within.push(row);
    }
    /* A damaged recording may have a ring of them, which is below nothing. */
    let place = 0;
    const put = (row, level) => {
      const below = [[row, level]];
      while (below.length) {
        const [one, depth] = below.pop();
        if (one.place >= 0) continue;
        one.place = place++;
        one.level = depth;
        below.push(...one.within.map((inner) => [inner, depth + 1]).reverse());
      }
    };
    for (const row of rows)
      if (!row.around) put(row, 0);
    for (const row of rows)
      put(row, 0);
    return rows;
  }

  /* Where components were when they were last on a screen, in px of the client area of their root. A
     row that was on one gets its `area`. */
  function unpackAreas(rows) {
    const areas = [], from = unpacker(data.places);
    while (from.more())
      areas.push({
        row: rows[from.signed()] || null,
        root: from.signed(),
        left: from.signed(),
        top: from.signed(),
        width: from.number(),
        height: from.number()
      });
    for (const area of areas) {
      area.root = areas[area.root] || null;
      if (area.row && area.root) area.row.area = area;
    }
    return areas;
  }

  const componentName = (row) => row.text || row.class || 'a window without a name';

  /* A bar for each stretch, as high as its worst frame; a full one is 33 ms. A path a colour. */
  function spark(row) {
    const wide = SPARK_WIDTH / Math.max(data.stretch_count, 30), paths = ['', '', '', ''];
    row.worst.forEach((ms, i) => {
      if (!ms) return;
      const tall = Math.max(Math.min(ms / SPARK_MS, 1) * SPARK_HEIGHT, 1.5);
      paths[costOf(ms, COST_MS)] += 'M' + (i * wide).toFixed(2) + ' ' + SPARK_HEIGHT + 'v' +
          (-tall).toFixed(2) + 'h' + Math.max(wide * 0.85, 0.7).toFixed(2) + 'V' + SPARK_HEIGHT +
          'z';
    });
    const worst = row.worst.indexOf(Math.max(...row.worst));
    const says = row.worst.some((ms) => ms) ?
        'the worst: ' + lag(row.worst[worst]) + ' at ' + moment(worst * data.stretch_ms, 1) :
        'no layout';
    const svg = el('svg', {
      class: 'spark',
      viewBox: '0 0 ' + SPARK_WIDTH + ' ' + SPARK_HEIGHT,
      role: 'img',
      'aria-label': 'Worst layout frames over time, ' + says
    });
    svg.append(el('line',
        {class: 'grid', x1: 0, x2: SPARK_WIDTH, y1: SPARK_HEIGHT - 0.5, y2: SPARK_HEIGHT - 0.5}));
    paths.forEach((d, cost) => d && svg.append(el('path', {d, color: 'cost-' + cost})));
    return el('td', {title: says}, svg);
  }

  /* A time with its colour; 0 is none: it had no such step. */
  function costCell(ms) {
    if (!ms) return el('td', {class: 'n none'}, '–');
    return el('td', {class: 'n', title: costName(costOf(ms, COST_MS), COST_MS, ' ms a frame')},
        el('span', {class: 'tag'}, swatch(costColor(ms, COST_MS)), decimals(ms)));
  }

  const timeCell = (ms) => el('td', {class: ms ? 'n' : 'n none'}, ms ? decimals(ms) : '–');

  const windowRatio = (row) => row.rendered ? row.rendered / Math.max(row.authored || 0, 1) : 0;

  function windowsCell(row) {
    if (!row.rendered) return el('td', {class: 'n'});
    const ratio = windowRatio(row);
    const title = ratio.toFixed(1) + ' for each that the program created: ' +
        costName(costOf(ratio, COST_RATIO), COST_RATIO, ' times');
    return el('td', {class: 'n', title},
        el('span', {class: 'tag'}, ratio > 1 ? swatch(costColor(ratio, COST_RATIO)) : null,
            (row.authored || 0).toLocaleString('en-US') + ' → ' +
                row.rendered.toLocaleString('en-US')));
  }

  const sketch = {areas: [], row: null /* that is shown */};

  const rectOf = (area, kind) => el('rect',
      {class: kind, x: area.left, y: area.top, width: area.width, height: area.height});

  /* All components of a root, as outlines, with the one of the row filled. */
  function drawSketch() {
    $('sketch').hidden = !sketch.row;
    if (!sketch.row) return;
    const {area} = sketch.row, {root} = area;
    const left = Math.min(root.left, area.left), top = Math.min(root.top, area.top);
    const right = Math.max(root.left + root.width, area.left + area.width);
    const bottom = Math.max(root.top + root.height, area.top + area.height);
    const edge = Math.max(right - left, bottom - top) / 250; /* for half of an outline */
    const others = sketch.areas.filter((one) => one.root === root && one !== root && one !== area);
    const svg = $('sketch-drawn');
    svg.setAttribute('viewBox',
        [left - edge, top - edge, right - left + 2 * edge, bottom - top + 2 * edge].join(' '));
    svg.setAttribute('preserveAspectRatio', 'xMinYMin meet');
    svg.replaceChildren(rectOf(root, 'root'), rectOf(area, 'chosen'),
        ...others.map((one) => rectOf(one, 'other')));
    $('sketch-says').replaceChildren(el('b', null, foreign(componentName(sketch.row))),
        ': ' + area.width + ' × ' + area.height + ' px' +
            (area === root ? '' : ', ' + area.left + ' from the left and ' + area.top +
                                      ' from the top of '),
        area === root ? '' : foreign(root.row ? componentName(root.row) : 'its window'));
  }

  /* Marks the row that is shown, whose table may have been sorted anew. */
  function markShown(row) {
    const shown = row === sketch.row;
    row.line.classList.toggle('picked', shown);
    row.line.querySelector('button').setAttribute('aria-pressed', String(shown));
  }

  function showArea(row) {
    const before = sketch.row;
    sketch.row = row === before ? null : row;
    for (const one of [before, row])
      if (one) markShown(one);
    drawSketch();
  }

  function componentRow(row, hasWindows) {
    const shown = foreign(componentName(row));
    const name = el('div', {class: 'component', style: '--level:' + Math.min(row.level, 20)},
        row.area ? el('button', {class: 'shows', title: 'Show where it is'}, shown) : shown,
        row.text && row.class ? el('span', {class: 'dim'}, ' @ ', foreign(row.class)) : null,
        row.around ? el('span', {class: 'dim within'}, ' in ', foreign(componentName(row.around))) :
                     null,
        row.parts_seen === false ? el('span', {class: 'dim'}, ', parts not seen') : null);
    row.line = el('tr', row.area ? {class: 'jump'} : null, el('td', {class: 'wrap'}, name),
        spark(row), costCell(row.frames ? row.layout_ms / row.frames : 0),
        costCell(row.worst_frame_ms), timeCell(row.layout_ms), timeCell(row.own_layout_ms),
        timeCell(row.measure_ms), timeCell(row.arrange_ms), timeCell(row.paint_ms),
        el('td', {class: 'n'}, row.frames.toLocaleString('en-US')),
        ...(hasWindows ? [windowsCell(row)] : []),
        el('td', {class: row.message ? 'wrap' : 'none'}, row.message || '–',
            row.handler ? el('span', {class: 'dim'}, ', ', foreign(row.handler)) : null));
    if (row.area) {
      row.line.addEventListener('click', () => showArea(row));
      markShown(row);
    }
    return row.line;
  }

  function fillLayout() {
    const frames = summary.layout_frames;
    if (!frames || data.components === undefined) return;
    const rows = unpackComponents();
    sketch.areas = unpackAreas(rows);
    const hasWindows = rows.some((row) => row.rendered);
    $('layout-card').hidden = false;
    $('layout-note').textContent = count(frames.count, 'layout frame') +
        (frames.lost ? '; ' + frames.lost.toLocaleString('en-US') + ' more were not seen whole' :
                       '') +
        '; ms over the whole session. Layout is measure and arrange with the components within, ' +
        'own without them';
    const number = (name, value) => ({name, right: true, first: -1, value});
    const heads = [
      {name: 'component', value: (row) => row.place},
      {name: 'worst over time', first: -1, value: (row) => Math.max(0, ...row.worst)},
      number('ms a frame', (row) => row.layout_ms / Math.max(row.frames, 1)),
      number('worst', (row) => row.worst_frame_ms),
      number('layout', (row) => row.layout_ms),
      number('own', (row) => row.own_layout_ms),
      number('measure', (row) => row.measure_ms),
      number('arrange', (row) => row.arrange_ms),
      number('paint', (row) => row.paint_ms),
      number('frames', (row) => row.frames),
      ...(hasWindows ? [number('authored → rendered', windowRatio)] : []),
      {name: 'mostly', value: (row) => row.message || '\uffff'},
    ];
    sortable($('layout'), heads, rows, (row) => componentRow(row, hasWindows),
        {column: heads.findIndex((head) => head.name === 'layout'), direction: -1});
    $('layout-legend').append(...[0, 1, 2, 3].map((cost) =>
        el('span', null, swatch('cost-' + cost), costName(cost, COST_MS, ' ms a frame'))));
    if (rows.some((row) => row.area))
      $('layout-note').textContent += '. A click on a row, or Enter on its name, shows where it is';
    if (data.stretch_count)
      $('layout-legend').append(el('span', {class: 'hint'},
          'a bar is the worst frame of ' + wide(data.stretch_ms) + '; a full one is ' + SPARK_MS +
              ' ms or more'));
  }

