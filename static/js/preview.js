// Shows the statement as it is written: asks the server for the preview a moment after the last key, and puts it in place.
const form = document.querySelector('[data-preview]');
let timer;
let asked = 0;

const show = async () => {
  const mine = ++asked;
  const body = new URLSearchParams(new FormData(form));
  body.set('preview', '1');
  try {
    const answer = await fetch(form.action, { method: 'POST', body });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('preview');
    if (answer.ok && page && mine === asked) document.getElementById('preview').replaceChildren(...page.childNodes);
  } catch { /* the button still asks */ }
};

form?.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(show, 400);
});
