import { type Claim, Superseded } from '../../domain/claim.ts';
import type { ActivityDeps } from '../deps.ts';
import { assertSameStore } from '../sending/claimed-row.ts';
import type { Caller } from '../sending/send-once.ts';

/**
 * Moves the claim to its next term. A worker that stalled may begin a task minutes after the workflow gave it up; under the old
 * term it can record and send nothing.
 *
 * @throws StoreMismatch in another store, Superseded if the run does not hold the claim
 */
export async function renewClaim(
  { store, now }: ActivityDeps,
  { runId }: Caller,
  { claim }: { claim: Claim },
): Promise<Claim> {
  const { reference, term } = claim;
  await assertSameStore(store, claim);
  const renewed = await store.renewClaim({ reference, term, runId, at: now() });
  if (renewed === undefined) throw new Superseded();
  return { ...claim, term: renewed };
}
