/* Looks at a source on a report's page, and says what was found: "ok", or what is wrong. EXPECTED is
   [state, path, text]: `state` is "built", "unknown" or "other", as the note says of the file that was
   found at `path`, and `text` stands in one of its lines. */
(() => {
  const [state, path, text] = EXPECTED;
  const $ = (id) => document.getElementById(id);
  const expect = (what, is) => {
    if (!is) throw new Error(what);
  };
  const notes = {
    built: 'found as ' + path + ', as it was built',
    unknown: 'found as ' + path + '. No checksum says whether this is the file that was built: it ' +
        'may have changed since.',
    other: path + ' is not the one that was built: its checksum differs. Only the lines that ' +
        'were seen, without its text:',
  };
  const check = () => {
    const {sources, others} = JSON.parse($('data').textContent).stacks;
    const is = (place) => (state === 'other' ? others[place] : (sources[place] || [])[0]) === path;
    const option = [...$('source-file').options].find((one) => is(one.value));
    expect('a choice of ' + path, option);
    $('source-file').value = option.value;
    $('source-file').dispatchEvent(new Event('change'));
    const rows = [...$('source').querySelectorAll('tr')];
    const note = $('source-note');
    expect('the note: ' + note.textContent, note.textContent === notes[state]);
    expect('it stands out', note.classList.contains('error') === (state === 'other'));
    expect('it can be seen', note.getBoundingClientRect().height > 0);
    const coloured = rows.filter((row) => row.classList.contains('heat'));
    const hasText = rows.some((row) => row.lastChild.textContent.includes(text));
    const held = [...$('held-list').children].some((item) => item.textContent === path);
    expect('some lines were seen', coloured.length > 0);
    if (state === 'other') {
      expect('nothing of the file is there', !hasText && !held &&
          !$('data').textContent.includes(text));
      const labels = [...$('birds').querySelectorAll('.block')].map((one) => one.textContent);
      expect('a line has the name of its function',
          rows.every((row) => labels.some((label) => row.lastChild.textContent.endsWith(label))));
    } else {
      expect('the text of the file is there', hasText && held && rows.length > coloured.length);
    }
  };
  try {
    check();
  } catch (error) {
    return error.message;
  }
  return 'ok';
})();
