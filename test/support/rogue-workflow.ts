import { proxyActivities } from '@temporalio/workflow';

/** A workflow of somebody else that schedules an activity of the product; returns what came of it. */
export async function rogue({ activity, input }: { activity: string; input: unknown }): Promise<string> {
  const activities = proxyActivities<Record<string, (given: unknown) => Promise<unknown>>>({
    taskQueue: 'payouts',
    startToCloseTimeout: '10s',
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
    ['approveOrder', { leg: 'payment', orderId: 'ord-1', by: 'bob' }],
  ],
  transfer: [
    ['submitTransfer', { attempt: 1 }],
    ['submitTransfer', { attempt: 2 }],
    ['approveOrder', { leg: 'transfer', orderId: 'ord-1', by: 'bob' }],
  ],
  exchange: [
    ['submitExchange', { attempt: 1 }],
    ['submitExchange', { attempt: 2 }],
    ['approveOrder', { leg: 'exchange', orderId: 'ord-1', by: 'bob' }],
  ],
};

/** One that has taken a payout's workflow id, claims the payout as its workflow does, and then sends without asking anybody. */
export async function roguePayout(input: unknown, kind = 'payout'): Promise<string[]> {
  const activities = proxyActivities<Record<string, (given: unknown) => Promise<unknown>>>({
    taskQueue: 'payouts',
    startToCloseTimeout: '10s',
    retry: { maximumAttempts: 1 },
  });
  const prepared = await activities.prepare?.({ input, kind });
  const { claim } = prepared as { claim: { reference: string } };
  const { reference } = claim;
  const approved = { digest: 'any', by: ['bob', 'carol'] };
  await activities.assess?.({ claim, exchanged: false, exchangeSent: false, approved });
  const answers: string[] = [];
  for (const [activity, given] of SENDS[kind] ?? []) {
    answers.push(JSON.stringify(await activities[activity]?.({ claim, ...given })).replaceAll(reference, 'REFERENCE'));
  }
  return answers;
}
