import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { readJsonOnce } from '../../bank/json.ts';
import { isLoopback } from '../../domain/loopback.ts';
import { parseDecimal } from '../../domain/money.ts';
import type { ApprovalRule } from '../../domain/policy.ts';
import { ed25519Key } from '../../store/audit/checkpoint.ts';
import { parseKeyRing } from '../codec/keys.ts';

/** Parsers for the values of settings. Messages state the rule and never repeat the text: it can be a secret. */

/** A value that `read` makes of the text. What it throws says why the text cannot be used. */
export const readBy = <T>(read: (given: string) => T) =>
  z.string().transform((given, context): T => {
    try {
      return read(given);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'cannot be used' });
      return z.NEVER;
    }
  });

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LONGEST_MS = 3_650 * UNIT_MS.d;

/** `90s`, `10m`, `24h`, `250ms`, `3d` -> milliseconds. */
export const duration = readBy((text): number => {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = unit === undefined ? Number.NaN : Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (ms <= LONGEST_MS) return ms;
  throw new Error('is not a duration such as 250ms, 90s, 10m, 24h or 3d (10 years at most)');
});

/** A duration from 1 ms to `mostMs`. */
export const durationUpTo = (mostMs: number, error: string) =>
  duration.refine((ms) => ms >= 1 && ms <= mostMs, { error });

/** -> factor in (0, 1]. `0.02` and `50`, which means 1:50, are the same. */
export const timeScale = readBy((text): number => {
  const scale = /^\d{1,6}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  if (scale > 0) return scale > 1 ? 1 / scale : scale;
  throw new Error('is not a number above 0, such as 1, 0.02 or 50 (read as 1:50)');
});

export const flag = z.enum(['true', 'false'], { error: 'must be true or false' }).transform((text) => text === 'true');

export const text = z.string();

/** Of a file or a folder; from a configuration file relative to the folder of that file. */
export const pathText = z.string();

const isTimeZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
};

export const timeZone = z.string().refine(isTimeZone, { error: 'is not a time zone such as Europe/Berlin' });

/** `/srv/drop,/srv/payroll` -> absolute paths. */
export const folders = z.string().transform((given) =>
  given
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '')
    .map((path) => resolve(path)),
);

const accountCode = z
  .string()
  .regex(/^[^\p{Cc}{}]{0,64}(?:\{(?:account|currency)\}[^\p{Cc}{}]{0,64}){0,2}$/u, {
    error:
      'has an account code that is too long, has control characters, or a placeholder other than {account} and {currency}',
  })
  .min(1, { error: 'has an empty account code' });

/** Account codes of the journal; the defaults are names that no chart of accounts has by accident. */
const journalAccountCodes = z.strictObject({
  bank: accountCode.default('bank:{account}'),
  payment: accountCode.default('payouts'),
  fee: accountCode.default('bank-fees'),
  exchange: accountCode
    .refine((code) => code.includes('{currency}'), {
      error: 'needs {currency} in `exchange`: an account for each currency',
    })
    .default('exchange:{currency}'),
  return: accountCode.default('returned-payouts'),
});

export const journalAccounts = readBy((given) => {
  const { data, error } = journalAccountCodes.safeParse(json(given));
  if (error === undefined) return data;
  throw new Error(error.issues[0]?.message);
});

export const mailAddress = z
  .string()
  .regex(/^[^\s<>@,;:"]+@[^\s<>@,;:"]+$/, { error: 'is not an address such as audit@example.com' });

export const smtpUrl = z.string().refine(
  (given) => {
    const url = URL.parse(given);
    return (
      url !== null &&
      /^smtps?:$/.test(url.protocol) &&
      url.hostname !== '' &&
      /^\/?$/.test(url.pathname + url.search + url.hash)
    );
  },
  { error: 'is not the address of a mail server such as smtps://NAME:PASSWORD@mail.example.com:465' },
);

/** A private Ed25519 key, as `openssl genpkey -algorithm ed25519` writes it. */
export const auditKey = readBy((given) => ed25519Key(given));

export const codecKeys = readBy((given) => parseKeyRing(given));

export const oneOf = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z.enum(values, { error: `is not one of ${values.join(', ')}` });

export const count = (least: number, most: number) =>
  z
    .string()
    .refine((given) => /^\d{1,9}$/.test(given) && Number(given) >= least && Number(given) <= most, {
      error: `is not a whole number from ${least} to ${most}`,
    })
    .transform(Number);

/** Unsigned decimal text; stays text. */
export const decimal = z.string().refine((given) => isUnsigned(given), { error: 'is not a decimal such as 12.50' });

