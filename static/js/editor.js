// Makes a text area an editor: line numbers, Tab and Shift+Tab, indentation that goes on, brackets in pairs. Esc, then
// Tab, leaves it. Without this file it is a plain text area; with it the text area stays what is sent.
const PAIRS = { '(': ')', '[': ']', '{': '}', '"': '"', "'": "'" };
const CLOSING = new Set(Object.values(PAIRS));

const put = (area, text) => {
  // insertText keeps the browser's undo; where it is refused, the text goes in without it.
  const done = text ? document.execCommand('insertText', false, text) : document.execCommand('delete');
  if (!done) {
    area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
    area.dispatchEvent(new Event('input', { bubbles: true }));
  }
};

const lineStart = (text, at) => text.lastIndexOf('\n', at - 1) + 1;

// What one step of indentation is in this text: its first indented line tells.
const step = (text) => /^( {2,8})\S/m.exec(text)?.[1] ?? (/^\t/m.test(text) ? '\t' : '    ');

const shift = (area, back) => {
  const { value, selectionStart: from, selectionEnd: to } = area;
  const unit = step(value);
  const first = lineStart(value, from);
  const lines = value.slice(first, to > from && value[to - 1] === '\n' ? to - 1 : to).split('\n');
  const moved = lines.map((line) => {
    if (!back) return line && unit + line;
    if (line.startsWith('\t')) return line.slice(1);
    return line.slice(Math.min(unit.length === 1 ? 4 : unit.length, line.length - line.trimStart().length));
  });
  const old = lines.join('\n');
  const next = moved.join('\n');
  if (old === next) return;
  area.setSelectionRange(first, first + old.length);
  put(area, next);
  if (from === to) {
    const at = Math.max(first, from + next.length - old.length);
    area.setSelectionRange(at, at);
  } else area.setSelectionRange(first, first + next.length);
};

const newLine = (area) => {
  const { value, selectionStart: at } = area;
  const before = value.slice(lineStart(value, at), at);
  const indent = /^[ \t]*/.exec(before)[0];
  const opens = /[([{:]\s*$/.test(before);
  const inner = opens ? indent + step(value) : indent;
  const closes = opens && CLOSING.has(value[at]) && value[at] !== '"' && value[at] !== "'";
  put(area, `\n${inner}${closes ? `\n${indent}` : ''}`);
  const end = at + 1 + inner.length;
  area.setSelectionRange(end, end);
};

const bracket = (area, key) => {
  const { value, selectionStart: from, selectionEnd: to } = area;
  const quote = key === '"' || key === "'";
  if (from === to && CLOSING.has(key) && value[from] === key) {
    area.setSelectionRange(from + 1, from + 1);
    return true;
  }
  if (!(key in PAIRS)) return false;
  const next = value[from] ?? '\n';
  // A pair only where something can stand in it: before a word it would be in the way, and so would a quote behind one.
  if (from === to && (/[\w]/.test(next) || (quote && /[\w\\'"]/.test(value[from - 1] ?? '')))) return false;
  put(area, key + value.slice(from, to) + PAIRS[key]);
  area.setSelectionRange(from + 1, to + 1);
  return true;
};

for (const box of document.querySelectorAll('[data-editor]')) {
  const area = box.querySelector('textarea');
  const gutter = document.createElement('pre');
  gutter.setAttribute('aria-hidden', 'true');
  gutter.className = 'gutter';
  box.prepend(gutter);
  box.dataset.editor = 'on';
  for (const id of (area.getAttribute('aria-describedby') ?? '').split(' ')) {
    const hint = document.getElementById(id);
    if (hint) hint.hidden = false;
  }
  let shown = 0;
  const number = () => {
    const lines = area.value.split('\n').length;
    if (lines !== shown) {
      shown = lines;
      gutter.textContent = Array.from({ length: lines }, (_, index) => index + 1).join('\n') + '\n\n';
    }
    gutter.scrollTop = area.scrollTop;
  };
  let leaving = false;
  area.addEventListener('keydown', (event) => {
    if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    const escaped = leaving;
    if (event.key !== 'Shift') leaving = event.key === 'Escape';
    let done = true;
    if (event.key === 'Tab' && !escaped) {
      if (!event.shiftKey && area.selectionStart === area.selectionEnd) {
        const unit = step(area.value);
        const column = area.selectionStart - lineStart(area.value, area.selectionStart);
        put(area, unit === '\t' ? unit : ' '.repeat(unit.length - (column % unit.length)));
      } else shift(area, event.shiftKey);
    } else if (event.key === 'Enter' && !event.shiftKey) newLine(area);
    else if (event.key === 'Backspace' && area.selectionStart === area.selectionEnd
      && PAIRS[area.value[area.selectionStart - 1]] === area.value[area.selectionStart]
      && area.value[area.selectionStart - 1] in PAIRS) {
      area.setSelectionRange(area.selectionStart - 1, area.selectionStart + 1);
      put(area, '');
    } else done = event.key.length === 1 && bracket(area, event.key);
    if (done) event.preventDefault();
  });
  area.addEventListener('blur', () => { leaving = false; });
  area.addEventListener('input', number);
  area.addEventListener('scroll', () => { gutter.scrollTop = area.scrollTop; });
  // The size of the text area is its reader's; the numbers follow.
  new ResizeObserver(() => { gutter.style.blockSize = `${area.offsetHeight}px`; number(); }).observe(area);
  // A draft or a file may be put in by another script.
  document.addEventListener('touchstone:text', number);
  number();

  // A place that the compiler names is a line of this text.
  if (area.id === 'source') document.addEventListener('click', (event) => {
    const wanted = /^#L(\d+)$/.exec(event.target.closest?.('a[href^="#L"]')?.getAttribute('href') ?? '')?.[1];
    if (!wanted || document.getElementById(`L${wanted}`)) return;
    event.preventDefault();
    const lines = area.value.split('\n');
    const from = lines.slice(0, wanted - 1).reduce((sum, line) => sum + line.length + 1, 0);
    area.focus();
    area.setSelectionRange(from, from + (lines[wanted - 1]?.length ?? 0));
    area.scrollTop = (wanted - 4) * (area.scrollHeight / lines.length);
    area.scrollIntoView({ block: 'center' });
  });
}
