/* Stands in a copy of a report's page between its data and its script: each frame of a function, the
   caller with most samples below it, becomes a guess, and none else is one. GUESSED is the function. */
const GUESSED = (() => {
  const element = document.getElementById('data');
  const data = JSON.parse(element.textContent), stacks = data.stacks;
  const frames = numbersOf(stacks.frames), nodes = numbersOf(stacks.nodes);
  const samples = numbersOf(stacks.samples);
  const EACH = 6, CUT = 1; /* numbers of a sample: freeze, node, times, thread */
  const parent = (node) => nodes[2 * node - 4], frame = (node) => nodes[2 * node - 3] >> 1;
  const counts = new Map();
  for (let i = 1; i < samples.length; i += EACH) {
    const node = samples[i] >> 1;
    if (node > CUT && samples[i + 4] === 0 && parent(node) > CUT)
      counts.set(parent(node), (counts.get(parent(node)) || 0) + 1);
  }
  const guessed = frames[3 * frame([...counts].sort((a, b) => b[1] - a[1])[0][0])];
  for (let i = 0; i < frames.length; i += 3)
    frames[i + 2] = frames[i + 2] & ~2 | (frames[i] === guessed ? 2 : 0);
  stacks.frames = pack(frames);
  element.textContent = JSON.stringify(data);
  return stacks.functions[guessed][0];
})();
