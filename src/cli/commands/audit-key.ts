import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { verifierOf, verifierText } from '../../audit/checkpoint.ts';
import { ed25519Key, replaceKeyInHome } from '../../audit/log-key.ts';
import { logSigner, originOf, rotateLogKey, rotationsIn } from '../../compose/audit-log.ts';
import { Problem } from '../../domain/problem.ts';
import type { Store } from '../../store/store.ts';
import { confirm } from '../confirm.ts';
import type { Session } from '../session.ts';
import { nameOf } from '../signer.ts';

/**
 * `payouts audit rotate-key FILE`: from now on another key signs the audit, introduced by the previous one. If it was
 * interrupted, running it again puts the new key in its place.
 */
export async function rotateAuditKey(
  session: Session,
  file: string,
  { by, yes }: { by: string | undefined; yes: boolean },
): Promise<void> {
  const { config, output } = session;
  const store = await session.store();
  const key = givenKey(file);
  const next = verifierText(verifierOf(originOf(store), key));
  const isDone = (await store.auditVerifier()) === next;
  if (!isDone) {
    await assertNew(store, next);
    const signer = await logSigner(config, store);
    if (signer === undefined) {
      throw new Problem('set-up', 'audit-key', 'The key that currently signs this audit log is on another machine.', {
        hint: 'Run this where that key is: it has to sign for the new one.',
      });
    }
    await confirm('Replace the signing key of the audit log?', yes);
    await rotateLogKey(store, signer, { key, by: nameOf(by), now: Date.now() });
  }
  const isInHome = config.audit.key === undefined;
  if (isInHome) replaceKeyInHome(config.home, key);
  const then = isInHome
    ? 'It is now in the home. If other machines share the store, give them the same key.'
    : `Set PAYOUTS_AUDIT_KEY_FILE to ${file} and restart workers and gateways: until then nothing is signed.`;
  const text = [
    `The new key signs the audit log from now on.`,
    `key   ${next}`,
    'Give the public key to your auditors.',
    then,
  ];
  output.result({ key: next }, text.join('\n'));
}

function givenKey(file: string): KeyObject {
  try {
    return ed25519Key(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Problem('usage', 'key-unusable', 'The file does not contain a readable private Ed25519 key.', {
      hint: `openssl genpkey -algorithm ed25519 -out ${file} makes one.`,
      cause,
    });
  }
}

/** A key that was replaced cannot return: each key signs one range of sizes. */
async function assertNew(store: Store, next: string): Promise<void> {
  const rotations = await rotationsIn(store);
  if (!rotations.some(({ from }) => verifierText(from) === next)) return;
  throw new Problem('usage', 'key-used-before', 'This key was used before and has been replaced.', {
    hint: 'Make a new one: openssl genpkey -algorithm ed25519',
  });
}
