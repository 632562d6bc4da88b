// White space made visible on demand; the buttons for it are shown only where they work.
const MARKS = [[/ /g, '·'], [/\t/g, '→\t'], [/\r/g, '␍'], [/\n/g, '↵\n']];
const plain = new WeakMap();
// What is copied is the text itself, not its marks.
document.addEventListener('touchstone:copy', (event) => {
  event.detail.text = texts(event.target).map((node) => plain.get(node) ?? node.data).join('');
});

const texts = (root) => {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  return found;
};

const reveal = (on) => {
  for (const pre of document.querySelectorAll('pre[data-white]')) {
    for (const node of texts(pre)) {
      const text = plain.get(node) ?? node.data;
      plain.set(node, text);
      node.data = on ? MARKS.reduce((shown, [space, mark]) => shown.replace(space, mark), text) : text;
    }
  }
  for (const button of document.querySelectorAll('button[data-whitespace]')) button.setAttribute('aria-pressed', String(on));
};

const awaken = () => { for (const button of document.querySelectorAll('button[data-whitespace]')) button.hidden = false; };
awaken();
// A live part brings its own buttons.
const live = document.querySelector('[data-live]');
if (live) new MutationObserver(awaken).observe(live, { childList: true });
document.addEventListener('click', (event) => {
  const button = event.target.closest?.('button[data-whitespace]');
  if (button) reveal(button.getAttribute('aria-pressed') !== 'true');
});
