import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { tokenSha256 } from '../channels/http/callers.ts';
import { APPROVALS, type Approvals, noPolicy } from '../channels/http/operations/people-operations.ts';
import {
  isOpen,
  type Person,
  type Policy,
  ROLES,
  type Substitute,
  scopeText,
  type Unguarded,
  unguarded,
} from '../domain/authority.ts';
import { plainText } from '../domain/plain-text.ts';
import { HOURS_ADDED_UP } from '../domain/policy.ts';
import { Problem } from '../domain/problem.ts';
import { DAY_MS, dayIn, HOUR_MS } from '../domain/time.ts';
import { parsePolicy } from '../people/policy-file.ts';
import { newKey } from '../people/signing/signing.ts';
import { writableByOthers } from '../platform/config/policy.ts';
import type { OpenIdSettings } from '../platform/config/sign-in.ts';
import { hasTerminal, openQuestions } from './confirm.ts';
import { table } from './output.ts';
import type { Session } from './session.ts';
import { findTarget } from './targets.ts';

export async function makeKey(session: Session, file: string): Promise<void> {
  const { privateKey, publicKey } = newKey();
  await writeNew(file, privateKey);
  session.output.result({ file, publicKey }, publicKey);
  session.output.say(`The private key is in ${file}: keep it secret. Put the line above into the policy.`);
}

/** `payouts policy token`: makes a token for one person's programs. It is shown once; only its hash is kept, in the policy. */
export async function makeToken(session: Session, { days }: { days: number }): Promise<void> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const sha256 = tokenSha256(token);
  const expires = new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
  session.output.result({ token, entry: { sha256, expires } }, token);
  session.output.say(
    `The token above is shown only once. Add to "tokens" of its person: ${JSON.stringify({ sha256, expires })}`,
  );
}

const TOKEN_BYTES = 32;

export async function initPolicy(session: Session, file: string): Promise<void> {
  if (!hasTerminal()) {
    throw new Problem('usage', 'terminal-needed', 'There is no terminal for the confirmation.', {
      hint: 'Write the file manually (docs/security.md shows one), then: payouts policy check FILE',
    });
  }
  const questions = openQuestions(process.stdin, process.stderr);
  const people: object[] = [];
  for (let n = 1; ; n += 1) {
    const name = (await questions.ask(`Name of person ${n} (leave empty to finish): `)).trim();
    if (name === '') break;
    const roles = await questions.ask(`  Roles of ${name} (${ROLES.join(', ')}): `);
    const key = (await questions.ask(`  Public key, as printed by payouts policy key FILE: `)).trim();
    const named = roles.split(/[\s,]+/).filter((role) => role !== '');
    people.push({ name, roles: named, scope: {}, keys: key === '' ? [] : [key] });
  }
  const approvals = await approvalsAsked(questions);
  questions.close();
  const text = `${JSON.stringify({ version: 1, people, approvals: approvals > 0 ? [{ approvals }] : [] }, null, 2)}\n`;
  assertUsable(text);
  await writeNew(file, text);
  session.output.result({ file }, `Written: ${file}. Set PAYOUTS_POLICY to it.`);
}

/** Asked until a number is given: that nobody has to approve is said, never left out. */
async function approvalsAsked(questions: { ask(question: string): Promise<string> }): Promise<number> {
  for (;;) {
    const answer = (
      await questions.ask('How many people approve each payout, transfer and exchange (a number; 0: nobody has to): ')
    ).trim();
    if (/^\d{1,2}$/.test(answer)) return Number(answer);
  }
}

