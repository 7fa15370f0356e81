import { documents } from './documents.ts';
import { type Facts, type factsOf, groupBy, type ReferenceFacts, type Violation } from './facts.ts';
import type { ReceivedPost, RecordedAttempt } from './observation.ts';
import { UUID_V5 } from './references.ts';
import { mayHaveBeenExecuted } from './refusals.ts';

/** I1, I2, I3: one order per reference, the reference known before the bytes, the same bytes every time. */
export function oneOrder(facts: ReturnType<typeof factsOf>): Violation[] {
  return [
    ...facts.payouts.flatMap((payout) => [
      ...recordedBeforeSent(facts, payout.payment),
      ...recordedBeforeSent(facts, payout.exchange),
      ...sameBytes(facts, payout.payment),
      ...sameBytes(facts, payout.exchange),
      ...sentSparingly(facts, payout.payment),
      ...sentSparingly(facts, payout.exchange),
      ...oneSenderAtATime(facts, payout.payment),
      ...oneSenderAtATime(facts, payout.exchange),
    ]),
    ...onlyOwnReferences(facts),
    ...documents(facts),
  ];
}

/** The k-th write under a reference has at least k recorded attempts before it, one of them just before it. */
function recordedBeforeSent({ settings }: Facts, { reference, posts, attempts }: ReferenceFacts): Violation[] {
  return posts.flatMap(({ receivedAt }, index): Violation[] => {
    const before = attempts.filter(({ recordedAt }) => recordedAt <= receivedAt);
    if (before.length <= index) {
      return [
        { invariant: 'I2', reference, message: `write ${index + 1} has ${before.length} recorded attempts before it` },
      ];
    }
    const { sendDelayMaxMs } = settings;
    const newest = Math.max(...before.map(({ recordedAt }) => recordedAt));
    if (sendDelayMaxMs === null || receivedAt - newest <= sendDelayMaxMs) return [];
    return [{ invariant: 'I2', reference, message: `sent ${receivedAt - newest} ms after its record` }];
  });
}

function onlyOwnReferences({ payouts, posts }: Facts): Violation[] {
  const known = new Set(
    payouts.flatMap(({ instruction, payment, exchange }) =>
      instruction.kind === 'exchange'
        ? [`fx ${payment.reference}`]
        : [`payment ${payment.reference}`, `fx ${exchange.reference}`],
    ),
  );
  return posts.flatMap(({ route, body }): Violation[] => {
    if (route !== 'payment' && route !== 'fx') return [];
    const reference = typeof body?.reference === 'string' ? body.reference : '';
    if (!UUID_V5.test(reference))
      return [{ invariant: 'I2', reference, message: 'a reference that is no UUID version 5' }];
    if (known.has(`${route} ${reference}`)) return [];
    return [{ invariant: 'I2', reference, message: `a ${route} under a reference of no accepted instruction` }];
  });
}

/** A store that was replaced by an older copy has forgotten the bytes. */
function sameBytes(facts: Facts, under: ReferenceFacts): Violation[] {
  const { reference } = under;
  return betweenRestores(facts, under).flatMap((executable): Violation[] => {
    const bodies = groupBy(executable, ({ body }) => canonical(body));
    if (bodies.size < 2) return [];
    const [first, second] = [...bodies.values()].map(([post]) => post?.body ?? {});
    const differing = Object.keys({ ...first, ...second }).filter((name) => first?.[name] !== second?.[name]);
    return [{ invariant: 'I3', reference, message: `other bytes under one reference: ${differing.join(', ')}` }];
  });
}

/** Writes that may have been executed, by the home and the copy of the store that has their record: one may arrive when that is gone. */
function betweenRestores({ restores }: Facts, { posts, attempts }: ReferenceFacts): ReceivedPost[][] {
  const recordedAt = ({ receivedAt }: ReceivedPost): number => {
    const before = attempts.map((attempt) => attempt.recordedAt).filter((at) => at <= receivedAt);
    return before.length === 0 ? receivedAt : Math.max(...before);
  };
  const executable = posts.filter(mayHaveBeenExecuted);
  const copyOf = (post: ReceivedPost): string =>
    `${post.home ?? 0} ${restores.filter((at) => at <= recordedAt(post)).length}`;
  return [...groupBy(executable, copyOf).values()];
}

