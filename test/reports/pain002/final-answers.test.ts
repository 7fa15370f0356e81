import { expect, it } from 'vitest';
import type { TransactionFacts } from '../../../src/domain/bank-message.ts';
import {
  type AnswerLog,
  answeredUpTo,
  finalAnswers,
  supersededBy,
} from '../../../src/reports/pain002/final-answers.ts';
import { answerLog } from './answer-log.ts';
import { original, payout } from './answers.ts';

const facts = (...states: Parameters<typeof payout>[]): TransactionFacts[] =>
  states.map(([state, reason, values], index) =>
    payout(state, reason, { original: original({ endToEndId: `E-${index}` }), ...values }),
  );

const answer = (log: AnswerLog, now: readonly TransactionFacts[], at = 1_000) =>
  finalAnswers(log, {
    async *transactions() {
      yield* now;
    },
    idStart: '0123456789abcdef3',
    at,
  });

const PAID = facts(['completed'], ['completed'], ['failed', 'bank-failed']);

it('reports everything once, and nothing more while nothing changes', async () => {
  const log = answerLog();
  const [first] = await answer(log, PAID);
  expect(first).toMatchObject({ version: 1, supersedes: null, createdAt: 1_000 });
  expect(first?.messageId).toMatch(/^0123456789abcdef3[0-9a-f]{16}$/);
  expect(await answer(log, PAID, 9_000)).toEqual([first]);
  expect(await Array.fromAsync(log.transactionsOf(1), ({ position }) => position)).toEqual([0, 1, 2]);
});

it('reports by a further version what has changed, and names the one before', async () => {
  const log = answerLog();
  const [first] = await answer(log, PAID);
  const returned = { code: 'returned', message: 'money came back' };
  const now = facts(['completed'], ['needs-operator', undefined, { reason: returned }], ['failed', 'bank-failed']);
  const [kept, second] = await answer(log, now, 2_000);
  expect(kept).toEqual(first);
  expect(second).toMatchObject({ version: 2, supersedes: first?.messageId, createdAt: 2_000 });
  expect(second?.messageId).toMatch(/^0123456789abcdef3[0-9a-f]{16}\.2$/);
  if (second === undefined) return;
  expect(await supersededBy(log, second)).toEqual({
    version: 2,
    messageId: first?.messageId,
    changed: new Set([1]),
  });
  expect(await answer(log, now)).toEqual([first, second]);
  // And back again: that is one more change.
  const third = (await answer(log, PAID, 3_000)).at(-1);
  expect(third).toMatchObject({ version: 3, supersedes: second.messageId });
  expect(new Set([first?.messageId, second.messageId, third?.messageId]).size).toBe(3);
});

it('is not moved by what a receiver does not learn', async () => {
  const log = answerLog();
  const first = await answer(log, facts(['needs-operator', 'status-unclear'], ['completed']));
  const now = facts(['held', 'status-unclear', { orderId: 'o-1' }], ['completed', 'slippage-above-cap']);
  expect(await answer(log, now)).toEqual(first);
  expect(await answer(log, facts(['needs-operator', 'order-not-found'], ['completed']))).toHaveLength(2);
});

it('returns the content of every version', async () => {
  const log = answerLog();
  const states = [
    facts(['needs-operator', 'status-unclear'], ['failed', 'bank-failed']),
    facts(['completed'], ['failed', 'bank-failed']),
    facts(['completed'], ['completed']),
  ];
  for (const now of states) await answer(log, now);
  for (const [index, now] of states.entries()) expect(await Array.fromAsync(answeredUpTo(log, index + 1))).toEqual(now);
});

it('keeps what another channel has reported first', async () => {
  const log = answerLog();
  const late: AnswerLog = {
    ...log,
    keep: async (it, reported) => !(await log.keep({ ...it, messageId: 'theirs' }, reported)),
  };
  expect(await answer(late, PAID)).toMatchObject([{ version: 1, messageId: 'theirs' }]);
});

it('has ids that an answer may have, however many versions there are', async () => {
  const log = answerLog();
  const other = facts(['completed'], ['completed'], ['completed']);
  for (let turn = 0; turn < 12; turn += 1) await answer(log, turn % 2 === 0 ? PAID : other);
  const ids = (await log.given()).map(({ messageId }) => messageId);
  expect(ids).toHaveLength(12);
  expect(new Set(ids).size).toBe(12);
  for (const id of ids) expect(id.length).toBeLessThanOrEqual(35);
});
