import { describe, expect, it } from 'vitest';
import type { Policy } from '../../src/domain/authority.ts';
import { KNOWN_BY_RULE } from '../../src/domain/business-days.ts';
import { shortId } from '../../src/domain/display.ts';
import type { Hindrance } from '../../src/domain/liveness.ts';
import { PAYOUT_STATES } from '../../src/domain/payout-state.ts';
import { REASONS, type ReasonCode } from '../../src/domain/reasons.ts';
import { kindOf, nextStep, type StepContext } from '../../src/reports/next-step.ts';
import { stepGroups } from '../../src/reports/step-groups.ts';
import { record, TRIAL } from './records.ts';

const HOUR = 3_600_000;

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
const held = record(1, 'held', { stateSince: NOW }, 'look-alike');

describe('the next step', () => {
  it('names the reason, since when, who, the commands with the real id, and what happens by itself', () => {
    const id = shortId(held.reference);
    expect(nextStep(held, TRIAL)).toEqual({
      kind: 'look-alike',
      why: REASONS['look-alike'].says,
      hasEnded: false,
      since: NOW,
      until: null,
      who: 'anybody but the maker, maria',
      todo: expect.stringContaining(`\`payouts approve ${id}\``),
      commands: [`payouts approve ${id}`, `payouts reject ${id}`],
      byItself: expect.stringContaining('somebody decides'),
    });
  });

  it('says of a row that waits only because its maker has not signed it that this is why', () => {
    const assessed = { digest: 'd', approvalsNeeded: 1, notMade: true } as const;
    const { why } = nextStep(record(1, 'awaiting-approval', { assessed }, 'approval-required'), TRIAL) ?? {};
    expect(why).toMatch(/no rule asks for an approval, but its maker has not signed it, with all that it may sell$/);
    const asked = record(
      1,
      'awaiting-approval',
      { assessed: { digest: 'd', approvalsNeeded: 1 } },
      'approval-required',
    );
    expect(nextStep(asked, TRIAL)?.why).not.toContain('maker has not signed');
  });

  it('has the deadline of each wait that ends by itself', () => {
    const until = (...given: Parameters<typeof record>): number | null | undefined =>
      nextStep(record(...given), { ...TRIAL, auditEnds: new Map([[record(1, 'held').reference, NOW + 5]]) })?.until;
    expect(until(1, 'awaiting-funds', { stateSince: NOW }, 'insufficient-funds')).toBe(NOW + 24 * HOUR);
    expect(until(1, 'awaiting-approval', { stateSince: NOW }, 'approval-required')).toBe(NOW + 72 * HOUR);
    expect(until(1, 'awaiting-bank-approval', {}, 'bank-approval-required')).toBe(NOW + 5);
    const instruction = { ...held.instruction, execute_on: '2026-05-13' };
    expect(until(1, 'scheduled', { instruction }, 'not-yet-due')).toBe(Date.UTC(2026, 4, 13));
    // The second of two searches that can prove an order absent: a little after the ten minutes and two of the settings.
    expect(until(1, 'resolving', { stateSince: NOW }, 'outcome-unknown')).toBe(NOW + 734_400);
    expect(until(1, 'needs-operator', {}, 'outcome-unknown')).toBeNull();
    expect(until(1, 'failed', {}, 'funds-patience-over')).toBeNull();
  });

  it('foretells when a payout is paid, and is a reason to look once all others were quicker', () => {
    const settling = new Map([['USD ', { of: 40, usualMs: 3 * HOUR, slowestMs: 5 * HOUR }]]);
    const sentBefore = (hours: number) =>
      nextStep(record(1, 'processing', { stateSince: NOW, currency: 'USD' }), {
        ...TRIAL,
        settling,
        at: NOW + hours * HOUR,
      });
    expect(sentBefore(5)).toMatchObject({
      kind: 'processing',
      arrives: expect.stringMatching(/^expected by 2026-05-12 15:01/),
    });
    const waiting = nextStep(record(1, 'held', { stateSince: NOW, currency: 'USD' }), { ...TRIAL, settling, at: NOW });
    expect(waiting?.arrives).toMatch(/usually paid within about 3 hours of being sent$/);
    const late = sentBefore(6);
    expect(late).toMatchObject({ kind: 'slower-than-others', why: REASONS['slower-than-others'].says });
    expect(late?.arrives).toBe('overdue: all of the last 40 payouts in USD took about 5 hours or less');
    expect(late?.commands).toEqual(['payouts orders u-1001 USD']);
    expect(
      nextStep(record(1, 'processing', { stateSince: NOW, currency: 'USD' }), { ...TRIAL, at: NOW + 99 * HOUR })
        ?.arrives,
    ).toBeUndefined();
  });

  it('says of what is not sent yet for which day it counts, and that it is too late today', () => {
    const cutOffs = [{ currency: 'USD', at: '15:30', zone: 'UTC' }];
    const calendar = { ...KNOWN_BY_RULE, cutOffs };
    const asked = (hours: number, state: 'held' | 'processing' | 'failed' = 'held') =>
      nextStep(record(1, state, { stateSince: NOW, currency: 'USD' }), { ...TRIAL, calendar, at: NOW + hours * HOUR })
        ?.arrives;
    expect(asked(0)).toBe('in USD it counts for 2026-05-12 if it is sent before 15:30 UTC');
    expect(asked(4)).toBe('too late today for USD (cut-off 15:30 UTC): it counts for 2026-05-13 if it is sent');
    expect(asked(4 * 24)).toBe('no business day for USD today: it counts for 2026-05-18 if it is sent');
    expect(asked(0, 'processing')).toBeUndefined();
    expect(asked(0, 'failed')).toBeUndefined();
  });

  it('of a row that a switch keeps from being started names the switch, and nothing that only a started payout receives', () => {
    const off = [{ scope: 'everything', key: '', reason: 'a drill', by: 'dave', at: NOW + 5 }] as const;
    const row = record(1, 'received', { stateSince: NOW, releasedAt: null, accountId: 'acc-1' });
    const batch = shortId(row.batchId ?? '');
    expect(nextStep(row, { ...TRIAL, off })).toMatchObject({
      kind: 'switched-off',
      why: expect.stringContaining('(everything)'),
      since: NOW + 5,
      commands: ['payouts switch list', 'payouts switch on everything', `payouts cancel ${batch}`],
    });
    expect(stepGroups([row], { ...TRIAL, off })).toMatchObject([{ kind: 'switched-off', needsAttention: true }]);
    const account = [{ ...off[0], scope: 'account', key: 'acc-1' }] as const;
    const commandsOf = (context: object) => nextStep(row, { ...TRIAL, off: account, ...context })?.commands;
    expect(commandsOf({})).toContain('payouts switch on account acc-1');
    expect(commandsOf({ isMasked: true })).toContain('payouts switch on account KEY');
    const other = [{ ...account[0], key: 'acc-of-another' }];
    expect(nextStep(row, { ...TRIAL, off: other })?.kind).toBe('received');
    expect(nextStep({ ...row, releasedAt: NOW }, { ...TRIAL, off })?.kind).toBe('received');
    expect(stepGroups([row], TRIAL)).toEqual([]);
  });

  it('is for people once the searches for a lost answer are over', () => {
    const stepOf = (state: 'resolving' | 'needs-operator') => nextStep(record(1, state, {}, 'outcome-unknown'), TRIAL);
    expect(stepOf('resolving')).toMatchObject({ who: 'nobody has to', commands: [] });
    const id = shortId(record(1, 'needs-operator').reference);
    expect(stepOf('needs-operator')).toMatchObject({
      who: 'anybody, under their own name',
      commands: [
        `payouts resolve ${id} --action keep-looking`,
        `payouts resolve ${id} --action close-as-not-paid`,
        `payouts resolve ${id} --action adopt-order`,
      ],
    });
  });

  it('of an order in the audit of the bank names what still counts when that has expired', () => {
    const row = record(1, 'awaiting-bank-approval', {}, 'bank-approval-required');
    expect(nextStep(row, TRIAL)?.commands).toContain(`payouts cancel ${shortId(row.reference)}`);
  });

  it('of a conflict is for two people', () => {
    const step = nextStep(record(1, 'needs-operator', {}, 'reference-conflict'), TRIAL);
    expect(step?.todo).toContain('two people');
    expect(step?.commands).toEqual([
      expect.stringContaining('--action adopt-order'),
      expect.stringContaining('--action close-as-not-paid'),
    ]);
  });

  it('of a transfer or an exchange that ended unpaid is a new id', () => {
    const alone = { kind: 'transfer', batchId: null, row: null } as const;
    expect(nextStep(record(1, 'failed', alone, 'bank-failed'), TRIAL)).toMatchObject({
      todo: 'Ask the bank why; submit it again under a new id if it still has to be paid.',
      commands: [],
    });
  });

  it('after an exchange is no retry of the same row, which would be refused', () => {
    const rows = [1, 2, 3].map((row) => record(row, 'failed', {}, 'bank-failed'));
    const exchanged = new Set(rows.slice(1).map(({ reference }) => reference));
    const after = nextStep(rows[1] as (typeof rows)[0], { ...TRIAL, exchanged });
    expect(after?.commands).toEqual([]);
    expect(after?.todo).toMatch(/^Ask the bank why; the money stays exchanged: .* exchange_bought_to/);
    const groups = stepGroups(rows, { ...TRIAL, exchanged });
    expect(groups.map(({ count, commands }) => [count, commands.length])).toEqual([
      [1, 1],
      [2, 0],
    ]);
    expect(groups[1]?.todo).toBe(after?.todo);
    const rejected = record(4, 'rejected', {}, 'approval-rejected');
    const step = nextStep(rejected, { ...TRIAL, exchanged: new Set([rejected.reference]) });
    expect(step?.todo).toMatch(/shows the remark\. The money stays exchanged/);
  });

  it('of a payout that an incident contradicts is no retry', () => {
    const row = record(1, 'failed', {}, 'bank-failed');
    const step = nextStep(row, { ...TRIAL, contradicted: new Set([row.reference]) });
    expect([step?.commands, step?.who]).toEqual([[], 'anybody, under their own name']);
    expect(step?.todo).toMatch(/^Do not pay it again/);
  });

  it('is for the people whom the policy lets act, without the maker and those who have', () => {
    const whoOf = (row: typeof held, more: Partial<StepContext> = {}): string | undefined =>
      nextStep(row, { ...TRIAL, policy: POLICY, ...more })?.who;
    expect(whoOf(held)).toBe('bob');
    expect(whoOf(record(1, 'held', { currency: 'USD' }, 'look-alike'))).toBe('bob or carol');
    expect(whoOf(record(1, 'needs-operator', {}, 'order-not-found'))).toBe('dave');
    expect(whoOf(record(1, 'held', {}, 'payee-no-match'))).toBe('bob');
    expect(whoOf(record(1, 'held', {}, 'screening-hit'))).toBe('erin');
    expect(whoOf(record(1, 'held', { by: 'erin' }, 'screening-hit'))).toMatch(/^nobody: .*a compliance officer/);
    const approvedBy = new Map([[held.reference, ['bob']]]);
    expect(whoOf(record(1, 'awaiting-approval', {}, 'approval-required'), { approvedBy })).toMatch(
      /^nobody: .*\(bob has approved\)$/,
    );
    const reason = { code: 'approval-required', message: 'waiting for internal approval (1 needed)' } as const;
    expect(whoOf({ ...record(1, 'awaiting-approval'), reason }, { approvedBy })).toBe(
      'nobody has to any more (bob has approved)',
    );
    expect(nextStep(held, { ...TRIAL, policy: POLICY })?.commands.join()).not.toContain('--by');
  });

  it('retries the row alone, not its batch', () => {
    const step = nextStep(record(7, 'failed', {}, 'bank-failed'), TRIAL);
    expect(step?.commands).toEqual([`payouts retry ${shortId('batch-1')} --rows 7`]);
  });

  it('puts nothing of a file into a command that a shell would read', () => {
    const step = nextStep(record(1, 'failed', { uid: 'u$(reboot)' }, 'account-not-own'), TRIAL);
    expect(step?.commands.join()).not.toContain('reboot');
  });

  it.each(Object.keys(REASONS) as ReasonCode[])('of %s leaves no id to look up', (code) => {
    const state = code.includes('approval-required') ? 'awaiting-approval' : 'held';
    for (const command of nextStep(record(1, state, {}, code), TRIAL)?.commands ?? []) {
      expect(command).not.toMatch(/\bID\b/);
    }
  });

  it.each(PAYOUT_STATES)('is there for %s, with or without a reason, unless it is completed', (state) => {
    expect(nextStep(record(1, state), TRIAL) === undefined).toBe(state === 'completed');
  });
});

