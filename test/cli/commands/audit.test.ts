import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rotateAuditKey, showAudit, verifyAudit } from '../../../src/cli/audit-actions.ts';
import { judgeAuditLog } from '../../../src/cli/doctor.ts';
import type { Session } from '../../../src/cli/session.ts';
import { keepLog } from '../../../src/platform/audit/open-audit-log.ts';
import type { Config } from '../../../src/platform/config.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { batchClaim, claimRow } from '../../store/samples.ts';
import { fakeSession } from '../../support/fake-session.ts';
import { newFolder } from '../../support/new-folder.ts';
import { tamper } from '../../support/sql.ts';

interface World {
  session: Session;
  store: Store;
  home: string;
  printed: { audit?: unknown; entries?: unknown }[];
}

/** A session with a home, a store and an output. */
async function atHome(work: (world: World) => Promise<void>): Promise<void> {
  const home = newFolder();
  const store = await openStore(`file:${join(home, 'store.sqlite')}`);
  const printed: World['printed'] = [];
  const output = { result: (document: object) => void printed.push(document) };
  const audit = { key: undefined, checkpoints: join(home, 'checkpoints') };
  try {
    await work({
      session: fakeSession({
        ...{ store: async () => store, liveBank: async () => undefined, output },
        config: { home, audit, witnessFolder: join(home, 'state') },
      }),
      store,
      home,
      printed,
    });
  } finally {
    await store.close();
  }
}

const NOTHING = { checkpoints: undefined, key: undefined };
const entry = (n: number) => ({ at: n, actor: 'alice', action: 'act', subject: 'ref', detail: { n: `${n}` } });

it('verifies, signs what it has verified, and names the first wrong entry afterwards', () =>
  atHome(async ({ session, store, home, printed }) => {
    for (const n of [0, 1, 2]) await store.audit(entry(n));
    expect(await verifyAudit(session, undefined, NOTHING)).toBe(0);
    expect(printed.at(-1)).toMatchObject({ audit: { ok: true, size: 3, checkpoints: 0 } });
    expect(await verifyAudit(session, undefined, NOTHING)).toBe(0);
    expect(printed.at(-1)).toMatchObject({ audit: { ok: true, checkpoints: 1, signedSize: 3 } });
    await tamper(`file:${join(home, 'store.sqlite')}`, "update audit_log set actor = 'bob' where seq = 1");
    expect(await verifyAudit(session, undefined, NOTHING)).toBe(5);
    expect(printed.at(-1)).toMatchObject({ audit: { ok: false, problem: { fault: 'edited', from: 1 } } });
  }));

it('finds by the checkpoints that have left what the store does not show any more', () =>
  atHome(async ({ session, store, home, printed }) => {
    for (const n of [0, 1, 2]) await store.audit(entry(n));
    await keepLog(session.config, store, 1);
    const url = `file:${join(home, 'store.sqlite')}`;
    for (const statement of [
      'delete from audit_log',
      'delete from audit_checkpoints',
      "update audit_tree set size = 0, edge = '[]'",
    ])
      await tamper(url, statement);
    expect(await verifyAudit(session, undefined, NOTHING)).toBe(5);
    expect(printed.at(-1)).toMatchObject({ audit: { problem: { fault: 'cut', from: 0, to: 3 } } });
  }));

it('refuses a key that is none and a file that is not there', () =>
  atHome(async ({ session, home }) => {
    await expect(verifyAudit(session, undefined, { ...NOTHING, key: 'x' })).rejects.toMatchObject({
      code: 'audit-key',
    });
    for (const [file, checkpoints] of [
      ['gone', undefined],
      [undefined, 'gone'],
    ] as const) {
      const asked = verifyAudit(session, file && join(home, file), { ...NOTHING, checkpoints });
      await expect(asked).rejects.toMatchObject({ code: 'no-file' });
    }
    writeFileSync(join(home, 'empty'), '');
    expect(await verifyAudit(session, join(home, 'empty'), NOTHING)).toBe(5);
  }));

it('shows a batch with its rows, a payout, and all else that an entry is about', () =>
  atHome(async ({ session, store, printed }) => {
    await store.claimBatch(batchClaim('b-1', ['a', 'b']));
    const before = (await store.auditEntriesOf('b-1')).length;
    const { reference: a } = claimRow(1, 'a');
    const { reference: b } = claimRow(2, 'b');
    for (const subject of [a, b, 'b-1', 'currency EUR', 'c']) await store.audit({ ...entry(1), subject });
    const shown = async (id: string, limit = 10) => {
      await showAudit(session, id, { limit });
      return printed.at(-1);
    };
    expect((await shown('b-1'))?.entries).toHaveLength(before + 3);
    expect(await shown('b-1', 2)).toMatchObject({ entries: [{}, {}], complete: false });
    expect(await shown(a)).toMatchObject({
      entries: [{ subject: a, actor: 'alice', at: '1970-01-01T00:00:00.001Z' }],
    });
    expect(await shown('currency EUR')).toMatchObject({ entries: [{ subject: 'currency EUR' }], complete: true });
    expect(await shown('nobody')).toMatchObject({ entries: [] });
  }));

