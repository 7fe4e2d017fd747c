/* What the scripts of all pages begin with. It stands in each page, before the page's own. */

/* An error must not look like an empty page. */
window.addEventListener('error', (event) => {
  document.documentElement.dataset.error = event.message;
  const line = document.getElementById('error');
  line.hidden = false;
  line.textContent = 'This page cannot be shown: ' + event.message;
});

/* The data take the place of the text, but not without styles: graphs would be black boxes. */
if (!getComputedStyle(document.documentElement).getPropertyValue('--back'))
  throw new Error('its styles are blocked');
document.getElementById('unscripted').remove();
document.getElementById('scripted').hidden = false;

const page = (() => {
  /* Characters that are not to be shown, as in base/utf8.c but for ends of lines: a
     window's title must not turn the texts around it. */
  const unshown = /[\u0001-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb]/g;
  const data = JSON.parse(document.getElementById('data').textContent,
    (name, value) => typeof value === 'string' ? value.replace(unshown, '\ufffd') : value);
  const $ = (id) => document.getElementById(id);

  /* Makes an element: texts go in as text. A `color` is one of the page's own, by its name. */
  function el(tag, attributes, ...children) {
    const svg = ['svg', 'g', 'rect', 'line', 'text', 'path', 'circle'].includes(tag);
    const node = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) :
                       document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name !== 'color') node.setAttribute(name, value);
    }
    if (attributes && attributes.color)
      node.style.setProperty('--c', 'var(--' + attributes.color + ')');
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }

  /* A text of somebody else's: its direction must not turn round what stands beside it. */
  const foreign = (text) => el('bdi', null, text);

  return {data, $, el, foreign};
})();
