// Keeps a part of the page up to date by server-sent events. The server sends the part as it would render it; rows of
// the scoreboard slide to their new places.
const part = document.querySelector('[data-live]');
const mark = document.querySelector('[data-live-mark]');
const status = document.querySelector('[data-live-status]');
const still = matchMedia('(prefers-reduced-motion: reduce)');

const places = () => new Map([...part.querySelectorAll('tr[data-team]')].map((row) => [row.dataset.team, row.getBoundingClientRect().top]));

const slide = (before) => {
  if (still.matches) return;
  for (const row of part.querySelectorAll('tr[data-team]')) {
    const from = before.get(row.dataset.team);
    const way = from === undefined ? 0 : from - row.getBoundingClientRect().top;
    if (way) row.animate([{ transform: `translateY(${way}px)` }, { transform: 'none' }], { duration: 400, easing: 'ease-out' });
  }
};

// The viewer's own row stands on top, too, unless it is among the first and seen anyway.
const pin = () => {
  const row = part.dataset.mine && part.querySelector(`tbody:not(.mine) tr[data-team="${part.dataset.mine}"]`);
  row?.setAttribute('data-own', '');
  if (!row || row.sectionRowIndex < 5 || part.querySelector('tbody.mine')) return;
  const copy = row.cloneNode(true);
  copy.removeAttribute('data-team');
  const body = document.createElement('tbody');
  body.className = 'mine';
  body.append(copy);
  row.parentElement.before(body);
};

// A board of the first rows alone has no row of somebody further down: it comes by itself.
const own = (html) => {
  const sent = document.createElement('template');
  sent.innerHTML = `<table>${html}</table>`;
  const row = sent.content.querySelector('tr');
  row?.removeAttribute('data-team');
  row?.setAttribute('data-own', '');
  part.querySelector('tbody.mine')?.remove();
  part.querySelector('table.board > thead')?.after(sent.content.querySelector('tbody'));
};

// A verdict that arrives while its reader looks elsewhere may be told by the system, if they asked for it.
const tell = (text) => {
  if (!document.hidden || !('Notification' in window) || Notification.permission !== 'granted') return;
  const notice = new Notification(text, { body: document.title, tag: location.pathname });
  notice.addEventListener('click', () => { window.focus(); notice.close(); });
};
const asking = document.querySelector('button[data-notify]');
if (asking && 'Notification' in window && Notification.permission === 'default') {
  asking.hidden = false;
  asking.addEventListener('click', async () => { await Notification.requestPermission(); asking.hidden = true; });
}

if (part?.dataset.live) pin();

if (part) {
  const source = new EventSource(part.dataset.live);
  const word = mark?.textContent;
  source.addEventListener('open', () => {
    if (mark) { mark.hidden = false; mark.removeAttribute('data-state'); mark.textContent = word; }
  });
  source.addEventListener('error', () => {
    if (mark) { mark.dataset.state = 'lost'; mark.textContent = mark.dataset.lost; }
  });
  const put = (html) => {
    const typed = new Map([...part.querySelectorAll('textarea')].filter((area) => area.value).map((area) => [area.id, area.value]));
    const focus = part.contains(document.activeElement) ? document.activeElement : null;
    const [from, to] = focus?.matches('textarea') ? [focus.selectionStart, focus.selectionEnd] : [];
    part.innerHTML = html;
    // An answer that is being typed stays, and so does the place it is typed at.
    for (const [id, text] of typed) {
      const area = document.getElementById(id);
      if (area) { area.value = text; area.closest('details')?.setAttribute('open', ''); }
    }
    const again = focus?.id && document.getElementById(focus.id);
    if (again) { again.focus(); if (from !== undefined) again.setSelectionRange(from, to); }
  };
  source.addEventListener('part', (event) => {
    const before = places();
    put(event.data);
    pin();
    slide(before);
    const outcome = part.querySelector('[data-status]');
    if (outcome && status && outcome.dataset.finished === 'true') {
      status.textContent = outcome.dataset.status;
      tell(outcome.dataset.status);
    }
  });
  // What is different of a board: its head, the rows that changed, and the order and ranks of all.
  source.addEventListener('rows', (event) => {
    const sent = document.createElement('template');
    sent.innerHTML = event.data;
    const [head, changed] = [sent.content.querySelector('thead'), sent.content.querySelector('tbody')];
    const body = part.querySelector('table.board > tbody:not(.mine)');
    const rows = new Map([...(body?.rows ?? [])].map((row) => [row.dataset.team, row]));
    const before = places();
    const focus = document.activeElement;
    for (const row of [...changed.rows]) rows.set(row.dataset.team, row);
    const order = changed.dataset.order.split(' ').map((one) => one.split(':'));
    // This page shows another board than the server thinks.
    if (!body || order.some(([team]) => !rows.has(team))) return location.reload();
    part.querySelector('table.board > thead').replaceWith(head);
    body.replaceChildren(...order.map(([team, rank]) => {
      const row = rows.get(team);
      row.cells[0].textContent = rank;
      return row;
    }));
    if (part.contains(focus)) focus.focus({ preventScroll: true });
    part.querySelector('tbody.mine')?.remove();
    pin();
    slide(before);
  });
  source.addEventListener('own', (event) => own(event.data));
  source.addEventListener('end', () => { source.close(); if (mark) mark.hidden = true; });
}

// The submission arrived: its draft has done its work.
const problem = document.querySelector('[data-problem]')?.dataset.problem;
try {
  if (problem && sessionStorage.getItem('touchstone.sent') === problem) {
    sessionStorage.removeItem('touchstone.sent');
    localStorage.removeItem(`touchstone.draft.${document.body.dataset.account}/${problem}`);
  }
} catch { /* storage is off */ }