it('names the batch that may be paused', () => {
  const commands = (batchId: string | null) =>
    nextStep(record(1, 'held', { batchId }, 'switched-off'), TRIAL)?.commands.slice(0, 2);
  expect(commands('01890000-0000-7000-8000-000000000001')).toEqual([
    'payouts switch list',
    'payouts resume 01890000-0000',
  ]);
  expect(commands(null)).toEqual(['payouts switch list', 'payouts resume BATCH']);
});

it('a row that awaits an approval is of that kind, with any other reason', () => {
  expect(kindOf(record(1, 'awaiting-bank-approval', {}, 'switched-off'))).toBe('bank-approval-required');
  expect(kindOf(record(1, 'held', {}, 'switched-off'))).toBe('switched-off');
});

const BANK_DOWN: Hindrance = {
  part: 'bank',
  says: 'the bank has not answered since 2026-05-12 06:09 UTC (nothing listens there)',
  who: 'those who run the workers',
  todo: 'Nothing.',
  byItself: 'It continues when the bank answers.',
};

it('a payout that goes on without people says what is in its way', () => {
  const step = nextStep(record(1, 'preparing'), { ...TRIAL, hindrance: BANK_DOWN });
  expect(step?.why).toMatch(/; the bank has not answered since 2026-05-12 06:09 UTC \(nothing listens there\)$/);
  expect(step).toMatchObject({ todo: 'Nothing.', commands: [], byItself: 'It continues when the bank answers.' });
});