export async function checkPolicy(session: Session, file: string | undefined): Promise<void> {
  const policy = file === undefined ? setPolicy(session) : assertUsable(await textOf(file), writableByOthers(file));
  const { hash, people, substitutes = [], readers = [], approvals, limits, approvalTtlMs } = policy;
  const rows = people.map(({ name, roles, scope, credentials, identities, unsigned }) => [
    name,
    [...roles, ...(unsigned === true ? ['unsigned'] : [])].join(', '),
    scopeText(scope),
    credentials.map(({ id }) => id).join(', ') || 'none: cannot decide anything',
    signsInText(credentials, identities),
  ]);
  const rules = approvals.map(({ approvals: asked, ...rule }) => [`${asked}`, conditionText(rule)]);
  const caps = limits.map((it) => [
    `${it.amount} ${it.currency}`,
    [`${it.per}, within ${it.hours ?? HOURS_ADDED_UP} h`, kindsText(it.kinds)].filter(Boolean).join(', '),
  ]);
  const lacking = unguarded(policy);
  const text = [
    table(['person', 'roles', 'scope', 'keys', 'signs in to the pages'], rows),
    ...(substitutes.length === 0 ? [] : [table(['substitute', 'of', 'from', 'until'], substitutes.map(substituteRow))]),
    ...(readers.length === 0
      ? []
      : [
          table(
            ['readers by group', 'see'],
            readers.map(({ group, scope }) => [group, scopeText(scope)]),
          ),
        ]),
    ...identitiesText(policy, session.config.signIn.openId),
    rules.length === 0 ? 'Nothing needs approval.' : table(['approvals', 'of what has'], rules),
    ...(caps.length === 0 ? [] : [table(['limit', 'per'], caps)]),
    ...people.flatMap((person) => unsignedText(person) ?? []),
    ...(lacking.length === 0 ? [] : [lackingText(lacking)]),
    `An approval is valid for ${approvalTtlMs / HOUR_MS} h. Policy ${hash}`,
  ].join('\n\n');
  session.output.result({ policy, lacking }, text);
}

/** How somebody opens a session: with a passkey, or with the account that the provider calls so. */
function signsInText(credentials: Person['credentials'], identities: Person['identities'] = []): string {
  const passkey = credentials.some(({ type }) => type === 'passkey') ? ['passkey'] : [];
  return [...passkey, ...identities].join(', ') || 'no: neither passkey nor identity';
}

/** What keeps identities and groups from counting, by the settings of this process. */
function identitiesText({ people, readers = [] }: Policy, openId: OpenIdSettings | undefined): string[] {
  const identities = people.flatMap(({ name, identities: its = [] }) =>
    its.map((identity) => [name, identity] as const),
  );
  if (openId === undefined) {
    const isUsed = identities.length + readers.length > 0;
    return isUsed ? ['Identities and readers count only for gateways with PAYOUTS_OIDC_ISSUER; none is set here.'] : [];
  }
  const odd = openId.claim === 'email' ? identities.filter(([, identity]) => !identity.includes('@')) : [];
  return [
    ...odd.map(([name, it]) => `Warning: the identity ${it} of ${name} names nobody: PAYOUTS_OIDC_CLAIM is email.`),
    ...(readers.length > 0 && openId.groupsClaim === undefined
      ? ['Warning: readers name groups, and PAYOUTS_OIDC_GROUPS_CLAIM is not set: nobody reads by one.']
      : []),
  ];
}

const substituteRow = ({ name, for: absent, from, until }: Substitute): string[] => [
  ...[name, absent],
  ...[from, until - DAY_MS].map((at) => dayIn(at, 'UTC')),
];

/** What follows for payouts of a maker who is `unsigned`, or can sign none. */
function unsignedText({ name, roles, credentials, unsigned }: Person): string | undefined {
  if (unsigned === true)
    return `Payouts of ${name} need no signature of ${name}: anyone who can write to the store can make or change them.`;
  if (!roles.includes('maker') || credentials.some(({ type }) => type === 'ed25519')) return undefined;
  return `${name} has no key that signs payouts: each payout of ${name} needs an approval at least, even if no rule asks for one.`;
}

/** What has no rule or no limit, as a table. */
function lackingText(lacking: readonly Unguarded[]): string {
  const any = 'any that is not named';
  const rows = lacking.map(({ kinds, currency = any, account = any, approvedFrom, isLimited }) => [
    kinds.join(' '),
    currency,
    account,
    approvedFrom === undefined ? 'never' : approvedFrom === '0' ? 'always' : `from ${approvedFrom}`,
    isLimited ? 'yes' : 'none',
  ]);
  return [
    'Warning: for these no rule asks for an approval for every payee, or no limit per day or account adds them up:',
    table(['kinds', 'currency', 'account', 'approved', 'limit'], rows),
    ...(lacking.some(isOpen)
      ? ['A maker alone can pay any sum of some. The rule {"approvals": 1} covers all that no other rule does.']
      : []),
  ].join('\n');
}

