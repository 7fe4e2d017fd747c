  /* Part of the script of report_page.html: the stacks, as a flame graph, as the bird's-eye view, and
     on the source. report_stacks.h says what is in data.stacks. */

  /* By the system's own count, which goes in ticks: few samples say little. */
  const TICKS = ', which Windows counts in steps of up to 15.6 ms';
  const CRITERIA = {
    wall: {name: 'time', says: 'the time that its samples, or those of what it called, stand for', isTime: true},
    self: {name: 'self', says: 'the time that samples in it itself stand for', isTime: true},
    cpu: {name: 'CPU', says: 'CPU time, in user and kernel mode' + TICKS, isTime: true},
    user: {name: 'user', says: 'CPU time in user mode' + TICKS, isTime: true},
    kernel: {name: 'kernel', says: 'CPU time in kernel mode' + TICKS, isTime: true},
    samples: {name: 'samples', says: 'samples in it or in what it called, however long each stands for'},
    functions: {name: 'functions', says: 'how many functions were seen in it: itself and what it called'},
    count: {name: 'freezes', says: 'in how many freezes it was seen'},
  };
  const BY_OPTION = {time: 'wall', freezes: 'count'}; /* as --by calls them */
  const ROOT = 0, CUT = 1;
  const GUESS = '? ';      /* in front of a function that is one */
  const NOT_READ = '(stack not read)';
  const BOXES = 3000;      /* that are drawn at most */
  const RUN = 3;           /* so many boxes of a function that calls itself become one */
  const NARROWEST = 2;     /* of a box that is drawn. Units: CSS pixels */
  const ALL = -1, FREEZES = -2; /* in place of one freeze: all samples, all of freezes */
  const HOTTEST = 12;      /* functions with their names in the row on top; the rest are squares */
  const LINES = 20000;     /* of a function, at most */
  const LINE_HEIGHT = 0.18; /* of a block, for each line of its function, at most. Units: em */
  const MOST_HEIGHT = 24;   /* of the block with most lines */
  const LEAST_HEIGHT = 1.6; /* of a block, which has room for its name */

  const stacks = data.stacks && unpackStacks(data.stacks);
  const stackView = {place: -1, thread: 0, by: 'self', zoom: ROOT, file: -1, picked: -1, search: '',
    open: new Set() /* nodes of recursions that are shown box by box */};

  /* A function's name as the rest of uimon writes it: "module!name". */
  function labelOf(name, module) {
    const stem = module.replace(/^.*[\\/]/, '').replace(/\.(exe|dll)$/i, '');
    return stem ? stem + (name.startsWith('+') ? '' : '!') + name : name;
  }

  function unpackStacks(packed) {
    const made = {functions: [], frames: [], samples: [], files: packed.files,
      fileLabels: labelFiles(packed.files), threads: packed.threads};
    packed.functions.forEach(([name, module, file, line, nearest, first, last]) => {
      const path = packed.modules[module] || '';
      made.functions.push({name, module: path, label: labelOf(name, path), file, line, nearest,
        first, last});
    });
    for (const from = unpacker(packed.frames); from.more();) {
      const fn = from.number();
      const file = from.number() - 1, line = from.number();
      made.frames.push({fn, file, line: Math.floor(line / 4), nearest: line % 2,
        guess: Math.floor(line / 2) % 2});
    }
    unpackNodes(packed, made);
    for (const from = unpacker(packed.samples); from.more();) {
      const place = from.number() - 1, node = from.number();
      const sample = {place, node: node >> 1, hidden: node & 1, wall: from.number() / 1000};
      sample.user = from.number() / 1000;
      sample.kernel = from.number() / 1000;
      sample.cpu = sample.user + sample.kernel;
      sample.thread = from.number();
      made.samples.push(sample);
    }
    return made;
  }

  /* Nodes of one function below the same caller become one, whatever their lines are, and whether
     they are guesses or not. */
  function unpackNodes(packed, made) {
    made.nodes = [{parent: -1, merged: ROOT}, {parent: ROOT, merged: CUT}];
    made.merged = [{parent: -1, fn: -1, kids: []}, {parent: ROOT, fn: -1, kids: []}];
    made.merged[ROOT].kids.push(CUT);
    const known = new Map();
    for (const from = unpacker(packed.nodes); from.more();) {
      const parent = from.number(), frame = from.number();
      const above = made.nodes[parent].merged, fn = made.frames[frame >> 1].fn;
      const key = above + ' ' + fn + ' ' + (frame & 1);
      if (!known.has(key)) {
        known.set(key, made.merged.length);
        made.merged[above].kids.push(made.merged.length);
        made.merged.push({parent: above, fn, hidden: frame & 1, kids: []});
      }
      made.nodes.push({parent, frame: frame >> 1, merged: known.get(key)});
    }
  }

  /* From here on: adding up. */

  const nothing = () => ({samples: 0, self: 0, wall: 0, cpu: 0, user: 0, kernel: 0, functions: 0,
    count: 0, guessed: 0, sample: -1, place: -1, guess: 0});

  /* Adds a sample once to whatever it is in, however often it is there. It counts as guessed if each
     of these times is a guess. */
  function charge(cost, sample, index, isSelf, guess) {
    if (isSelf) cost.self += sample.wall;
    const isAgain = cost.sample === index, was = isAgain ? cost.guess : 0;
    cost.guess = guess && (!isAgain || was) ? 1 : 0;
    cost.guessed += cost.guess - was;
    if (isAgain) return;
    cost.sample = index;
    cost.samples++;
    cost.wall += sample.wall;
    cost.cpu += sample.cpu;
    cost.user += sample.user;
    cost.kernel += sample.kernel;
    if (sample.place >= 0 && cost.place !== sample.place) {
      cost.place = sample.place;
      cost.count++;
    }
  }

  function costIn(map, key) {
    if (!map.has(key)) map.set(key, nothing());
    return map.get(key);
  }

  /* Whether a sample is of the chosen thread and freeze. */
  const isChosen = (sample) => sample.thread === stackView.thread &&
      (stackView.place === ALL || sample.place === stackView.place ||
       (stackView.place === FREEZES && sample.place >= 0));

  /* What everything costs in the chosen freeze, or in all. */
  function addUp() {
    const costs = {
      nodes: stacks.merged.map(nothing),
      functions: new Map(),
      files: new Map(),
      lines: new Map(), /* by file, then by line */
      total: nothing(),
    };
    stacks.samples.forEach((sample, index) => {
      if (!isChosen(sample)) return;
      let isSelf = !sample.hidden, guesses = 0;
      charge(costs.nodes[ROOT], sample, index, false, 0);
      for (let at = sample.node; at > ROOT; at = stacks.nodes[at].parent) {
        const node = stacks.nodes[at], guess = at === CUT ? 0 : stacks.frames[node.frame].guess;
        charge(costs.nodes[node.merged], sample, index, isSelf, guess);
        if (at !== CUT) chargeFrame(costs, stacks.frames[node.frame], sample, index, isSelf);
        isSelf = false;
        guesses += guess;
      }
      charge(costs.total, sample, index, false, guesses);
    });
    costs.frozen = frozenIn(stackView.place);
    const inFreezes = stacks.samples.filter((s) => s.place >= 0 && isChosen(s));
    costs.unsampled =
        Math.max(0, costs.frozen - inFreezes.reduce((sum, sample) => sum + sample.wall, 0));
    return costs;
  }

  /* Fills in how many functions were seen in each function, that is, below its nodes, and with
     that in each node and line of it. Below a node are those that are on a stack with it. */
  function countFunctions() {
    const seen = new Map();
    for (let id = CUT + 1; id < stacks.merged.length; id++) {
      if (!costs.nodes[id].samples) continue;
      for (let at = id; at > CUT; at = stacks.merged[at].parent) {
        const above = stacks.merged[at].fn;
        if (!seen.has(above)) seen.set(above, new Set());
        seen.get(above).add(stacks.merged[id].fn);
      }
    }
    const number = (fn) => (seen.has(fn) ? seen.get(fn).size : 0);
    costs.total.functions = costs.functions.size;
    for (const [fn, cost] of costs.functions) cost.functions = number(fn);
    costs.nodes.forEach((cost, id) => {
      cost.functions = id > CUT ? number(stacks.merged[id].fn) : costs.functions.size;
    });
    for (const lines of costs.lines.values())
      for (const line of lines.values()) line.functions = number(line.fn);
    const inFile = new Map();
    for (const frame of stacks.frames) {
      if (!costs.functions.has(frame.fn) || !costs.files.has(columnOf(frame))) continue;
      if (!inFile.has(columnOf(frame))) inFile.set(columnOf(frame), new Set());
      inFile.get(columnOf(frame)).add(frame.fn);
    }
    for (const [key, cost] of costs.files) cost.functions = inFile.has(key) ? inFile.get(key).size : 0;
  }

  function chargeFrame(costs, frame, sample, index, isSelf) {
    charge(costIn(costs.functions, frame.fn), sample, index, isSelf, frame.guess);
    charge(costIn(costs.files, columnOf(frame)), sample, index, isSelf, frame.guess);
    if (frame.file < 0) return;
    if (!costs.lines.has(frame.file)) costs.lines.set(frame.file, new Map());
    const lines = costs.lines.get(frame.file);
    const line = costIn(lines, frame.line);
    line.fn = frame.fn;
    line.all = (line.all || 0) + 1;
    line.nearest = (line.nearest || 0) + frame.nearest;
    charge(line, sample, index, isSelf, frame.guess);
  }

  /* How long the freezes were. */
  function frozenIn(place) {
    if (place < 0) return summary.freezes.total_ms;
    return freezes.find((freeze) => freeze.place === place).duration;
  }

  let costs = null;

  /* The most that a value can be, for shares of it; 0: a share of it says nothing. */
  const wholeOf = (by) => (by === 'wall' || by === 'self' ? costs.total.wall + costs.unsampled :
      by === 'count'                                      ? 0 :
                                                            costs.total[by]);

  const valueOf = (cost) => (cost ? cost[stackView.by] : 0);

  function valueText(value, by) {
    return CRITERIA[by].isTime ? span(value) : value.toLocaleString('en-US');
  }

  /* The width of boxes: only these add up to those above them. */
  const widthBy = () => (['cpu', 'user', 'kernel', 'samples'].includes(stackView.by) &&
          costs.total[stackView.by] > 0 ? stackView.by : 'wall');

  function heat(cost, most) {
    return most > 0 ? Math.min(1, Math.sqrt(valueOf(cost) / most)).toFixed(3) : 0;
  }

  /* From here on: details of what the pointer or the keyboard is at. */

  /* A line, and whether it is only the nearest one before that is known. */
  const lineText = (line, nearest) => (nearest ? '~' : '') + line;

  /* Whether that is true of half of what was seen in a line. */
  const isNearest = (cost) => Boolean(cost && cost.nearest * 2 >= cost.all && cost.nearest);

  /* Whether something is shown as a guess: in at least half of its samples it is one. */
  const isGuess = (cost) => cost.guessed > 0 && cost.guessed * 2 >= cost.samples;

  const guessText = (cost) => 'A guess in ' + cost.guessed.toLocaleString('en-US') + ' of ' +
      count(cost.samples, 'sample') + ': it may not have called what is below it there.';

  function placeText(fn) {
    const one = stacks.functions[fn];
    if (one.file < 0) return 'no source known';
    return stacks.files[one.file] + (one.line ? ':' + lineText(one.line, one.nearest) : '');
  }

  function detailsOf(title, cost, where) {
    const list = el('dl');
    for (const by of Object.keys(CRITERIA)) {
      const of = wholeOf(by);
      list.append(el('dt', null, CRITERIA[by].name),
          el('dd', null, valueText(cost[by], by) + (of ? ', ' + share(cost[by], of) : '')));
    }
    return [
      el('b', null, foreign(title)), where ? el('div', {class: 'dim'}, foreign(where)) : null, list,
      cost.guessed ? el('div', null, guessText(cost)) : null
    ];
  }

  function showDetails(element, parts) {
    const hover = $('stack-hover'), box = element.getBoundingClientRect();
    hover.replaceChildren(...parts.filter((part) => part));
    hover.hidden = false;
    const width = hover.offsetWidth, height = hover.offsetHeight;
    const below = box.bottom + 6 + height < innerHeight;
    hover.style.left = Math.max(4, Math.min(box.left, innerWidth - width - 8)) + 'px';
    hover.style.top = Math.max(4, below ? box.bottom + 6 : box.top - height - 6) + 'px';
  }

  const hideDetails = () => {
    $('stack-hover').hidden = true;
  };

  /* Shows details while the pointer is over the element, and while it has the focus. */
  function detailed(element, make) {
    for (const name of ['pointerenter', 'focus'])
      element.addEventListener(name, () => showDetails(element, make()));
    for (const name of ['pointerleave', 'blur']) element.addEventListener(name, hideDetails);
  }

  /* From here on: the flame graph. */

  const nodeName = (id) => (id === ROOT ? 'everything' :
      id === CUT                        ? NOT_READ :
                   (isGuess(costs.nodes[id]) ? GUESS : '') +
              (stacks.merged[id].hidden ? '> ' : '') + stacks.functions[stacks.merged[id].fn].label);

  const isFound = (id) => stackView.search !== '' && id > CUT &&
      stacks.functions[stacks.merged[id].fn].label.toLowerCase().includes(stackView.search);

  /* The only node below one, if it is the same function again, called at once; or -1. */
  function recursionBelow(id) {
    const kids = stacks.merged[id].kids.filter((kid) => costs.nodes[kid].samples > 0);
    const alone = kids.length === 1 && costs.nodes[kids[0]].samples === costs.nodes[id].samples;
    return alone && id > CUT && stacks.merged[kids[0]].fn === stacks.merged[id].fn &&
            !stacks.merged[kids[0]].hidden ? kids[0] : -1;
  }

  /* A function that calls itself again and again, and nothing else, is one box, from its first node
     to its last one. */
  function runFrom(id) {
    const nodes = [id];
    for (let at = recursionBelow(id); at >= 0; at = recursionBelow(at)) nodes.push(at);
    return nodes.length >= RUN && !stackView.open.has(id) ? nodes : [id];
  }

  /* The callers of a node, the outermost first, as boxes: a recursion is one of them. */
  function callersOf(id, width) {
    const boxes = [];
    for (let at = stacks.merged[id].parent; at >= 0; at = stacks.merged[at].parent)
      boxes.unshift({id: at, nodes: [at], left: 0, width, above: true});
    const isNext = (box, next) => box.id > CUT && !stacks.merged[next.id].hidden &&
        stacks.merged[box.id].fn === stacks.merged[next.id].fn;
    for (let i = 0; i < boxes.length; i++) {
      let end = i + 1;
      while (end < boxes.length && isNext(boxes[i], boxes[end])) end++;
      if (end - i < RUN) continue;
      boxes[i].nodes = boxes.slice(i, end).map((box) => box.id);
      boxes.splice(i + 1, end - i - 1);
    }
    boxes.forEach((box, depth) => {
      box.depth = depth;
    });
    return boxes;
  }

  /* The boxes from a node on, those that are wide enough. */
  function layOut(id, left, width, depth, boxes) {
    const by = widthBy(), own = costs.nodes[id][by];
    const extra = id === ROOT && by === 'wall' ? costs.unsampled : 0;
    const nodes = runFrom(id);
    boxes.push({id, nodes, left, width, depth});
    const kids = stacks.merged[nodes[nodes.length - 1]].kids.filter((kid) => costs.nodes[kid][by] > 0)
                     .sort((a, b) => costs.nodes[b][by] - costs.nodes[a][by]);
    for (const kid of kids) {
      const wide = width * costs.nodes[kid][by] / (own + extra);
      if (wide < NARROWEST) break;
      layOut(kid, left, wide, depth + 1, boxes);
      left += wide;
    }
    if (extra > 0 && width * extra / (own + extra) >= NARROWEST)
      boxes.push({id: -1, left, width: width * extra / (own + extra), depth: depth + 1});
  }

  /* What is in a recursion itself is what its last call has. */
  const costOfBox = (box) => costs.nodes[box.above ? box.id : box.nodes[box.nodes.length - 1]];

  function makeBox(box, most, total, rowHeight) {
    const isRest = box.id < 0;
    const cost = isRest ? {wall: costs.unsampled} : costOfBox(box);
    const times = isRest || box.nodes.length === 1 ? '' : ' × ' + box.nodes.length;
    const name = isRest ? 'unattributed' : nodeName(box.id) + times;
    const value = cost[widthBy()];
    const label = name + ', ' + valueText(value, widthBy()) + ', ' + share(value, total);
    const element = el('div', {
      class: 'box heat' + (isRest || box.id === CUT ? ' cut' : box.id === ROOT ? ' root' : '') +
          (!isRest && isGuess(cost) ? ' guess' : '') +
          (box.above ? ' above' : '') +
          (isFound(box.id) ? ' found' : stackView.search ? ' missed' : ''),
      style: 'left:' + box.left + 'px;width:' + box.width + 'px;top:' + box.depth * rowHeight +
          'px;--heat:' + (isRest ? 0 : heat(cost, most)),
      role: 'treeitem',
      'aria-level': box.depth + 1,
      'aria-label': label,
      ...(times ? {'aria-expanded': 'false'} : {}),
      tabindex: -1,
      'data-node': box.id,
    }, ...(box.width > 24 ? [foreign(isRest ? name : nodeName(box.id)), times] : []));
    const fn = isRest || box.id <= CUT ? -1 : stacks.merged[box.id].fn;
    detailed(element, () => (isRest ?
        [el('b', null, 'unattributed: ' + span(costs.unsampled)),
          el('div', null, 'Time in freezes that no sample stands for.')] :
        detailsOf(name, cost, fn < 0 ? '' : placeText(fn))));
    element.addEventListener('click', () => {
      if (fn >= 0) pickFunction(fn, false);
      if (times && !box.above)
        openRun(box);
      else if (!isRest)
        zoomTo(box.id);
    });
    return element;
  }

  function drawFlame() {
    const flame = $('flame'), boxes = [];
    const width = flame.clientWidth || 800;
    const above = callersOf(stackView.zoom, width);
    layOut(stackView.zoom, 0, width, above.length, boxes);
    boxes.push(...above);
    boxes.sort((a, b) => b.width - a.width).splice(BOXES);
    boxes.sort((a, b) => a.depth - b.depth || a.left - b.left);
    const rowHeight = 18 * parseFloat(getComputedStyle(flame).fontSize) / 14;
    const most = Math.max(0, ...boxes.filter((box) => box.id > CUT)
                                 .map((box) => valueOf(costOfBox(box))));
    const by = widthBy(), total = costs.nodes[ROOT][by] + (by === 'wall' ? costs.unsampled : 0);
    const drawn = boxes.map((box) => makeBox(box, most, total, rowHeight));
    flame.style.height = (Math.max(...boxes.map((box) => box.depth)) + 1) * rowHeight + 'px';
    flame.replaceChildren(...drawn);
    const first = drawn.find((box) => +box.dataset.node === stackView.zoom);
    if (first) first.tabIndex = 0;
    $('unzoom').disabled = stackView.zoom === ROOT && stackView.open.size === 0;
    const found = boxes.filter((box) => isFound(box.id)).length;
    $('found').textContent = stackView.search ? count(found, 'box', 'boxes') + ' shown' : '';
  }

  /* Shows a recursion box by box, until everything is shown again. */
  function openRun(box) {
    box.nodes.forEach((id) => stackView.open.add(id));
    redrawAt(box.id);
  }

  function zoomTo(id) {
    stackView.zoom = id;
    if (id === ROOT) stackView.open.clear();
    redrawAt(id);
  }

  /* The box with the focus may be gone; this one gets it. */
  function redrawAt(id) {
    const hadFocus = $('flame').contains(document.activeElement);
    hideDetails();
    drawFlame();
    if (hadFocus) focusBox($('flame').querySelector('[data-node="' + id + '"]'));
  }

  function focusBox(box) {
    if (!box) return;
    for (const other of $('flame').querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    box.tabIndex = 0;
    box.focus();
  }

  /* Up and down go to callers and to what was called, left and right to what stands beside. */
  function moveInFlame(event) {
    const box = document.activeElement;
    if (!box.dataset || box.dataset.node === undefined || event.ctrlKey || event.altKey) return;
    const all = [...$('flame').children], at = all.indexOf(box);
    const level = (one) => +one.getAttribute('aria-level');
    const left = (one) => parseFloat(one.style.left);
    const moves = {
      ArrowUp: () => all.filter((o) => level(o) === level(box) - 1 && left(o) <= left(box) + 1).pop(),
      ArrowDown: () => all.find((o) => level(o) === level(box) + 1 && left(o) >= left(box) - 1),
      ArrowLeft: () => (at > 0 && level(all[at - 1]) === level(box) ? all[at - 1] : null),
      ArrowRight: () => (all[at + 1] && level(all[at + 1]) === level(box) ? all[at + 1] : null),
      Home: () => all[0],
    };
    if (moves[event.key])
      focusBox(moves[event.key]());
    else if (event.key === 'Enter' || event.key === ' ')
      box.click();
    else if (event.key === 'Escape' || event.key === '0')
      zoomTo(ROOT);
    else
      return;
    event.preventDefault();
  }

  /* Two builds can have different files of one path, which then have numbers. */
  function labelFiles(files) {
    const counts = new Map();
    return files.map((path) => {
      const count = (counts.get(path) || 0) + 1;
      counts.set(path, count);
      return count > 1 ? path + ' (' + count + ')' : path;
    });
  }

  /* From here on: the bird's-eye view. Its columns are files, and modules where no file is known. */

  const columnOf = (frame) => (frame.file >= 0 ? 'f' + frame.file :
                                                 'm' + stacks.functions[frame.fn].module);

  /* All functions of the recording by column, with the lines of them: those from the begin to the end
     of the function if they are known, or else those that were seen. */
  function makeColumns() {
    const columns = new Map();
    for (const frame of stacks.frames) {
      const key = columnOf(frame), one = stacks.functions[frame.fn];
      if (!columns.has(key)) columns.set(key, new Map());
      const blocks = columns.get(key);
      if (!blocks.has(frame.fn))
        blocks.set(frame.fn, {fn: frame.fn, first: Infinity, last: 0, isWhole: false});
      const block = blocks.get(frame.fn);
      if (one.last && one.file === frame.file)
        Object.assign(block, {first: one.first, last: one.last, isWhole: true});
      else if (frame.line && !block.isWhole)
        Object.assign(block, {
          first: Math.min(block.first, frame.line),
          last: Math.max(block.last, frame.line)
        });
    }
    const valueOfColumn = (column) => valueOf(column.cost);
    return [...columns].map(([key, blocks]) => ({
                              key,
                              cost: costs.files.get(key) || nothing(),
                              blocks: [...blocks.values()].sort((a, b) => a.first - b.first)
                            }))
        .sort((a, b) => valueOfColumn(b) - valueOfColumn(a) || b.cost.samples - a.cost.samples);
  }

  const costOfFunction = (fn) => costs.functions.get(fn) || nothing();

  function makeBlock(fn, most, {lines, height, isSquare}) {
    const one = stacks.functions[fn], cost = costOfFunction(fn);
    return el('button', {
      class: 'block heat' + (fn === stackView.picked ? ' picked' : '') + (isSquare ? ' square' : '') +
          (cost.samples ? '' : ' unseen') + (isGuess(cost) ? ' guess' : ''),
      style: '--heat:' + heat(cost, most) + (height ? ';height:' + height.toFixed(2) + 'em' : ''),
      'data-function': fn,
      'data-lines': lines || placeText(fn),
      'aria-label': isSquare ? one.label : null,
      tabindex: -1,
    }, isSquare ? '' : foreign((isGuess(cost) ? GUESS : '') + (lines ? one.name : one.label)));
  }

  function linesText(short, block) {
    if (!block.last) return 'no lines known';
    const lines = short + ', lines ' + block.first + ' to ' + block.last;
    return block.isWhole ? lines : lines + ' were seen';
  }

  const linesOf = (block) => (block.isWhole ? Math.min(LINES, block.last - block.first + 1) : 0);

  function makeColumn(column, most, lineHeight) {
    const isFile = column.key[0] === 'f';
    const path = isFile ? stacks.files[+column.key.slice(1)] : column.key.slice(1);
    const short = path.replace(/^.*[\\/]/, '') || 'no module';
    return el('div', {class: 'column' + (isFile ? '' : ' unknown')},
        el('div', {class: 'file', title: path}, foreign(short)),
        ...column.blocks.map((block) => makeBlock(block.fn, most, {
          lines: linesText(short, block),
          height: Math.max(LEAST_HEIGHT, linesOf(block) * lineHeight)
        })));
  }

  /* Which heights say something. */
  function heightsText(columns) {
    const blocks = columns.flatMap((column) => column.blocks);
    const whole = blocks.filter((block) => block.isWhole).length;
    const all = count(blocks.length, 'function') + ' in ' + count(columns.length, 'column');
    return whole === blocks.length ? all + ', as high as they have lines.' :
        whole === 0 ? all + ', all of one height: no PDB says how long they are.' :
        all + '; ' + whole + ' as high as they have lines, the others of one height: no PDB says how' +
                ' long they are.';
  }

  function drawBirds() {
    const hottest = [...costs.functions].sort((a, b) => valueOf(b[1]) - valueOf(a[1]) || a[0] - b[0])
                        .filter(([, cost]) => valueOf(cost) > 0);
    const most = hottest.length ? valueOf(hottest[0][1]) : 0;
    $('hottest').replaceChildren(
        ...hottest.map(([fn], i) => makeBlock(fn, most, {isSquare: i >= HOTTEST})));
    const columns = makeColumns();
    const longest = Math.max(1, ...columns.map((one) => Math.max(...one.blocks.map(linesOf))));
    const lineHeight = Math.min(LINE_HEIGHT, MOST_HEIGHT / longest);
    $('birds').replaceChildren(...columns.map((one) => makeColumn(one, most, lineHeight)));
    $('birds-note').textContent = heightsText(columns);
    for (const box of [$('hottest'), $('birds')]) setTabStop(box, box.querySelector('.block'));
  }

  /* One block of a box can be reached by Tab, the others by arrow keys. */
  function setTabStop(box, block) {
    for (const other of box.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    if (block) block.tabIndex = 0;
  }

  /* A function's blocks and its lines of source light up together; -1: none does. */
  function lightUp(fn) {
    for (const lit of document.querySelectorAll('#stacks-card .lit')) lit.classList.remove('lit');
    if (fn < 0) return;
    const all = document.querySelectorAll('#stacks-card [data-function="' + fn + '"]');
    for (const one of all) one.classList.add('lit');
  }

  /* Moves the bird's-eye view so that a function's block is seen, and not the page. */
  function showBlock(fn) {
    const birds = $('birds'), block = birds.querySelector('[data-function="' + fn + '"]');
    if (!block) return;
    const box = block.getBoundingClientRect(), around = birds.getBoundingClientRect();
    if (box.left < around.left) birds.scrollLeft -= around.left - box.left;
    if (box.right > around.right) birds.scrollLeft += box.right - around.right;
  }

  /* What the pointer is over, or has the focus, lights up and shows its details. */
  function enterBlock(event) {
    const block = event.target.closest('.block');
    if (!block) return;
    const fn = +block.dataset.function;
    showDetails(block,
        detailsOf(stacks.functions[fn].label, costOfFunction(fn), block.dataset.lines));
    lightUp(fn);
    if (event.type === 'focusin') setTabStop(block.closest('#hottest, #birds'), block);
  }

  function enterLine(event) {
    const row = event.target.closest('tr');
    if (!row) return;
    const fn = row.dataset.function === undefined ? -1 : +row.dataset.function;
    lightUp(fn);
    if (event.type === 'focusin' && fn >= 0) showBlock(fn);
  }

  function leaveBoth() {
    hideDetails();
    lightUp(-1);
  }

  function listenToBirds() {
    for (const id of ['hottest', 'birds', 'source']) {
      const enter = id === 'source' ? enterLine : enterBlock;
      for (const name of ['pointerover', 'focusin']) $(id).addEventListener(name, enter);
      for (const name of ['pointerout', 'focusout']) $(id).addEventListener(name, leaveBoth);
    }
    for (const id of ['hottest', 'birds'])
      $(id).addEventListener('click', (event) => {
        const block = event.target.closest('.block');
        if (block) pickFunction(+block.dataset.function, true);
      });
    $('birds').addEventListener('keydown', moveInBirds);
    $('hottest').addEventListener('keydown', moveInHottest);
  }

  function moveInHottest(event) {
    const block = document.activeElement;
    const next = event.key === 'ArrowRight' ? block.nextElementSibling :
        event.key === 'ArrowLeft'           ? block.previousElementSibling :
                                              null;
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  /* Arrow keys go from block to block within a column, and from column to column. */
  function moveInBirds(event) {
    const block = document.activeElement;
    if (!block.classList.contains('block')) return;
    const column = block.parentNode, at = [...column.children].indexOf(block);
    const beside = {ArrowLeft: column.previousElementSibling, ArrowRight: column.nextElementSibling};
    let next = null;
    if (event.key in beside)
      next = beside[event.key] && (beside[event.key].children[at] || beside[event.key].lastChild);
    else if (event.key === 'ArrowUp')
      next = block.previousElementSibling;
    else if (event.key === 'ArrowDown')
      next = block.nextElementSibling;
    else
      return;
    event.preventDefault();
    if (next && next.classList.contains('block')) next.focus();
  }

  /* From here on: the source. */

  function editorLink(file, line) {
    const found = data.stacks.sources[file];
    const path = (found ? found[0] : stacks.files[file]).replace(/\\/g, '/');
    const safe = path.split('/').map(encodeURIComponent).join('/').replace(/%3A/gi, ':');
    return data.stacks.editor.replaceAll('{file}', safe).replaceAll('{line}', String(line));
  }

  /* For each line of a file the function that it belongs to, the innermost one. */
  function functionsOfLines(file) {
    const functions = new Map();
    stacks.functions.map((one, fn) => ({fn, ...one}))
        .filter((one) => one.file === file && one.last)
        .sort((a, b) => (b.last - b.first) - (a.last - a.first))
        .forEach(({fn, first, last}) => {
          for (let line = first; line <= Math.min(last, first + LINES); line++)
            functions.set(line, fn);
        });
    return functions;
  }

  function makeLine(file, number, text, cost, most, own) {
    const shown = lineText(number, isNearest(cost));
    const link = data.stacks.editor ?
        el('a', {'href': editorLink(file, number), title: 'Open in the editor'}, shown) :
        shown;
    const fn = cost ? cost.fn : own;
    const row = el('tr', {'data-line': number, 'data-function': fn === undefined ? null : fn},
        el('td', {class: 'n'}, link));
    if (!cost) {
      row.append(el('td', {class: 'share'}), el('td', null, foreign(text)));
      return row;
    }
    const name = stacks.functions[cost.fn].label;
    const button = el('button', null,
        wholeOf(stackView.by) > 0 && stackView.by !== 'functions' ?
            share(valueOf(cost), wholeOf(stackView.by)) :
            valueText(valueOf(cost), stackView.by));
    button.addEventListener('click', () => pickFunction(cost.fn, false, true));
    detailed(button, () => detailsOf(name, cost, stacks.files[file] + ':' + shown));
    row.append(el('td', {class: 'share'}, button), el('td', null, foreign(text)));
    row.className = 'heat' + (cost.fn === stackView.picked ? ' picked' : '');
    row.style.setProperty('--heat', heat(cost, most));
    return row;
  }

  /* The whole file where its source is there, otherwise the lines that were seen. */
  function drawSource() {
    const file = stackView.file, found = file >= 0 && data.stacks.sources[file];
    const lines = (file >= 0 && costs.lines.get(file)) || new Map();
    const most = Math.max(0, ...[...lines.values()].map(valueOf));
    const owners = functionsOfLines(file);
    const texts = found ? found[1].split(/\r?\n/) : [];
    const numbers = found ? texts.map((text, i) => i + 1) : [...lines.keys()].sort((a, b) => a - b);
    const rows = numbers.map((number) => {
      const cost = lines.get(number);
      const text = found ? texts[number - 1] : stacks.functions[cost.fn].label;
      return makeLine(file, number, text, cost, most, owners.get(number));
    });
    $('source-nearest').hidden = ![...lines.values()].some(isNearest);
    $('source').replaceChildren(el('table', null, el('tbody', null, ...rows)));
    $('source').hidden = !rows.length;
    const other = file >= 0 && data.stacks.others[file];
    $('source-note').textContent = file < 0 ? 'Choose a function above.' :
        found ? 'found as ' + found[0] + (found[2] ? '. No checksum says whether this is ' +
            'the file that was built: it may have changed since.' : ', as it was built') :
        other ? other + ' is not the one that was built: its checksum differs.' +
            (rows.length ? ' Only the lines that were seen, without its text:' : '') :
        rows.length ? 'Only the lines that were seen: the source was not found' +
            ' (uimon report --source-path).' :
                      'No line of it was seen in this part.';
    $('source-note').classList.toggle('error', Boolean(other));
    $('source-file').value = file;
  }

  function scrollToFunction() {
    const row = $('source').querySelector('tr.picked');
    if (row) $('source').scrollTop = row.offsetTop - $('source').clientHeight / 3;
  }

  /* Marks a function in the bird's-eye view, and shows its source; `isFromSource`: it was chosen
     there, so the view is moved instead. */
  function pickFunction(fn, scroll, isFromSource) {
    const seen = [...costs.lines].find(([, lines]) => [...lines.values()].some((l) => l.fn === fn));
    const own = stacks.functions[fn].file;
    stackView.picked = fn;
    if (!isFromSource)
      stackView.file = own >= 0 && costs.lines.has(own) ? own : seen ? seen[0] : -1;
    const hadFocus = document.activeElement && document.activeElement.dataset.function;
    for (const block of document.querySelectorAll('.block')) {
      const isIt = +block.dataset.function === fn;
      block.classList.toggle('picked', isIt);
      if (isIt && isFromSource && block.closest('#birds')) {
        block.scrollIntoView({block: 'nearest', inline: 'center'});
        block.focus();
      }
    }
    if (isFromSource || hadFocus === undefined) {
      for (const row of $('source').querySelectorAll('tr.picked')) row.classList.remove('picked');
    }
    drawSource();
    if (!isFromSource) scrollToFunction();
    if (scroll) $('source').scrollIntoView({block: 'nearest'});
  }

  /* From here on: what is chosen. */

  function drawStacks() {
    costs = addUp();
    countFunctions();
    const total = costs.total;
    const mine = data.stacks.mine;
    const whose = mine && stackView.thread === 0 &&
        (stackView.place === ALL ? mine.all : mine.freezes[stackView.place]);
    const notes = [
      count(total.samples, 'sample'),
      costs.nodes[CUT].samples ?
          costs.nodes[CUT].samples.toLocaleString('en-US') + ' not read to their outer end' :
          '',
      total.guessed ? total.guessed.toLocaleString('en-US') + ' with guessed callers' : '',
      costs.frozen ? span(costs.unsampled) + ' of ' + span(costs.frozen) +
              ' in freezes unattributed (no sample stands for it)' :
                     '',
      data.stacks.waits[stackView.place] ? 'waited ' + data.stacks.waits[stackView.place] : '',
      data.stacks.lost ? count(data.stacks.lost, 'sample') + ' lost: there was no room' : '',
      data.stacks.only ? 'only ' + data.stacks.only : '',
      data.stacks.hide ? 'without ' + data.stacks.hide : '',
    ];
    $('guess-note').hidden = !total.guessed;
    $('stacks-note').textContent = notes.filter((note) => note).join('; ');
    $('whose').textContent = whose ?
        mine.modules + ': ' + whose + (mine.unseen ? '; no stack has ' + mine.unseen : '') :
        '';
    $('by-says').textContent = 'Colour: ' + CRITERIA[stackView.by].says + '. Width: ' +
        CRITERIA[widthBy()].name + '.';
    for (const by of Object.keys(CRITERIA))
      $('by-' + by).setAttribute('aria-pressed', String(by === stackView.by));
    $('stacks-of').value = stackView.place;
    $('thread').value = stackView.thread;
    drawFlame();
    drawBirds();
    drawSource();
  }

  function chooseStacks(place) {
    stackView.place = place;
    stackView.zoom = ROOT;
    drawStacks();
  }

  /* The freeze's stacks, if it has some: for rows of the table of freezes. */
  function showStacksOf(freeze) {
    if (stacks && stacks.samples.some((sample) => sample.place === freeze.place))
      chooseStacks(freeze.place);
  }

  function fillStackChoices() {
    const places = new Set(stacks.samples.map((sample) => sample.place));
    $('stacks-of').append(el('option', {value: ALL}, 'all samples'),
        ...(places.has(-1) && places.size > 1 ?
            [el('option', {value: FREEZES}, 'all freezes')] : []),
        ...freezes.filter((freeze) => places.has(freeze.place))
            .map((freeze) => el('option', {value: freeze.place},
                     'freeze ' + (freeze.place + 1) + ' at ' + moment(freeze.start) + ', ' +
                         span(freeze.duration))));
    $('thread').append(
        ...stacks.threads.map((name, index) => el('option', {value: index}, name)));
    $('thread').parentElement.hidden = stacks.threads.length < 2;
    for (const by of Object.keys(CRITERIA)) {
      const button = el('button', {id: 'by-' + by, title: CRITERIA[by].says}, CRITERIA[by].name);
      button.addEventListener('click', () => {
        stackView.by = by;
        drawStacks();
      });
      $('criteria').append(button);
    }
    const withLines = new Set(stacks.frames.filter((f) => f.file >= 0).map((f) => f.file));
    $('source-file').append(el('option', {value: -1}, '(none)'),
        ...[...withLines].map((file) => el('option', {value: file}, foreign(stacks.fileLabels[file])))
            .sort((a, b) => (a.textContent < b.textContent ? -1 : 1)));
    listHeld();
  }

  /* Which files of this machine are in the page, so that nobody passes them on unawares. */
  function listHeld() {
    const held = [...new Set(Object.values(data.stacks.sources).map(([path]) => path))].sort();
    $('held').hidden = !held.length;
    $('held-count').textContent = 'This page holds the text of ' + held.length +
        (held.length === 1 ? ' file' : ' files') + ' of the machine that it was made on';
    $('held-list').replaceChildren(...held.map((path) => el('li', null, foreign(path))));
  }

  function listenToStacks() {
    $('stacks-of').addEventListener('change', (event) => chooseStacks(+event.target.value));
    $('thread').addEventListener('change', (event) => {
      stackView.thread = +event.target.value;
      stackView.zoom = ROOT;
      drawStacks();
    });
    $('source-file').addEventListener('change', (event) => {
      stackView.file = +event.target.value;
      drawSource();
    });
    $('search').addEventListener('input', (event) => {
      stackView.search = event.target.value.trim().toLowerCase();
      drawFlame();
    });
    $('unzoom').addEventListener('click', () => zoomTo(ROOT));
    $('flame').addEventListener('keydown', moveInFlame);
    listenToBirds();
    window.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') hideDetails();
    });
    let width = 0;
    new ResizeObserver(() => {
      if ($('flame').clientWidth !== width) {
        width = $('flame').clientWidth;
        drawFlame();
      }
    }).observe($('flame'));
  }

  /* #stacks=N&by=CRITERION&function=NAME chooses at the begin. */
  function readStackView() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const place = parseInt(wanted.get('stacks'), 10) - 1;
    if (stacks.samples.some((sample) => sample.place === place)) stackView.place = place;
    for (const name of [data.stacks.by, wanted.get('by')]) {
      const by = BY_OPTION[name] || name;
      if (Object.hasOwn(CRITERIA, by)) stackView.by = by;
    }
    return stacks.functions.findIndex((one) => one.name === wanted.get('function'));
  }

  function fillStacks() {
    if (!stacks) {
      $('stacks-card').querySelector('.with-stacks').replaceWith(el('p', {class: 'empty'},
          summary.sampling ? 'The recording has counts of samples, and no stacks.' :
                             'Not sampled: no stacks are in the recording.'));
      return;
    }
    const chosen = readStackView();
    fillStackChoices();
    listenToStacks();
    drawStacks();
    const hottest = $('hottest').firstChild;
    if (chosen >= 0 || hottest) pickFunction(chosen >= 0 ? chosen : +hottest.dataset.function, false);
  }
