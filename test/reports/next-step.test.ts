import { describe, expect, it } from 'vitest';
import type { Policy } from '../../src/domain/authority.ts';
import { PAYOUT_STATES } from '../../src/domain/payout-state.ts';
import { REASONS, type ReasonCode } from '../../src/domain/reasons.ts';
import { kindOf, nextStep, type StepContext, shortId, stepGroups } from '../../src/reports/next-step.ts';
import { stepGroupsText } from '../../src/reports/render-steps.ts';
import { record } from './records.ts';

const HOUR = 3_600_000;
const CONTEXT: StepContext = {
  policy: undefined,
  terms: { auditTtlMs: 72 * HOUR, waits: { fundsPatienceMs: 24 * HOUR, approvalTtlMs: 72 * HOUR } },
  calendar: undefined,
} as unknown as StepContext;

const person = (name: string, roles: string[], scope = {}) => ({ name, roles, scope, credentials: [], tokens: [] });
const POLICY = {
  people: [
    person('maria', ['maker', 'approver']),
    person('bob', ['approver']),
    person('carol', ['approver'], { currencies: ['USD'] }),
    person('dave', ['operator']),
    person('erin', ['compliance']),
  ],
} as unknown as Policy;

const NOW = Date.UTC(2026, 4, 12, 12);
const held = record(1, 'held', { updatedAt: NOW }, 'look-alike');

describe('the next step', () => {
  it('names the reason, since when, who, the commands with the real id, and what happens by itself', () => {
    const id = shortId(held.reference);
    expect(nextStep(held, CONTEXT)).toEqual({
      kind: 'look-alike',
      why: REASONS['look-alike'].says,
      hasEnded: false,
      since: NOW,
      until: null,
      who: 'anybody but the maker, maria',
      todo: expect.stringContaining(`\`payouts approve ${id} --by NAME\``),
      commands: [`payouts approve ${id} --by NAME`, `payouts reject ${id} --remark TEXT --by NAME`],
      byItself: expect.stringContaining('somebody decides'),
    });
  });

  it('has the deadline of each wait that ends by itself', () => {
    const until = (...given: Parameters<typeof record>): number | null | undefined =>
      nextStep(record(...given), { ...CONTEXT, auditEnds: new Map([[record(1, 'held').reference, NOW + 5]]) })?.until;
    expect(until(1, 'awaiting-funds', { updatedAt: NOW }, 'insufficient-funds')).toBe(NOW + 24 * HOUR);
    expect(until(1, 'awaiting-approval', { updatedAt: NOW }, 'approval-required')).toBe(NOW + 72 * HOUR);
    expect(until(1, 'awaiting-bank-approval', {}, 'bank-approval-required')).toBe(NOW + 5);
    const instruction = { ...held.instruction, execute_on: '2026-05-13' };
    expect(until(1, 'scheduled', { instruction }, 'not-yet-due')).toBe(Date.UTC(2026, 4, 13));
    expect(until(1, 'failed', {}, 'funds-patience-over')).toBeNull();
  });

  it('is for people once the searches for a lost answer are over', () => {
    const stepOf = (state: 'resolving' | 'needs-operator') =>
      nextStep(record(1, state, {}, 'outcome-unknown'), CONTEXT);
    expect(stepOf('resolving')).toMatchObject({ who: 'nobody has to', commands: [] });
    const id = shortId(record(1, 'needs-operator').reference);
    expect(stepOf('needs-operator')).toMatchObject({
      who: 'anybody, under their own name',
      commands: [
        `payouts resolve ${id} --action keep-looking --evidence TEXT --by NAME`,
        `payouts resolve ${id} --action close-as-not-paid --evidence TEXT --by NAME`,
        `payouts resolve ${id} --action adopt-order --order ORDER --evidence TEXT --by NAME`,
      ],
    });
  });

  it('of a conflict is for two people', () => {
    const step = nextStep(record(1, 'needs-operator', {}, 'reference-conflict'), CONTEXT);
    expect(step?.todo).toContain('two people');
    expect(step?.commands).toEqual([
      expect.stringContaining('--action adopt-order'),
      expect.stringContaining('--action close-as-not-paid'),
    ]);
  });

  it('of a transfer or an exchange that ended unpaid is a new id', () => {
    const alone = { kind: 'transfer', batchId: null, row: null } as const;
    expect(nextStep(record(1, 'failed', alone, 'bank-failed'), CONTEXT)).toMatchObject({
      todo: 'Ask the bank why; submit it again under a new id if it still has to be paid.',
      commands: [],
    });
  });

  it('after an exchange is no retry of the same row, which would be refused', () => {
    const rows = [1, 2, 3].map((row) => record(row, 'failed', {}, 'bank-failed'));
    const exchanged = new Set(rows.slice(1).map(({ reference }) => reference));
    const after = nextStep(rows[1] as (typeof rows)[0], { ...CONTEXT, exchanged });
    expect(after?.commands).toEqual([]);
    expect(after?.todo).toMatch(/^Ask the bank why; the money stays exchanged: .* exchange_bought_to/);
    const groups = stepGroups(rows, { ...CONTEXT, exchanged });
    expect(groups.map(({ count, commands }) => [count, commands.length])).toEqual([
      [1, 1],
      [2, 0],
    ]);
    expect(groups[1]?.todo).toBe(after?.todo);
    const rejected = record(4, 'rejected', {}, 'approval-rejected');
    const step = nextStep(rejected, { ...CONTEXT, exchanged: new Set([rejected.reference]) });
    expect(step?.todo).toMatch(/shows the remark\. The money stays exchanged/);
  });

  it('is for the people whom the policy lets act, without the maker and those who have', () => {
    const whoOf = (row: typeof held, more: Partial<StepContext> = {}): string | undefined =>
      nextStep(row, { ...CONTEXT, policy: POLICY, ...more })?.who;
    expect(whoOf(held)).toBe('bob');
    expect(whoOf(record(1, 'held', { currency: 'USD' }, 'look-alike'))).toBe('bob, carol');
    expect(whoOf(record(1, 'needs-operator', {}, 'order-not-found'))).toBe('dave');
    expect(whoOf(record(1, 'held', {}, 'payee-no-match'))).toBe('bob');
    expect(whoOf(record(1, 'held', {}, 'screening-hit'))).toBe('erin');
    expect(whoOf(record(1, 'held', { by: 'erin' }, 'screening-hit'))).toMatch(/^nobody: .*a compliance officer/);
    const approvedBy = new Map([[held.reference, ['bob']]]);
    expect(whoOf(record(1, 'awaiting-approval', {}, 'approval-required'), { approvedBy })).toMatch(
      /^nobody: .*approved by bob so far$/,
    );
    expect(nextStep(held, { ...CONTEXT, policy: POLICY })?.commands.join()).not.toContain('--by');
  });

  it('retries the row alone, not its batch', () => {
    const step = nextStep(record(7, 'failed', {}, 'bank-failed'), CONTEXT);
    expect(step?.commands).toEqual([`payouts retry ${shortId('batch-1')} --rows 7`]);
  });

  it('puts nothing of a file into a command that a shell would read', () => {
    const step = nextStep(record(1, 'failed', { uid: 'u$(reboot)' }, 'account-not-own'), CONTEXT);
    expect(step?.commands.join()).not.toContain('reboot');
  });

  it.each(Object.keys(REASONS) as ReasonCode[])('of %s leaves no id to look up', (code) => {
    const state = code.includes('approval-required') ? 'awaiting-approval' : 'held';
    for (const command of nextStep(record(1, state, {}, code), CONTEXT)?.commands ?? []) {
      expect(command).not.toMatch(/\bID\b/);
    }
  });

  it.each(PAYOUT_STATES)('is there for %s, with or without a reason, unless it is completed', (state) => {
    expect(nextStep(record(1, state), CONTEXT) === undefined).toBe(state === 'completed');
  });
});

