// Keeps the part of a page that moves as it is at the gateway, which says when that has changed.

const SHOWN = '[data-live]';

async function renew() {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector(SHOWN);
  const shown = document.querySelector(SHOWN);
  // Whoever is about to press something there is not disturbed.
  if (fresh !== null && !shown.contains(document.activeElement)) shown.replaceWith(fresh);
}

const address = document.querySelector(SHOWN)?.dataset.live;
if (address) {
  const source = new EventSource(address);
  source.addEventListener('changed', () => renew());
  source.addEventListener('ended', () => {
    source.close();
    renew();
  });
}