/** Writes under one reference that the trust in the bank allows while none of them is proven dead or alive. */
export const TRIES = { none: 1, assumed: 2, verified: 6 } as const;

/**
 * Not more often than the setting and people allow, and never again once the bank's word that it has the reference is recorded.
 */
function sentSparingly(facts: Facts, under: ReferenceFacts): Violation[] {
  const { reference, posts, attempts } = under;
  const { settings, decisions, payouts, restores } = facts;
  const owner = payouts.find(
    ({ payment, exchange }) => payment.reference === reference || exchange.reference === reference,
  );
  const asked = decisions.filter((it) => it.action === 'resend' && it.reference === owner?.payment.reference);
  // What was sent before an older copy was put in place nobody may remember: then a proof that there is no order has to do.
  const sent = Math.max(0, ...betweenRestores(facts, under).map(({ length }) => length));
  const allowed = TRIES[settings.referenceDedupe] + asked.length;
  const broken = (message: string): Violation => ({ invariant: 'I1', reference, message });
  return [
    ...(sent > allowed ? [broken(`sent ${sent} times, ${allowed} are allowed`)] : []),
    ...(homesOf(posts).some((home) =>
      departedAfterExists(
        posts,
        attempts.filter((it) => (it.home ?? 0) === home),
        restores,
      ),
    )
      ? [broken('sent again after code 2003')]
      : []),
  ];
}

const homesOf = (posts: readonly ReceivedPost[]): number[] => [...new Set(posts.map(({ home = 0 }) => home))];

/**
 * A record that was begun after the one of a 2003 had its outcome, and a write that followed it. Senders that were on their way
 * together may all be answered 2003.
 */
function departedAfterExists(
  posts: readonly ReceivedPost[],
  attempts: readonly RecordedAttempt[],
  restores: readonly number[],
): boolean {
  const reported = attempts
    .filter(({ outcome }) => outcome === 'exists')
    // Its write and its answer take this long at most: the record of the outcome is not timed by everybody.
    .map(({ recordedAt, outcomeAt }) => outcomeAt ?? recordedAt + SENDER_LIFE_MS);
  const first = Math.min(...reported.filter((at) => !restores.some((restored) => restored >= at)));
  return attempts.some(
    ({ recordedAt, outcome, home = 0 }) =>
      recordedAt > first &&
      outcome !== 'not-sent' &&
      posts.some((post) => post.receivedAt >= recordedAt && (post.home ?? 0) === home),
  );
}

/** From its record to its outcome a sender lives no longer. */
const SENDER_LIFE_MS = 45_000;

/** Nobody begins to send while another sender of the reference may still be about to. */
function oneSenderAtATime({ restores }: Facts, { reference, attempts }: ReferenceFacts): Violation[] {
  const livesAt = (at: number, { recordedAt, sentAt = recordedAt, outcome, outcomeAt }: RecordedAttempt): boolean => {
    // When its outcome was recorded not every runner knows, and an older copy may have forgotten what it was.
    const until = outcomeAt ?? (outcome === null ? sentAt + SENDER_LIFE_MS : recordedAt);
    const isForgotten = restores.some((restored) => recordedAt <= restored && restored <= at);
    return recordedAt < at && at < Math.min(until, sentAt + SENDER_LIFE_MS) && !isForgotten;
  };
  return attempts
    .filter((attempt) =>
      attempts.some((other) => other !== attempt && other.home === attempt.home && livesAt(attempt.recordedAt, other)),
    )
    .map(({ attempt }) => ({
      invariant: 'I2',
      reference,
      message: `attempt ${attempt} began while another sender was at work`,
    }));
}

function canonical(body: Record<string, unknown> | null): string {
  return JSON.stringify(Object.entries(body ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
}
