/* Goes through the stacks of a report's page as a person would, by keyboard and by clicks, and says
   what was found: "ok", or what is wrong. EXPECTED is [function, samples]: a function that must be there, and how many samples there are. */
(() => {
  const [name, samples] = EXPECTED;
  const $ = (id) => document.getElementById(id);
  const flame = $('flame');
  const boxes = () => [...flame.children];
  const leftOf = (box) => parseFloat(box.style.left);
  const widthOf = (box) => parseFloat(box.style.width);
  /* A narrow box has no text, and is read aloud all the same. */
  const isNamed = (box) => box.ariaLabel.includes(name);
  const named = () => boxes().find(isNamed);
  /* Whether the box stands where the function does: it is a caller, or the function itself. */
  const callsIt = (box) => leftOf(box) <= leftOf(named()) + 0.01 &&
      leftOf(box) + widthOf(box) > leftOf(named()) + 0.01;
  const press = (key) => document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
  const expect = (what, is) => {
    if (!is) throw new Error(what);
  };
  const heatOf = (element) => parseFloat(element.style.getPropertyValue('--heat'));
  const blocks = () => [...$('birds').querySelectorAll('.block')];
  /* The function has another block in each file from which something was put into it. */
  const ownBlock = () => {
    const named = blocks().filter((block) => block.textContent === name);
    return named.find((block) => !block.dataset.lines.endsWith('were seen')) || named[0];
  };

  function flameGraph() {
    expect('the samples are told', $('stacks-note').textContent.startsWith(samples + ' sample'));
    const all = boxes().length;
    expect('one box can be reached by Tab', flame.querySelectorAll('[tabindex="0"]').length === 1);
    flame.querySelector('[tabindex="0"]').focus();
    for (let i = 0; i < 100 && !isNamed(document.activeElement); i++) {
      press('ArrowDown');
      for (let j = 0; j < 100 && !callsIt(document.activeElement); j++) press('ArrowRight');
    }
    expect('the arrow keys find ' + name + ': ' + document.activeElement.ariaLabel, isNamed(document.activeElement));
    expect('focus shows details', !$('stack-hover').hidden &&
        $('stack-hover').textContent.includes(name));
    press('Enter');
    expect('Enter zooms', widthOf(named()) > flame.clientWidth - 2);
    expect('callers stay above', flame.querySelectorAll('.above').length > 0);
    expect('the box keeps the focus', isNamed(document.activeElement));
    press('Escape');
    expect('Escape shows everything', boxes().length === all && $('unzoom').disabled);
    $('search').value = name.toUpperCase();
    $('search').dispatchEvent(new Event('input'));
    expect('the search finds it', named().classList.contains('found'));
    expect('and nothing else', boxes()[0].classList.contains('missed'));
    $('search').value = '';
    $('search').dispatchEvent(new Event('input'));
    expect('an end of the search', !flame.querySelector('.found, .missed'));
  }

  function criteria() {
    for (const by of ['self', 'wall', 'cpu', 'user', 'kernel', 'functions', 'count', 'samples']) {
      $('by-' + by).click();
      expect(by + ' is pressed', $('by-' + by).getAttribute('aria-pressed') === 'true');
      const heats = boxes().map(heatOf);
      expect(by + ' has heats', heats.every((heat) => heat >= 0 && heat <= 1));
      const widths = boxes().map(widthOf);
      expect(by + ' has widths', widths.every((wide) => wide > 0 && wide <= flame.clientWidth + 1));
      const right = boxes().map((box) => leftOf(box) + widthOf(box));
      expect(by + ' stays inside', right.every((x) => x <= flame.clientWidth + 1));
    }
    $('by-wall').click();
    const rest = boxes().find((box) => box.dataset.node === '-1');
    const freezes = /([\d.]+) (m?s) of ([\d.]+) (m?s) in freezes unattributed/.exec(
        $('stacks-note').textContent);
    const ms = (number, unit) => parseFloat(number) * (unit === 's' ? 1000 : 1);
    // What is narrower than two pixels is not drawn; outside freezes there may be some samples, too.
    const wide = freezes ? flame.clientWidth * ms(freezes[1], freezes[2]) / ms(freezes[3], freezes[4]) : 0;
    expect('unattributed time has a box', wide < 3 || rest);
    const numberIn = (by, block) => {
      block.focus();
      const terms = [...$('stack-hover').querySelectorAll('dt')];
      return parseInt(terms.find((dt) => dt.textContent === by).nextSibling.textContent, 10);
    };
    $('by-functions').click();
    const hottest = [...$('hottest').children].map((block) => numberIn('functions', block));
    expect('who called most functions comes first', hottest.length > 1 &&
        hottest.every((number, i) => number > 0 && (!i || number <= hottest[i - 1])));
    expect('one block can be reached by Tab', $('hottest').querySelectorAll('[tabindex="0"]').length === 1);
    $('by-wall').click();
  }

  /* A function's blocks and its lines are lit together, and nothing else is. */
  function lights() {
    const over = (element, name) => element.dispatchEvent(new PointerEvent(name, {bubbles: true}));
    const litOf = (selector) => [...document.querySelectorAll(selector + '.lit')];
    const block = ownBlock(), fn = block.dataset.function;
    const ofFunction = blocks().filter((one) => one.dataset.function === fn);
    block.click();
    const rows = [...$('source').querySelectorAll('tr[data-function="' + fn + '"]')];
    const isAll = () => litOf('#birds .block').length === ofFunction.length &&
        ofFunction.every((one) => one.classList.contains('lit')) &&
        litOf('#source tr').length === rows.length && rows.every((r) => r.classList.contains('lit'));
    $('stacks-of').focus();
    expect('nothing is lit', !litOf('').length);
    block.focus();
    expect('focus on a block lights its lines', rows.length > 0 && isAll());
    $('stacks-of').focus();
    over(rows[0], 'pointerover');
    expect('the pointer over a line lights its block', isAll());
    over(rows[0], 'pointerout');
    expect('and no longer', !litOf('').length);
    $('source').querySelector('tr[data-function="' + fn + '"] button').focus();
    expect('focus on a line lights its block', isAll());
    /* Blocks are as high as they have lines, but for the shortest. */
    const perLine = blocks().map((one) => {
      const is = /lines (\d+) to (\d+)$/.exec(one.dataset.lines), height = parseFloat(one.style.height);
      return is && height > 1.6 ? height / (is[2] - is[1] + 1) : 0;
    }).filter((height) => height > 0);
    expect('heights are by lines',
        perLine.every((height) => Math.abs(height / perLine[0] - 1) < 0.01 && height < 0.181));
    const isWhole = /lines (\d+) to (\d+)$/.exec(block.dataset.lines);
    if (isWhole) {
      /* Lines of what was put into it lie elsewhere; a function within it has its own ones. */
      const within = [...$('source').querySelectorAll('tr[data-line]')].filter(
          ({dataset}) => +dataset.line >= +isWhole[1] && +dataset.line <= +isWhole[2]);
      const others = within.filter((row) => !rows.includes(row));
      expect('the lines of the whole function are lit',
          within.length === isWhole[2] - isWhole[1] + 1 &&
              within.length > others.length && others.every((row) => row.dataset.function));
    }
    $('stacks-of').focus();
  }

  function birdsEye() {
    const block = ownBlock();
    expect('a block for ' + name, block);
    const heats = [...$('hottest').children].map(heatOf);
    expect('the hottest come first', heats.length && heats.every((h, i) => !i || h <= heats[i - 1]));
    block.click();
    const lines = [...$('source').querySelectorAll('tr.picked')];
    for (const link of $('source').querySelectorAll('td.n a'))
      expect('a line opens itself in the editor',
          link.getAttribute('href').endsWith(':' + link.textContent.replace('~', '')) &&
              link.closest('tr').dataset.line === link.textContent.replace('~', ''));
    const nearest = [...$('source').querySelectorAll('td.n')].some((n) => n.textContent[0] === '~');
    expect('what ~ means is said', $('source-nearest').hidden === !nearest);
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
    const row = (place) => document.querySelectorAll('#freezes tbody tr')[place];
    let chosen = 0;
    for (let i = 0; row(i); i++) {
      const at = ' at ' + row(i).querySelector('a').textContent + ',';
      const own = [...$('stacks-of').options].find((option) => option.textContent.includes(at));
      const wanted = own ? own.value : $('stacks-of').value; // a freeze may have no samples
      row(i).click();
      expect('row ' + i + ' of the freezes chooses its stacks', $('stacks-of').value === wanted);
      chosen += own ? 1 : 0;
    }
    expect('some freeze has stacks', chosen > 0);
  }

  let said = 'ok';
  try {
    flameGraph();
    criteria();
    birdsEye();
    lights();
    freezes();
  } catch (error) {
    said = error.message;
  }
  return said;
})();
