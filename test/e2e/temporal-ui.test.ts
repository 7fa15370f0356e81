import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { installedChromium, startBrowser } from '../support/browser.ts';
import { type CommandHome, openCommandHome } from '../support/command.ts';
import { until } from '../support/until.ts';
import { batchOf } from './documents.ts';
import { csvOf, IN_AUDIT } from './payout-files.ts';

/** An operator reads and moves workflows in the Temporal Web UI of the stack, in a real browser. */

const executable = installedChromium();

it.skipIf(executable !== undefined)('needs a Chromium on PATH: install one, and these tests run', ({ skip }) =>
  skip('no chromium, chromium-browser or google-chrome on PATH: the Temporal Web UI was not tried in a browser'),
);

const WORKFLOWS = '/namespaces/default/workflows';

// Who asks a payout to cancel ends what the test before reads.
describe.skipIf(executable === undefined)('the Temporal Web UI', { shuffle: false }, () => {
  let home: CommandHome;
  let browser: Browser;
  let page: Page;
  let ui: string;
  /** What its page met that it should not meet. */
  const problems: string[] = [];

  beforeAll(async () => {
    home = openCommandHome();
    const dev = home.serve('dev');
    browser = await startBrowser(executable ?? '');
    await dev.says(/Up until Ctrl-C/);
    ui = home.stack()?.uiUrl ?? '';
    const file = home.file(
      'seen.csv',
      csvOf([{ id: 'SEEN-1' }, { id: 'SEEN-2', ...IN_AUDIT }, { id: 'SEEN-3', ...IN_AUDIT }]),
    );
    batchOf(await home.payouts('run', file, '--yes', '--detach', '--json'));
    await until(async () => (await stateOf('SEEN-1')) === 'completed');
    for (const id of ['SEEN-2', 'SEEN-3']) await until(async () => (await stateOf(id)) === 'awaiting-bank-approval');
    page = await browser.newPage();
    page.on('response', (answer) => answer.status() >= 400 && problems.push(`${answer.status()} ${answer.url()}`));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(`${error}`));
  });
  afterAll(async () => {
    await browser?.close();
    await home?.close();
  });

  async function stateOf(id: string): Promise<string> {
    const { stdout } = await home.payouts('status', id, '--json');
    return (JSON.parse(stdout) as { payout?: { state: string } }).payout?.state ?? '';
  }

  const workflowOf = (id: string): string => `payout/${referenceOf('u-1001', id)}`;

  /** From the list, as a person does. */
  async function open(id: string): Promise<void> {
    await page.goto(`${ui}${WORKFLOWS}`);
    await page.getByRole('link', { name: workflowOf(id), exact: true }).click();
    await page.getByRole('heading', { name: workflowOf(id) }).waitFor();
  }

  /** Of the workflow that is open: the page on which it opens is another one from version to version. */
  async function openEvents(): Promise<void> {
    await page.goto(page.url().replace(/\/[a-z]+$/, '/history'));
  }

  it('shows what went into a payout, what came of it and each event, in clear', async () => {
    await open('SEEN-1');
    await page.getByText('"SEEN-1"').first().waitFor();
    await page.getByText('"completed"').first().waitFor();
    await page.getByText('pays USD 12.50, attempt 1').first().waitFor();
    await openEvents();
    await page.getByText('Workflow Execution Completed').first().waitFor();
    expect(await page.content()).not.toContain('binary/encrypted');
    expect(problems).toEqual([]);
  });

  it('asks a payout that runs for its state, and shows what it waits for', async () => {
    await open('SEEN-2');
    await page.getByText('reads the order').first().waitFor();
    await page.getByRole('tab', { name: 'Queries' }).click();
    await page.getByRole('button', { name: 'Run Query' }).click();
    await page.getByText('"awaiting-bank-approval"').first().waitFor();
    await page.getByRole('tab', { name: 'Pending Activities' }).click();
    await page.getByText('awaitOrderEnd').first().waitFor();
    await page.getByRole('tab', { name: 'User Metadata' }).click();
    const details = page.frameLocator('iframe').last().getByText("its order waits for a decision in the bank's audit");
    await details.waitFor();
    expect(problems).toEqual([]);
  });

  it('asks it to cancel, and shows so as it happens', async () => {
    await open('SEEN-2');
    await openEvents();
    await page.getByText('Workflow Execution Started').first().waitFor();
    await page.getByRole('button', { name: 'Request Cancellation' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Workflow Execution Cancel Requested').first().waitFor();
    expect(problems).toEqual([]);
  });

  it('resets and ends another, sends it messages and reads its history', async () => {
    const { runId } = await described();
    const asked = (call: string, body?: object) => ask(`/${encodeURIComponent(workflowOf('SEEN-3'))}/${call}`, body);
    const execution = { workflowId: workflowOf('SEEN-3'), runId };
    expect(await asked('history?maximumPageSize=1')).toMatchObject({ status: 200 });
    expect(await asked('signal/approve', {})).toMatchObject({ status: 200 });
    const update = { meta: { updateId: runId }, input: { name: 'decide' } };
    expect(await asked('update/decide', { request: update })).toMatchObject({ status: 200 });
    const reset = { workflowExecution: execution, workflowTaskFinishEventId: 4, requestId: runId, reason: 'a test' };
    expect(await asked('reset', reset)).toMatchObject({ status: 200 });
    expect((await described()).runId).not.toBe(runId);
    expect(await asked('terminate', {})).toMatchObject({ status: 200 });
    await until(async () => (await described()).status === 'WORKFLOW_EXECUTION_STATUS_TERMINATED');
  });

  async function described(): Promise<{ runId: string; status: string }> {
    const { body } = await ask(`/${encodeURIComponent(workflowOf('SEEN-3'))}`);
    const { workflowExecutionInfo } = JSON.parse(body) as {
      workflowExecutionInfo: { execution: { runId: string }; status: string };
    };
    return { runId: workflowExecutionInfo.execution.runId, status: workflowExecutionInfo.status };
  }

  /** By a script of the page. */
  const ask = (path: string, body?: object): Promise<{ status: number; body: string }> =>
    page.evaluate(
      async ({ url, init }) => {
        const answer = await fetch(url, init);
        return { status: answer.status, body: await answer.text() };
      },
      {
        url: `/api/v1${WORKFLOWS}${path}`,
        init: body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
      },
    );
});
