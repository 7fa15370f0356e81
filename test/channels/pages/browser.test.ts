import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../../../src/domain/reasons.ts';
import { csvOf } from '../../e2e/payout-files.ts';
import { cardClaim } from '../../store/card-samples.ts';
import { installedChromium, startBrowser } from '../../support/browser.ts';
import { PAYEE_FIELDS } from '../../support/payee.ts';
import { openGateway, type RunningGateway } from '../http/running-gateway.ts';
import { asking, claimed } from './asking.ts';
import { complaints, enrol, signIn, withAuthenticator } from './browsing.ts';
import { openProvider } from './openid-provider.ts';
import { openPagesOf, pagePeople } from './visiting.ts';

const executable = installedChromium();

it.skipIf(executable !== undefined)('needs a Chromium on PATH: install one, and these tests run', ({ skip }) =>
  skip('no chromium, chromium-browser or google-chrome on PATH: the pages were not tried in a browser'),
);

const PAYEE = 'ben-u1001-usd-local';

/** A booking that belongs to no payout. */
const STATEMENT = `:20:STARTUMS
:25:acc-u1001-usd
:28C:00001/001
:60F:C260511USD1000000,00
:61:2605120512D1234567,89NTRFNONREF//BANK-REFERENCE-1
:86:Rent of the office, paid by hand
:62F:D260512USD234567,89
-
`;

/** How many fields have no label. */
const UNLABELLED =
  '[...document.querySelectorAll("input:not([type=hidden]), select")].filter((field) => !field.labels?.length).length';

/** How many parts that are marked as hidden can be seen. */
const SHOWN_THOUGH_HIDDEN =
  '[...document.querySelectorAll("[hidden]")].filter((part) => part.getClientRects().length > 0).length';

/** How many labels of a narrow window's cards may run into their values. */
const UNBROKEN_LABELS =
  '[...document.querySelectorAll("td")].filter((cell) => getComputedStyle(cell, "::before").content !== "none" && getComputedStyle(cell, "::before").whiteSpace === "nowrap").length';

/** The words of states and times in tables that are broken over two lines. */
const BROKEN_WORDS = `[...document.querySelectorAll('td > .badge, td > time')].flatMap((badge) =>
  [...badge.textContent.matchAll(/[^- ]+/g)].filter((word) => {
    const range = document.createRange();
    range.setStart(badge.firstChild, word.index);
    range.setEnd(badge.firstChild, word.index + word[0].length);
    return range.getClientRects().length > 1;
  }).map(([word]) => word))`;

/** Values of table cells that are below another part of theirs, under the label of a narrow window. */
const UNDER_LABELS = `[...document.querySelectorAll('td')].filter((cell) => cell.childElementCount > 1).map((cell) => cell.outerHTML)`;

