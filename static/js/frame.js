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
// The contest's clock goes on, by the server's time: how far this machine's clock is off is known when the page arrives.
const clocks = [...document.querySelectorAll('[data-countdown]')].map((place) => ({
  place,
  sentence: place.dataset.countdown,
  ends: performance.now() + Number(place.dataset.until) - Number(place.dataset.now),
}));
const span = (ms) => {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (number) => String(number).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
};
const tick = () => {
  for (const { place, sentence, ends } of clocks) place.textContent = sentence.replace('%', span(ends - performance.now()));
};
if (clocks.length) setInterval(tick, 1000);

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
