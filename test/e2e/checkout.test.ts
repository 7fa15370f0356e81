import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installedChromium, startBrowser } from '../support/browser.ts';
import { type CommandHome, openCommandHome, QUICK } from '../support/command.ts';

/** A shopper pays on the sandbox's checkout page in a real browser, against the real command. */

const executable = installedChromium();

it.skipIf(executable !== undefined)('needs a Chromium on PATH: install one, and these tests run', ({ skip }) =>
  skip('no chromium, chromium-browser or google-chrome on PATH: the checkout page was not tried in a browser'),
);

describe.skipIf(executable === undefined)('the checkout page', () => {
  let home: CommandHome;
  let browser: Browser;

  beforeAll(async () => {
    home = openCommandHome({ ...QUICK, PAYOUTS_CARD_FINGERPRINT_WAIT: '10m' });
    const dev = home.serve('dev');
    browser = await startBrowser(executable ?? '');
    await dev.says(/Up until Ctrl-C/);
  });
  afterAll(async () => {
    await browser?.close();
    await home?.close();
  });

  it('lists test cards that fit the window of a phone', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 900 } });
    await page.goto(`${home.stack()?.apiUrl}/cards`);
    const cut = `[...document.querySelectorAll('table *')].filter((it) =>
      it.getBoundingClientRect().right > document.querySelector('main').getBoundingClientRect().right).length`;
    expect(await page.evaluate(cut)).toBe(0);
    await page.close();
  });

  async function openCheckout(id: string): Promise<{ page: Page; problems: string[] }> {
    const created = await home.payouts(
      'card',
      'create',
      '--amount',
      '49.90',
      '--currency',
      'EUR',
      '--id',
      id,
      '--json',
    );
    expect(created).toMatchObject({ code: 0 });
    const context = await browser.newContext();
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto((JSON.parse(created.stdout) as { checkout_url: string }).checkout_url);
    await page.locator('#status[data-state="awaiting-card"]').waitFor();
    expect(await page.locator('#amount').textContent()).toBe('49.90 EUR');
    // The secret has left the address.
    expect(page.url()).not.toContain('secret');
    return { page, problems };
  }

  async function payWith(page: Page, scenario: string): Promise<void> {
    if ((await page.locator('#test-cards').getAttribute('open')) === null) await page.locator('summary').click();
    await page.getByRole('button', { name: `Use test card ${scenario}`, exact: true }).click();
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
  }

  const finalState = async (page: Page): Promise<string | null> => {
    const status = page.locator('#status:is([data-state="succeeded"], [data-state="failed"])');
    await status.waitFor({ timeout: 60_000 });
    return status.getAttribute('data-state');
  };

  const stateIn = async (id: string): Promise<string> => {
    const { stdout } = await home.payouts('card', 'show', id, '--json');
    return (JSON.parse(stdout) as { card_payment: { state: string } }).card_payment.state;
  };

  it('takes a card, leads through the challenge and shows that it is paid', async () => {
    const { page, problems } = await openCheckout('shop-1');
    await payWith(page, 'challenge');
    await page.getByRole('button', { name: 'Confirm payment' }).click();
    expect(await finalState(page)).toBe('succeeded');
    expect(await page.locator('#status').textContent()).toContain('Paid');
    expect(await stateIn('shop-1')).toBe('succeeded');
    // Read again, it still says so.
    await page.reload();
    expect(await finalState(page)).toBe('succeeded');
    expect(problems).toEqual([]);
  });

  const again = (page: Page) => page.getByRole('button', { name: 'Pay with another card', exact: true });

  it('says that a card was declined, and makes a new payment for another one in one click', async () => {
    const { page, problems } = await openCheckout('shop-2');
    await payWith(page, 'challenge');
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await finalState(page)).toBe('failed');
    expect(await page.locator('#status').textContent()).toBe('Your card was declined. Nothing was taken.');
    // A cardholder who comes back later is offered the same.
    await page.reload();
    await again(page).click();
    await page.locator('#status[data-state="awaiting-card"]').waitFor();
    expect(await page.locator('#amount').textContent()).toBe('49.90 EUR');
    expect(page.url()).toContain('card_payment=shop-2%7E2');
    await payWith(page, 'success');
    expect(await finalState(page)).toBe('succeeded');
    expect([await stateIn('shop-2'), await stateIn('shop-2~2')]).toEqual(['failed', 'succeeded']);
    expect(problems).toEqual([]);
  });

  it('makes no more payments for one purchase than are allowed', async () => {
    const { page } = await openCheckout('shop-4');
    for (const left of [true, true, false]) {
      await payWith(page, 'decline');
      expect(await finalState(page)).toBe('failed');
      expect(await again(page).isVisible()).toBe(left);
      if (!left) break;
      await again(page).click();
      await page.locator('#status[data-state="awaiting-card"]').waitFor();
    }
    expect(await stateIn('shop-4~3')).toBe('failed');
  });

  it('says why a card was not taken, and takes the next one', async () => {
    const { page } = await openCheckout('shop-3');
    await page.locator('input[name="number"]').fill('4000 0000 1000 0001');
    await page.locator('input[name="expiry"]').fill('12/39');
    await page.locator('input[name="cvv"]').fill('123');
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('The card was not accepted').waitFor();
    expect(await page.locator('input[name="number"]').inputValue()).toBe('');
    await payWith(page, 'success');
    expect(await finalState(page)).toBe('succeeded');
  });
});
