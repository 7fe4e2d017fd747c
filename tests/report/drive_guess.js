/* Looks at a function that is a guess, in the copy of a page that guess.js has changed, and says what was
   found, as drive_stacks.js does. */
(() => {
  const $ = (id) => document.getElementById(id);
  const expect = (what, is) => {
    if (!is) throw new Error(what);
  };
  /* Its module is before it: "app!main", and "app+0x1234" where it has no name. */
  const ending = GUESSED[0] === '+' ? GUESSED : '!' + GUESSED;
  const isName = (text) => text === GUESSED || text.endsWith(ending);
  const unmarked = (text) => text.replace(/^\? /, '');
  /* A box is read aloud as its name, its value and its share; a narrow one has no text. */
  const isIt = (box) => isName(unmarked(box.ariaLabel).replace(/( × \d+)?, [^,]*, [^,]*$/, ''));
  const details = (element, event) => {
    element.dispatchEvent(new Event(event, {bubbles: true}));
    return $('stack-hover').textContent;
  };
  /* Of a colour as the browser computes it, from 0 to 1. */
  const luminance = (color) => {
    const [r, g, b] = color.match(/[\d.]+/g).map(Number)
                          .map((value) => (color.startsWith('color(') ? value : value / 255))
                          .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };

  function guesses() {
    const boxes = [...$('flame').querySelectorAll('.guess')];
    expect(GUESSED + ' is a guess in the flame graph', boxes.length > 0 && boxes.every(isIt));
    const named = boxes.filter((box) => box.textContent);
    expect('its name has the mark', named.every((box) => box.textContent.startsWith('? ')));
    expect('so has what is read aloud',
        boxes.every((box) => box.getAttribute('aria-label').startsWith('? ')));
    expect('all boxes of it are guesses', [...$('flame').children].filter(isIt).length === boxes.length);
    const told = details(boxes[0], 'pointerenter');
    const [, some, all] = told.match(/A guess in ([\d,]+) of ([\d,]+) samples?: it may not/) || [];
    expect('the details say in how many samples', some && some === all);
    const other = [...$('flame').children].find((box) => !box.className.includes('guess'));
    expect('those of others say nothing', !/guess/i.test(details(other, 'pointerenter')));
    const style = getComputedStyle(boxes[0]);
    const tones = style.backgroundImage.match(/(rgba?|color)\([^)]*\)/g).map(luminance);
    expect('it is hatched', new Set(tones).size === 2);
    const ink = luminance(style.color);
    for (const tone of tones) {
      const ratio = (Math.max(ink, tone) + 0.05) / (Math.min(ink, tone) + 0.05);
      expect('its name can be read: ' + ratio.toFixed(1), ratio >= 4.5);
    }
    const block = [...$('birds').querySelectorAll('.block')].find(
        (one) => isName(unmarked(one.textContent)));
    expect('its block is hatched too', block.className.includes('guess'));
    expect('and has the mark', block.textContent.startsWith('? '));
    expect('whose details say so', /A guess in /.test(details(block, 'pointerover')));
    expect('the page explains it', !$('guess-note').hidden);
    expect('and counts the samples', /\d with guessed callers/.test($('stacks-note').textContent));
  }

  let said = 'ok';
  try {
    guesses();
  } catch (error) {
    said = error.message;
  }
  return said;
})();
