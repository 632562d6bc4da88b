// Asks for a cell in the row above or below the board, where there is no row to ask.
const words = require('fs').readFileSync(0, 'utf8').split(/\s+/).map(Number);
let at = 0;
const next = () => words[at++];
const out = [];
for (let n = next(), m = next(); n > 0; n = next(), m = next()) {
  const board = [];
  for (let r = 0; r < n; r++) {
    board.push(words.slice(at, at + m));
    at += m;
  }
  const free = (r1, c1, r2, c2) => {
    const dr = Math.sign(r2 - r1), dc = Math.sign(c2 - c1);
    for (let r = r1, c = c1; board[r][c] === 0; r += dr, c += dc) if (r === r2 && c === c2) return true;
    return false;
  };
  for (let q = next(); q > 0; q--) {
    const r1 = next() - 1, c1 = next() - 1, r2 = next() - 1, c2 = next() - 1, tile = board[r1][c1];
    let yes = false;
    if (tile !== 0 && tile === board[r2][c2]) {
      board[r1][c1] = board[r2][c2] = 0;
      for (const step of [-1, 1]) {
        for (let c = c1; board[r1][c] === 0 && !yes; c += step) yes = free(r1, c, r2, c) && free(r2, c, r2, c2);
        for (let r = r1; board[r][c1] === 0 && !yes; r += step) yes = free(r, c1, r, c2) && free(r, c2, r2, c2);
      }
      board[r1][c1] = board[r2][c2] = tile;
    }
    out.push(yes ? 'YES' : 'NO');
  }
}
console.log(out.join('\n'));
