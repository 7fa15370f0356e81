import { PAYLOAD_REFUSED } from '../compose/refused-payloads.ts';
import type { Config } from '../config.ts';
import { DAY_MS } from '../domain/durations.ts';
import type { Undecodable } from '../domain/undecodable.ts';
import type { Store } from '../store/store.ts';

const LOOKED_AT = 1_000;
const UNKNOWN_KEY: Undecodable = 'unknown-key';

/**
 * Whether payloads are encrypted, and whether workers have recently met payloads whose key they lack, according to the last
 * entries of the audit log. Throws a `Problem` if the home's keys are gone.
 */
export async function judgePayloads(
  { codecKeys }: Pick<Config, 'codecKeys'>,
  store: Pick<Store, 'auditTree' | 'auditLog'>,
  now: number,
): Promise<{ verdict: 'ok' | 'warning'; detail: string }> {
  const id = codecKeys()?.current.id;
  if (id === undefined) {
    return { verdict: 'warning', detail: 'not encrypted in Temporal: PAYOUTS_CODEC_KEYS is not set' };
  }
  const subject = await metWithoutKey(store, now);
  if (subject === undefined) return { verdict: 'ok', detail: `encrypted in Temporal with the key ${id}` };
  const detail = `encrypted with the key ${id}, but workers met payloads of ${subject} with a key that they lack: add it to PAYOUTS_CODEC_KEYS`;
  return { verdict: 'warning', detail };
}

async function metWithoutKey(store: Pick<Store, 'auditTree' | 'auditLog'>, now: number): Promise<string | undefined> {
  const { size } = await store.auditTree();
  for await (const page of store.auditLog({ from: Math.max(size - LOOKED_AT, 0), to: size })) {
    const met = page.findLast(
      ({ at, action, detail }) =>
        at > now - DAY_MS && action === PAYLOAD_REFUSED && JSON.parse(detail).why === UNKNOWN_KEY,
    );
    if (met !== undefined) return met.subject;
  }
  return undefined;
}