export async function explainPolicy(session: Session, id: string): Promise<void> {
  // Said before the payout is searched for.
  if (session.gateway === undefined) setPolicy(session);
  const target = await findTarget(session, id);
  if (target.kind === 'batch') {
    throw new Problem('usage', 'payout-needed', 'Name a single payout.', {
      hint: `payouts status ${id} lists the payouts of the batch.`,
    });
  }
  const document = await session.ask(APPROVALS, { reference: target.payout.reference });
  const { reference, state, maker, asks, needed, approvedBy, mayApprove } = document;
  const left = mayApprove.filter((name) => !approvedBy.includes(name));
  const lines = [
    `${reference} is ${state}; maker: ${maker ?? 'not known'}.`,
    asks === null
      ? 'It does not await a decision now.'
      : `It needs ${needed} ${needed === 1 ? 'person' : 'people'} (${asks}); approved by ${approvedBy.join(', ') || 'nobody yet'}.`,
    `May ${approvedBy.length > 0 ? 'still ' : ''}approve it: ${left.join(', ') || 'nobody: change the policy'}.`,
  ];
  session.output.result(shownOf(document), lines.join('\n'));
}

/** Without the version that an answer over HTTP has. */
const shownOf = ({ reference, state, maker, policyHash, asks, needed, approvedBy, mayApprove }: Approvals): object => ({
  ...{ reference, state, maker, policyHash, asks, needed, approvedBy, mayApprove },
});

function setPolicy({ config, gateway }: Session): Policy {
  const { policy } = config.settings;
  if (policy !== undefined) return policy;
  if (gateway === undefined) throw noPolicy();
  throw new Problem('usage', 'file-missing', "The policy in force is the gateway's, which shows nobody all of it.", {
    hint: 'payouts doctor shows your roles and scope in it; payouts policy check FILE checks a file.',
  });
}

function assertUsable(text: string, writable?: ReturnType<typeof writableByOthers>): Policy {
  const read = parsePolicy(text);
  const access = writable === undefined ? [] : [`the whole: is ${writable.says}. ${writable.remedy}.`];
  if ('policy' in read && access.length === 0) return read.policy;
  const problems = [...access, ...('problems' in read ? read.problems : [])];
  const message = `This policy cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`;
  throw new Problem('usage', 'policy-unusable', message, {
    hint: 'Correct it and check it again. docs/security.md shows an example.',
  });
}

async function textOf(file: string): Promise<string> {
  const bytes = await readFile(file).catch(() => {
    throw new Problem('usage', 'file-unreadable', 'The policy cannot be read.', { hint: 'Check the path.' });
  });
  return plainText(bytes);
}

/** Never overwrites a file: it may be somebody's only key. */
async function writeNew(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new Problem('usage', 'file-exists', `${file} already exists.`, { hint: 'Name another file.' });
  });
}

const kindsText = (kinds: readonly string[] | undefined): string | undefined => kinds && `kind ${kinds.join(' ')}`;

const ADDED_UP = { day: 'added up', payee: 'added up per payee', account: 'added up per account' } as const;

function conditionText(rule: Omit<Policy['approvals'][number], 'approvals'>): string {
  const { kinds, currency, amountAtLeast, per, hours, newPayee, changedPayee, account, where, alone } = rule;
  const parts = [
    kindsText(kinds),
    amountAtLeast === undefined ? currency : `${currency} ${amountAtLeast} and more`,
    per === undefined ? undefined : `${ADDED_UP[per]} within ${hours ?? HOURS_ADDED_UP} h`,
    newPayee === true ? 'a new payee' : undefined,
    changedPayee === true ? 'a changed payee' : undefined,
    account === undefined ? undefined : `account ${account}`,
    where === 'at-bank' ? 'an audit at the bank' : where === 'both' ? 'and again in an audit at the bank' : undefined,
    alone === true ? 'each by a signature of its own' : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(', ') || 'anything';
}
