// Breadth first over the cells, on a board whose blocks never vanish.
const numbers = require('fs').readFileSync(0, 'utf8').split(/\s+/).map(Number);
let at = 0;
for (;;) {
  const w = numbers[at++], h = numbers[at++];
  if (w === 0) break;
  const board = [];
  let start;
  for (let y = 0; y < h; y++) {
    board.push(numbers.slice(at, at + w));
    at += w;
    if (board[y].includes(2)) start = [board[y].indexOf(2), y];
  }
  const cell = (x, y) => (board[y] === undefined ? undefined : board[y][x]);
  const seen = new Set([start.join()]);
  let wave = [start], answer = -1;
  for (let throws = 1; throws <= 10 && answer < 0; throws++) {
    const following = [];
    for (const [x, y] of wave) {
      for (const [dx, dy] of [[1, 0], [0, 1], [-1, 0], [0, -1]]) {
        let nx = x, ny = y;
        while (cell(nx + dx, ny + dy) === 0 || cell(nx + dx, ny + dy) === 2) {
          nx += dx;
          ny += dy;
        }
        const next = cell(nx + dx, ny + dy);
        if (next === 3) answer = throws;
        if (next === 1 && !seen.has([nx, ny].join())) {
          seen.add([nx, ny].join());
          following.push([nx, ny]);
        }
      }
    }
    wave = following;
  }
  console.log(answer);
}
