// Keeps a draft in the browser until it is sent, guesses the language from a file's ending, refuses a second click.
const form = document.querySelector('form[data-draft]');
if (form) {
  const key = `touchstone.draft.${form.dataset.draft}`;
  const source = form.elements.source;
  const language = form.elements.language;
  const file = form.elements.file;
  const button = form.querySelector('button[data-role="main"]');
  const store = {
    get() { try { return localStorage.getItem(key); } catch { return null; } },
    set(text) { try { text ? localStorage.setItem(key, text) : localStorage.removeItem(key); } catch { /* full or off */ } },
  };
  const draft = store.get();
  if (draft && !source.value) {
    source.value = draft;
    document.getElementById('source-hint').textContent = form.dataset.restored;
  }
  source.addEventListener('input', () => store.set(source.value));
  const guess = (name) => {
    const ending = name.includes('.') ? name.split('.').pop().toLowerCase() : '';
    const fits = (option) => (option.dataset.endings ?? '').split(' ').includes(ending);
    if (language.selectedOptions[0] && fits(language.selectedOptions[0])) return;
    const option = [...language.options].find(fits);
    if (ending && option) language.value = option.value;
  };
  file.addEventListener('change', () => { if (file.files[0]) guess(file.files[0].name); });
  form.addEventListener('submit', () => {
    try { sessionStorage.setItem('touchstone.sent', form.dataset.draft); } catch { /* off */ }
    // Not at once: a disabled button would take itself out of the form.
    setTimeout(() => { button.disabled = true; }, 0);
  });
  // Coming back with the browser's back button finds a live form again.
  addEventListener('pageshow', () => { button.disabled = false; });
}
