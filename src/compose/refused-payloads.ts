import type { OnRefused } from '../codec/encryption.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';

/** Action of the entries in the audit log. */
export const PAYLOAD_REFUSED = 'payload refused';

/** Of one process; beyond it the log alone has them: whoever floods a namespace does not flood the audit. */
const AUDITED_MAX = 1_000;

/** Says in log and audit that a payload was not taken, once for each workflow: a replay comes by the same ones again. */
export function refusedPayloads(store: Store | undefined, log: Log): OnRefused {
  const said = new Set<string>();
  return (why, { workflowId = 'unknown' }) => {
    const key = `${why} ${workflowId}`;
    if (said.has(key)) return;
    log.warn({ why, workflowId }, 'a payload that was not encrypted for this place was ignored');
    if (said.size === AUDITED_MAX) return;
    said.add(key);
    store
      ?.audit({ at: Date.now(), actor: 'codec', action: PAYLOAD_REFUSED, subject: workflowId, detail: { why } })
      .catch((error: unknown) => log.error({ error }, 'a refused payload could not be written to the audit log'));
  };
}
