import { RECHECK } from '../channels/http/operations/decision-operations.ts';
import { WAITING } from '../channels/http/operations/waiting-operations.ts';
import { shortId } from '../domain/display.ts';
import { someAtOnce } from '../domain/iterate.ts';
import { RECHECK_STATES } from '../domain/payout-state.ts';
import { Problem } from '../domain/problem.ts';
import { EXIT, type ExitCode } from './exit.ts';
import type { Session } from './session.ts';
import { type Asker, holdKey, nameAsking } from './signer.ts';

const AT_ONCE = 10;

/** `payouts recheck ID`: a payout that is held or waits for money, or every such row of a batch. */
export async function recheck(session: Session, id: string, asker: Asker): Promise<ExitCode> {
  await holdKey(session, asker.key);
  const { payouts } = await session.ask(WAITING, {
    ...{ id, states: [...RECHECK_STATES], kinds: undefined },
    ...{ ask: false, compare: false, after: 0 },
  });
  if (payouts.length === 0) {
    throw new Problem('usage', 'nothing-to-recheck', `Nothing under "${id}" is held or waits for money.`, {
      hint: `payouts status ${id} shows its state.`,
    });
  }
  const by = await nameAsking(session, asker.by);
  const answers = new Map<string, string>();
  await someAtOnce(payouts, AT_ONCE, async ({ row: { reference } }) => {
    const answer = await session.ask(RECHECK, { reference, by });
    answers.set(reference, 'outcome' in answer ? answer.outcome : `refused: ${answer.refused}`);
  });
  const reported = payouts.map(({ row: { reference } }) => ({ reference, outcome: answers.get(reference) ?? '' }));
  const text = reported.map(({ reference, outcome }) => `${shortId(reference)}  ${outcome}`).join('\n');
  session.output.result({ rechecks: reported }, text);
  return reported.every(({ outcome }) => outcome === 'rechecking') ? EXIT.completed : EXIT.exceptions;
}
