/* Opens and closes a recursion in the flame graph by keyboard, in the copy of a page that recurse.js has
   changed, and says what was found, as drive_stacks.js does. */
(() => {
  const name = RECURSIVE;
  const $ = (id) => document.getElementById(id);
  const flame = $('flame');
  const boxes = () => [...flame.children];
  const deep = () => boxes().find((box) => / × 20[01], /.test(box.ariaLabel));
  const left = (box) => parseFloat(box.style.left);
  /* Whether the box stands where the recursion is: it is its caller, or the recursion itself. */
  const callsIt = (box) => left(box) <= left(deep()) + 0.01 &&
      left(box) + parseFloat(box.style.width) > left(deep()) + 0.01;
  const press = (key) => document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
  const expect = (what, is) => {
    if (!is) throw new Error(what);
  };

  function recursion() {
    const high = flame.offsetHeight, closed = boxes().length;
    expect('the recursion of ' + name + ' is one box', deep() && deep().ariaLabel.includes(name));
    expect('which says that it can be opened', deep().getAttribute('aria-expanded') === 'false');
    expect('the graph is low', high < 1200);
    flame.querySelector('[tabindex="0"]').focus();
    for (let i = 0; i < 100 && document.activeElement !== deep(); i++) {
      press('ArrowDown');
      for (let j = 0; j < 100 && !callsIt(document.activeElement); j++) press('ArrowRight');
    }
    expect('the arrow keys find it', document.activeElement === deep());
    press('Enter');
    expect('Enter opens it', boxes().length >= closed + 199 && !deep());
    expect('and keeps the focus', document.activeElement.ariaLabel.includes(name));
    expect('all of it', flame.offsetHeight > high + 199 * 15);
    expect('the box of the graph stays low', $('flame-box').offsetHeight <= innerHeight * 0.63);
    for (let i = 0; i < 150; i++) press('ArrowDown');
    const at = document.activeElement.getBoundingClientRect();
    const box = $('flame-box').getBoundingClientRect();
    expect('the box with the focus is seen', at.top >= box.top - 1 && at.bottom <= box.bottom + 1);
    press('Enter');
    expect('callers of the recursion are one box',
        [...flame.querySelectorAll('.above')].some((one) => / × 1\d\d, /.test(one.ariaLabel)));
    expect('the zoomed graph is low', flame.querySelectorAll('.above').length < 60);
    press('Escape');
    expect('Escape closes it', boxes().length === closed && deep());
  }

  let said = 'ok';
  try {
    recursion();
  } catch (error) {
    said = error.message;
  }
  return said;
})();
