  /* Part of the script of report_page.html: a page of a recording that grows loads itself again, and
     keeps its place: what is zoomed, picked, entered, opened, searched for and scrolled. What the
     address has is kept there. report_html.h says what is in data.follow. */

  const PLACE_NAME = 'uimon report ' + location.pathname;
  const RELOAD_LEAST = 500, RELOAD_MOST = 60000;   /* ms */
  const SCROLLED = '.scroll, .lanes, #flame-box, #birds, #source';

  /* Boxes have the name of their table, if they have none. */
  const boxName = (box) => box.id || (box.querySelector('[id]') || {}).id;

  const nodePath = (id) => {
    const path = [];
    for (let at = id; at > CUT; at = stacks.merged[at].parent)
      path.unshift(stacks.functions[stacks.merged[at].fn].label);
    return path;
  };

  const startOf = (place) => (place < 0 ? place :
      (freezes.find((freeze) => freeze.place === place) || {start: ALL}).start);

  function stackPlace() {
    if (!stacks) return null;
    const {place, thread, by, zoom, file, picked: fn, search} = stackView;
    return {
      at: place < 0 ? null : startOf(place), place, thread: stacks.threads[thread], by,
      zoom: nodePath(zoom), file: stacks.fileLabels[file], search,
      fn: fn >= 0 ? stacks.functions[fn].label : null
    };
  }

  function flowPlace() {
    if (!flows) return null;
    const {picked: marker, pinned} = flowView;
    return {
      marker: marker && [marker.thread.label, nameOf(marker), marker.start],
      pinned: pinned.map(flowName)
    };
  }

  function curvePlace() {
    if (!curves) return null;
    const {picked: at, open} = curveView, nameOfCurve = (curve) => curve.name + ' ' + curve.more;
    return {
      picked: at && [nameOfCurve(at.curve), at.from, at.to], open: [...open].map(nameOfCurve)
    };
  }

  /* The thread whose calls of methods are shown. */
  function methodPlace() {
    const {threads} = summary.methods || {threads: []};
    return threads.length ? threadName(threads[+$('methods-thread').value]) : null;
  }

  /* Tables that were sorted: by which column, and how. */
  function sortPlaces() {
    return [...document.querySelectorAll('table[id]')].map((table) => {
      const heads = table.tHead ? [...table.tHead.querySelectorAll('th')] : [];
      const column = heads.findIndex((head) => /^(a|de)scending$/.test(head.ariaSort));
      return [table.id, column, column < 0 ? '' : heads[column].ariaSort];
    }).filter(([, column]) => column >= 0);
  }

  function takePlace() {
    const focus = document.activeElement;
    return {
      end: view.from > 0 && view.to >= DURATION ? view.to - view.from : 0,
      scroll: [scrollX, scrollY],
      boxes: [...document.querySelectorAll(SCROLLED)].filter(boxName)
                 .map((box) => [boxName(box), box.scrollLeft, box.scrollTop]),
      open: [...document.querySelectorAll('details[open]')].map((one) => one.id),
      sorted: sortPlaces(),
      freeze: picked && picked.start,
      messages: data.messages.length ? data.messages[+$('messages-of').value].freeze : undefined,
      methods: methodPlace(), flows: flowPlace(), curves: curvePlace(), stacks: stackPlace(),
      focus: focus && focus.id, caret: focus && focus.selectionStart
    };
  }

  /* From here on: going back to it. What is no longer there is left out. */

  const near = (a, b) => Math.abs(a - b) < 0.01;

  function sortAgain([id, column, how]) {
    const button = $(id) && $(id).tHead.querySelectorAll('th button')[column];
    for (let tries = 0; button && tries < 2 && button.parentNode.ariaSort !== how; tries++)
      button.click();
  }

  function restoreStacks(place) {
    if (!stacks || !place) return;
    const freeze = place.at === null ? null : freezes.find((one) => near(one.start, place.at));
    const thread = stacks.threads.indexOf(place.thread);
    stackView.place = freeze ? freeze.place : place.at === null ? place.place : ALL;
    stackView.thread = Math.max(thread, 0);
    stackView.by = place.by;
    stackView.search = $('search').value = place.search;
    costs = addUp();
    stackView.zoom = place.zoom.reduce((at, label) => stacks.merged[at].kids.find((kid) =>
        kid > CUT && stacks.functions[stacks.merged[kid].fn].label === label) || at, ROOT);
    const fn = stacks.functions.findIndex((one) => one.label === place.fn);
    if (fn >= 0) pickFunction(fn, false);
    const file = stacks.fileLabels.indexOf(place.file);
    if (file >= 0) stackView.file = file;
    drawStacks();
  }

  function restoreMethods(name) {
    const {threads} = summary.methods || {threads: []};
    const place = threads.findIndex((thread) => threadName(thread) === name);
    if (place < 0 || $('methods-trees').hidden) return;
    $('methods-thread').value = place;
    fillMethodTree();
  }

  function restoreFlows(place) {
    if (!flows || !place) return;
    flowView.pinned = place.pinned.map((name) => findFlow(name).flow).filter((flow) => flow);
    fillPanel();
    if (!place.marker) return;
    const [label, name, start] = place.marker;
    const thread = flows.threads.find((one) => one.label === label);
    flowView.picked = thread && thread.markers.find(
        (marker) => nameOf(marker) === name && near(marker.start, start)) || null;
    sayPicked();
  }

  function restoreCurves(place) {
    if (!curves || !place) return;
    const find = (name) => curves.list.find((curve) => curve.name + ' ' + curve.more === name);
    curveView.open = new Set(place.open.map(find).filter((curve) => curve));
    if (place.picked && find(place.picked[0])) {
      const [name, from, to] = place.picked;
      curveView.picked = {curve: find(name), from, to};
      sayCurve();
    }
    fillCurvesTable();
  }

  function restoreMessages(freeze) {
    const place = data.messages.findIndex((one) => one.freeze === freeze);
    if (freeze === undefined || place < 0) return;
    $('messages-of').value = place;
    fillMessagesOf(data.messages[place]);
  }

  function restoreScroll(place) {
    for (const [name, left, top] of place.boxes) {
      const box = [...document.querySelectorAll(SCROLLED)].find((one) => boxName(one) === name);
      if (box) box.scrollTo(left, top);
    }
    scrollTo(...place.scroll);
    const focus = place.focus && $(place.focus);
    if (!focus) return;
    focus.focus({preventScroll: true});
    if (place.caret !== undefined && place.caret !== null && focus.setSelectionRange)
      focus.setSelectionRange(place.caret, place.caret);
  }

  function restorePlace(place) {
    if (place.end) show(DURATION - place.end, DURATION);
    place.sorted.forEach(sortAgain);
    const freeze = place.freeze !== null && freezes.find((one) => near(one.start, place.freeze));
    if (freeze) pick(freeze);
    restoreMessages(place.messages);
    restoreMethods(place.methods);
    for (const id of place.open)
      if ($(id)) $(id).open = true;
    restoreStacks(place.stacks);
    restoreFlows(place.flows);
    restoreCurves(place.curves);
    drawNow();
    if (flows) {
      fillMarkersTable();
      fillFlowTable();
    }
    restoreScroll(place);
  }

  /* A place that was left is used once. Some browsers keep none for files. */
  function readPlace() {
    try {
      const text = sessionStorage.getItem(PLACE_NAME);
      sessionStorage.removeItem(PLACE_NAME);
      return text && JSON.parse(text);
    } catch (error) {
      return null;
    }
  }

  function leave() {
    saveView();
    try {
      sessionStorage.setItem(PLACE_NAME, JSON.stringify(takePlace()));
    } catch (error) { /* the page then begins anew */
    }
    location.reload();
  }

  let isHeld = false; /* a button of the mouse is down */

  function leaveSoon() {
    if (isHeld)
      setTimeout(leaveSoon, RELOAD_LEAST);
    else
      leave();
  }

  /* When the next page should be there; the older this one is, the more seldom it looks. */
  function followOn() {
    const place = readPlace();
    if (place) {
      history.scrollRestoration = 'manual';
      restorePlace(place);
    }
    if (!data.follow) return;
    const {made_utc_ms: made, next_ms: next} = data.follow, age = Date.now() - made;
    const wait = age < next ? next - age + RELOAD_LEAST : Math.max(next, age / 4);
    for (const [name, held] of [['pointerdown', true], ['pointerup', false], ['pointercancel', false]])
      window.addEventListener(name, () => {
        isHeld = held;
      }, true);
    setTimeout(leaveSoon, Math.min(Math.max(wait, RELOAD_LEAST), RELOAD_MOST));
  }

