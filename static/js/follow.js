// Keeps a page of the staff up to date while something on it is being prepared: asks again every few seconds, puts the
// new content in place, and stops when nothing is awaited any more.
const main = document.getElementById('main');

const again = async () => {
  const wait = document.querySelector('[data-follow]')?.dataset.follow;
  if (!wait) return;
  try {
    const answer = await fetch(location.href);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('main');
    // Not under the hands of somebody who uses the page.
    const busy = document.activeElement !== main && main.contains(document.activeElement);
    if (answer.ok && page && !busy) main.replaceChildren(...page.childNodes);
  } catch { /* the server is away; ask again */ }
  setTimeout(again, Number(wait));
};

const wait = document.querySelector('[data-follow]')?.dataset.follow;
if (wait) setTimeout(again, Number(wait));
