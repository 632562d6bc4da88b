// Reads a cell of the row above or below the board, where there is no row.
const numbers = require('fs').readFileSync(0, 'utf8').split(/\s+/).map(Number);
let at = 0;
for (;;) {
  const w = numbers[at++], h = numbers[at++];
  if (w === 0) break;
  const board = [];
  for (let y = 0; y < h; y++, at += w) board.push(numbers.slice(at, at + w));
  const startY = board.findIndex((row) => row.includes(2));
  let best = 11;
  const play = (x, y, throws) => {
    if (throws + 1 >= best) return;
    for (const [dx, dy] of [[0, 1], [1, 0], [0, -1], [-1, 0]]) {
      let nx = x + dx, ny = y + dy;
      while (board[ny][nx] === 0 || board[ny][nx] === 2) {
        nx += dx;
        ny += dy;
      }
      if (board[ny][nx] === 3) best = throws + 1;
      if (board[ny][nx] === 1 && (nx - dx !== x || ny - dy !== y)) {
        board[ny][nx] = 0;
        play(nx - dx, ny - dy, throws + 1);
        board[ny][nx] = 1;
      }
    }
  };
  play(board[startY].indexOf(2), startY, 0);
  console.log(best > 10 ? -1 : best);
}
