// Looks how far each tile reaches, but never whether the segment between the two reaches is free.
const data = require('fs').readFileSync(0);
let at = 0;
function next() {
  while (data[at] <= 32) at++;
  let value = 0;
  while (data[at] > 32) value = value * 10 + data[at++] - 48;
  return value;
}

const out = [];
for (let n = next(), m = next(); n > 0; n = next(), m = next()) {
  const board = [];
  for (let r = 0; r < n; r++) {
    board.push(new Int32Array(m));
    for (let c = 0; c < m; c++) board[r][c] = next();
  }
  const reach = (r, c, dr, dc) => {
    let steps = 0;
    for (;;) {
      r += dr;
      c += dc;
      if (r < 0 || r >= n || c < 0 || c >= m || board[r][c] !== 0) return steps;
      steps++;
    }
  };
  const meet = (a, b) => Math.max(a[0], b[0]) <= Math.min(a[1], b[1]);
  for (let q = next(); q > 0; q--) {
    const r1 = next() - 1, c1 = next() - 1, r2 = next() - 1, c2 = next() - 1;
    const tile = board[r1][c1];
    if (tile === 0 || tile !== board[r2][c2]) {
      out.push('NO');
      continue;
    }
    board[r1][c1] = board[r2][c2] = 0;
    const along = (r, c) => [c - reach(r, c, 0, -1), c + reach(r, c, 0, 1)];
    const down = (r, c) => [r - reach(r, c, -1, 0), r + reach(r, c, 1, 0)];
    out.push(meet(along(r1, c1), along(r2, c2)) || meet(down(r1, c1), down(r2, c2)) ? 'YES' : 'NO');
    board[r1][c1] = board[r2][c2] = tile;
  }
}
console.log(out.join('\n'));
