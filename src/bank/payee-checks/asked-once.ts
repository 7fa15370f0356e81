import type { CheckProvider } from './provider.ts';

/** Concurrent questions about the same payee share one request: the rows of a batch often have the same payee. */
export function askedOnce(provider: CheckProvider): CheckProvider {
  return {
    name: provider.name,
    verifyPayee: sharing((payee) => provider.verifyPayee(payee)),
    screen: sharing((party) => provider.screen(party)),
    close: () => provider.close(),
  };
}

function sharing<About, Answer>(ask: (about: About) => Promise<Answer>): (about: About) => Promise<Answer> {
  const running = new Map<string, Promise<Answer>>();
  return (about) => {
    const key = JSON.stringify(about);
    const known = running.get(key);
    if (known !== undefined) return known;
    const asked = ask(about).finally(() => running.delete(key));
    running.set(key, asked);
    return asked;
  };
}
