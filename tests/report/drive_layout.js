// Uses the table of components of a page, whose outcome is in data-driven of the document.
(() => {
  const table = document.getElementById('layout');
  const done = (says) => { document.documentElement.dataset.driven = says; };
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

  document.documentElement.dataset.wide = document.documentElement.scrollWidth - innerWidth;
  if (document.getElementById('layout-card').hidden) return done('there is no table');
  if (!rowOf(OUTER) || !rowOf(INNER)) return done('a component is missing');
  if (!falls(order('layout'))) return done('the most layout time is not the first');
  if (!rowOf(INNER).querySelector('.spark path')) return done('it has no bar');
  if (!/ms a frame$/.test(rowOf(INNER).cells[head('worst')].title)) return done('no limit is told');
  if (!rowOf(INNER).querySelector('.within').textContent.includes(OUTER))
    return done('it does not say what it is in');
  if (leftOf(rowOf(INNER)) !== leftOf(rowOf(OUTER))) return done('it is indented');

  table.tHead.rows[0].cells[head('own')].firstChild.click();
  if (!falls(order('own'))) return done('it is not sorted by own time');
  table.tHead.rows[0].cells[0].firstChild.click();
  if (rows().indexOf(rowOf(INNER)) <= rows().indexOf(rowOf(OUTER)))
    return done('what lies within another does not follow it');
  if (leftOf(rowOf(INNER)) <= leftOf(rowOf(OUTER))) return done('it is not indented');
  if (rowOf(INNER).querySelector('.within').offsetWidth > 0)
    return done('it says what it is in although that is seen');
  done('ok');
})();
