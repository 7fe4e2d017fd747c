  /* The traced messages: a tree as a table, whose rows open what was handled within them. */

  const TRACED_LEVELS_SHOWN = 2;

  function tracedRow(row, level, after) {
    const within = row.within || [];
    const name = el('td', {style: 'padding-left:' + (6 + 18 * level) + 'px'});
    const line = el('tr', null, el('td', {class: 'n'}, row.count.toLocaleString('en-US')),
        ...['wall_ms', 'self_ms', 'cpu_ms'].map((part, i) => el('td', {class: 'n'},
            row[part] === undefined ? '–' :
                (i === 0 && row.kind === 'retrieved' ? '≤ ' : '') +
                    (row[part] < 0.0995 ? row[part].toFixed(4) : decimals(row[part])))), name);
    const opener = el('button', {class: 'opener', 'aria-expanded': 'false',
      title: 'Show what was handled within it'}, '▸');
    opener.disabled = !within.length;
    opener.style.visibility = within.length ? '' : 'hidden';
    name.append(opener, ' ', foreign(row.message || 'all others: there was no room for more'),
        el('span', {class: 'dim'}, row.window_class ? ' @ ' : '', foreign(row.window_class || ''),
            row.handler ? ', ' : '', foreign(row.handler || ''),
            row.count > row.ended ? ' (' + (row.count - row.ended) + ' without end)' : '',
            row.left_out ? ' (' + row.left_out + ' rows left out)' : ''));
    after(line);
    let below = null;
    const open = () => {
      opener.setAttribute('aria-expanded', 'true');
      opener.textContent = '▾';
      below = [];
      let last = line;
      for (const one of within) {
        below.push(tracedRow(one, level + 1, (made) => {
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
    if (within.length && level + 1 < TRACED_LEVELS_SHOWN) open();
    return {line, remove, last: () => below && below.length ? below[below.length - 1].last() : line};
  }

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
    const body = $('traced').tBodies[0];
    for (const row of messages.rows || []) tracedRow(row, 0, (line) => body.append(line));
  }

