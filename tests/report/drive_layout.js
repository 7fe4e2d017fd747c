/* Uses the table of components of a page, and says "ok", or what is wrong. EXPECTED is [outer, inner]:
   the component inner is in the other one. */
(() => {
  const table = document.getElementById('layout');
  const [OUTER, INNER] = EXPECTED;
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
  return 'ok';
})();
