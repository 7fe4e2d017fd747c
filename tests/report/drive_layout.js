/* Uses the table of components of a page, and says "ok", or what is wrong. EXPECTED is [outer, inner,
   left, top, width, height]: the component inner is in the other one, and there in their root. */
(() => {
  const table = document.getElementById('layout');
  const [OUTER, INNER, ...PLACE] = EXPECTED;
  const rows = () => [...table.tBodies[0].rows];
  const nameOf = (row) => row.querySelector('.component bdi').textContent;
  const rowOf = (name) => rows().find((row) => nameOf(row) === name);
  const head = (name) => [...table.tHead.rows[0].cells].findIndex(
      (cell) => cell.textContent === name);
  const numberOf = (row, name) => parseFloat(row.cells[head(name)].textContent);
  const leftOf = (row) => {
    const name = row.querySelector('.component bdi').getBoundingClientRect();
    return name.left - row.getBoundingClientRect().left;
  };
  const order = (name) => rows().map((row) => numberOf(row, name));
  const falls = (numbers) => numbers.every((n, i) => i === 0 || !(n > numbers[i - 1]));

  if (document.getElementById('layout-card').hidden) return 'there is no table';
  if (!rowOf(OUTER) || !rowOf(INNER)) return 'a component is missing';
  if (!falls(order('layout'))) return 'the most layout time is not the first';
  if (!rowOf(INNER).querySelector('.spark path')) return 'it has no bar';
  if (!/ms a frame$/.test(rowOf(INNER).cells[head('worst')].title)) return 'no limit is told';
  if (!rowOf(INNER).querySelector('.within').textContent.includes(OUTER))
    return 'it does not say what it is in';
  if (leftOf(rowOf(INNER)) !== leftOf(rowOf(OUTER))) return 'it is indented';

  table.tHead.rows[0].cells[head('own')].firstChild.click();
  if (!falls(order('own'))) return 'it is not sorted by own time';
  table.tHead.rows[0].cells[0].firstChild.click();
  if (rows().indexOf(rowOf(INNER)) <= rows().indexOf(rowOf(OUTER)))
    return 'what lies within another does not follow it';
  if (leftOf(rowOf(INNER)) <= leftOf(rowOf(OUTER))) return 'it is not indented';
  if (rowOf(INNER).querySelector('.within').offsetWidth > 0)
    return 'it says what it is in although that is seen';

  const sketch = document.getElementById('sketch');
  const chosen = () => sketch.querySelector('rect.chosen');
  const placeOf = (rect) => ['x', 'y', 'width', 'height'].map((name) => +rect.getAttribute(name));
  const isShown = (row) => row.matches('.picked') &&
      row.querySelector('button').getAttribute('aria-pressed') === 'true';
  if (!sketch.hidden) return 'there is a sketch before somebody asked';
  rowOf(INNER).cells[head('worst')].click();
  if (sketch.hidden || !isShown(rowOf(INNER))) return 'a click on a row shows nothing';
  if (placeOf(chosen()).join() !== PLACE.join())
    return 'it is at ' + placeOf(chosen()) + ' and not at ' + PLACE;
  if (!sketch.querySelector('figcaption').textContent.startsWith(INNER)) return 'it has no name';
  const root = sketch.querySelector('rect.root'), [, , rootWidth] = placeOf(root);
  const drawn = chosen().getBoundingClientRect(), around = root.getBoundingClientRect();
  const scale = around.width / rootWidth;
  const shown = [drawn.left - around.left, drawn.top - around.top, drawn.width, drawn.height];
  if (shown.some((length, i) => Math.abs(length - PLACE[i] * scale) > 1))
    return 'it is drawn at ' + shown;
  if (sketch.querySelectorAll('rect').length < 4) return 'the other components have no outlines';
  if (around.width < 200) return 'the sketch is too small';
  table.tHead.rows[0].cells[head('own')].firstChild.click();
  if (sketch.hidden || !isShown(rowOf(INNER))) return 'it is forgotten when the table is sorted';
  rowOf(OUTER).querySelector('button').click();
  if (isShown(rowOf(INNER)) || !isShown(rowOf(OUTER))) return 'another row is not shown in its place';
  if (placeOf(chosen())[0] >= PLACE[0]) return 'the outer one does not lie around the other';
  rowOf(OUTER).querySelector('button').click();
  if (!sketch.hidden || isShown(rowOf(OUTER))) return 'a second click does not hide it';
  return 'ok';
})();
