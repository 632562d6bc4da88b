// Keeps a page of the staff up to date while something on it is being prepared: asks again every few seconds, puts the
// new content in place, and stops when nothing is awaited any more.
const main = document.getElementById('main');

// Whether somebody has typed or chosen something that was not sent.
const changed = (field) => {
  if (field.type === 'checkbox' || field.type === 'radio') return field.checked !== field.defaultChecked;
  if (field.type === 'hidden') return false;
  if (field.tagName !== 'SELECT') return field.value !== field.defaultValue;
  const chosen = [...field.options];
  return chosen.some((option) => option.defaultSelected) && chosen.some((option) => option.selected !== option.defaultSelected);
};

const again = async () => {
  const wait = document.querySelector('[data-follow]')?.dataset.follow;
  if (!wait) return;
  try {
    const answer = await fetch(location.href);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('main');
    // Not under the hands of somebody who uses the page.
    const used = document.activeElement !== main && main.contains(document.activeElement);
    const busy = used || [...main.querySelectorAll('input, select, textarea')].some(changed);
    if (answer.ok && page && !busy) main.replaceChildren(...page.childNodes);
  } catch { /* the server is away; ask again */ }
  setTimeout(again, Number(wait));
};

const wait = document.querySelector('[data-follow]')?.dataset.follow;
if (wait) setTimeout(again, Number(wait));