it('has another key sign from then on, puts it into the home, and takes none that was replaced', () =>
  atHome(async ({ session, store, home, printed }) => {
    await store.audit(entry(0));
    await keepLog(session.config, store, 1);
    const before = readFileSync(join(home, 'audit-key.pem'), 'utf8');
    const next = join(home, 'next-key.pem');
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(next, privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const asked = { by: 'carol', yes: true };
    expect(await rotateAuditKey(session, next, asked)).toBeUndefined();
    expect(printed.at(-1)).toMatchObject({ key: await store.auditVerifier() });
    expect(readFileSync(join(home, 'audit-key.pem'), 'utf8')).toBe(readFileSync(next, 'utf8'));
    // Interrupted before the key was in its place.
    writeFileSync(join(home, 'audit-key.pem'), before);
    await expect(verifyAudit(session, undefined, NOTHING)).rejects.toMatchObject({ code: 'audit-key' });
    expect(await rotateAuditKey(session, next, asked)).toBeUndefined();
    await store.audit(entry(1));
    expect(await verifyAudit(session, undefined, NOTHING)).toBe(0);
    expect(printed.at(-1)).toMatchObject({ audit: { ok: true, size: 3, signedSize: 2 } });
    expect((await store.auditEntriesOf('audit key')).map(({ actor }) => actor)).toEqual(['carol']);
    const old = join(home, 'old.pem');
    writeFileSync(old, before);
    await expect(rotateAuditKey(session, old, asked)).rejects.toMatchObject({ code: 'key-used-before' });
    writeFileSync(old, 'nonsense');
    await expect(rotateAuditKey(session, old, asked)).rejects.toMatchObject({ code: 'key-unusable' });
  }));

/** Cuts the log back to its first `size` entries, as anyone who can write to the store would: entries, checkpoints and tree. */
async function cutBack(url: string, size: number): Promise<void> {
  await tamper(url, `delete from audit_log where seq >= ${size}`);
  await tamper(url, `delete from audit_checkpoints where size > ${size}`);
  const edge = `(select edge from audit_checkpoints where size = ${size})`;
  await tamper(url, `update audit_tree set size = ${size}, edge = ${edge}`);
}

it('finds a log that was cut back to an earlier checkpoint by what this machine has seen, and signs nothing more', () =>
  atHome(async ({ session, store, home, printed }) => {
    const { config } = session;
    const here = { ...config, audit: { ...config.audit, checkpoints: undefined } };
    const alone = fakeSession({
      ...{ store: async () => store, liveBank: async () => undefined },
      ...{ output: session.output, config: here },
    });
    for (const n of [0, 1, 2]) await store.audit(entry(n));
    await keepLog(here, store, 1);
    await store.audit(entry(3));
    await keepLog(here, store, 2);
    expect(await verifyAudit(alone, undefined, NOTHING)).toBe(0);
    await cutBack(`file:${join(home, 'store.sqlite')}`, 3);
    expect(await verifyAudit(alone, undefined, NOTHING)).toBe(5);
    expect(printed.at(-1)).toMatchObject({ audit: { ok: false, problem: { fault: 'cut', from: 3, to: 4 } } });
    await expect(keepLog(here, store, 3)).rejects.toMatchObject({ code: 'audit-cut' });
    // Others in the place of those that are gone: the machine has seen another root.
    for (const n of [7, 8]) await store.audit(entry(n));
    expect(await verifyAudit(alone, undefined, NOTHING)).toBe(5);
    expect(printed.at(-1)).toMatchObject({ audit: { ok: false, problem: { fault: 'rewritten' } } });
    await expect(keepLog(here, store, 4)).rejects.toMatchObject({ code: 'audit-broken' });
  }));

it('`doctor` asks for a place for checkpoints where money is real, and fails on a log that was cut back', () =>
  atHome(async ({ session, store, home }) => {
    const audit = { key: undefined, checkpoints: undefined, spool: undefined };
    const remote = { ...session.config, audit, bank: { kind: 'remote' }, temporal: { kind: 'embedded' } } as Config;
    const judged = async (config: Config) => judgeAuditLog(config, store);
    for (const n of [0, 1]) await store.audit(entry(n));
    await keepLog(remote, store, 1);
    expect(await judged({ ...remote, bank: { kind: 'sandbox' } } as Config)).toMatchObject({ verdict: 'ok' });
    expect(await judged({ ...remote, audit: { ...audit, checkpoints: '/proc/x' } })).toMatchObject({ verdict: 'ok' });
    expect(await judged({ ...remote, audit: { ...audit, checkpoints: join(home, 'x') } })).toMatchObject({
      verdict: 'warning',
      detail: expect.stringContaining('use a share of another machine'),
    });
    expect(await judged(remote)).toMatchObject({
      verdict: 'warning',
      detail: expect.stringContaining('set PAYOUTS_AUDIT_CHECKPOINTS or PAYOUTS_AUDIT_MAIL_SPOOL'),
    });
    await store.audit(entry(2));
    await keepLog(remote, store, 2);
    await cutBack(`file:${join(home, 'store.sqlite')}`, 2);
    const detail = expect.stringContaining('it has 2 entries, but this machine has seen 3');
    expect(await judged(remote)).toMatchObject({ verdict: 'failed', detail });
  }));
