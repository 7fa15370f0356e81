import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { MYSELF, type Myself } from '../channels/http/operations/people-operations.ts';
import {
  may,
  personOf,
  type Question,
  type SignedDecision,
  type Statement,
  type StatementAbout,
  scopeText,
} from '../domain/authority.ts';
import { Problem } from '../domain/problem.ts';
import { mayControl } from '../people/decisions/scope.ts';
import { credentialId, publicKeyOf, signStatement } from '../people/signing/signing.ts';
import { assertKeyPrivate } from '../platform/config/policy.ts';
import type { BatchRecord } from '../store/store.ts';
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

/** Who says so, where names are believed: the one given, else the user of this machine. Throws a `Problem` for neither. */
export function nameOf(by: string | undefined): string {
  try {
    return by ?? userInfo().username;
  } catch (cause) {
    // A container may run under a number that no user of its has.
    throw new Problem('usage', 'name-missing', 'The user of this command has no name on this machine.', {
      hint: 'Say who you are: --by NAME',
      cause,
    });
  }
}

export interface Signer {
  name: string;
  /** Undefined without a policy: names are believed. */
  sign?: (about: SignedAbout) => SignedDecision;
}

type SignedAbout = Omit<StatementAbout, 'remark'> & Partial<Pick<Statement, 'decision' | 'remark'>>;

type Holder = NonNullable<Myself['person']>;

/**
 * Who gives a command: without a policy the name given, else the user of this machine; with one the person whose key it
 * is. Throws a `Problem` for a key that is missing or nobody's, and for a person who may not do this. `isInScope`: of what is
 * asked about, where that is known here.
 */
export async function signerOf(
  session: Session,
  asker: Asker,
  question: Question,
  isInScope: (person: Holder) => boolean = () => true,
): Promise<Signer> {
  const { me, person, name } = await askerOf(session, asker);
  if (person === null) return { name };
  if (!may(person, question)) {
    throw new Problem('forbidden', 'role-missing', `${name} does not have the role that this needs.`, {
      hint: `In the policy ${name} has: ${person.roles.join(', ')}.`,
    });
  }
  if (!isInScope(person)) {
    throw new Problem('forbidden', 'outside-scope', `This is outside the scope of ${name} in the policy.`, {
      hint: `In the policy it is: ${scopeText(person.scope)}.`,
    });
  }
  const sign = (about: SignedAbout): SignedDecision => {
    const signedAt = Date.now();
    // Valid for as long as the policy lets an approval count: it is verified at every use, and the next approver may come
    // tomorrow.
    const expiresAt = signedAt + me.approvalTtlMs;
    const { storeId } = me;
    const statement = { id: randomUUID(), storeId, decision: 'approve', remark: '', subject: name } as const;
    return signStatement({ ...statement, signedAt, expiresAt, ...about }, session.key ?? '');
  };
  return { name, sign };
}

/**
 * Whose name and key a command has. `person` is null without a policy. Throws a `Problem` for a key that is missing or nobody's, or
 * another name's.
 */
async function askerOf(
  session: Session,
  { by, key }: Asker,
): Promise<{ me: Myself; person: Holder | null; name: string }> {
  await holdKey(session, key);
  const credential = credentialOf(session.key);
  const me = await session.ask(MYSELF, { credential });
  if (!me.hasPolicy) return { me, person: null, name: me.name ?? nameOf(by) };
  if (session.key === undefined) {
    throw new Problem('usage', 'key-missing', 'The policy requires a signature, but no key was given.', {
      hint: 'Add --key FILE, or set PAYOUTS_SIGNING_KEY_FILE. payouts policy key FILE makes one.',
    });
  }
  if (credential === undefined) {
    throw new Problem('usage', 'key-unusable', 'This is not an Ed25519 private key.', {
      hint: 'payouts policy key FILE makes one.',
    });
  }
  if (me.person === null) {
    throw new Problem('forbidden', 'key-of-nobody', 'This key belongs to nobody in the policy.', {
      hint: `The people who keep the policy can add it: its id is ${credential}.`,
    });
  }
  const { name } = me.person;
  if (by === undefined || by === name) return { me, person: me.person, name };
  throw new Problem('forbidden', 'not-your-name', `This key belongs to ${name}.`, { hint: 'Omit --by.' });
}

/** In whose name something is asked that needs no signature; through a gateway that of the caller, if it knows one. */
export async function nameAsking(session: Session, by: string | undefined): Promise<string> {
  if (by !== undefined || session.gateway === undefined) return nameOf(by);
  return (await session.ask(MYSELF, {})).name ?? nameOf(by);
}

/** The key of `--key FILE`, with which a command also signs in to a gateway. */
export async function holdKey(session: Session, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  if (!session.config.allowsReadableKeys) assertKeyPrivate('--key', file);
  const privateKey = await readFile(file, 'utf8').catch(() => {
    throw new Problem('usage', 'key-unreadable', 'The key file cannot be read.', {
      hint: 'Check the path after --key, and its permissions.',
    });
  });
  session.holdKey(privateKey);
}

/** Undefined without a key, and for a text that is not one. */
function credentialOf(privateKey: string | undefined): string | undefined {
  if (privateKey === undefined) return undefined;
  try {
    return credentialId(publicKeyOf(privateKey));
  } catch {
    return undefined;
  }
}

/**
 * Who lets a batch go on: without a policy the name given, with one its maker or an operator whose scope holds it, by
 * their key. To stop it takes nobody's: it only keeps money where it is.
 */
export async function personContinuing(session: Session, asker: Asker, batch: BatchRecord): Promise<string> {
  const { person, name } = await askerOf(session, asker);
  const { policy } = session.config.settings;
  if (person === null || policy === undefined) return name;
  if (await mayControl(await session.store(), personOf(policy, name), batch)) return name;
  throw new Problem('forbidden', 'role-missing', `The policy does not let ${name} control the batch.`, {
    hint: 'Its maker may, and an operator whose scope covers all of its rows.',
  });
}

/**
 * The viewer, without a signature: the given name, else the owner of the key; without a policy, else the user of this
 * machine.
 */
export async function viewerOf(session: Session, { by, key }: Asker): Promise<string> {
  await holdKey(session, key);
  const me = await session.ask(MYSELF, { credential: credentialOf(session.key) });
  if (!me.hasPolicy) return me.name ?? nameOf(by);
  if (by !== undefined) {
    if (me.people.includes(by)) return by;
    throw new Problem('usage', 'unknown-person', `The policy does not name ${by}.`, {
      hint: 'Omit --by, or give the name of a person in the policy.',
    });
  }
  if (session.key !== undefined || me.name !== null) return me.name ?? (await askerOf(session, { by })).name;
  throw new Problem('usage', 'key-missing', 'The policy identifies people by their keys, but no key was given.', {
    hint: 'Add --by NAME or --key FILE, or set PAYOUTS_SIGNING_KEY_FILE.',
  });
}