describe.skipIf(executable === undefined)('in a browser the pages', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser(executable ?? '');
  });
  afterAll(() => browser?.close());

  /** A trial with something on every page; the path of each. */
  async function filled(): Promise<{ gateway: RunningGateway; paths: string[] }> {
    const gateway = await openGateway();
    const { store } = gateway.proxy;
    const long = 'A-document-id-as-long-as-an-ERP-ever-makes-one-2026-03-0000000001';
    const rows = await claimed(
      gateway,
      [{ id: long, amount: '1234567.89' }, { id: 'inv-2' }, { id: 'inv-3' }, { id: `inv${'9'.repeat(120)}` }],
      'alice',
    );
    const [first, second, third, fourth] = rows.map(({ reference }) => reference);
    if (rows[0] !== undefined) await asking(gateway, rows[0]);
    await store.changePayout(second ?? '', { state: 'completed', orderId: 'ord-1', at: Date.now() });
    await store.recordIncident({ reference: second ?? '', orderId: 'ord-2', kind: 'second-order', seenAt: 1_000 });
    await store.changePayout(third ?? '', { state: 'failed', at: Date.now() });
    const reason = because('outcome-unknown');
    await store.changePayout(fourth ?? '', { state: 'needs-operator', reason, at: Date.now() });
    await store.switchOff({ scope: 'account', key: 'acc-u1001-usd', reason: 'a drill', by: 'bob', at: 1_000 });
    const [inAudit] = await claimed(gateway, [{ id: 'inv-in-audit', amount: '1234567.89' }], 'alice');
    const audit = because('bank-approval-required');
    await store.changePayout(inAudit?.reference ?? '', {
      state: 'awaiting-bank-approval',
      reason: audit,
      at: Date.now(),
    });
    const named = { beneficiary_id: '', ...PAYEE_FIELDS, account_no: '123456789' };
    await claimed(gateway, [{ id: 'inv-named', ...named }], 'alice');
    const batch = `/batches/${rows[0]?.batchId}`;
    const items = {
      ...PAYEE_FIELDS,
      beneficiary_name: 'A very long name of a payee in Llanfairpwllgwyngyllgogerych GmbH & Co. KG',
    };
    const seen = { uid: 'u-1001', payeeId: PAYEE, digest: 'shown', country: 'US', seenAt: 1_000, items };
    await store.notePayee({ ...seen, name: { name: items.beneficiary_name, asShown: 'x', inSmall: 'x' } });
    await store.cards.claim(cardClaim('order-1', { by: 'alice', at: 1_000 }));
    await store.cards.change('order-1', { state: 'needs-operator', at: 2_000 });
    const headers = { 'content-type': 'application/octet-stream' };
    const taken = await gateway.send('/v1/statements', { method: 'POST', headers, body: STATEMENT });
    expect(taken.document).toMatchObject({ statements: [{ outcome: 'taken' }] });
    const payouts = [first, fourth].map((reference) => `/payouts/${reference}`);
    const pages = [
      '/',
      '/payouts?text=inv',
      '/batches',
      '/batches/new',
      batch,
      ...payouts,
      '/incidents',
      '/switches',
      '/audit',
      ...[`${batch}/retry`, '/overview', '/accounts?uid=u-1001', '/orders?uid=u-1001&currency=USD', '/cash'],
      ...['/payees', `/payees/u-1001/${PAYEE}`, '/cards', '/cards/order-1', '/moves/new?uid=u-1001'],
      ...['/statements', '/period', '/display', '/subscriptions'],
    ];
    return { gateway, paths: pages };
  }

  it.each([1280, 960, 800, 768, 390, 320])(
    'fit a window of %i pixels, have one heading, and break no rule of their own',
    async (width) => {
      const { gateway, paths } = await filled();
      const context = await browser.newContext({ viewport: { width, height: 900 } });
      const said = complaints(context);
      const page = await context.newPage();
      for (const path of paths) {
        await page.goto(gateway.url + path);
        expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width);
        expect(await page.locator('h1').count(), path).toBe(1);
        expect(await page.evaluate(UNLABELLED), path).toBe(0);
        expect(await page.evaluate(SHOWN_THOUGH_HIDDEN), path).toBe(0);
        expect(await page.evaluate(UNBROKEN_LABELS), path).toBe(0);
        expect(await page.evaluate(BROKEN_WORDS), path).toEqual([]);
        expect(await page.evaluate(UNDER_LABELS), path).toEqual([]);
      }
      expect(said).toEqual([]);
      await context.close();
    },
  );

  it('fit a sheet of A4, without forms', async () => {
    const { gateway, paths } = await filled();
    const page = await browser.newPage({ viewport: { width: 794, height: 1123 } });
    await page.emulateMedia({ media: 'print' });
    for (const path of paths) {
      await page.goto(gateway.url + path);
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(794);
      expect(await page.locator('form:visible').count(), path).toBe(0);
    }
    await page.close();
  });

  it('work without JavaScript but for passkeys: a file is handed over, checked and decided on', async () => {
    const gateway = await openGateway();
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(gateway.url);
    await page.getByRole('link', { name: 'Submit a file' }).click();
    const file = join(gateway.proxy.dir, 'payroll.csv');
    await writeFile(file, csvOf([{ id: '1' }, { id: '2', amount: '1.234' }]));
    await page.getByLabel('File').setInputFiles(file);
    await page.getByRole('button', { name: 'Show the plan' }).click();
    await page.getByText('round the amount').waitFor();
    await page.getByLabel('Leave out rows with findings').check();
    await page.getByRole('button', { name: 'Plan again' }).click();
    await page.getByLabel('Your name').fill('alice');
    await page.getByRole('button', { name: 'Pay 1 payout' }).click();
    await page.getByRole('heading', { name: 'payroll.csv' }).waitFor();
    const [batch] = await gateway.proxy.store.batches(1);
    const [row] = await Array.fromAsync(gateway.proxy.store.rows(batch?.batchId ?? ''));
    if (row === undefined) throw new Error('nothing was claimed');
    await asking(gateway, row);
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('link', { name: '1', exact: true }).click();
    await page.locator('form', { hasText: 'Approve' }).getByLabel('Your name').fill('bob');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Your approval counts').waitFor();
    expect(gateway.decisions).toMatchObject([{ reference: row.reference, by: 'bob', decision: 'approve' }]);
    const reason = because('outcome-unknown');
    await gateway.proxy.store.changePayout(row.reference, { state: 'needs-operator', reason, at: Date.now() });
    await page.reload();
    await page.locator('form', { hasText: 'Evidence' }).getByLabel('Your name').fill('carol');
    await page.getByLabel('Action').selectOption('close-as-not-paid');
    await page.getByLabel('Evidence').fill('statement of 12 May');
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByText('Accepted. The history shows').waitFor();
    expect(gateway.resolves).toMatchObject([{ by: 'carol', action: 'close-as-not-paid' }]);
    await context.close();
  });

  it('work by keyboard alone', async () => {
    const { gateway } = await filled();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(gateway.url);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('To the content');
    await reach(page, /^A-document-id/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Should this be paid?' }).waitFor();
    await reach(page, 'by');
    await page.keyboard.type('bob');
    await reach(page, 'remark');
    await page.keyboard.type('wrong payee');
    await page.keyboard.press('Enter');
    await reach(page, 'Reject');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Your approval counts' }).waitFor();
    expect(gateway.decisions).toMatchObject([{ by: 'bob', decision: 'reject', remark: 'wrong payee' }]);
    await context.close();
  });

  it('follow a batch while it moves, and stop when it is over', async () => {
    const gateway = await openGateway();
    const rows = await claimed(gateway, [{ id: '1' }, { id: '2' }], 'alice');
    const context = await browser.newContext();
    const page = await context.newPage();
    const said = complaints(context);
    await page.goto(`${gateway.url}/batches/${rows[0]?.batchId}`);
    const paid = page.locator('dl.tiles div', { hasText: 'Paid' }).locator('dd');
    expect(await paid.textContent()).toBe('0');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    for (const [n, { reference }] of rows.entries()) {
      await gateway.proxy.store.changePayout(reference, { state: 'completed', at: Date.now() });
      await expect.poll(() => paid.textContent()).toBe(`${n + 1}`);
    }
    await page.locator('h1 .badge', { hasText: 'completed' }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Rows in state').locator('option').allTextContents()).toEqual([
      'all',
      'completed (2)',
    ]);
    expect(said).toEqual([]);
    await context.close();
  });

  /** A browser in which carol has signed in with a passkey. */
  async function withCarol(): Promise<{ gateway: RunningGateway; page: Page; origin: string }> {
    const { people, gateway } = await openPagesOf({ alice: 'maker', carol: 'approver operator' });
    const page = await (await browser.newContext()).newPage();
    await withAuthenticator(page);
    const made = await enrol(page, people.origin, 'carol');
    Object.assign(people.policy.people[1] ?? {}, { credentials: [{ type: 'passkey', ...made }] });
    await signIn(page, people.origin);
    return { gateway, page, origin: people.origin };
  }

  it('keep the menu on one line where there is room, and what is to be checked of a row within a phone', async () => {
    const { gateway, page, origin } = await withCarol();
    const rows = await claimed(gateway, [{ id: '1' }, { id: '2', beneficiary_id: 'ben-u1001-usd-swift' }], 'alice');
    for (const [n, row] of rows.entries())
      await asking(gateway, row, n === 0 ? { flags: ['payee-differs', 'first-to-country'] } : {});
    const tops = (): Promise<unknown> =>
      page.evaluate(
        'new Set([...document.querySelectorAll("nav a, .who")].map((it) => it.offsetTop + it.offsetHeight / 2)).size',
      );
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.goto(`${origin}/batches/${rows[0]?.batchId}/decide`);
    expect(await tops()).toBe(1);
    await page.setViewportSize({ width: 390, height: 900 });
    await page.locator('td .badge').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.context().close();
  });

  it('sign what an operator says about a payout that only they can decide', async () => {
    const { gateway, page, origin } = await withCarol();
    const [row] = await claimed(gateway, [{ id: '1' }], 'alice');
    const reference = row?.reference ?? '';
    const reason = because('outcome-unknown');
    await gateway.proxy.store.changePayout(reference, { state: 'needs-operator', reason, at: Date.now() });
    await page.goto(`${origin}/payouts/${reference}`);
    await page.getByLabel('Evidence').fill('statement of 12 May');
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByText('Accepted. The history shows').waitFor();
    expect(gateway.resolves).toMatchObject([{ by: 'carol', action: 'keep-looking' }]);
    await page.context().close();
  });

  it('send a form once, however often its button is clicked', async () => {
    const { gateway, page, origin } = await withCarol();
    const rows = await claimed(gateway, [{ id: '1' }, { id: '2' }], 'alice');
    for (const row of rows) await asking(gateway, row);
    await page.goto(`${origin}/batches/${rows[0]?.batchId}/decide`);
    await page.getByRole('button', { name: 'Approve 2 payouts' }).dblclick();
    await page.getByRole('heading', { name: 'payroll' }).waitFor();
    expect(gateway.proxy.temporal.sent.map(({ name }) => name)).toEqual(['approve', 'approve']);
    await page.goto(`${origin}/payouts/${rows[0]?.reference}`);
    await page.getByLabel('Why it is cancelled').fill('withdrawn');
    await page.getByRole('button', { name: 'Cancel' }).dblclick();
    await page.getByText('Cancelled. Nothing is paid.').waitFor();
    expect(gateway.cancels).toHaveLength(1);
    await page.context().close();
  });

  it('cancel the rest of a batch only after a question', async () => {
    const { gateway, page, origin } = await withCarol();
    const [row] = await claimed(gateway, [{ id: '1' }], 'alice');
    await page.goto(`${origin}/batches/${row?.batchId}`);
    const cancel = page.getByRole('button', { name: 'Cancel the rest' });
    const asked: string[] = [];
    const answer = async (accepts: boolean): Promise<void> => {
      page.once('dialog', (dialog) => {
        asked.push(dialog.message());
        void (accepts ? dialog.accept() : dialog.dismiss());
      });
      await cancel.click();
    };
    await answer(false);
    expect(gateway.controls).toEqual([]);
    await answer(true);
    await expect.poll(() => gateway.controls.length).toBe(1);
    expect(asked).toEqual(Array(2).fill('Cancel every payout of this batch that can still be stopped?'));
    await page.context().close();
  });

  it('are entered through a provider on another site, and left there too', async () => {
    const people = await pagePeople({ alice: 'maker' });
    const { origin, policy, port } = people;
    Object.assign(policy.people[0] ?? {}, { identities: ['0a1b'], credentials: [] });
    // For a browser another site than localhost, from which it keeps a strict cookie.
    const provider = await openProvider({ origin }, { host: '127.0.0.1' });
    provider.accounts.set('0a1b', {});
    const { issuer, clientId, clientSecret } = provider;
    await openGateway([], {
      policy,
      port,
      env: {
        PAYOUTS_OIDC_ISSUER: issuer,
        PAYOUTS_OIDC_CLIENT_ID: clientId,
        PAYOUTS_OIDC_CLIENT_SECRET: clientSecret,
      },
    });
    const context = await browser.newContext();
    const said = complaints(context);
    const page = await context.newPage();
    const through = page.getByRole('link', { name: /^Sign in at 127/ });
    await page.goto(`${origin}/batches`);
    for (const width of [390, 1400]) {
      await page.setViewportSize({ width, height: 900 });
      await through.waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
    await through.click();
    await page.getByLabel('Account').fill('0a1b');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    expect(page.url()).toBe(`${origin}/batches`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.waitForURL(/\/sign-in(\?|$)/);
    await through.click();
    await page.getByLabel('Account').waitFor();
    expect(said.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
    await context.close();
  });

  it('say that nothing was decided if the session has ended or the gateway is gone', async () => {
    const { gateway, page, origin } = await withCarol();
    const [row] = await claimed(gateway, [{ id: '1' }], 'alice');
    if (row !== undefined) await asking(gateway, row);
    await page.goto(`${origin}/payouts/${row?.reference}`);
    const approve = page.getByRole('button', { name: 'Approve' });
    await page.context().clearCookies();
    await approve.click();
    await page.getByText('Your session has ended. Nothing was decided').waitFor();
    await gateway.close();
    await approve.click();
    await page.getByText('The gateway did not answer. Nothing was decided').waitFor();
    await page.context().close();
  });
});

/** What has the focus: the name of a field, or the text of what can be pressed. */
const focused = (page: Page): Promise<unknown> =>
  page.evaluate('document.activeElement.getAttribute("name") ?? document.activeElement.textContent.trim()');

/** Goes on by Tab until it has the focus. Buttons that decide share a name. */
async function reach(page: Page, wanted: string | RegExp): Promise<void> {
  for (let n = 0; n < 60; n += 1) {
    await page.keyboard.press('Tab');
    const text = await page.evaluate('document.activeElement.textContent.trim()');
    const found = [await focused(page), text].some((it) =>
      wanted instanceof RegExp ? wanted.test(`${it}`) : it === wanted,
    );
    if (found) return;
  }
  throw new Error(`nothing named ${wanted} is reached by Tab`);
}
