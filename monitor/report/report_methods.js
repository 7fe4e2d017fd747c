  /* The calls of managed methods: a table of the methods, and a tree for each thread. */

  const METHODS_SHOWN = 500;

  const hasTimes = () => summary.methods.depth === 'times';

  const methodName = (row) => row.others ? 'all others: there was no room for more' :
                              row.method ? foreign(row.method) :
                                           '(no name)';

  const withoutEnd = (row) => hasTimes() && row.calls > row.ended ?
      el('span', {class: 'dim'},
          ' (' + (row.calls - row.ended).toLocaleString('en-US') + ' without end)') :
      null;

  const methodTimes = (row) => hasTimes() ? [callMs(row.self_ms), callMs(row.wall_ms)] : [];

  function methodRow(row) {
    return el('tr', null, callCount(row.calls), ...methodTimes(row),
        el('td', {class: 'n'}, row.threads.toLocaleString('en-US')),
        el('td', {class: 'wrap'}, methodName(row), withoutEnd(row)),
        el('td', {class: row.module ? 'wrap' : 'none'}, foreign(row.module || '–')));
  }

  function fillMethodTable() {
    const number = (name, value) => ({name, right: true, first: -1, value});
    const text = (name, value) => ({name, value: (row) => value(row) || '\uffff'});
    const heads = [
      number('calls', (row) => row.calls),
      ...(hasTimes() ? [
        number('self ms', (row) => row.self_ms || 0), number('wall ms', (row) => row.wall_ms || 0)
      ] :
                       []),
      number('threads', (row) => row.threads),
      text('method', (row) => row.method),
      text('module', (row) => row.module),
    ];
    const rows = summary.methods.list.map((row, start) => ({...row, start}));
    sortable($('methods'), heads, rows, methodRow, {column: hasTimes() ? 1 : 0, direction: -1},
        METHODS_SHOWN);
  }

  const threadName = (thread) => thread.thread === undefined ?
      'several threads, for which there was no room' :
      'thread ' + thread.thread;

  /* A node of a tree with the names of its method. Made when it is shown: there may be many. */
  const ofMethod = (node) => {
    const {others, method, module} = summary.methods.list[node.row];
    return {...node, others, method, module};
  };

  /* The tree of the thread that is chosen. */
  function fillMethodTree() {
    const thread = summary.methods.threads[+$('methods-thread').value];
    const body = $('method-tree').tBodies[0];
    const tree = {
      within: (row) => (row.within || []).map(ofMethod),
      cells: (row) => [callCount(row.calls), ...methodTimes(row)],
      name: (row) => [
        methodName(row), withoutEnd(row) || '',
        el('span', {class: 'dim'}, row.module ? ', ' : '', foreign(row.module || ''))
      ],
      title: 'Show what it has called'
    };
    body.replaceChildren();
    for (const row of (thread.calls || []).map(ofMethod))
      callRow(tree, row, 0, (line) => body.append(line));
    $('methods-thread-note').textContent =
        (thread.cpu_ms === undefined ? '' : 'ran for ' + span(thread.cpu_ms) + ' in these calls') +
        (thread.left_out ? '; ' + count(thread.left_out, 'row') + ' left out' : '');
  }

  function fillMethods() {
    const methods = summary.methods;
    if (!methods) return;
    $('methods-card').hidden = false;
    $('methods-note').textContent = count(methods.calls, 'call') +
        (methods.traced_ms === undefined ? '' : ' in ' + span(methods.traced_ms) + ': ' +
                count(methods.method_count, 'method') + ', ' + count(methods.thread_count, 'thread'));
    const about = methods.exact ? ['Counts are exact.'] : [];
    if (methods.interruptions)
      about.push('Interrupted ' +
          (methods.interruptions === 1 ? 'once' : methods.interruptions + ' times') + ': calls of ' +
          span(methods.missed_ms) + ' are missing.' +
          (hasTimes() ? ' Later calls by methods that ran on are at the top of their thread.' : ''));
    if (methods.end_missing)
      about.push('The last calls are missing: the end of tracing was not told.');
    for (const {name, meant} of methods.unseen || [])
      about.push('No traced method has ' + name + (meant ? '; did you mean ' + meant + '?' : '.'));
    if (hasTimes())
      about.push('Times are as debugged: traced methods run unoptimised, so their own time is more ' +
          'than it would be.');
    if (methods.dynamic)
      about.push(count(methods.dynamic, 'method') + (methods.dynamic === 1 ? ' was' : ' were') +
          ' made at run time, without a name.');
    if (methods.rest)
      about.push(count(methods.rest, 'call') + ' ' + (methods.rest === 1 ? 'has' : 'have') +
          ' no row: there was no room.');
    if (methods.list.length > METHODS_SHOWN)
      about.push('The table has the first ' + METHODS_SHOWN + ' of ' +
          methods.list.length.toLocaleString('en-US') + ' methods, by the column that it is sorted by.');
    $('methods-about').textContent = about.join(' ');
    fillMethodTable();
    $('methods-trees').hidden = !hasTimes() || !methods.threads.length;
    if ($('methods-trees').hidden) return;
    $('method-tree').tHead.append(el('tr', null,
        ...['calls', 'self ms', 'wall ms'].map(
            (name) => el('th', {scope: 'col', class: 'n'}, name)),
        el('th', {scope: 'col'}, 'method, module')));
    $('methods-thread').append(...methods.threads.map((thread, i) =>
        el('option', {value: i}, threadName(thread) + (i ? '' : ', the busiest'))));
    $('methods-thread').addEventListener('change', fillMethodTree);
    fillMethodTree();
  }

