import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { oneLife } from '../../store/one-life.ts';
import { tamper } from '../../support/sql.ts';

// How long the store's lookups for one payout take with a million payouts stored. `node test/drills/bench/lookups.ts [SIZE]`; ends
// with 1 above 2 ms.

const SIZE = Number(process.argv[2] ?? 1_000_000);
const LIVES = 20;
const LIMIT_MS = 2;
/** They wait for the disk. */
const WRITES = /^(claim|mark|record|open|finish|note|settle|change|close)/;

const folder = mkdtempSync(join(tmpdir(), 'payouts-look-ups-'));
const url = `file:${join(folder, 'store.sqlite')}`;
try {
  await (await openStore(url)).close();
  const began = performance.now();
  await fill();
  console.log(`${SIZE} payouts stored in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  const store = await openStore(url);
  const taken = new Map<string, number[]>();
  for (let life = 0; life < LIVES; life += 1) await oneLife(timed(store, taken), `life ${life}`);
  await store.close();
  const medians = [...taken].map(([name, all]) => [name, medianOf(all)] as const).sort((a, b) => b[1] - a[1]);
  for (const [name, ms] of medians) {
    const isWrite = WRITES.test(name) && name !== 'openOrders';
    if (!isWrite && ms >= LIMIT_MS) process.exitCode = 1;
    console.log(`${name.padEnd(22)} ${ms.toFixed(2)} ms${isWrite ? ', including the commit' : ''}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Ended payouts of one user, to ten thousand payees of one account, with all that is kept of them. */
async function fill(): Promise<void> {
  const rows = `with recursive seq(n) as (select 0 union all select n + 1 from seq where n < ${SIZE - 1})`;
  const at = '1789000000000 + n';
  await tamper(
    url,
    `pragma synchronous = off; pragma cache_size = -400000; begin;
    insert into batches (batch_id, file, sha256, control, total, created_at, ended_at)
      values ('old', 'old.csv', 'sha', 'running', ${SIZE}, 1, 2);
    ${rows} insert into payouts (reference, workflow_id, uid, document_id, generation, batch_id, row, instruction,
      payload_digest, amount, currency, account_id, beneficiary_id, state, order_id, look_alike_key, claim_run_id, term,
      released_at, created_at, updated_at, ended_at)
      select 'ref-' || n, 'payout/ref-' || n, 'user-1', 'old-' || n, 0, 'old', n + 1, '{"id":"old-' || n || '"}', 'digest',
        '10.50', 'USD', 'acc-1', 'ben-' || (n % 10000), 'completed', 'order-' || n, 'key-' || n, 'run-' || n, 1,
        ${at}, ${at}, ${at}, ${at} from seq;
    ${rows} insert into send_attempts (reference, attempt, run_id, activity_id, sent_at, outcome, order_id)
      select 'ref-' || n, 1, 'run-' || n, '1', ${at}, 'accepted', 'order-' || n from seq;
    ${rows} insert into payee_payments (reference, uid, payee_id, digest, amount, currency, paid_at)
      select 'ref-' || n, 'user-1', 'ben-' || (n % 10000), 'digest', '10.50', 'USD', ${at} from seq;
    ${rows} insert into payees (uid, payee_id, digest, name, name_as_shown, name_in_small, country, seen_at)
      select 'user-1', 'ben-' || n, 'digest', 'N' || n, 'N' || n, 'n' || n, 'D' || (n % 50), ${at} from seq where n < 10000;
    ${rows} insert into outbox (position, kind, subject, uid, at)
      select n + 1, 'payout.ended', 'ref-' || n, 'user-1', ${at} from seq;
    update outbox_head set position = ${SIZE};
    commit;`,
  );
}

function timed(store: Store, taken: Map<string, number[]>): Store {
  return new Proxy(store, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== 'function') return method;
      return async (...given: unknown[]): Promise<unknown> => {
        const began = performance.now();
        const answer: unknown = await method.apply(target, given);
        taken.set(String(name), [...(taken.get(String(name)) ?? []), performance.now() - began]);
        return answer;
      };
    },
  });
}

function medianOf(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0;
}