/** Fraction of 1, as decimal text. */
export const fraction = z.string().refine((given) => isUnsigned(given) && Number(given) < 1, {
  error: 'is not a fraction such as 0.01 (one per cent)',
});

/** `EUR,GBP`: codes of ISO 4217. */
export const currency = z.string().regex(/^[A-Z]{3}$/, { error: 'is not a currency such as EUR' });

export const currencies = z
  .string()
  .regex(/^[A-Z]{3}(,[A-Z]{3})*$/, { error: 'is not a list of currencies such as EUR,GBP' })
  .transform((given) => given.split(','));

export const date = z.iso.date({ error: 'is not a date such as 2026-11-14' });

/** Name of a deployment or build. It must not contain the character by which the server joins the two. */
export const versionName = z
  .string()
  .regex(/^\w[\w-]{0,99}$/, { error: 'is not a name of 1 to 100 letters, digits, - and _' });

/** `9464` is that port of this machine; otherwise ADDRESS:PORT, with an IPv6 address in brackets. */
export const listenAddress = readBy((given) => {
  const [, bracketed, plain, digits] = /^(?:(?:\[(.+)\]|([^:]+)):)?(\d{1,5})$/.exec(given) ?? [];
  const host = bracketed ?? plain ?? '127.0.0.1';
  const port = digits === undefined ? Number.NaN : Number(digits);
  if (isIP(host) === (bracketed === undefined ? 4 : 6) && port <= 65_535) return { host, port };
  throw new Error('is neither a port such as 9464 nor an IP address with a port, such as 0.0.0.0:9464');
});

/** `worker-1:9564,[::1]:9564`. */
export const hostsWithPort = readBy((given): string[] => {
  const hosts = given.split(',').map((host) => host.trim());
  const isHost = (host: string): boolean =>
    /^(?:\[[\da-f:.]+\]|[\w.-]+):\d{1,5}$/i.test(host) && URL.canParse(`https://${host}`);
  if (hosts.every(isHost)) return hosts;
  throw new Error('is not a list of hosts with their ports, such as worker-1:9564,worker-2:9564');
});

const READS_KEY_BYTES = 32;

export const readsKey = readBy((given): Buffer => {
  const bytes = Buffer.from(given, 'base64');
  if (bytes.length === READS_KEY_BYTES && bytes.toString('base64') === given.trim()) return bytes;
  throw new Error('is not 32 bytes in base64, as openssl rand -base64 32 makes them');
});

export const httpUrl = readBy((given) => {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('is not an http(s) address');
  if (url.username || url.password || url.search || url.hash) {
    throw new Error('contains credentials, a query or a fragment');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
});

/** Complete URL of a receiver of traces; over TLS, or on this machine. */
export const tracesUrl = readBy((given) => {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new Error('is not an http(s) address, or contains credentials');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) throw new Error('is http to another machine; use https');
  return url.href;
});

export const storeUrl = z
  .string()
  .regex(/^(file:.+|postgres(ql)?:\/\/.+)$/, { error: 'is neither file:PATH nor postgres://...' });

export const jsonTexts = readBy((given) => parsed(given, z.record(z.string(), z.string())));

export const jsonObject = readBy((given) => parsed(given, z.record(z.string(), z.json())));

/** `{"USD":"10000"}`: a decimal for each currency. */
export const amountsByCurrency = readBy((given) => parsed(given, z.record(z.string().regex(/^[A-Z]{3}$/), decimal)));

const approvalRule = z
  .strictObject({
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .optional(),
    amountAtLeast: decimal.optional(),
    newPayee: z.boolean().optional(),
    approvals: z.int().min(0).max(10),
  })
  .refine((rule) => rule.amountAtLeast === undefined || rule.currency !== undefined, {
    error: 'amountAtLeast without currency',
  });

/** `{"rules":[{"currency"?, "amountAtLeast"?, "newPayee"?, "approvals": n}]}` */
export const approvalPolicy = readBy(
  (given): ApprovalRule[] => parsed(given, z.strictObject({ rules: z.array(approvalRule) })).rules,
);

function json(given: string): unknown {
  try {
    return readJsonOnce(given);
  } catch {
    throw new Error('is not JSON in which each member appears once');
  }
}

function parsed<T>(given: string, schema: z.ZodType<T>): T {
  const { data, error } = schema.safeParse(json(given));
  if (error === undefined) return data;
  const places = error.issues.map((issue) => `${issue.path.join('.') || 'the whole'}: ${issue.message}`);
  throw new Error(`is JSON with the wrong structure (${places.slice(0, 3).join('; ')})`);
}

function isUnsigned(given: string): boolean {
  return !given.startsWith('-') && parseDecimal(given) !== undefined;
}
