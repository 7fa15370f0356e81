// Renews the changing parts of a page whenever the gateway signals a change.

async function renew() {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const shown of document.querySelectorAll('[data-part]')) {
    const part = fresh.querySelector(`[data-part="${shown.dataset.part}"]`);
    if (part !== null && !isInUse(shown)) shown.replaceWith(part);
  }
}

/** A part with the focus, or something typed, is left alone: somebody is about to press something there. */
const isInUse = (part) =>
  part.contains(document.activeElement) ||
  [...part.querySelectorAll('input:not([type="hidden"])')].some(({ value }) => value !== '');

const address = document.querySelector('[data-live]')?.dataset.live;
if (address) {
  const source = new EventSource(address);
  source.addEventListener('changed', () => renew());
  source.addEventListener('ended', () => {
    source.close();
    renew();
  });
}
