// Copy buttons: shown only where they work. `data-copy` names the element whose text is copied.
const old = (text) => {
  // Without TLS a browser has no clipboard for pages, but still knows the command.
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
};

const copy = async (text) => {
  if (!navigator.clipboard) return old(text);
  try { await navigator.clipboard.writeText(text); return true; } catch { return old(text); }
};

for (const button of document.querySelectorAll('button[data-copy]')) {
  const word = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const from = document.getElementById(button.dataset.copy);
    // Whoever shows marks in the text gives it back without them.
    const asked = new CustomEvent('touchstone:copy', { bubbles: true, detail: { text: from.textContent } });
    from.dispatchEvent(asked);
    if (!(await copy(asked.detail.text))) return;
    button.textContent = button.dataset.copied;
    button.focus();
    setTimeout(() => { button.textContent = word; }, 1500);
  });
}
