  /* Trees of calls as tables, whose rows open what lies within them: the traced messages. */

  const CALL_LEVELS_SHOWN = 2, CALL_INDENTS = 40;

  const callMs = (ms) => el('td', {class: ms === undefined ? 'n none' : 'n'},
      ms === undefined ? '–' : ms < 0.0995 ? ms.toFixed(4) : decimals(ms));
  const callCount = (calls) => el('td', {class: 'n'}, calls.toLocaleString('en-US'));

  /* Makes a row of a tree, and those within it once it is opened. `tree` says of a row what
     lies within it (`within`), what its cells are (`cells`), what stands behind its opener (`name`),
     and of all what an opener does (`title`). `after` puts a row into the table. */
  function callRow(tree, row, level, after) {
    const within = tree.within(row);
    const name = el('td', {style: 'padding-left:' + (6 + 18 * Math.min(level, CALL_INDENTS)) + 'px'});
    const line = el('tr', null, ...tree.cells(row), name);
    const opener = el('button', {class: 'opener', 'aria-expanded': 'false', title: tree.title}, '▸');
    opener.disabled = !within.length;
    opener.style.visibility = within.length ? '' : 'hidden';
    name.append(opener, ' ', ...tree.name(row),
        el('span', {class: 'dim'}, row.left_out ? ' (' + row.left_out + ' rows left out)' : ''));
    after(line);
    let below = null;
    const open = () => {
      opener.setAttribute('aria-expanded', 'true');
      opener.textContent = '▾';
      below = [];
      let last = line;
      for (const one of within) {
        below.push(callRow(tree, one, level + 1, (made) => {
          last.after(made);
          last = made;
        }));
        last = below[below.length - 1].last();
      }
    };
    const remove = () => {
      for (const one of below || []) {
        one.remove();
        one.line.remove();
      }
      below = null;
    };
    opener.addEventListener('click', () => {
      if (!below) return open();
      remove();
      opener.setAttribute('aria-expanded', 'false');
      opener.textContent = '▸';
    });
    if (within.length && level + 1 < CALL_LEVELS_SHOWN) open();
    return {line, remove, last: () => below && below.length ? below[below.length - 1].last() : line};
  }

  function tracedCells(row) {
    const wall = callMs(row.wall_ms);
    if (row.wall_ms !== undefined && row.kind === 'retrieved') wall.prepend('≤ ');
    return [callCount(row.count), wall, callMs(row.self_ms), callMs(row.cpu_ms)];
  }

  const tracedName = (row) => [
    foreign(row.message || 'all others: there was no room for more'),
    el('span', {class: 'dim'}, row.window_class ? ' @ ' : '', foreign(row.window_class || ''),
        row.handler ? ', ' : '', foreign(row.handler || ''),
        row.count > row.ended ? ' (' + (row.count - row.ended) + ' without end)' : '')
  ];

  function fillTraced() {
    const messages = summary.messages;
    if (!messages) return;
    $('traced-card').hidden = false;
    $('traced-note').textContent = messages.count.toLocaleString('en-US') + ' traced in ' +
        span(messages.traced_ms) +
        (messages.own_us === undefined ? '' : '; uimon’s own code took ' +
                messages.own_us.toFixed(2) + ' µs for each call');
    $('traced').tHead.append(el('tr', null,
        ...['calls', 'wall ms', 'self ms', 'CPU ms'].map(
            (name) => el('th', {scope: 'col', class: 'n'}, name)),
        el('th', {scope: 'col'}, 'message @ class, handler')));
    const tree = {
      within: (row) => row.within || [],
      cells: tracedCells,
      name: tracedName,
      title: 'Show what was handled within it'
    };
    const body = $('traced').tBodies[0];
    for (const row of messages.rows || []) callRow(tree, row, 0, (line) => body.append(line));
  }

