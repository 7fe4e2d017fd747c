/* Stands in a copy of a report's page between its data and its script: the function in which the UI
   thread was seen most often at one place, called by the same functions, calls itself 200 times more
   there. RECURSIVE is the function. */
const RECURSIVE = (() => {
  const element = document.getElementById('data');
  const data = JSON.parse(element.textContent), stacks = data.stacks;

  const frames = numbersOf(stacks.frames), nodes = numbersOf(stacks.nodes);
  const samples = numbersOf(stacks.samples);
  const EACH = 6; /* numbers of a sample: freeze, node, times, thread */
  const isOfUi = (i) => samples[i] >> 1 > 1 && samples[i + 4] === 0;
  const callerOf = (node) => nodes[2 * node - 4];
  const frameOf = (node) => nodes[2 * node - 3];
  const functionOf = (node) => stacks.functions[frames[3 * (frameOf(node) >> 1)]][0];
  /* The lines of one function are places of their own in the data, and one box of the page. */
  const placeOf = (node) => node < 2 ? '' : placeOf(callerOf(node)) + '\n' + functionOf(node);
  const counts = new Map();
  for (let i = 1; i < samples.length; i += EACH) {
    if (!isOfUi(i)) continue;
    const place = placeOf(samples[i] >> 1);
    counts.set(place, (counts.get(place) || 0) + 1);
  }
  const recursive = [...counts].sort((a, b) => b[1] - a[1])[0][0];
  const deeper = new Map();
  for (let i = 1; i < samples.length; i += EACH) {
    const node = samples[i] >> 1;
    if (!isOfUi(i) || placeOf(node) !== recursive) continue;
    if (!deeper.has(node)) {
      const frame = frameOf(node) & ~1;
      let below = node;
      for (let call = 0; call < 200; call++) {
        nodes.push(below, frame);
        below = nodes.length / 2 + 1;
      }
      deeper.set(node, below);
    }
    samples[i] = 2 * deeper.get(node) + (samples[i] & 1);
  }
  stacks.nodes = pack(nodes);
  stacks.samples = pack(samples);
  element.textContent = JSON.stringify(data);
  return recursive.slice(recursive.lastIndexOf('\n') + 1);
})();
