// Renews the changing parts of a page whenever the gateway signals a change.

async function renew() {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const shown of document.querySelectorAll('[data-part]')) {
    const part = fresh.querySelector(`[data-part="${shown.dataset.part}"]`);
    // A part with the focus is left alone: somebody is about to press something there.
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
