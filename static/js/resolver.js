// Opens the frozen board cell by cell: Space, Enter, arrow right or a click goes on, arrow left or Backspace takes the
// last step back. After the last cell the awards follow one by one. The steps are the server's; nothing is ranked here.
const { columns, rows, steps, awards } = JSON.parse(document.getElementById('resolver-data').textContent);
const place = document.getElementById('resolver');
const status = document.querySelector('[data-resolver-status]');
const still = matchMedia('(prefers-reduced-motion: reduce)');
const make = (name, text, attributes = {}) => {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
};

const VERDICTS = { solved: 'AC', pending: 'pending', tried: 'WA' };
const fill = (td, cell) => {
  td.replaceChildren();
  if (!cell.state) return;
  const box = make('b', cell.tries, { 'data-verdict': VERDICTS[cell.state] });
  if (cell.first) box.setAttribute('data-first', '');
  if (cell.text) box.append(make('i', cell.text));
  td.append(box);
};

const wide = make('div', undefined, { class: 'wide', tabindex: '0' });
const table = make('table', undefined, { class: 'board' });
const body = make('tbody');
const head = make('thead');
head.append(make('tr'));
const old = place.querySelectorAll('thead th');
for (const index of [1, 2, 3]) head.firstChild.append(make('th', old[index]?.textContent ?? '', { scope: 'col', class: index === 1 ? 'team' : 'figure' }));
for (const [label] of columns) head.firstChild.append(make('th', label, { scope: 'col', class: 'try' }));
for (const row of rows) {
  const tr = make('tr');
  const name = make('th');
  name.append(make('bdi', row.name));
  tr.append(name, make('td', row.score), make('td', row.time));
  for (const cell of row.cells) { const td = make('td'); fill(td, cell); tr.append(td); }
  tr.row = { ...row, cells: [...row.cells] };
  body.append(tr);
}
table.append(head, body);
wide.append(table);
place.replaceChildren(wide);
for (const shown of document.querySelectorAll('[data-resolver-hint], [data-resolver-buttons]')) shown.hidden = false;

const FIGURES = 3;
const set = (tr, score, time) => { tr.children[1].textContent = score; tr.children[2].textContent = time; Object.assign(tr.row, { score, time }); };
const move = (tr, to) => {
  const before = new Map([...body.children].map((row) => [row, row.getBoundingClientRect().top]));
  tr.remove();
  body.insertBefore(tr, body.children[to] ?? null);
  if (!still.matches) {
    for (const row of body.children) {
      const way = before.get(row) - row.getBoundingClientRect().top;
      if (way) row.animate([{ transform: `translateY(${way}px)` }, { transform: 'none' }], { duration: 400, easing: 'ease-out' });
    }
  }
  for (const row of body.children) row.removeAttribute('data-own');
  tr.setAttribute('data-own', '');
  tr.scrollIntoView({ block: 'nearest', behavior: still.matches ? 'auto' : 'smooth' });
};

let at = 0;
const undo = [];
const names = new Map(rows.map((row) => [row.team, row.name]));
const say = () => {
  const award = at > steps.length && awards[at - steps.length - 1];
  status.textContent = award ? `${award.citation}: ${award.teams.map((team) => names.get(team) ?? team).join(', ')}` : `${Math.min(at, steps.length)} / ${steps.length}`;
};
const next = () => {
  if (at >= steps.length + awards.length) return;
  const step = steps[at];
  at += 1;
  if (step) {
    const tr = body.children[step.from];
    undo.push({ cell: tr.row.cells[step.column], score: tr.row.score, time: tr.row.time });
    tr.row.cells[step.column] = step.cell;
    fill(tr.children[FIGURES + step.column], step.cell);
    set(tr, step.score, step.time);
    move(tr, step.to);
  }
  say();
};
const back = () => {
  if (at === 0) return;
  at -= 1;
  const step = steps[at];
  if (step) {
    const { cell, score, time } = undo.pop();
    const tr = body.children[step.to];
    tr.row.cells[step.column] = cell;
    fill(tr.children[FIGURES + step.column], cell);
    set(tr, score, time);
    move(tr, step.from);
  }
  say();
};
say();

for (const button of document.querySelectorAll('[data-go]')) button.addEventListener('click', () => (button.dataset.go === '1' ? next() : back()));
place.addEventListener('click', next);
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest('button, a, input, select')) return;
  if ([' ', 'Enter', 'ArrowRight', 'PageDown'].includes(event.key)) { event.preventDefault(); next(); }
  if (['ArrowLeft', 'Backspace', 'PageUp'].includes(event.key)) { event.preventDefault(); back(); }
});
