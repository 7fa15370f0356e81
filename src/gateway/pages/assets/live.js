// Keeps the parts of a page that move as they are at the gateway, which says when that has changed.

async function renew() {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const shown of document.querySelectorAll('[data-part]')) {
    const part = fresh.querySelector(`[data-part="${shown.dataset.part}"]`);
    // Whoever is about to press something there is not disturbed.
    if (part !== null && !shown.contains(document.activeElement)) shown.replaceWith(part);
  }
}

const address = document.querySelector('[data-live]')?.dataset.live;
if (address) {
  const source = new EventSource(address);
  source.addEventListener('changed', () => renew());
  source.addEventListener('ended', () => {
    source.close();
    renew();
  });
}
