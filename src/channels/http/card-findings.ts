import type { z } from 'zod';
import { CARD_EXAMPLE } from '../../domain/card-number.ts';
import type { Finding } from '../../domain/finding.ts';
import { Problem } from '../../domain/problem.ts';

/** Clearly a name: anything else could be data of a card or its holder and is not shown. */
const PLAIN_NAME = /^[A-Za-z_]{1,32}$/;

/** A finding about a member of a body, by its path and without its value. Members of the card get the file `card`. */
export function bodyFinding(path: readonly string[], rule: string, message: string): Finding {
  const [first, ...inner] = path;
  const place =
    first === 'card' && inner.length > 0
      ? { file: 'card', column: inner.join('.') }
      : { file: 'request', column: path.join('.') || null };
  return { ...place, line: 0, row: null, value: null, rule, message };
}

/** What a schema refuses in a body, one finding for each member. */
export function schemaFindings(schema: z.ZodObject, given: unknown): Finding[] {
  const issues = schema.safeParse(given).error?.issues ?? [];
  return issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      const names = namesAt(schema, path);
      return issue.keys.map((key) => unknownMember(key, path, names));
    }
    const rule = valueAt(given, path) === undefined ? 'member-missing' : 'member-invalid';
    return bodyFinding(path, rule, issue.message);
  });
}

function unknownMember(key: string, path: readonly string[], names: readonly string[]): Finding {
  const members = `The members are ${names.join(', ')}.`;
  if (!PLAIN_NAME.test(key)) {
    return bodyFinding(path, 'member-unknown', `contains an unknown member, whose name is not shown. ${members}`);
  }
  return bodyFinding([...path, key], 'member-unknown', `is unknown. ${members}`);
}

/** Read from what was given: zod would put it into its error, and card data belongs into none. */
const valueAt = (given: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((it, name) => (it as Record<string, unknown> | null | undefined)?.[name], given);

/** The members that an object in the body may have. */
function namesAt(schema: z.ZodObject, path: readonly string[]): string[] {
  const inner = path.reduce<z.ZodType>((it, name) => {
    const member = (it as z.ZodObject).shape[name] as z.ZodType;
    return 'unwrap' in member ? ((member as z.ZodOptional).unwrap() as z.ZodType) : member;
  }, schema);
  return Object.keys((inner as z.ZodObject).shape);
}

const CODES = ['usage', 'amount-refused', 'return-url-missing', 'return-url-refused', 'card-invalid'] as const;
type Code = (typeof CODES)[number];

const MESSAGES: Readonly<Record<Code, string>> = {
  usage: 'The request cannot be used.',
  'amount-refused': 'This amount cannot be used.',
  'return-url-missing': 'The return address of the cardholder is missing.',
  'return-url-refused': 'Cardholders may not be sent to this address.',
  'card-invalid': 'This card cannot be used.',
};

/** More would help nobody, and a body may consist of nothing but wrong members. */
const FINDINGS_MAX = 50;

/** Throws one `Problem` for all findings, with their common code or `usage`; returns if there are none. */
export function assertNone(findings: readonly Finding[]): void {
  if (findings.length === 0) return;
  const codes = new Set(findings.map(codeOf));
  const [only = 'usage'] = codes;
  const code = codes.size === 1 ? only : 'usage';
  const message =
    codes.size === 1 ? MESSAGES[code] : `The card payment cannot be created: ${findings.length} findings.`;
  const hint = findings.some(({ file, column }) => file === 'card' || column === 'card')
    ? `Example of a card: ${CARD_EXAMPLE}`
    : 'The findings give the reasons; GET /openapi.json describes the request.';
  const inOrder = findings
    .toSorted((a, b) => Number(a.file === 'card') - Number(b.file === 'card'))
    .slice(0, FINDINGS_MAX);
  throw new Problem(code === 'card-invalid' ? 'invalid-input' : 'usage', code, message, { hint, findings: inOrder });
}

function codeOf({ file, rule }: Finding): Code {
  if (rule.startsWith('member-')) return 'usage';
  return CODES.find((code) => code === rule) ?? (file === 'card' ? 'card-invalid' : 'usage');
}
