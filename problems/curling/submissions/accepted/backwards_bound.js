// Depth first, cut where the throws left can't be enough: a throw changes the row or the column, so the goal is one throw away only in line.
const numbers = require('fs').readFileSync(0, 'utf8').split(/\s+/).map(Number);
let at = 0;
const out = [];
for (;;) {
  const width = numbers[at++], height = numbers[at++];
  if (width === 0) break;
  const wide = width + 2;
  const cells = new Uint8Array(wide * (height + 2)).fill(9);
  let start = 0, goal = 0;
  for (let row = 1; row <= height; row++) {
    for (let column = 1; column <= width; column++) {
      const cell = row * wide + column, value = numbers[at++];
      cells[cell] = value === 2 ? 0 : value;
      if (value === 2) start = cell;
      if (value === 3) goal = cell;
    }
  }
  const steps = [1, -1, wide, -wide];
  const goalRow = Math.floor(goal / wide), goalColumn = goal % wide;
  let best = 11;
  const search = (from, throws) => {
    if (throws + 1 >= best) return;
    const inLine = from % wide === goalColumn || Math.floor(from / wide) === goalRow;
    if (throws + 2 >= best && !inLine) return;
    for (const step of steps) {
      let next = from + step;
      if (cells[next] === 1) continue;
      while (cells[next] === 0) next += step;
      if (cells[next] === 3) {
        best = Math.min(best, throws + 1);
      } else if (cells[next] === 1) {
        cells[next] = 0;
        search(next - step, throws + 1);
        cells[next] = 1;
      }
    }
  };
  search(start, 0);
  out.push(best > 10 ? -1 : best);
}
console.log(out.join('\n'));