it.each(['held', 'awaiting-approval', 'needs-operator', 'scheduled', 'failed'] as const)(
  'a payout that is %s says what people do, whatever is in the way of others',
  (state) => {
    const row = record(1, state, {}, state === 'failed' ? 'bank-failed' : undefined);
    expect(nextStep(row, { ...TRIAL, hindrance: BANK_DOWN })).toEqual(nextStep(row, TRIAL));
  },
);

const SHORT = { accountId: 'acc-aud', needs: '4999000.00', available: '1000.00', enough: false };

it('a payout that waits for money names the account and what it lacks, but where accounts are masked', () => {
  const row = record(
    1,
    'awaiting-funds',
    { assessed: { digest: 'd', approvalsNeeded: 0, funds: SHORT } },
    'insufficient-funds',
  );
  expect(nextStep(row, TRIAL)?.why).toBe(
    'account acc-aud lacks 4,998,000.00 EUR: it holds 1,000.00, and 4,999,000.00 are needed',
  );
  expect(nextStep(row, { ...TRIAL, isMasked: true })?.why).not.toContain('acc-aud');
});

it('a frozen account is named, alone and in a group', () => {
  const rows = [1, 2].map((n) => record(n, 'held', {}, 'account-frozen'));
  expect(nextStep(rows[0] ?? record(1, 'held'), TRIAL)?.why).toBe(
    'account acc-1: the bank reports the account as frozen',
  );
  expect(stepGroups(rows, TRIAL)[0]?.why).toContain('acc-1');
});
