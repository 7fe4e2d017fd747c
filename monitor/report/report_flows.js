  /* Part of the script of report_page.html: the marker chart, the flow panel below it, and both as
     tables. report_flows.h says what is in data.flows. Times here are in ms. */

  const TEXT_FIELD = 0, NUMBER_FIELD = 1, FLOW_FIELD = 2;
  const KINS = ['incoming', 'connected', 'outgoing'];
  const TRACK_TITLE = 16, INSTANTS = 15, LANE = 14, TRACK_GAP = 7, LANES = 4; /* CSS pixels */
  const ROW = 46, ROW_MIDDLE = 33, BOX = 18;                                  /* of the panel */
  const ROWS = 60;         /* of one kin that are drawn; the table has more */
  const TABLE_ROWS = 300;  /* of markers */
  const FLOW_ROWS = 2000;  /* of flows in the table */
  const OTHERS = 20;       /* markers that a dot stands for, besides its first */
  const CATCH = 7;         /* so far from a marker the mouse still meets it. Units: CSS pixels */

  const bits = new DataView(new ArrayBuffer(8)); /* of a double */

  function unpackDouble(from) {
    for (let i = 0; i < 8; i++)
      bits.setUint8(i, from.byte());
    return bits.getFloat64(0, true);
  }

  function unpackFields(from) {
    const fields = [];
    for (let left = from.number(); left; left--) {
      const name = from.number(), kind = from.byte();
      fields.push({name, kind, value: kind === NUMBER_FIELD ? unpackDouble(from) : from.number()});
    }
    return fields;
  }

  function passFields(from) {
    for (let left = from.number(); left; left--) {
      from.pass(1);
      if (from.byte() === NUMBER_FIELD)
        from.go(from.place() + 8);
      else
        from.pass(1);
    }
  }

  function unpackPlaces(from) {
    const list = [];
    for (let left = from.number(), last = 0; left; left--)
      list.push(last += from.signed());
    return list;
  }

  /* There are many markers, and few are looked at: their fields are unpacked when they are. */
  class Marker {
    constructor(place, thread, n, from) {
      this.place = place;
      this.thread = thread;
      this.n = n;
      this.name = from.number();
      this.category = from.number();
      const flags = from.byte();
      this.interval = !!(flags & 1);
      this.open = !!(flags & 2);
      this.start = this.end = 0;
      this.context = -1;
      this.lane = 0;
      this.from = from;
      this.at = 0;
      this.unpacked = null;
    }

    get fields() {
      if (!this.unpacked) {
        this.from.go(this.at);
        this.unpacked = unpackFields(this.from);
      }
      return this.unpacked;
    }

    /* The places of the flows that it mentions. */
    get flows() {
      return [...new Set(this.fields.filter((field) => field.kind >= FLOW_FIELD)
                             .map((field) => field.value))];
    }
  }

  /* The same for a flow's lists. */
  class Flow {
    constructor(place, id, list, kin) {
      this.place = place;
      this.id = id;
      this.start = this.last = this.end = 0;
      this.open = false; /* its end was not seen: `end` is only the last time of the recording */
      this.list = list;
      this.at = 0;
      this.kin = kin;
      this.kinAt = kin.place();
      this.places = this.kins = null;
    }

    get markers() {
      if (!this.places) {
        this.list.go(this.at);
        this.places = unpackPlaces(this.list).map((place) => flows.markers[place]);
      }
      return this.places;
    }

    kinOf(name) {
      if (!this.kins) {
        this.kin.go(this.kinAt);
        this.kins = KINS.map(() => unpackPlaces(this.kin));
      }
      return this.kins[KINS.indexOf(name)];
    }

    get incoming() { return this.kinOf('incoming'); }

    get connected() { return this.kinOf('connected'); }

    get outgoing() { return this.kinOf('outgoing'); }
  }

  function unpackMarkers(packed, made) {
    const from = unpacker(packed.markers);
    let ns = 0;
    for (const thread of made.threads) {
      for (let n = 1; n <= thread.count; n++) {
        const place = made.markers.length, marker = new Marker(place, thread, n, from);
        ns += from.signed();
        marker.start = ns / 1e6;
        marker.end = marker.interval ? (ns + from.number()) / 1e6 : marker.start;
        const context = from.signed();
        if (context) marker.context = place + context;
        marker.at = from.place();
        passFields(from);
        made.markers.push(marker);
        thread.markers.push(marker);
      }
    }
  }

  function unpackFlowList(packed, made) {
    const from = unpacker(packed.list), kin = unpacker(packed.kin);
    for (let ns = 0; from.more();) {
      const flow = new Flow(made.list.length, packed.ids[from.number()], from, kin);
      ns += from.signed();
      flow.start = ns / 1e6;
      flow.last = (ns + from.signed()) / 1e6;
      flow.end = (ns + from.signed()) / 1e6;
      flow.open = from.byte() !== 0;
      flow.at = from.place();
      from.pass(from.number());
      for (let left = KINS.length; left; left--)
        kin.pass(kin.number());
      made.list.push(flow);
    }
  }

  function unpackFlows(packed) {
    const {texts, ids} = packed;
    const made = {texts, ids, markers: [], list: [], within: null};
    made.threads = packed.threads.map(([label, name, process, pid, count], place) => (
        {place, label, name: texts[name], process: texts[process], pid, count, markers: []}));
    unpackMarkers(packed, made);
    unpackFlowList(packed, made);
    return made;
  }

  const flows = data.flows && unpackFlows(data.flows);
  const flowView = {
    search: '', found: null, /* by marker; null: all are shown */
    flow: null,              /* that was entered */
    rows: [], pinned: [],
    hovered: null, picked: null, /* markers */
    others: [],              /* that are where the hovered one is */
    hits: [], rowHits: [],   /* as drawn last */
  };

  /* The markers whose context a marker is. */
  function markersWithin(outer) {
    if (!flows.within) {
      flows.within = new Map();
      for (const marker of flows.markers) {
        if (marker.context < 0) continue;
        if (!flows.within.has(marker.context)) flows.within.set(marker.context, []);
        flows.within.get(marker.context).push(marker);
      }
    }
    return flows.within.get(outer.place) || [];
  }

  /* From here on: names, as `uimon flows` writes them. */

  const flowMs = (ms) => String(Number(ms.toFixed(6)));
  const flowName = (flow) => flow.id + ';' + flowMs(flow.start);
  const markerName = (marker) => marker.thread.label + ':' + marker.n;
  const nameOf = (marker) => flows.texts[marker.name];
  const flowTitle = (flow) => nameOf(flow.markers[0]);
  const NO_END = 'no end seen';
  const tookText = (marker) => !marker.interval ? 'an instant' :
      marker.open ? NO_END : lag(marker.end - marker.start);
  const flowEnd = (flow) => Math.max(flow.end, flow.last);
  const threadText = (thread) => thread.name +
      (thread.name.includes(thread.label) ? '' : ' ' + thread.label) + ', ' + thread.process;

  function markerColor(marker) {
    const category = flows.texts[marker.category], name = nameOf(marker);
    if (category === 'freeze') return name === 'Starved' ? 'starved' : 'frozen';
    if (category === 'beat') return 'idle';
    if (category === 'note') return 'note';
    const kind = name.split(' ')[0].toLowerCase();
    return category === 'input' && KINDS.includes(kind) ? kind : 'accent';
  }

  /* From here on: the search. */

  /* The digits of a hexadecimal number from the first that is no zero; null if it is none. */
  function digitsOf(id) {
    const digits = /^(?:0x)?0*([0-9a-f]*)$/i.exec(id);
    return id && digits ? digits[1].toLowerCase() : null;
  }

  /* The flow that "ID;MS" names, or why there is none; as monitor/flows/flow_names.h says it. */
  function findFlow(name) {
    const semicolon = name.lastIndexOf(';');
    const id = semicolon < 0 ? name : name.slice(0, semicolon);
    const time = semicolon < 0 ? null : /^-?\d+(?:\.(\d+))?$/.exec(name.slice(semicolon + 1));
    if (semicolon >= 0 && !time) return {why: 'what follows the semicolon is no time in ms'};
    let list = flows.list.filter((flow) => flow.id === id);
    const digits = digitsOf(id);
    if (!list.length && digits !== null) {
      list = flows.list.filter((flow) => digitsOf(flow.id) === digits);
      if (list.some((flow) => flow.id !== list[0].id)) list = [];
    }
    if (!list.length) return {why: 'no marker mentions such a flow'};
    if (!time && list.length === 1) return {flow: list[0]};
    if (time) {
      const at = Number(time[0]), half = 0.5 / 10 ** (time[1] || '').length;
      const lasting = (by) => list.filter((flow) => flow.start <= at + by && flow.end >= at - by);
      const found = [0, half].map(lasting).find((some) => some.length);
      if (found) return {flow: found[found.length - 1]};
    }
    return {
      why: (time ? 'none lasts at that time' : 'say which one, as ID;MS') + '; there is ' +
          list.slice(0, 5).map(flowName).join(', ') +
          (list.length > 5 ? ' and ' + (list.length - 5) + ' more' : '')
    };
  }

  function matches(text) {
    const wanted = text.toLowerCase();
    const texts = flows.texts.map((one) => one.toLowerCase().includes(wanted));
    const ids = new Set(flows.list.filter((flow) => flow.id.toLowerCase().includes(wanted))
                            .map((flow) => flow.place));
    return flows.markers.map((marker) => texts[marker.name] || texts[marker.category] ||
        marker.fields.some((field) => field.kind === TEXT_FIELD && texts[field.value] ||
            field.kind >= FLOW_FIELD && ids.has(field.value)));
  }

  function search() {
    const text = flowView.search;
    let says = '';
    flowView.found = null;
    if (text.startsWith('flow:')) {
      const {flow, why} = findFlow(text.slice('flow:'.length));
      flowView.found = flows.markers.map(() => false);
      for (const marker of flow ? flow.markers : [])
        flowView.found[marker.place] = true;
      says = why || '';
    } else if (text) {
      flowView.found = matches(text);
    }
    if (!says && flowView.found) {
      const found = flowView.found.filter((is) => is).length;
      says = found.toLocaleString('en-US') + ' of ' + count(flows.markers.length, 'marker');
    }
    sift();
    $('markers-found').textContent = says;
    $('markers-clear').disabled = !text;
    fillMarkersTable();
    changed();
  }

  function searchFor(text) {
    $('markers-search').value = flowView.search = text;
    search();
  }

  const isShown = (marker) => !flowView.found || flowView.found[marker.place];

  /* From here on: the chart. */

  /* Gives each interval a lane in which nothing else lasts, as long as there are lanes. */
  function layTracks() {
    let top = 0;
    for (const thread of flows.threads) {
      const ends = [];
      for (const marker of thread.markers) {
        if (!marker.interval) continue;
        let lane = ends.findIndex((end) => end <= marker.start);
        if (lane < 0) lane = Math.min(ends.length, LANES - 1);
        ends[lane] = marker.end;
        marker.lane = lane;
      }
      thread.lanes = ends.length;
      thread.top = top;
      thread.height = TRACK_TITLE + INSTANTS + ends.length * LANE + TRACK_GAP;
      top += thread.height;
    }
    $('chart-tall').style.height = top + 'px';
    $('chart-box').style.setProperty('--tall', top + 'px');
  }

  /* What of each thread is shown: beats, other instants, and the intervals of each lane. */
  function sift() {
    const isBeat = flows.texts.map((text) => text === 'beat');
    for (const thread of flows.threads) {
      thread.beats = [];
      thread.instants = [];
      thread.intervals = Array.from({length: thread.lanes}, () => []);
      for (const marker of thread.markers) {
        if (!isShown(marker)) continue;
        (marker.interval            ? thread.intervals[marker.lane] :
             isBeat[marker.category] ? thread.beats :
                                       thread.instants).push(marker);
      }
    }
    chartCopy.key = '';
  }

  const laneTop = (marker) => marker.thread.top + TRACK_TITLE + INSTANTS + marker.lane * LANE;

  /* One instant a pixel. */
  function drawInstants(g, list, y, size) {
    for (let i = firstAfter(list, view.from, 'start'); i < list.length;) {
      const marker = list[i], x = Math.round(X(marker.start));
      if (marker.start > view.to) break;
      dotPath(g.context, 'click', x, y, size / 1.35);
      g.context.fillStyle = palette[markerColor(marker)];
      g.context.fill();
      flowView.hits.push({marker, x, y, left: x - size, right: x + size});
      i = Math.max(i + 1, firstAfter(list, X.back(x + 0.5), 'start'));
    }
  }

  /* Of a lane, in which one follows the other. Of those that end within a pixel, the first. */
  function drawIntervals(g, list, scrolled) {
    for (let i = Math.max(firstAfter(list, view.from, 'start') - 1, 0); i < list.length;) {
      const marker = list[i];
      if (marker.start > view.to) break;
      i++;
      if (marker.end < view.from) continue;
      const right = drawInterval(g, marker, laneTop(marker) - scrolled);
      const next = firstAfter(list, X.back(right), 'start');
      if (next > i) i = X(list[next - 1].end) > right + 1 ? next - 1 : next;
    }
  }

  /* Returns where it ends. */
  function drawInterval(g, marker, y) {
    const {context} = g, left = Math.max(X(marker.start), X.left);
    const right = Math.max(Math.min(X(marker.end), X.right), left + 2);
    context.fillStyle = palette[markerColor(marker)];
    context.globalAlpha = 0.85;
    context.fillRect(left, y, right - left, LANE - 2);
    context.globalAlpha = 1;
    flowView.hits.push({marker, x: left, y: y + LANE / 2 - 1, left, right});
    const text = nameOf(marker);
    if (right - left > 24 && right - left > context.measureText(text).width + 8) {
      context.fillStyle = palette.card;
      context.textAlign = 'left';
      context.textBaseline = 'middle';
      context.fillText(text, left + 4, y + LANE / 2 - 0.5);
    }
    return right;
  }

  function drawTrack(g, thread, scrolled) {
    const {context} = g, top = thread.top - scrolled;
    context.fillStyle = palette.plot;
    context.fillRect(X.left, top + TRACK_TITLE, X.right - X.left,
        thread.height - TRACK_TITLE - TRACK_GAP + 2);
    context.fillStyle = palette.dim;
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    context.fillText(threadText(thread), X.left, top + TRACK_TITLE / 2);
    context.save();
    context.beginPath();
    context.rect(X.left - 5, top, X.right - X.left + 10, thread.height);
    context.clip();
    for (const lane of thread.intervals)
      drawIntervals(g, lane, scrolled);
    drawInstants(g, thread.beats, top + TRACK_TITLE + INSTANTS / 2, 3);
    drawInstants(g, thread.instants, top + TRACK_TITLE + INSTANTS / 2, 4.5);
    context.restore();
  }

  /* Where a marker is on the chart, if it is in sight. */
  function spotOf(marker) {
    const y = (marker.interval ? laneTop(marker) + LANE / 2 - 1 :
                                 marker.thread.top + TRACK_TITLE + INSTANTS / 2) -
        $('chart-box').scrollTop;
    return {x: Math.min(Math.max(X(marker.start), X.left), X.right), y};
  }

  function ring(context, marker, color) {
    const {x, y} = spotOf(marker);
    const right = marker.interval ? Math.max(Math.min(X(marker.end), X.right), x + 2) : x;
    if (X(marker.end) < X.left || X(marker.start) > X.right) return;
    context.strokeStyle = color;
    context.lineWidth = 2;
    context.beginPath();
    context.roundRect(x - 7 + (marker.interval ? 5 : 0), y - 7.5,
        right - x + (marker.interval ? 4 : 14), 15, 4);
    context.stroke();
  }

  /* The chart as drawn last, without rings: the mouse need not draw all of it again. */
  const chartCopy = {canvas: document.createElement('canvas'), key: ''};

  function drawTracks(g, scrolled) {
    flowView.hits = [];
    for (const thread of flows.threads) {
      if (thread.top + thread.height < scrolled || thread.top > scrolled + g.height) continue;
      drawTrack(g, thread, scrolled);
    }
  }

  function drawChart() {
    const {g} = drawOnce('chart', chartCopy, drawTracks);
    if (flowView.picked) ring(g.context, flowView.picked, palette.ink);
    if (flowView.hovered) ring(g.context, flowView.hovered, palette.accent);
  }

  /* From here on: the panel. */

  function rowsOf(flow) {
    const of = (kin) => flow[kin].slice(0, ROWS).map((place) => ({kin, flow: flows.list[place]}));
    return [
      ...of('incoming'), {kin: 'current', flow}, ...of('connected'), ...of('outgoing'),
      ...flowView.pinned.map((pinned) => ({kin: 'pinned', flow: pinned}))
    ];
  }

  /* The same for the table, which has all of them. */
  const allRowsOf = (flow) => [
    ...flow.incoming.map((place) => ({kin: 'incoming', flow: flows.list[place]})),
    {kin: 'current', flow},
    ...['connected', 'outgoing'].flatMap(
        (kin) => flow[kin].map((place) => ({kin, flow: flows.list[place]}))),
    ...flowView.pinned.map((pinned) => ({kin: 'pinned', flow: pinned}))
  ];

  function spanOf(flow) {
    const threads = new Set(flow.markers.map((marker) => marker.thread)).size;
    return count(flow.markers.length, 'marker') + ' on ' + count(threads, 'thread') + ', ' +
        moment(flow.start) + ', ' + (flow.open ? NO_END : lag(flowEnd(flow) - flow.start));
  }

  function enterButton(row) {
    const button = el('button', {
      class: 'enter',
      'aria-label': (row.kin === 'current' ? 'Current flow ' : 'Enter ' + row.kin + ' flow ') +
          flowTitle(row.flow) + ', ' + flowName(row.flow),
      ...(row.kin === 'current' ? {'aria-current': 'true'} : {}),
    }, foreign(flowTitle(row.flow)), ' ', el('code', null, foreign(flowName(row.flow))));
    button.addEventListener('click', () => enter(row.flow));
    return button;
  }

  function pinButton(row) {
    const isPinned = flowView.pinned.includes(row.flow);
    const button = el('button', {class: 'pin', 'aria-pressed': String(isPinned),
      'aria-label': 'Pin flow ' + flowName(row.flow), title: 'Keep its row at the bottom (P)'}, 'pin');
    button.addEventListener('click', () => pin(row));
    return button;
  }

  function makeRow(row) {
    const item = el('li', {class: 'flow-row ' + row.kin}, el('span', {class: 'kin'}, row.kin),
        row.enter = enterButton(row), el('span', {class: 'dim'}, spanOf(row.flow)),
        row.pin = pinButton(row));
    row.enter.addEventListener('keydown', (event) => rowKey(event, row));
    return item;
  }

  function fillPanel() {
    const {flow} = flowView;
    $('flow-panel').hidden = !flow;
    if (!flow) return;
    flowView.rows = rowsOf(flow);
    $('flow-rows').replaceChildren(...flowView.rows.map(makeRow));
    $('flow-box').style.setProperty('--tall', flowView.rows.length * ROW + 'px');
    const missing = KINS.reduce((sum, kin) => sum + Math.max(0, flow[kin].length - ROWS), 0);
    $('flow-note').textContent = flowTitle(flow) + ', ' + flowName(flow) +
        (missing ? '; ' + count(missing, 'further flow') + ' below, in the table' : '');
    fillFlowTable();
  }

  function enter(flow, quiet) {
    const had = document.activeElement && document.activeElement.closest('#flow-panel');
    const inTable = had && document.activeElement.closest('table');
    flowView.flow = flow;
    flowView.rows = [];
    fillPanel();
    if (had && flow) (inTable ? $('flow-table').querySelector('[aria-current]') :
                                flowView.rows.find((row) => row.kin === 'current').enter).focus();
    if (!quiet) changed();
  }

  function pin(row) {
    const {pinned} = flowView, place = pinned.indexOf(row.flow);
    const had = document.activeElement;
    const inTable = had && had.closest('table'), wasPin = had && had.classList.contains('pin');
    if (place < 0)
      pinned.push(row.flow);
    else
      pinned.splice(place, 1);
    fillPanel();
    const again = flowView.rows.find((one) => one.kin === row.kin && one.flow === row.flow) ||
        flowView.rows.find((one) => one.kin === 'current');
    if (inTable)
      $('flow-table').querySelector('[data-flow="' + again.kin + again.flow.place + '"] .pin').focus();
    else
      (wasPin ? again.pin : again.enter).focus();
    changed();
  }

  const rowMiddle = (row) =>
      flowView.rows.indexOf(row) * ROW + ROW_MIDDLE - $('flow-box').scrollTop;
  const rowsWith = (marker) =>
      flowView.rows.filter((row) => marker.flows.includes(row.flow.place));

  function drawRow(g, row) {
    const {context} = g, y = rowMiddle(row), {flow} = row;
    const left = Math.max(X(flow.start) - 8, X.left - 12);
    const right = Math.min(X(flowEnd(flow)) + 8, X.right + 12);
    if (right < left) return;
    context.beginPath();
    context.roundRect(left, y - BOX / 2, Math.max(right - left, 4), BOX, BOX / 2);
    context.fillStyle = row.kin === 'current' ? palette.accent : palette.dim;
    context.globalAlpha = row.kin === 'current' ? 0.22 : 0.13;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = row.kin === 'current' ? palette.accent : palette.dim;
    context.lineWidth = 1;
    context.stroke();
    const dots = new Map(); /* one a pixel, which stands for all that are there */
    for (const marker of flow.markers) {
      const x = X(marker.start), pixel = Math.round(x);
      if (x < X.left - 1 || x > X.right + 1) continue;
      if (!dots.has(pixel)) {
        dots.set(pixel, {marker, others: [], x, y});
        drawFlowDot(context, marker, x, y, 3.6);
      } else if (dots.get(pixel).others.length < OTHERS) {
        dots.get(pixel).others.push(marker);
      }
    }
    flowView.rowHits.push(...dots.values());
  }

  function drawFlowDot(context, marker, x, y, size) {
    context.beginPath();
    context.arc(x, y, size, 0, 7);
    context.fillStyle = palette[markerColor(marker)];
    context.fill();
    context.strokeStyle = palette.card;
    context.stroke();
  }

  function drawLength(context, marker, y) {
    const left = Math.max(X(marker.start), X.left);
    const right = Math.min(X(marker.end), X.right);
    if (!marker.interval || right < left) return;
    context.fillStyle = palette[markerColor(marker)];
    context.globalAlpha = 0.5;
    context.fillRect(left, y - BOX / 2 + 3, Math.max(right - left, 2), BOX - 6);
    context.globalAlpha = 1;
  }

  function drawArrow(context, x, from, to) {
    const down = Math.sign(to - from), end = to - down * 6;
    if (!down || x < X.left || x > X.right) return;
    context.strokeStyle = context.fillStyle = palette.ink;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x, from);
    context.lineTo(x, end);
    context.stroke();
    context.beginPath();
    context.moveTo(x, end + down * 2);
    context.lineTo(x - 4, end - down * 5);
    context.lineTo(x + 4, end - down * 5);
    context.fill();
  }

  /* An arrow from a marker's interval to the dot of one whose context it is. */
  function drawContext(context, outer, inner) {
    for (const above of rowsWith(outer)) {
      drawLength(context, outer, rowMiddle(above));
      for (const below of rowsWith(inner)) {
        drawArrow(context, X(inner.start), rowMiddle(above), rowMiddle(below));
        drawFlowDot(context, inner, X(inner.start), rowMiddle(below), 5);
      }
    }
  }

  function drawConnections(g, marker) {
    const {context} = g, at = rowsWith(marker).map(rowMiddle), x = X(marker.start);
    for (const y of at)
      drawLength(context, marker, y);
    if (marker.context >= 0) drawContext(context, flows.markers[marker.context], marker);
    for (const inner of markersWithin(marker))
      drawContext(context, marker, inner);
    if (x < X.left - 1 || x > X.right + 1 || !at.length) return;
    context.strokeStyle = palette.accent;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x, Math.min(...at));
    context.lineTo(x, Math.max(...at));
    context.stroke();
    for (const y of at)
      drawFlowDot(context, marker, x, y, 5.2);
  }

  function drawPanel() {
    if (!flowView.flow) return;
    const g = prepare($('flow-lanes'));
    flowView.rowHits = [];
    for (const row of flowView.rows) {
      const y = rowMiddle(row);
      if (y > -ROW && y < g.height + ROW) drawRow(g, row);
    }
    const marker = flowView.hovered || flowView.picked;
    for (const one of marker ? [marker, ...flowView.others] : [])
      drawConnections(g, one);
  }

  let drawingFlows = 0;

  function drawFlowsSoon() {
    if (!drawingFlows) drawingFlows = requestAnimationFrame(drawFlows);
  }

  function drawFlows() {
    drawingFlows = 0;
    if (!flows) return;
    drawChart();
    drawPanel();
  }

  /* From here on: a marker's tooltip. */

  const neighbour = (marker, flow, step) => flow.markers[flow.markers.indexOf(marker) + step];

  /* The time of this marker, at which the flow lasts. */
  const viewAll = (marker, flow) => searchFor('flow:' + flow.id + ';' +
      flowMs(Math.min(Math.max(marker.start, flow.start), flow.last)));

  /* What can be done from a marker's field that mentions a flow. `go` takes its neighbours. */
  function flowButtons(marker, flow, go) {
    const make = (act, text, does, isOff) => {
      const button = el('button', {'data-act': act + flow.place,
        'aria-label': text + (act === 'all' ? ' of' : act === 'enter' ? '' : ' in') + ' flow ' +
            flowName(flow)}, text);
      button.disabled = !!isOff;
      button.addEventListener('click', does);
      return button;
    };
    const before = neighbour(marker, flow, -1), after = neighbour(marker, flow, 1);
    return el('span', {class: 'flow-buttons'},
        make('previous', 'Previous', () => go(before, 'previous' + flow.place), !before),
        make('next', 'Next', () => go(after, 'next' + flow.place), !after),
        make('all', 'View all', () => viewAll(marker, flow)),
        make('enter', 'Enter', () => enter(flow)));
  }

  function fieldText(field) {
    if (field.kind === NUMBER_FIELD) return flowMs(field.value);
    return field.kind === TEXT_FIELD ? flows.texts[field.value] : flowName(flows.list[field.value]);
  }

  function tipOf(marker, isSticky) {
    const list = el('dl');
    const add = (name, ...what) => list.append(el('dt', null, foreign(name)), el('dd', null, ...what));
    add('marker', foreign(markerName(marker)), ', ', foreign(flows.texts[marker.category]));
    add('thread', foreign(threadText(marker.thread)));
    add('at', moment(marker.start) + ' (' + flowMs(marker.start) + ' ms)');
    add('took', tookText(marker));
    for (const field of marker.fields) {
      const name = flows.texts[field.name];
      if (field.kind < FLOW_FIELD)
        add(name, foreign(fieldText(field)));
      else
        add(name + (field.kind > FLOW_FIELD ? ', its end' : ''),
            el('code', null, foreign(fieldText(field))),
            isSticky ? flowButtons(marker, flows.list[field.value], goInTip) : null);
    }
    if (!isSticky && flowView.others.length)
      add('also here', foreign([...new Set(flowView.others.map(nameOf))].join(', ')));
    return [el('b', null, foreign(nameOf(marker))), list];
  }

  /* Beside a point of the window, and within it. */
  function placeTip(x, y) {
    const tip = $('marker-tip');
    const left = x + 14 + tip.offsetWidth > innerWidth ? x - 14 - tip.offsetWidth : x + 14;
    const top = y + 14 + tip.offsetHeight > innerHeight ? y - 14 - tip.offsetHeight : y + 14;
    tip.style.left = Math.max(0, left) + 'px';
    tip.style.top = Math.max(0, top) + 'px';
  }

  /* Above the panel or below it, so that it hides no arrow. */
  function placeTipBeside(x) {
    const tip = $('marker-tip'), box = $('flow-panel').getBoundingClientRect();
    placeTip(x, 0);
    const above = box.top - tip.offsetHeight;
    if (above >= 0 || box.bottom + tip.offsetHeight <= innerHeight)
      tip.style.top = (above >= 0 ? above : box.bottom) + 'px';
  }

  function fillTip(marker, isSticky) {
    const tip = $('marker-tip');
    tip.hidden = !marker;
    if (!marker) return;
    tip.classList.toggle('sticky', isSticky);
    tip.setAttribute('role', isSticky ? 'dialog' : 'tooltip');
    tip.setAttribute('aria-label', 'Marker ' + markerName(marker) + ', ' + nameOf(marker));
    tip.replaceChildren(...tipOf(marker, isSticky));
  }

  function hover(hit, event) {
    const marker = hit && hit.marker, changes = flowView.hovered !== marker;
    flowView.hovered = marker;
    flowView.others = hit && hit.others || [];
    if (changes) {
      if (marker)
        fillTip(marker, false);
      else
        showPicked();
      drawFlowsSoon();
    }
    if (marker && hit.others)
      placeTipBeside(event.clientX);
    else if (marker)
      placeTip(event.clientX, event.clientY);
  }

  /* The tooltip of the marker that was picked stays, with buttons, at the marker's place. */
  function showPicked() {
    fillTip(flowView.picked, true);
    if (!flowView.picked) return;
    const spot = spotOf(flowView.picked), box = $('chart').getBoundingClientRect();
    placeTip(box.left + spot.x, Math.min(Math.max(box.top + spot.y, 0), innerHeight));
  }

  /* Picks a marker, and brings it and its thread's track into sight. */
  function pickMarker(marker) {
    flowView.hovered = null;
    flowView.others = [];
    flowView.picked = marker;
    if (marker) {
      const box = $('chart-box'), {thread} = marker;
      if (marker.start < view.from || marker.start > view.to) {
        const length = view.to - view.from;
        show(marker.start - length / 2, marker.start + length / 2);
      }
      box.scrollTop = Math.min(Math.max(box.scrollTop, thread.top + thread.height - box.clientHeight),
          thread.top);
      box.scrollIntoView({block: 'nearest'});
      drawNow();
    }
    sayPicked();
    draw();
  }

  function sayPicked() {
    const marker = flowView.picked;
    $('markers-says').textContent = marker ? nameOf(marker) + ', ' + markerName(marker) + ', at ' +
        moment(marker.start) + ', ' + tookText(marker) + ', ' + threadText(marker.thread) : '';
    showPicked();
  }

  function goInTip(marker, act) {
    pickMarker(marker);
    focusAct($('marker-tip'), act);
  }

  /* Focus stays on the same button of the next marker, or goes to one that can be pressed. */
  function focusAct(within, act) {
    const same = within.querySelector('[data-act="' + act + '"]:not(:disabled)');
    const other = within.querySelector('[data-act]:not(:disabled)');
    if (same || other) (same || other).focus();
  }

  function closeTip() {
    pickMarker(null);
    $('chart').focus();
  }

  /* From here on: tables, which say the same. */

  /* The heads of numbers begin with a '#'. */
  const head = (...names) => el('tr', null, ...names.map((name) =>
      el('th', {scope: 'col', class: name[0] === '#' ? 'n' : ''}, name.replace('#', ''))));

  const firstOf = (list, limit) => list.length > limit ?
      'The first ' + limit + ' of ' + list.length.toLocaleString('en-US') + '.' : '';

  function goInTable(table) {
    return (marker, act) => {
      pickMarker(marker);
      const row = $(table).querySelector('[data-marker="' + marker.place + '"]');
      if (row) focusAct(row, act);
    };
  }

  function fieldsCell(marker, table) {
    return el('td', {class: 'wrap'}, ...marker.fields.map((field) => el('div', null,
        el('span', {class: 'dim'}, foreign(flows.texts[field.name]), ' '),
        el(field.kind < FLOW_FIELD ? 'span' : 'code', null, foreign(fieldText(field))),
        field.kind > FLOW_FIELD ? ' (its end)' : '',
        field.kind < FLOW_FIELD ? null :
                                  flowButtons(marker, flows.list[field.value], goInTable(table)))));
  }

  function markerCells(marker, table) {
    const button = el('button', {class: 'link'}, foreign(nameOf(marker)));
    button.addEventListener('click', () => pickMarker(marker));
    return [
      el('th', {scope: 'row'}, foreign(markerName(marker))), el('td', {class: 'n'}, moment(marker.start)),
      el('td', {class: 'n'}, marker.interval ? tookText(marker) : '–'), el('td', null, button),
      el('td', null, foreign(threadText(marker.thread))), fieldsCell(marker, table)
    ];
  }

  const MARKER_HEADS = ['marker', '#at', '#took', 'name', 'thread', 'fields and flows'];

  function fillMarkersTable() {
    if (!$('markers-list').open) return;
    const found = flows.markers.filter(isShown).sort((a, b) => a.start - b.start || a.place - b.place);
    $('markers-table').tHead.replaceChildren(head(...MARKER_HEADS));
    $('markers-table').tBodies[0].replaceChildren(...found.slice(0, TABLE_ROWS).map(
        (marker) => el('tr', {'data-marker': marker.place}, ...markerCells(marker, 'markers-table'))));
    $('markers-more').textContent = firstOf(found, TABLE_ROWS);
  }

  /* The markers of a flow, within its row. */
  function flowMarkers(flow) {
    const table = el('table', {'aria-label': 'Markers of flow ' + flowName(flow)},
        el('thead', null, head(...MARKER_HEADS)), el('tbody', null,
            ...flow.markers.slice(0, TABLE_ROWS).map((marker) =>
                el('tr', {'data-marker': marker.place}, ...markerCells(marker, 'flow-table')))));
    return el('tr', {class: 'inner'}, el('td', {colspan: 7}, table,
        firstOf(flow.markers, TABLE_ROWS)));
  }

  function flowTableRow(row) {
    const {flow} = row;
    const opener = el('button', {class: 'opener', 'aria-label': 'Markers of flow ' + flowName(flow),
      'aria-expanded': 'false'}, '▸');
    const line = el('tr', {'data-flow': row.kin + flow.place}, el('td', null, opener, ' ', row.kin),
        el('th', {scope: 'row'}, enterButton(row)), el('td', {class: 'n'}, moment(flow.start)),
        el('td', {class: 'n'}, flow.open ? NO_END : moment(flowEnd(flow))),
        el('td', {class: 'n'}, flow.markers.length.toLocaleString('en-US')),
        el('td', {class: 'n'}, String(new Set(flow.markers.map((one) => one.thread)).size)),
        el('td', null, pinButton(row)));
    let inner = null;
    const toggleRow = () => {
      if (inner)
        inner.remove();
      else
        line.after(inner = flowMarkers(flow));
      const isOpen = inner.isConnected;
      if (!isOpen) inner = null;
      opener.setAttribute('aria-expanded', String(isOpen));
      opener.textContent = isOpen ? '▾' : '▸';
    };
    opener.addEventListener('click', toggleRow);
    return {line, toggleRow};
  }

  function fillFlowTable() {
    if (!$('flow-list').open || !flowView.flow) return;
    const all = allRowsOf(flowView.flow), at = all.findIndex(({kin}) => kin === 'current');
    const first = Math.max(0, Math.min(at, all.length - FLOW_ROWS));
    const rows = all.slice(first, first + FLOW_ROWS).map((row) => ({...flowTableRow(row), row}));
    $('flow-more').textContent = all.length > FLOW_ROWS ?
        count(all.length - FLOW_ROWS, 'further flow') + ' are left out.' : '';
    $('flow-table').tHead.replaceChildren(
        head('is', 'flow', '#begins', '#ends', '#markers', '#threads', 'pinned'));
    $('flow-table').tBodies[0].replaceChildren(...rows.map(({line}) => line));
    rows.find(({row}) => row.kin === 'current').toggleRow();
  }

  /* From here on: keys and the mouse. */

  function stepInTrack(step) {
    const from = flowView.picked;
    if (!from) return pickFirst();
    const {markers} = from.thread;
    for (let i = markers.indexOf(from) + step; i >= 0 && i < markers.length; i += step)
      if (isShown(markers[i])) return pickMarker(markers[i]);
  }

  function pickFirst() {
    for (const thread of flows.threads) {
      const first = thread.markers.slice(firstAfter(thread.markers, view.from, 'start')).find(isShown);
      if (first && first.start <= view.to) return pickMarker(first);
    }
  }

  /* The marker of another thread that is closest in time. */
  function stepTrack(step) {
    const from = flowView.picked;
    if (!from) return pickFirst();
    for (let i = from.thread.place + step; i >= 0 && i < flows.threads.length; i += step) {
      const far = (marker) => Math.abs(marker.start - from.start);
      const closest = flows.threads[i].markers.filter(isShown).reduce(
          (a, b) => (a && far(a) <= far(b) ? a : b), null);
      if (closest) return pickMarker(closest);
    }
  }

  function enterPicked() {
    const marker = flowView.picked;
    if (!marker) return pickFirst();
    if (marker.flows.length) enter(flows.list[marker.flows[0]]);
    showPicked();
    focusAct($('marker-tip'), '');
  }

  function listenToChartKeys() {
    const middle = () => flowView.picked ? flowView.picked.start : (view.from + view.to) / 2;
    const keys = {
      ArrowLeft: () => stepInTrack(-1),
      ArrowRight: () => stepInTrack(1),
      ArrowUp: () => stepTrack(-1),
      ArrowDown: () => stepTrack(1),
      Enter: enterPicked,
      ...viewKeys(middle),
      Escape: () => (flowView.picked ? closeTip() : show(0, DURATION)),
    };
    $('chart').addEventListener('keydown', (event) => actOnKey(keys, event));
    $('marker-tip').addEventListener('keydown', (event) => {
      if (event.key === 'Escape') closeTip();
    });
  }

  /* The arrow keys go along a flow's markers, and from row to row. */
  function rowKey(event, row) {
    const {rows, picked} = flowView, {markers} = row.flow;
    const along = (step) => () => {
      const at = markers.indexOf(picked);
      pickMarker(markers[Math.min(Math.max(at < 0 ? 0 : at + step, 0), markers.length - 1)]);
      row.enter.focus();
    };
    const to = (step) => () => {
      const other = rows[rows.indexOf(row) + step];
      if (other) other.enter.focus();
    };
    const keys = {
      ArrowLeft: along(-1),
      ArrowRight: along(1),
      ArrowUp: to(-1),
      ArrowDown: to(1),
      p: () => pin(row),
      t: () => focusAct($('marker-tip'), ''),
      Escape: () => pickMarker(null),
    };
    actOnKey(keys, event);
  }

  /* The nearest of what was drawn, if it is near enough. */
  function nearest(hits, {x, y}) {
    let found = null, least = CATCH;
    for (const hit of hits) {
      const aside = Math.max((hit.left || hit.x) - x, x - (hit.right || hit.x), 0);
      const far = Math.max(aside, Math.abs(hit.y - y));
      if (far <= least && far < CATCH) {
        found = hit;
        least = far;
      }
    }
    return found;
  }

  function listenToChartMouse() {
    const chart = $('chart');
    let drag = null;
    listenToWheel(chart);
    chart.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      drag = {x: event.clientX, from: view.from, to: view.to, moved: false};
      chart.setPointerCapture(event.pointerId);
    });
    chart.addEventListener('pointermove', (event) => {
      if (drag) {
        const by = (drag.x - event.clientX) / (X.right - X.left) * (drag.to - drag.from);
        drag.moved = drag.moved || Math.abs(drag.x - event.clientX) > 3;
        if (drag.moved) show(drag.from + by, drag.to + by);
      }
      const hit = drag && drag.moved ? null : nearest(flowView.hits, place(event, chart));
      hover(hit, event);
    });
    chart.addEventListener('pointerup', (event) => {
      const hit = drag && !drag.moved ? nearest(flowView.hits, place(event, chart)) : null;
      const wasClick = drag && !drag.moved;
      drag = null;
      if (!wasClick) return;
      if (hit && hit.marker.flows.length) enter(flows.list[hit.marker.flows[0]]);
      pickMarker(hit && hit.marker);
    });
    chart.addEventListener('pointercancel', () => {
      drag = null;
    });
    chart.addEventListener('dblclick', () => show(0, DURATION));
  }

  /* A click on a flow's dot enters it, as one on its name does. */
  function listenToPanelMouse() {
    const lanes = $('flow-lanes');
    lanes.addEventListener('pointermove', (event) => {
      const hit = nearest(flowView.rowHits, place(event, lanes));
      hover(hit, event);
    });
    lanes.addEventListener('click', (event) => {
      const at = place(event, lanes), hit = nearest(flowView.rowHits, at);
      const row = flowView.rows[Math.floor((at.y + $('flow-box').scrollTop) / ROW)];
      if (hit)
        pickMarker(hit.marker);
      else
        pickMarker(null);
      if (row && row.flow !== flowView.flow) enter(row.flow);
    });
    for (const canvas of [lanes, $('chart')])
      canvas.addEventListener('pointerleave', () => hover(null));
  }

  /* What of this is in the page's address. */
  const flowsAddress = () => !flows ? [] : [
    ...(flowView.search ? ['search=' + encodeURIComponent(flowView.search)] : []),
    ...(flowView.flow ? ['flow=' + encodeURIComponent(flowName(flowView.flow))] : [])
  ];

  function readFlowsAddress(wanted) {
    if (!flows) return;
    const text = wanted.get('search') || '', name = wanted.get('flow');
    if (text !== flowView.search) searchFor(text);
    enter((name && findFlow(name).flow) || null, true);
  }

  function fillMarkers() {
    if (!flows) return;
    $('markers-card').hidden = false;
    $('markers-note').textContent = count(flows.markers.length, 'marker') + ' in ' +
        count(flows.list.length, 'flow') + (data.flows.left_out ?
            '; ' + data.flows.left_out.toLocaleString('en-US') + ' more were left out, beats first' :
            '');
    layTracks();
    sift();
    $('markers-search').addEventListener('input', () => {
      flowView.search = $('markers-search').value.trim();
      search();
    });
    $('markers-clear').addEventListener('click', () => searchFor(''));
    $('flow-close').addEventListener('click', () => {
      enter(null);
      $('chart').focus();
    });
    $('markers-list').addEventListener('toggle', fillMarkersTable);
    $('flow-list').addEventListener('toggle', fillFlowTable);
    $('chart-box').addEventListener('scroll', drawFlowsSoon);
    $('flow-box').addEventListener('scroll', drawFlowsSoon);
    window.addEventListener('scroll', () => !flowView.hovered && showPicked());
    listenToChartKeys();
    listenToChartMouse();
    listenToPanelMouse();
  }