it('names the batch that may be paused', () => {
  const commands = (batchId: string | null) =>
    nextStep(record(1, 'held', { batchId }, 'switched-off'), CONTEXT)?.commands.slice(0, 2);
  expect(commands('01890000-0000-7000-8000-000000000001')).toEqual([
    'payouts switch list',
    'payouts resume 01890000-0000',
  ]);
  expect(commands(null)).toEqual(['payouts switch list', 'payouts resume BATCH']);
});

it('a row that awaits an approval is of that kind, whatever else it says', () => {
  expect(kindOf(record(1, 'awaiting-bank-approval', {}, 'switched-off'))).toBe('bank-approval-required');
  expect(kindOf(record(1, 'held', {}, 'switched-off'))).toBe('switched-off');
});

describe('rows by kind', () => {
  const rows = [
    record(1, 'completed'),
    record(2, 'processing'),
    record(3, 'failed', { updatedAt: 1 }, 'bank-failed'),
    record(4, 'held', { updatedAt: NOW - HOUR, amount: '1000.00' }, 'look-alike'),
    record(5, 'held', { updatedAt: NOW, amount: '500.50' }, 'look-alike'),
    record(6, 'awaiting-approval', { updatedAt: NOW - 2 * HOUR }, 'approval-required'),
  ];

  it('are those that people must act on first, the oldest wait first, with exact totals', () => {
    const groups = stepGroups(rows, CONTEXT);
    expect(groups.map(({ kind, count, totals }) => [kind, count, totals[0]?.amount])).toEqual([
      ['approval-required', 1, '10.00'],
      ['look-alike', 2, '1500.50'],
      ['bank-failed', 1, '10.00'],
    ]);
    expect(groups[1]).toMatchObject({ since: NOW - HOUR, needsAttention: true });
  });

  it('of one batch are decided at once, and only those of the kind', () => {
    expect(stepGroups(rows, CONTEXT)[1]?.commands[0]).toBe('payouts approve batch-1 --kind look-alike --by NAME');
  });

  it.each([60, 80, 120, 200])('break no word and no command at %i columns', (width) => {
    const text = stepGroupsText(stepGroups(rows, CONTEXT), { now: NOW, width });
    const wide = stepGroupsText(stepGroups(rows, CONTEXT), { now: NOW, width: Number.POSITIVE_INFINITY });
    expect(text.split(/\s+/)).toEqual(wide.split(/\s+/));
    expect(text).toContain('2 payouts held [look-alike]: 1,500.50 EUR');
    const long = text.split('\n').filter((line) => line.length > width && !line.includes('payouts '));
    expect(long).toEqual([]);
  });
});
