// The theme switch without a reload. Without this file it is a plain form.
for (const form of document.querySelectorAll('form[action="/preferences"]')) {
  form.addEventListener('submit', (event) => {
    const button = event.submitter;
    if (button?.name !== 'theme') return;
    event.preventDefault();
    const root = document.documentElement;
    if (button.value === 'auto') root.removeAttribute('data-theme');
    else root.setAttribute('data-theme', button.value);
    for (const choice of document.querySelectorAll('button[name="theme"][aria-pressed]')) {
      choice.setAttribute('aria-pressed', String(choice.value === button.value));
    }
    const body = new URLSearchParams(new FormData(form));
    body.set('theme', button.value);
    fetch(form.action, { method: 'POST', body, redirect: 'manual' });
  });
}
// After a refused form the reason is read first.
document.getElementById('error')?.focus();

// Drafts of programs: whoever logs out takes theirs along, and one that has no owner is nobody's to see.
const forget = (whose) => {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith('touchstone.draft.'));
    for (const key of keys.filter(whose)) localStorage.removeItem(key);
  } catch { /* storage is off */ }
};
forget((key) => !key.includes('/'));
document.querySelector('form[action="/logout"]')?.addEventListener('submit', () => {
  const own = `touchstone.draft.${document.body.dataset.account}/`;
  forget((key) => key.startsWith(own));
});
