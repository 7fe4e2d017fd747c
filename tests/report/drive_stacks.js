/* Goes through the stacks of a report's page as a person would, by keyboard and by clicks, and says in
   data-driven what was found: "ok", or what is wrong. It stands at the end of a copy of the page.
   EXPECTED is [function, samples]: a function that must be there, and how many samples there are. */
(() => {
  const [name, samples] = EXPECTED;
  const $ = (id) => document.getElementById(id);
  const flame = $('flame');
  const boxes = () => [...flame.children];
  const named = (text) => boxes().find((box) => box.textContent.includes(text));
  const press = (key) => document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
  const expect = (what, is) => {
    if (!is) throw new Error(what);
  };
  const heatOf = (element) => parseFloat(element.style.getPropertyValue('--heat'));

  function flameGraph() {
    expect('the samples are told', $('stacks-note').textContent.startsWith(samples + ' sample'));
    const all = boxes().length;
    expect('one box can be reached by Tab', flame.querySelectorAll('[tabindex="0"]').length === 1);
    flame.querySelector('[tabindex="0"]').focus();
    for (let i = 0; i < 100 && !document.activeElement.textContent.includes(name); i++)
      press('ArrowDown');
    expect('the arrow keys find ' + name, document.activeElement.textContent.includes(name));
    expect('focus shows details', !$('stack-hover').hidden &&
        $('stack-hover').textContent.includes(name));
    press('Enter');
    expect('Enter zooms', parseFloat(named(name).style.width) > flame.clientWidth - 2);
    expect('callers stay above', flame.querySelectorAll('.above').length > 0);
    expect('the box keeps the focus', document.activeElement.textContent.includes(name));
    press('Escape');
    expect('Escape shows everything', boxes().length === all && $('unzoom').disabled);
    $('search').value = name.toUpperCase();
    $('search').dispatchEvent(new Event('input'));
    expect('the search finds it', named(name).classList.contains('found'));
    expect('and nothing else', boxes()[0].classList.contains('missed'));
    $('search').value = '';
    $('search').dispatchEvent(new Event('input'));
    expect('an end of the search', !flame.querySelector('.found, .missed'));
  }

  function criteria() {
    for (const by of ['self', 'wall', 'cpu', 'count', 'samples']) {
      $('by-' + by).click();
      expect(by + ' is pressed', $('by-' + by).getAttribute('aria-pressed') === 'true');
      const heats = boxes().map(heatOf);
      expect(by + ' has heats', heats.every((heat) => heat >= 0 && heat <= 1));
      const widths = boxes().map((box) => parseFloat(box.style.width));
      expect(by + ' has widths', widths.every((wide) => wide > 0 && wide <= flame.clientWidth + 1));
      const right = boxes().map((box) => parseFloat(box.style.left) + parseFloat(box.style.width));
      expect(by + ' stays inside', right.every((x) => x <= flame.clientWidth + 1));
    }
    $('by-wall').click();
    const rest = boxes().find((box) => box.dataset.node === '-1');
    const freezes = /([\d.]+) (m?s) of .* unattributed/.exec($('stacks-note').textContent);
    expect('unattributed time has a box', !freezes || parseFloat(freezes[1]) === 0 || rest);
    $('by-samples').click();
  }

  function birdsEye() {
    const block = [...$('birds').querySelectorAll('.block')].find((b) => b.textContent === name);
    expect('a block for ' + name, block);
    const heats = [...$('hottest').children].map(heatOf);
    expect('the hottest come first', heats.length && heats.every((h, i) => !i || h <= heats[i - 1]));
    block.click();
    const lines = [...$('source').querySelectorAll('tr.picked')];
    expect('its lines are marked', lines.length > 0 && lines.every((line) => heatOf(line) > 0));
    document.querySelector('#birds .block').focus();
    press('ArrowRight');
    expect('the arrow keys go to the next file',
        document.activeElement.closest('.column') === $('birds').children[1]);
    const sources = JSON.parse($('data').textContent).stacks.sources;
    const held = new Set(Object.values(sources).map(([path]) => path));
    expect('the files in the page are listed', $('held').hidden === (held.size === 0) &&
        [...$('held-list').children].every((item) => held.delete(item.textContent)) && !held.size);
    /* Back from the source to the bird's-eye view. */
    for (const one of document.querySelectorAll('.picked')) one.classList.remove('picked');
    $('source').querySelector('tr.heat button').click();
    expect('a line marks its block', $('birds').querySelector('.block.picked'));
    expect('which has the focus', document.activeElement.classList.contains('picked'));
  }

  function freezes() {
    const choices = [...$('stacks-of').options].map((option) => option.value);
    for (const choice of choices) {
      $('stacks-of').value = choice;
      $('stacks-of').dispatchEvent(new Event('change'));
      expect('boxes of choice ' + choice, boxes().length > 1);
    }
    document.querySelector('#freezes tbody tr').click();
    expect('a row of the freezes chooses its stacks', $('stacks-of').value !== '-1');
  }

  let said = 'ok';
  try {
    flameGraph();
    criteria();
    birdsEye();
    freezes();
  } catch (error) {
    said = error.message;
  }
  document.documentElement.dataset.driven = said;
})();
