import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { verifierOf, verifierText } from '../../audit/checkpoint.ts';
import { ed25519Key, replaceKeyInHome } from '../../audit/log-key.ts';
import { logSigner, originOf, rotateLogKey } from '../../compose/audit-log.ts';
import { rotationsIn } from '../../compose/verify-log.ts';
import { Problem } from '../../domain/problem.ts';
import type { Store } from '../../store/store.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { confirm } from '../plan.ts';
import type { Session } from '../session.ts';

/**
 * `payouts audit rotate-key FILE`: another key signs the audit from now on, introduced by the one before. Done again after it was
 * interrupted it puts the key in its place.
 */
export async function rotateAuditKey(
  session: Session,
  file: string,
  { by = userInfo().username, yes }: { by: string | undefined; yes: boolean },
): Promise<ExitCode> {
  const { config, output } = session;
  const store = await session.store();
  const key = givenKey(file);
  const next = verifierText(verifierOf(originOf(store), key));
  const isDone = (await store.auditVerifier()) === next;
  if (!isDone) {
    await assertNew(store, next);
    const signer = await logSigner(config, store);
    if (signer === undefined) {
      throw new Problem('set-up', 'audit-key', 'Another machine has the key that signs this audit now.', {
        hint: 'Run this where that key is: it signs for the one that follows.',
      });
    }
    await confirm('Sign the audit with another key from now on?', yes);
    await rotateLogKey(store, signer, { key, by, now: Date.now() });
  }
  const isInHome = config.audit.key === undefined;
  if (isInHome) replaceKeyInHome(config.home, key);
  const then = isInHome
    ? 'It is in the home now. Where other machines share the store, give them the same key.'
    : `Set PAYOUTS_AUDIT_KEY_FILE to ${file} and start workers and gateways again: until then nothing is signed.`;
  const text = [`Another key signs the audit from now on.`, `key   ${next}`, 'Give it to your auditors.', then];
  output.result({ schemaVersion: 1, key: next }, text.join('\n'));
  return EXIT.completed;
}

function givenKey(file: string): KeyObject {
  try {
    return ed25519Key(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Problem('usage', 'key-unusable', 'The file holds no private Ed25519 key that can be read.', {
      hint: `openssl genpkey -algorithm ed25519 -out ${file} makes one.`,
      cause,
    });
  }
}

/** What one key has signed, another one has not: none comes back. */
async function assertNew(store: Store, next: string): Promise<void> {
  const rotations = await rotationsIn(store);
  if (!rotations.some(({ from }) => verifierText(from) === next)) return;
  throw new Problem('usage', 'key-used-before', 'This key has signed the audit before and was replaced.', {
    hint: 'Make a new one: openssl genpkey -algorithm ed25519',
  });
}
