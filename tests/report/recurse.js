/* Stands in a copy of a report's page between its data and its script: every sample of the UI thread
   that was taken in the function with most samples is moved 200 calls of that function deeper, as in a
   recursion. RECURSIVE is the function. */
const RECURSIVE = (() => {
  const element = document.getElementById('data');
  const data = JSON.parse(element.textContent), stacks = data.stacks;

  const frames = numbersOf(stacks.frames), nodes = numbersOf(stacks.nodes);
  const samples = numbersOf(stacks.samples);
  const EACH = 6; /* numbers of a sample: freeze, node, times, thread */
  const functionOf = (node) => stacks.functions[frames[3 * (nodes[2 * node - 3] >> 1)]][0];
  const deeper = new Map();
  const counts = new Map();
  for (let i = 1; i < samples.length; i += EACH) {
    if (samples[i] >> 1 < 2 || samples[i + 4] !== 0) continue;
    const name = functionOf(samples[i] >> 1);
    counts.set(name, (counts.get(name) || 0) + 1);
  }
  const recursive = [...counts].sort((a, b) => b[1] - a[1])[0][0];
  for (let i = 1; i < samples.length; i += EACH) {
    const node = samples[i] >> 1;
    if (node < 2 || samples[i + 4] !== 0 || functionOf(node) !== recursive) continue;
    if (!deeper.has(node)) {
      const frame = nodes[2 * node - 3] & ~1;
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
  return recursive;
})();
