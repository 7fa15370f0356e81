import type { KeyObject } from 'node:crypto';
import { createWriteStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isBankError, undefinedIf } from '../bank/errors.ts';
import {
  AUDIT_ENTRIES,
  AUDIT_EXPORT,
  RETENTION,
  type Retention,
} from '../channels/http/operations/audit-operations.ts';
import { counted, isoOrNull, minuteOf, secondOf, widthOf } from '../domain/display.ts';
import { groupedAmount } from '../domain/money.ts';
import { Problem } from '../domain/problem.ts';
import {
  ifRestored,
  type LogSigner,
  logSigner,
  originOf,
  replaceKeyInHome,
  rotateLogKey,
  seenLog,
  signLog,
  storedVerifier,
  whyShorter,
} from '../platform/audit/open-audit-log.ts';
import {
  compareWithLog,
  exportedLines,
  type LogComparison,
  rotationsIn,
  verifyStore,
} from '../platform/audit/read-log.ts';
import {
  ed25519Key,
  type LogVerifier,
  noteOfMail,
  parseCheckpoints,
  parseVerifier,
  verifierOf,
  verifierText,
} from '../store/audit/checkpoint.ts';
import { detailShown } from '../store/audit/entry.ts';
import { type LogVerdict, verifyExport } from '../store/audit/verify-log.ts';
import type { NumberedEntry, Store } from '../store/store.ts';
import { confirm } from './confirm.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { table } from './output.ts';
import type { Session } from './session.ts';
import { type ConfirmedOptions, nameOf } from './signer.ts';

/**
 * `payouts audit verify [FILE]`: checks the store's log and then signs it as it is, or checks an exported file without the store.
 */
export async function verifyAudit(
  session: Session,
  file: string | undefined,
  options: { checkpoints: string | undefined; key: string | undefined },
): Promise<ExitCode> {
  const trusted = options.key === undefined ? undefined : givenVerifier(options.key);
  const copied = copiedCheckpoints(options.checkpoints ?? whenThere(session.config.audit.checkpoints));
  if (file !== undefined) {
    const { verifier, ...verdict } = await verifyExport(fileThere(file), { trusted, copied });
    const note = trusted === undefined ? 'The key is the one named in the file: compare it with the one you know.' : '';
    return report(session, verdict, { verifier, note });
  }
  if (session.gateway !== undefined) return verifyRemote(session, { trusted, copied });
  const store = await session.store();
  const signer = trusted === undefined ? await logSigner(session.config, store) : undefined;
  const verifier = trusted ?? signer?.verifier ?? (await storedVerifier(store));
  if (verifier === undefined) {
    throw new Problem('set-up', 'audit-key', 'The store has no key of its audit log yet.', {
      hint: 'A worker makes one when it starts: payouts worker',
    });
  }
  const { witnessFolder } = session.config;
  const seen = seenLog(witnessFolder, store);
  const isThere = seen === undefined || (await store.lastCheckpoint())?.note === seen.note;
  const verdict = await verifyStore(store, verifier, isThere ? copied : [...copied, seen]);
  if (verdict.problem === undefined && signer !== undefined) await signLog(store, signer, Date.now());
  const shorter = whyShorter(seen, verdict.size);
  const intact = verdict.problem === undefined ? noteOf(verdict, signer) : '';
  const note = shorter === undefined ? intact : `${shorter}. ${ifRestored(witnessFolder, store)}`;
  const compared = verdict.problem === undefined ? await comparedRows(session, store) : undefined;
  return report(session, verdict, { verifier, note, compared });
}

/** Without the bank where none is up or it does not answer: rows are compared all the same. */
async function comparedRows(session: Session, store: Store): Promise<LogComparison> {
  const bank = await undefinedIf(isBankError, () => session.liveBank());
  if (bank === undefined) return compareWithLog(store);
  return (await undefinedIf(isBankError, () => compareWithLog(store, bank.orders))) ?? compareWithLog(store);
}

