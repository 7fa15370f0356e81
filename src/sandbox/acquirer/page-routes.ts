import type { IncomingMessage } from 'node:http';
import { catchUp } from '../catch-up.ts';
import type { Answer } from '../http/answer.ts';
import { readBody } from '../http/body.ts';
import { matchRoute, type Routes, type Target } from '../http/router.ts';
import type { Sandbox } from '../sandbox.ts';
import { cardsPage } from './pages/cards-page.ts';
import { checkoutPage } from './pages/checkout-page.ts';
import { fingerprintPage, notFoundPage } from './pages/document.ts';
import { backToShop, verifyPage } from './pages/verify-page.ts';
import { cardPaymentOfToken } from './payment-row.ts';
import { decideChallenge } from './payments.ts';
import { noteFingerprint } from './sessions.ts';

/** A page for the cardholder's browser: no token, no faults. `form`: the posted fields. */
type PageRoute = (sandbox: Sandbox, token: string, form: URLSearchParams) => Answer;

const PAGE_ROUTES: Routes<PageRoute> = {
  'GET /cards': cardsPage,
  'GET /checkout': checkoutPage,
  'GET /3ds/fingerprint/{token}': ({ books }, token) =>
    noteFingerprint(books, token) ? fingerprintPage() : notFoundPage(),
  'GET /3ds/verify/{token}': ({ books }, token) => {
    const row = cardPaymentOfToken(books.db, token);
    return row === undefined ? notFoundPage() : verifyPage(row);
  },
  'POST /3ds/verify/{token}': verify,
};

function verify(sandbox: Sandbox, token: string, form: URLSearchParams): Answer {
  const { db } = sandbox.books;
  const row = cardPaymentOfToken(db, token);
  if (row === undefined) return notFoundPage();
  const outcome = form.get('outcome');
  if (outcome !== 'confirm' && outcome !== 'cancel') return { ...verifyPage(row), status: 400 };
  db.transaction(() => decideChallenge(sandbox, row, outcome === 'confirm'));
  sandbox.webhooks.wake();
  return backToShop(row);
}

/** The answer to a request for a page; undefined if this path has none. */
export async function answerPage(
  sandbox: Sandbox,
  request: IncomingMessage,
  { method, pathname }: Target,
): Promise<Answer | undefined> {
  const match = matchRoute(PAGE_ROUTES, method, pathname);
  if (match === undefined) return undefined;
  const form = new URLSearchParams(await readBody(request));
  catchUp(sandbox);
  return match.route(sandbox, match.params.token ?? '', form);
}
