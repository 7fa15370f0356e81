import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { isPrivateAddress } from '../../bank/private-addresses.ts';
import { EVENT_KINDS, type EventFilter, type EventKind } from '../../domain/events-out.ts';
import { ADVICE_LANGUAGES, type AdviceLanguage } from '../../domain/instruction.ts';
import { isLoopback } from '../../domain/loopback.ts';
import { plainText } from '../../domain/plain-text.ts';
import { webhookSecrets } from './cards.ts';
import { readJsonFile } from './json-file.ts';
import { ConfigError, key, Secret, type ValuesOf } from './key.ts';
import { duration, mailAddress, pathText, smtpUrl } from './values.ts';

/** Which events are delivered, and to whom. */
export interface Subscription extends EventFilter {
  name: string;
  to: WebhookReceiver | MailReceivers | PayeeMails;
}

export interface WebhookReceiver {
  kind: 'webhook';
  /** https, or http on this machine. */
  url: string;
  /** Each of them signs every event, so that a receiver can change from one to the next. */
  secrets: Secret<readonly Buffer[]>;
  /** Whether the receiver may be in a private network. */
  privateNetwork: boolean;
}

export interface MailReceivers {
  kind: 'mail';
  addresses: readonly string[];
  /** Time between two mails, ms. */
  everyMs: number;
  /** Of what waits for people only what this person of the policy can decide. */
  person?: string;
  /** One mail a day instead, at this time (`08:00`) of the zone of business days, with all that waits. */
  daily?: string;
}

/** Mails to payees about what was paid to them, `PAYOUTS_ADVICE`. */
export interface PayeeMails {
  kind: 'advice';
  /** Name under which the payees know who pays. */
  payer: string;
  /** Where answers go; absent: to the sender. */
  replyTo?: string | undefined;
  /** One mail for all that a payee was paid in this time, ms; absent: one for each payout. */
  everyMs?: number | undefined;
  /** Where neither the row nor the payee's country tells. */
  language: AdviceLanguage;
  /** Payees, by their id at the bank, who are advised of every payout. */
  payees: Readonly<Record<string, { to: string; language?: AdviceLanguage | undefined }>>;
  /** Texts in place of the usual ones, by language. */
  templates: Partial<Readonly<Record<AdviceLanguage, Partial<AdviceTemplate>>>>;
}

/** Texts of a mail to a payee. `{payer}` and `{total}` are filled in. */
export interface AdviceTemplate {
  subject: string;
  opening: string;
  closing: string;
}

export interface MailServer {
  /** `smtp://` or `smtps://`, with name and password if the server requires them. */
  url: string;
  from: string;
  /** On another machine: the connection must be encrypted. */
  isRemote: boolean;
}

export const EVENT_CONFIG_KEYS = {
  PAYOUTS_EVENTS: key(
    pathText,
    null,
    'JSON file of subscriptions to events by webhook and mail; absent: no events are sent',
  ),
  PAYOUTS_ADVICE: key(
    pathText,
    null,
    'JSON file of what mails to payees say, who are advised of what was paid to them; absent: none are sent',
  ),
  PAYOUTS_EVENTS_KEEP: key(
    duration,
    '30d',
    'how long an event can be replayed once every subscription has received it; then it is deleted',
  ),
  PAYOUTS_EVENTS_REMIND: key(
    duration,
    '1d',
    'how long before the time to decide about a payout ends subscribers are reminded, at most half of that time; 0s: never',
  ),
  PAYOUTS_SMTP_URL: key(
    smtpUrl,
    null,
    'mail server for mails about events, smtps://NAME:PASSWORD@HOST; preferably as PAYOUTS_SMTP_URL_FILE',
  ),
  PAYOUTS_MAIL_FROM: key(mailAddress, 'payouts@localhost', 'sender of mails about events'),
} as const;

/** Throws a `ConfigError` for an unusable file, and for a subscription with mail but no mail server. */
export function eventsOf(values: ValuesOf<typeof EVENT_CONFIG_KEYS>) {
  const { PAYOUTS_EVENTS: path, PAYOUTS_EVENTS_KEEP: keepMs, PAYOUTS_SMTP_URL: url, PAYOUTS_MAIL_FROM: from } = values;
  const { PAYOUTS_ADVICE: advice } = values;
  const subscriptions = [
    ...(path === undefined ? [] : loadSubscriptions(path)),
    ...(advice === undefined ? [] : [loadAdvice(advice)]),
  ];
  if (url === undefined && subscriptions.some(({ to }) => to.kind !== 'webhook')) {
    throw new ConfigError(
      'PAYOUTS_SMTP_URL',
      'is missing for mails',
      'Set smtps://NAME:PASSWORD@HOST, preferably in a file named by PAYOUTS_SMTP_URL_FILE.',
    );
  }
  const server = url === undefined ? undefined : { url, from, isRemote: !isLoopback(new URL(url).hostname) };
  return {
    subscriptions,
    keepMs,
    remindMs: values.PAYOUTS_EVENTS_REMIND,
    mailServer: new Secret<MailServer | undefined>(server),
  };
}

/** No subscription of `PAYOUTS_EVENTS` is called so. */
const ADVICE_NAME = 'remittance-advice';