/** The log of a gateway is checked here, from its export: the gateway is not believed. */
async function verifyRemote(session: Session, checked: Parameters<typeof verifyExport>[1]): Promise<ExitCode> {
  const folder = await mkdtemp(join(tmpdir(), 'payouts-audit-'));
  try {
    const file = join(folder, 'audit.jsonl');
    await pipeline(Readable.from(await session.pieces(AUDIT_EXPORT, {})), createWriteStream(file, { mode: 0o600 }));
    const { verifier, ...verdict } = await verifyExport(file, checked);
    const note = 'The key is the one that the gateway names: compare it with the one you know.';
    return report(session, verdict, { verifier, note: checked.trusted === undefined ? note : '' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function noteOf({ size, signedSize }: LogVerdict, signer: LogSigner | undefined): string {
  if (size === signedSize) return '';
  const isOne = signedSize === size - 1;
  const some = isOne ? `Entry ${signedSize}` : `Entries ${signedSize} to ${size - 1}`;
  return signer === undefined
    ? `${some} ${isOne ? 'is' : 'are'} not signed yet, and this command cannot sign.`
    : `${some} ${isOne ? 'was' : 'were'} signed just now.`;
}

function report(
  { output }: Session,
  { problem, size, root, checkpoints, signedSize }: LogVerdict,
  { verifier, note, compared }: { verifier: LogVerifier | undefined; note: string; compared?: LogComparison },
): ExitCode {
  const key = verifier && verifierText(verifier);
  const ok = problem === undefined && (compared?.differences.length ?? 0) === 0;
  const document = { audit: { ok, size, root, checkpoints, signedSize, key, problem, compared } };
  const found = `${counted(size, 'entry', 'entries')}, which ${counted(checkpoints, 'checkpoint')} up to size ${groupedAmount(signedSize)} ${checkpoints === 1 ? 'agrees' : 'agree'} with.`;
  const text =
    problem === undefined
      ? [`The audit log is intact: ${found}`, `root  ${root}`, `key   ${key}`, note, comparedText(compared)]
      : [
          `The audit log was changed: ${problem.message}.`,
          `First wrong entry: ${placeOf(problem)}. Before it: ${found}`,
          `key   ${key}`,
          note,
        ];
  output.result(document, text.filter((line) => line !== '').join('\n'));
  return ok ? EXIT.completed : EXIT.exceptions;
}

/** Differences that are listed; `--json` has more. */
const LISTED_MAX = 20;

function comparedText(compared: LogComparison | undefined): string {
  if (compared === undefined) return '';
  const { payouts, orders, differences } = compared;
  const atBank = orders === null ? '; the bank was not asked' : ` and ${counted(orders, 'order')} at the bank`;
  const what = `${counted(payouts, 'payout')} in the store${atBank}`;
  if (differences.length === 0) return `It agrees with ${what}.`;
  const rows = differences
    .slice(0, LISTED_MAX)
    .map(({ seq, subject, field, logged, found, where }) => [
      seq === null ? 'none' : `${seq}`,
      subject,
      field,
      logged || 'nothing',
      found || 'nothing',
      where,
    ]);
  const more = differences.length - rows.length;
  return [
    `It does not agree with ${what}.`,
    table(['entry', 'about', 'what', 'in the log', 'found', 'where'], rows, widthOf(process.stdout)),
    ...(more > 0 ? [`and ${groupedAmount(more)} more: --json`] : []),
  ].join('\n');
}

const placeOf = ({ from, to }: { from: number; to?: number }): string =>
  to === undefined || to === from + 1 ? `${from}` : `from ${from}, before ${to}`;

function givenVerifier(text: string): LogVerifier {
  const verifier = parseVerifier(text);
  if (verifier !== undefined) return verifier;
  throw new Problem('usage', 'audit-key', '--key is not the public key of a log.', {
    hint: 'payouts audit verify prints it: NAME+KEYID+BASE64.',
  });
}

/** From a file to which checkpoints were appended, or from a folder of mails. */
function copiedCheckpoints(place: string | undefined) {
  if (place === undefined) return [];
  const there = fileThere(place);
  if (!statSync(there).isDirectory()) return parseCheckpoints(readFileSync(there, 'utf8'));
  const mails = readdirSync(there).filter((name) => name.endsWith('.eml'));
  return mails.flatMap((name) => parseCheckpoints(noteOfMail(readFileSync(join(there, name), 'utf8'))));
}

/** Undefined if the configured place does not exist: perhaps no checkpoint has been copied yet. */
const whenThere = (file: string | undefined): string | undefined =>
  file !== undefined && existsSync(file) ? file : undefined;

function fileThere(file: string): string {
  if (existsSync(file)) return resolve(file);
  throw new Problem('usage', 'no-file', `There is no file ${file}.`, { hint: 'Check the path.' });
}

/** `payouts audit export`: to stdout, a page at a time. */
export async function exportAudit(session: Session): Promise<void> {
  if (session.gateway !== undefined) return print(await session.pieces(AUDIT_EXPORT, {}));
  const store = await session.store();
  const signer = await logSigner(session.config, store);
  if (signer !== undefined) await signLog(store, signer, Date.now());
  const verifier = signer?.verifier ?? (await storedVerifier(store));
  if (verifier !== undefined) await print(exportedLines(store, verifier));
  const { size } = await store.auditTree();
  const signed = (await store.lastCheckpoint())?.size ?? 0;
  if (signed < size) session.output.say(`Entries from ${signed} on are not signed yet: they are not in the export.`);
}

const print = (lines: AsyncIterable<string>): Promise<void> =>
  pipeline(Readable.from(lines), process.stdout, { end: false }).catch(ignoreClosedPipe);

/** The reader of the output may stop early (`| head`). */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}

/** `payouts audit show ID`: the entries about a batch with its rows, a payout, or any other subject. */
export async function showAudit(session: Session, id: string, { limit }: { limit: number }): Promise<void> {
  const { entries: found } = await session.ask(AUDIT_ENTRIES, { id, limit: limit + 1 });
  const entries = found.slice(0, limit).map(({ at, ...entry }) => ({ ...entry, at: new Date(at).toISOString() }));
  const more =
    found.length > limit ? `More than ${limit} entries: --limit N shows more, payouts audit export all.` : '';
  const text = entries.length === 0 ? `The audit log has no entry about "${id}".` : tableOf(entries);
  session.output.result({ entries, complete: more === '' }, [text, more].filter((line) => line !== '').join('\n'));
}

type ShownEntry = Omit<NumberedEntry, 'at'> & { at: string };

function tableOf(entries: readonly ShownEntry[]): string {
  const rows = entries.map(({ seq, at, actor, action, subject, detail }) => [
    `${seq}`,
    secondOf(at),
    actor,
    action,
    subject,
    detailShown(detail)
      .map(([name, text]) => `${name}: ${text}`)
      .join(', '),
  ]);
  return table(['entry', 'at (UTC)', 'who', 'did', 'about', 'detail'], rows);
}

/**
 * `payouts audit rotate-key FILE`: from now on another key signs the audit, introduced by the previous one. If it was
 * interrupted, running it again puts the new key in its place.
 */
export async function rotateAuditKey(session: Session, file: string, { by, yes }: ConfirmedOptions): Promise<void> {
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

/** `payouts retention`: reads the store and boots nothing. */
export async function retention(session: Session, { days }: { days?: number }): Promise<void> {
  const found = await session.ask(RETENTION, { days });
  const { before, erased, ...facts } = found;
  const document = {
    ...facts,
    before: found.days === null ? null : new Date(before).toISOString(),
    erased: { payouts: erased.payouts, lastAt: isoOrNull(erased.lastAt) },
  };
  session.output.result({ retention: document }, textOf(found, days !== undefined).join('\n'));
}

function textOf({ days, before, due, open, kept, erased }: Retention, isAsked: boolean): string[] {
  const erasedText =
    erased.lastAt === null
      ? 'Nothing has been erased.'
      : `Erased: ${counted(erased.payouts, 'payout')}, the last at ${minuteOf(erased.lastAt)}.`;
  if (days === null) {
    const off =
      'Personal data is kept: PAYOUTS_RETENTION_DAYS is not set. payouts retention --days 400 shows what it would erase.';
    return [off, erasedText];
  }
  const reasons = Object.entries(kept);
  return [
    `${isAsked ? 'After' : 'Personal data is erased after'} ${counted(days, 'day')}: of what ended before ${minuteOf(before)}.`,
    `To be erased: ${counted(due.payouts, 'payout')}, ${counted(due.statements, 'statement')}, ${counted(due.payeeChecks, 'payee check')}.`,
    ...(open === 0 ? [] : [`Kept, not ended: ${counted(open, 'payout')}.`]),
    ...reasons.map(([why, count]) => `Kept, ${why}: ${counted(count, 'payout')}.`),
    erasedText,
  ];
}
