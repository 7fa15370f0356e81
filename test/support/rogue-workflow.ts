import { proxyActivities } from '@temporalio/workflow';
import { TAKEN_CLAIM } from './taken-claim.ts';

/** A workflow of somebody else that schedules an activity of the product; returns what came of it. */
export async function rogue({ activity, input }: { activity: string; input: unknown }): Promise<string> {
  const activities = proxyActivities<Record<string, (given: unknown) => Promise<unknown>>>({
    taskQueue: 'payouts',
    startToCloseTimeout: '1m',
    retry: { maximumAttempts: 1 },
  });
  try {
    return JSON.stringify((await activities[activity]?.(input)) ?? null);
  } catch (error) {
    const { cause } = error as { cause?: { type?: string; message?: string } };
    return `failed: ${cause?.type ?? ''} ${cause?.message ?? ''}`;
  }
}

/** What is tried for each kind. */
const SENDS: Readonly<Record<string, readonly (readonly [activity: string, given: object])[]>> = {
  payout: [
    ['addBeneficiary', {}],
    ['submitPayment', { attempt: 1 }],
    ['submitPayment', { attempt: 2 }],
    ['approveOrder', { orderKind: 'payment', orderId: 'ord-1', by: 'bob' }],
  ],
  transfer: [
    ['submitTransfer', { attempt: 1 }],
    ['submitTransfer', { attempt: 2 }],
    ['approveOrder', { orderKind: 'transfer', orderId: 'ord-1', by: 'bob' }],
  ],
  exchange: [
    ['submitExchange', { attempt: 1 }],
    ['submitExchange', { attempt: 2 }],
    ['approveOrder', { orderKind: 'exchange', orderId: 'ord-1', by: 'bob' }],
  ],
};

/** One that has taken a payout's workflow id, claims the payout as its workflow does, and then sends without asking anybody. */
export async function roguePayout(input: unknown, kind = 'payout'): Promise<string[]> {
  const activities = proxyActivities<Record<string, (given: unknown) => Promise<unknown>>>({
    taskQueue: 'payouts',
    startToCloseTimeout: '1m',
    retry: { maximumAttempts: 1 },
  });
  const prepared = await activities.prepare?.({ input, kind });
  const { claim } = prepared as { claim: { reference: string } };
  const { reference } = claim;
  const approved = [{ digest: 'any', by: ['bob', 'carol'] }];
  await activities.assess?.({ claim, exchanged: false, exchangeSent: false, approved });
  const answers: string[] = [];
  for (const [activity, given] of SENDS[kind] ?? []) {
    answers.push(JSON.stringify(await activities[activity]?.({ claim, ...given })).replaceAll(reference, 'REFERENCE'));
  }
  return answers;
}

/**
 * Calls one activity after the other; with `takes` first `prepare`, under the id of a payout, so that every call names a claim
 * that is held. Returns what was answered.
 */
export async function rogueCalls({
  calls,
  takes,
}: {
  calls: readonly { activity: string; input: unknown }[];
  takes?: unknown;
}): Promise<string[]> {
  const activities = proxyActivities<Record<string, (given: unknown) => Promise<unknown>>>({
    taskQueue: 'payouts',
    startToCloseTimeout: '3s',
    scheduleToCloseTimeout: '5s',
    cancellationType: 'ABANDON',
    retry: { maximumAttempts: 1 },
  });
  const claim = takes === undefined ? null : await claimOf(activities, takes);
  const answers: string[] = [];
  for (const { activity, input } of calls) {
    try {
      const given = JSON.parse(JSON.stringify(input ?? null).replaceAll(`"${TAKEN_CLAIM}"`, JSON.stringify(claim)));
      answers.push(`${activity}: ${JSON.stringify(await activities[activity]?.(given))}`);
    } catch (error) {
      const { cause } = error as { cause?: { type?: string } };
      answers.push(`${activity} failed: ${cause?.type ?? 'time-out'}`);
    }
  }
  return answers;
}

async function claimOf(
  activities: Record<string, (given: unknown) => Promise<unknown>>,
  input: unknown,
): Promise<unknown> {
  const prepared = (await activities.prepare?.({ input })) as { claim?: unknown };
  return prepared.claim ?? null;
}