const adviceText = z
  .string()
  .min(1)
  .max(2_000)
  .refine((text) => text.replaceAll(/\{(?:payer|total)\}/g, '').search(/[{}]/) === -1, {
    error: 'has braces other than {payer} and {total}',
  });
const template = z.strictObject({
  subject: adviceText.refine((text) => !/[\r\n]/.test(text), { error: 'has several lines' }).optional(),
  opening: adviceText.optional(),
  closing: adviceText.optional(),
});
const language = z.enum(ADVICE_LANGUAGES);

const adviceFile = z.strictObject({
  payer: z.string().min(1).max(140),
  replyTo: mailAddress.optional(),
  every: duration.optional(),
  language: language.default('en'),
  payees: z.record(z.string().min(1), z.strictObject({ to: mailAddress, language: language.optional() })).default({}),
  templates: z.partialRecord(language, template).default({}),
});

function loadAdvice(path: string): Subscription {
  const hint = 'docs/report.md, "Remittance advice", shows an example.';
  const { every: everyMs, ...rest } = readJsonFile(path, adviceFile, 'PAYOUTS_ADVICE', hint);
  return { name: ADVICE_NAME, kinds: ['payout.ended', 'payout.returned'], to: { kind: 'advice', everyMs, ...rest } };
}

const DIGEST_EVERY = '15m';

const kinds = z.array(z.enum(Object.keys(EVENT_KINDS) as EventKind[])).min(1);

const entry = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, { error: 'is not a name such as erp or treasury-mail' })
      .refine((name) => name !== ADVICE_NAME, { error: 'is the name of the mails to payees' }),
    url: z.string().optional(),
    secrets: z.array(webhookSecrets).min(1).optional(),
    secretFiles: z.array(z.string()).min(1).optional(),
    privateNetwork: z.boolean().optional(),
    mail: z.array(mailAddress).min(1).optional(),
    every: duration.optional(),
    person: z.string().min(1).optional(),
    daily: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'is not a time such as 08:00' })
      .optional(),
    kinds: kinds.optional(),
    uids: z.array(z.string().min(1)).min(1).optional(),
  })
  .superRefine((given, context) => {
    const isMail = given.mail !== undefined;
    if (isMail === (given.url !== undefined)) return context.addIssue('must have either url or mail');
    const foreign = isMail
      ? (['secrets', 'secretFiles', 'privateNetwork'] as const)
      : (['every', 'person', 'daily'] as const);
    const odd = foreign.find((name) => given[name] !== undefined);
    if (odd !== undefined) context.addIssue(`${odd} is for ${isMail ? 'webhooks' : 'mails'}`);
    if (given.daily !== undefined && given.every !== undefined) context.addIssue('has both every and daily');
    if (!isMail && given.secrets === undefined && given.secretFiles === undefined) {
      context.addIssue('url needs secrets or secretFiles');
    }
    const problem = given.url === undefined ? undefined : urlProblem(given.url, given.privateNetwork === true);
    if (problem !== undefined) context.addIssue({ code: 'custom', path: ['url'], message: problem });
  });

export const SUBSCRIPTIONS_FILE = z.strictObject({ subscriptions: z.array(entry).min(1) });

function loadSubscriptions(path: string): Subscription[] {
  const hint = 'docs/report.md, "Subscribing", shows an example.';
  const unusable = (why: string): ConfigError => new ConfigError('PAYOUTS_EVENTS', why, hint);
  const { subscriptions } = readJsonFile(path, SUBSCRIPTIONS_FILE, 'PAYOUTS_EVENTS', hint);
  const names = subscriptions.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw unusable(`is a file with two subscriptions called ${twice}`);
  const readSecret = (name: string): Buffer[] => {
    try {
      return webhookSecrets.parse(plainText(readFileSync(resolve(dirname(path), name))).trim());
    } catch {
      throw unusable('is a file with a secretFiles entry that is not the file of a secret (whsec_ and base64)');
    }
  };
  return subscriptions.map((given) => subscriptionOf(given, readSecret));
}

function subscriptionOf(given: z.infer<typeof entry>, readSecret: (name: string) => Buffer[]): Subscription {
  const { name, url, mail, every, person, daily, secrets = [], secretFiles = [], privateNetwork = false } = given;
  const filter = { kinds: given.kinds, uids: given.uids };
  if (url === undefined) {
    const everyMs = every ?? duration.parse(DIGEST_EVERY);
    return { name, ...filter, to: { kind: 'mail', addresses: mail ?? [], everyMs, person, daily } };
  }
  const all = [...secrets.flat(), ...secretFiles.flatMap(readSecret)];
  return { name, ...filter, to: { kind: 'webhook', url, secrets: new Secret(all), privateNetwork } };
}

function urlProblem(given: string, mayBePrivate: boolean): string | undefined {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'is not an https address';
  if (url.username || url.password || url.hash) return 'contains credentials or a fragment';
  if (isLoopback(url.hostname)) return undefined;
  if (url.protocol === 'http:') return 'is http to another machine; use https';
  const address = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && isPrivateAddress(address) && !mayBePrivate) {
    return 'is a private address; privateNetwork: true allows it';
  }
  return undefined;
}
