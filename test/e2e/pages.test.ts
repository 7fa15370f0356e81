import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enrol, signIn, withAuthenticator } from '../channels/pages/browsing.ts';
import { installedChromium, startBrowser } from '../support/browser.ts';
import { type CommandHome, openCommandHome, QUICK, type Running } from '../support/command.ts';
import { ownPort } from '../support/own-port.ts';
import { until } from '../support/until.ts';
import { csvOf } from './payout-files.ts';

/** People hand over, approve and reject in real browsers, with passkeys, against the real command. */

const executable = installedChromium();

it.skipIf(executable !== undefined)('needs a Chromium on PATH: install one, and these tests run', ({ skip }) =>
  skip('no chromium, chromium-browser or google-chrome on PATH: the pages were not tried in a browser'),
);

interface Named {
  name: string;
  roles: string[];
  scope: object;
  passkeys: { id: string; publicKey: string }[];
}

describe.skipIf(executable === undefined)('the pages of a stack with a policy', () => {
  const people: Named[] = [
    { name: 'alice', roles: ['maker'], scope: {}, passkeys: [] },
    { name: 'bob', roles: ['approver', 'operator'], scope: {}, passkeys: [] },
  ];
  let home: CommandHome;
  let browser: Browser;
  let origin: string;
  let dev: Running;
  const pages = new Map<string, Page>();

  const policyWith = (approvals: object[]): string =>
    home.file('policy.json', JSON.stringify({ version: 1, origin, people, approvals }));

  async function startDev(): Promise<void> {
    dev = home.serve('dev', '--gateway-port', new URL(origin).port);
    await dev.says(/Pages /);
  }

  beforeAll(async () => {
    origin = `http://localhost:${await ownPort()}`;
    const files = openCommandHome(QUICK);
    const policy = files.file('policy.json', JSON.stringify({ version: 1, origin, people }));
    home = { ...openCommandHome({ ...QUICK, PAYOUTS_POLICY: policy }), file: files.file };
    const close = home.close;
    home.close = async () => {
      await close();
      await files.close();
    };
    browser = await startBrowser(executable ?? '');
    await startDev();
    for (const person of people) {
      const page = await (await browser.newContext()).newPage();
      await withAuthenticator(page);
      person.passkeys = [await enrol(page, origin, person.name)];
      pages.set(person.name, page);
    }
    policyWith([{ approvals: 1 }]);
    dev.kill('SIGTERM');
    await dev.ended;
    await startDev();
    for (const page of pages.values()) await signIn(page, origin);
  });
  afterAll(async () => {
    await browser?.close();
    await home?.close();
  });

  const pageOf = (name: string): Page => {
    const page = pages.get(name);
    if (page === undefined) throw new Error(`${name} has no page`);
    return page;
  };

  it('say where they are', () => {
    expect(dev.printed()).toContain(`Pages        ${origin}`);
  });

  it('take a file from its maker, and pay what an approver signs and not what they reject', async () => {
    const [alice, bob] = [pageOf('alice'), pageOf('bob')];
    await alice.goto(`${origin}/batches/new`);
    const file = home.file('payroll.csv', csvOf([{ id: 'page-1' }, { id: 'page-2', amount: '13.00' }]));
    await alice.getByLabel('File').setInputFiles(file);
    await alice.getByRole('button', { name: 'Show the plan' }).click();
    await alice.getByText('25.50 USD').first().waitFor();
    await alice.getByRole('button', { name: 'Pay 2 payouts' }).click();
    await alice.getByRole('heading', { name: 'payroll.csv' }).waitFor();

    const decide = async (id: string, button: string, remark: string): Promise<void> => {
      await until(async () => {
        await bob.goto(origin);
        return (await bob.getByRole('link', { name: id }).count()) === 1;
      });
      await bob.getByRole('link', { name: id }).click();
      await bob.getByLabel('Remark').fill(remark);
      await bob.getByRole('button', { name: button }).click();
    };
    await decide('page-1', 'Approve', '');
    await bob.getByText('Approved. The payout continues now.').waitFor();
    await decide('page-2', 'Reject', 'not agreed');
    await bob.getByText('Rejected. Nothing is paid.').waitFor();

    // Her page has followed without being loaded again.
    await alice.locator('h1 .badge', { hasText: 'completed with exceptions' }).waitFor();
    expect(await alice.locator('tbody .badge').allTextContents()).toEqual(['completed', 'rejected']);
    const { stdout } = await home.payouts('list', '--json');
    expect(JSON.parse(stdout).batches[0].counts).toMatchObject({ completed: 1, rejected: 1 });
    await bob.getByRole('link', { name: 'Batches' }).click();
    await bob.getByRole('link', { name: 'payroll.csv' }).click();
    await bob.getByRole('link', { name: 'page-1' }).click();
    await bob.getByText('approve, signed').waitFor();
    expect(await home.payouts('audit', 'verify')).toMatchObject({ code: 0 });
  });

  it('sign what an operator switches off and on', async () => {
    const bob = pageOf('bob');
    await bob.goto(`${origin}/switches`);
    await bob.getByLabel('What').selectOption('currency');
    await bob.getByLabel('Which').fill('AUD');
    await bob.getByLabel('Why').fill('a drill');
    await bob.getByRole('button', { name: 'Switch off' }).click();
    await bob.getByText('currency AUD').waitFor();
    await bob.getByLabel('Why').first().fill('over');
    await bob.getByRole('button', { name: 'Switch on' }).click();
    await bob.getByText('Nothing is off.').waitFor();
  });

  it('show a passkey that is not used: nothing is decided, and it can be tried again', async () => {
    const stranger = await (await browser.newContext()).newPage();
    await withAuthenticator(stranger);
    await stranger.goto(`${origin}/sign-in`);
    await stranger.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await stranger.getByText('The passkey was not used').waitFor();
    await stranger.goto(`${origin}/audit`);
    await stranger.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
