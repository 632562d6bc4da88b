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
