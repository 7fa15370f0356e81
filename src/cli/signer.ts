import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { assertPolicyKept } from '../compose/policy-log.ts';
import { assertKeyPrivate } from '../config/file-access.ts';
import type { Config } from '../config.ts';
import type { Person, Policy, Question, SignedDecision, Statement } from '../domain/authority.ts';
import { may, personOf } from '../domain/authority.ts';
import { Problem } from '../domain/problem.ts';
import { mayControl } from '../services/decisions/batch-scope.ts';
import { credentialId, publicKeyOf, signStatement } from '../signing/ed25519.ts';
import type { BatchRecord, Store } from '../store/store.ts';
import type { Session } from './session.ts';

export interface Asker {
  by: string | undefined;
  /** File of an Ed25519 private key. */
  key?: string;
}

/** Options of the commands that ask before they act. */
export interface ConfirmedOptions {
  by: string | undefined;
  yes: boolean;
}

export interface SignedOptions extends ConfirmedOptions, Asker {}

export interface DecideOptions extends SignedOptions {
  remark: string | undefined;
}

/** Who says so, where names are believed: the one given, else the user of this machine. */
export const nameOf = (by: string | undefined): string => by ?? userInfo().username;

export interface Signer {
  name: string;
  /** Undefined without a policy: names are believed. */
  sign?: (about: SignedAbout) => SignedDecision;
}

type SignedAbout = Pick<Statement, 'storeId' | 'question' | 'reference' | 'digest'> &
  Partial<Pick<Statement, 'decision' | 'remark'>>;

/**
 * Who stands behind a command: without a policy the name given, else the user of this machine; with one the person whose key it
 * is. Throws a `Problem` for a key that is missing or nobody's, and for a person who may not do this. `isInScope`: of what is
 * asked about, where that is known here.
 */
export async function signerOf(
  session: Session,
  { by, key }: Asker,
  question: Question,
  isInScope: (person: Person) => boolean = () => true,
): Promise<Signer> {
  const policy = await policyOf(session);
  if (policy === undefined) return { name: nameOf(by) };
  const { name, privateKey } = await holderOfKey(session, policy, { by, key });
  const person = personOf(policy, name);
  if (person === undefined || !may(person, question)) {
    throw new Problem('forbidden', 'role-missing', `${name} does not have the role that this needs.`, {
      hint: 'payouts policy check shows who has which role.',
    });
  }
  if (!isInScope(person)) {
    throw new Problem('forbidden', 'outside-scope', `This is outside the scope of ${name} in the policy.`, {
      hint: 'payouts policy check shows the scope of each person.',
    });
  }
  const sign = (about: SignedAbout): SignedDecision => {
    const signedAt = Date.now();
    // Valid for as long as the policy lets an approval stand: it is verified at every use, and the next approver may come
    // tomorrow.
    const expiresAt = signedAt + policy.approvalTtlMs;
    const statement = {
      id: randomUUID(),
      decision: 'approve',
      remark: '',
      subject: name,
      signedAt,
      expiresAt,
    } as const;
    return signStatement({ ...statement, ...about }, privateKey);
  };
  return { name, sign };
}

/** Undefined only where names are believed: not for a store that has been used under a policy. */
async function policyOf(session: Session): Promise<Policy | undefined> {
  const { policy } = session.config.settings;
  if (policy === undefined) await assertPolicyKept(session.config, await session.store());
  return policy;
}

/** Whose key it is, among the people of the policy. Throws a `Problem` for one that is missing or nobody's, or another name's. */
async function holderOfKey(
  { config }: Pick<Session, 'config'>,
  policy: Policy,
  { by, key }: Asker,
): Promise<{ name: string; privateKey: string }> {
  const privateKey = key === undefined ? config.signingKey.reveal() : await readKey(config, key);
  if (privateKey === undefined) {
    throw new Problem('usage', 'key-missing', 'The policy requires a signature, but no key was given.', {
      hint: 'Add --key FILE, or set PAYOUTS_SIGNING_KEY_FILE. payouts policy key FILE makes one.',
    });
  }
  const name = holderOf(policy, privateKey);
  if (by === undefined || by === name) return { name, privateKey };
  throw new Problem('forbidden', 'not-your-name', `This key belongs to ${name}.`, { hint: 'Omit --by.' });
}

/**
 * Who lets a batch go on: without a policy whoever they say they are, with one its maker or an operator whose scope holds it, by
 * their key. To stop it takes nobody's: it only keeps money where it is.
 */
export async function personContinuing(session: Session, asker: Asker, batch: BatchRecord): Promise<string> {
  const policy = await policyOf(session);
  if (policy === undefined) return nameOf(asker.by);
  const { name } = await holderOfKey(session, policy, asker);
  if (await mayControl(await session.store(), personOf(policy, name), batch)) return name;
  throw new Problem('forbidden', 'role-missing', `The policy does not let ${name} control the batch.`, {
    hint: 'Its maker may, and an operator whose scope covers all of its rows.',
  });
}

/**
 * Who is looking, without a signature: the given name, else the owner of the key; without a policy, else the user of this
 * machine.
 */
export async function viewerOf({ config }: Pick<Session, 'config'>, { by, key }: Asker): Promise<string> {
  const { policy } = config.settings;
  if (policy === undefined) return nameOf(by);
  if (by !== undefined) {
    if (personOf(policy, by) !== undefined) return by;
    throw new Problem('usage', 'unknown-person', `The policy does not name ${by}.`, {
      hint: 'payouts policy check shows the people it names.',
    });
  }
  const privateKey = key === undefined ? config.signingKey.reveal() : await readKey(config, key);
  if (privateKey !== undefined) return holderOf(policy, privateKey);
  throw new Problem('usage', 'key-missing', 'The policy identifies people by their keys, but no key was given.', {
    hint: 'Add --by NAME or --key FILE, or set PAYOUTS_SIGNING_KEY_FILE.',
  });
}

/** Signs, and stores the signed decision before it is carried out; undefined without a policy. */
export async function signAndStore(
  store: Store,
  { sign }: Signer,
  about: Omit<SignedAbout, 'storeId'>,
): Promise<SignedDecision | undefined> {
  const signed = sign?.({ storeId: store.id, ...about });
  if (signed !== undefined) await store.takeSignedDecision(signed, Date.now());
  return signed;
}

async function readKey({ allowsReadableKeys }: Config, path: string): Promise<string> {
  if (!allowsReadableKeys) assertKeyPrivate('--key', path);
  return readFile(path, 'utf8').catch(() => {
    throw new Problem('usage', 'key-unreadable', 'The key file cannot be read.', {
      hint: 'Check the path after --key, and its permissions.',
    });
  });
}

function holderOf({ people }: Policy, privateKey: string): string {
  let id: string;
  try {
    id = credentialId(publicKeyOf(privateKey));
  } catch (cause) {
    throw new Problem('usage', 'key-unusable', 'This is not an Ed25519 private key.', {
      hint: 'payouts policy key FILE makes one.',
      cause,
    });
  }
  const holder = people.find(({ credentials }) => credentials.some((credential) => credential.id === id));
  if (holder !== undefined) return holder.name;
  throw new Problem('forbidden', 'key-of-nobody', 'This key belongs to nobody in the policy.', {
    hint: 'payouts policy check shows the known keys.',
  });
}
