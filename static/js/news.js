// News of the judges on every page. A browser holds few connections to a server, so one page of all that are open follows
// and tells the others; where pages can't agree on one (without TLS), each asks now and then while it is looked at.
const place = document.querySelector('[data-news]');
const ASK_EVERY_MS = 30_000;
// Every contest has news of its own.
const base = document.body.dataset.base ?? '';

const show = (html) => {
  // What is there already is not read out again.
  if (place && place.innerHTML.trim() !== html.trim()) place.innerHTML = html;
};

if (navigator.locks && 'BroadcastChannel' in window) {
  const others = new BroadcastChannel(`touchstone-news${base}`);
  let source;
  const follow = () => {
    source?.close();
    source = new EventSource(`${base}/news/events`);
    source.addEventListener('news', (event) => { show(event.data); others.postMessage({ html: event.data }); });
  };
  others.addEventListener('message', ({ data }) => {
    if (data.html !== undefined) show(data.html);
    // Another page showed the messages: what is unread has changed.
    else if (source) follow();
  });
  if (!place) others.postMessage({ read: true });
  // Held until the page goes; then the next page that waits follows.
  navigator.locks.request(`touchstone-news${base}`, () => { follow(); return new Promise(() => {}); });
} else if (place) {
  setInterval(async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(`${base}/news`);
      if (answer.ok) show(await answer.text());
    } catch { /* the server is away; ask again */ }
  }, ASK_EVERY_MS);
}
