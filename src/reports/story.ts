import { PAYLOAD_REFUSED, type Undecodable, undecodable, undecodableIn } from '../domain/failures.ts';
import { referenceOf } from '../domain/identity.ts';
import type { AuditEntry } from '../store/audit/entry.ts';
import type { PayoutRecord, SendAttempt, Store } from '../store/store.ts';

/** Something that has happened to a payout. */
export interface StoryEvent {
  /** Epoch ms. */
  at: number;
  who: string;
  /** Follows directly after the name in `who`, so it begins with a space or comma. */
  what: string;
  detail?: string;
}

/** Members of an audit entry's detail that are meant for people. */
const READ: readonly string[] = ['outcome', 'why', 'remark', 'reason', 'code', 'evidence', 'orderId'];

/** What has happened to a payout, the oldest first. */
export async function storyOf(store: Store, row: PayoutRecord): Promise<StoryEvent[]> {
  const { kind, uid, documentId, generation, reference, by, createdAt, releasedAt } = row;
  const exchange = kind === 'payout' ? await store.attempts(referenceOf(uid, documentId, 'exchange', generation)) : [];
  const events: StoryEvent[] = [
    { at: createdAt, who: by ?? 'somebody', what: ' submitted it' },
    ...(releasedAt === null ? [] : [{ at: releasedAt, who: 'product', what: ' started it' }]),
    ...exchange.map(sent('the exchange')),
    ...(await store.attempts(reference)).map(sent('the order')),
    ...(await store.auditEntriesOf(reference)).map(audited),
  ];
  return events.sort((a, b) => a.at - b.at);
}

const OUTCOMES: Readonly<Record<NonNullable<SendAttempt['outcome']>, string>> = {
  accepted: 'accepted',
  refused: 'refused',
  exists: 'the bank has this reference already',
  ambiguous: 'not known whether the bank has taken it',
  'not-sent': 'it did not leave',
};

const sent =
  (what: string) =>
  ({ sentAt, attempt, outcome, orderId }: SendAttempt): StoryEvent => ({
    at: sentAt,
    who: 'product',
    what: ` sent ${what} to the bank, attempt ${attempt}`,
    detail: [outcome === null ? 'no answer yet' : OUTCOMES[outcome], orderId]
      .filter((part) => part !== null)
      .join(', order '),
  });

function audited({ at, actor, action, detail }: AuditEntry): StoryEvent {
  const texts = READ.flatMap((member) => (typeof detail[member] === 'string' ? [detail[member]] : []));
  // The codec says in a word why.
  const isRefused = action === PAYLOAD_REFUSED;
  const said = isRefused ? [`it ${undecodableIn([undecodable(texts[0] as Undecodable)])}, and was ignored`] : texts;
  return { at, who: actor, what: `: ${action}`, detail: [...new Set(said)].join(' · ') };
}
