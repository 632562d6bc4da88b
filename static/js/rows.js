// Up and down walk the rows of a list; Enter follows the row's link as always.
for (const table of document.querySelectorAll('table[data-rows]')) {
  const links = [...table.querySelectorAll('a.row-link')];
  table.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = links.indexOf(document.activeElement);
    if (!step || at < 0 || !links[at + step]) return;
    event.preventDefault();
    links[at + step].focus();
  });
}
