// Keeps a draft in the browser until it is sent, guesses the language from a file's name or the text, takes a dropped
// file, refuses a second click. The server guesses by the same table when nothing was chosen.
const form = document.querySelector('form[data-draft]');
if (form) {
  // A draft is its writer's. Nobody's, when a session has ended: what was kept until then waits for its writer.
  const { account } = document.body.dataset;
  const key = account && `touchstone.draft.${account}/${form.dataset.draft}`;
  const source = form.elements.source;
  const language = form.elements.language;
  const file = form.elements.file;
  const hint = document.getElementById('source-hint');
  const store = {
    get() { try { return key && localStorage.getItem(key); } catch { return null; } },
    set(text) { try { if (key) text ? localStorage.setItem(key, text) : localStorage.removeItem(key); } catch { /* full or off */ } },
  };
  const draft = store.get();
  if (draft && !source.value) {
    source.value = draft;
    hint.textContent = form.dataset.restored;
    document.dispatchEvent(new Event('touchstone:text'));
  }

  const signs = JSON.parse(form.dataset.signs ?? '[]');
  let byHand = false;
  language.addEventListener('change', () => { byHand = language.value !== ''; });
  const choose = (fits) => {
    if (language.selectedOptions[0]?.value && fits(language.selectedOptions[0])) return;
    const options = [...language.options].filter((option) => option.value && fits(option));
    const option = options.find((one) => 'usual' in one.dataset) ?? options[0];
    if (option) language.value = option.value;
  };
  const byName = (name) => {
    const ending = name.includes('.') ? name.split('.').pop().toLowerCase() : '';
    if (ending) choose((option) => (option.dataset.endings ?? '').split(' ').includes(ending));
  };
  const byText = () => {
    if (byHand) return;
    const family = signs.find(([, all]) => all.some((sign) => source.value.includes(sign)))?.[0];
    if (family) choose((option) => option.dataset.family === family);
  };
  let typed;
  source.addEventListener('input', () => {
    store.set(source.value);
    clearTimeout(typed);
    typed = setTimeout(byText, 300);
  });
  file.addEventListener('change', () => { if (file.files[0]) byName(file.files[0].name); });

  // A file may be dropped anywhere on the form.
  const drop = document.createElement('p');
  drop.className = 'hint';
  drop.textContent = form.dataset.drop ?? '';
  file.after(drop);
  form.addEventListener('dragover', (event) => {
    if (![...event.dataTransfer.types].includes('Files')) return;
    event.preventDefault();
    form.dataset.dropping = 'true';
  });
  form.addEventListener('dragleave', (event) => { if (!form.contains(event.relatedTarget)) delete form.dataset.dropping; });
  form.addEventListener('drop', (event) => {
    delete form.dataset.dropping;
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    file.files = event.dataTransfer.files;
    file.dispatchEvent(new Event('change'));
    file.focus();
  });

  form.addEventListener('submit', (event) => {
    // Trying is no sending: the draft stays.
    const trying = event.submitter?.hasAttribute('formaction');
    try { if (!trying) sessionStorage.setItem('touchstone.sent', form.dataset.draft); } catch { /* off */ }
    // Not at once: a disabled button would take itself out of the form.
    const buttons = form.querySelectorAll('button');
    setTimeout(() => { for (const button of buttons) button.disabled = true; }, 0);
  });
  // Coming back with the browser's back button finds a live form again.
  addEventListener('pageshow', () => { for (const button of form.querySelectorAll('button')) button.disabled = false; });
}
