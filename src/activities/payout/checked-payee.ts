import type { CheckProvider, Party, PayeeAccount, Screening, Verification } from '../../bank/payee-checks/provider.ts';
import { CheckFailure } from '../../bank/payee-checks/provider.ts';
import type { Beneficiary } from '../../bank/schemas/beneficiaries.ts';
import { approvalDigest } from '../../domain/identity.ts';
import { beneficiaryFields } from '../../domain/instruction.ts';
import type { CheckKind, PayeeCheck } from '../../domain/payee-check.ts';
import { ACCOUNT_FIELDS } from '../../domain/payee-fields.ts';
import { payeeCountry, payeeName } from '../../domain/payee-flags.ts';
import type { KeptCheck, PayoutRecord } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';
import { checkOf, checksAskedOf, type PayeeChecks } from '../payee-checks.ts';

/**
 * Verdicts on the payee of a row; asked for anew if none is stored or the stored one is too old, and at every reading while the
 * provider could not tell. `payee`: as the bank shows it; a payee that the row gives by its details is checked as the row has it.
 */
export async function checkedPayee(
  deps: ActivityDeps,
  row: PayoutRecord,
  payee: Beneficiary | undefined,
): Promise<{ checks?: PayeeCheck[] }> {
  const { checks } = deps;
  const kinds = checksAskedOf(checks, row);
  if (checks === undefined || kinds.length === 0) return {};
  const about = aboutPayee(row, payee);
  return { checks: await Promise.all(kinds.map((kind) => verdictOf(deps, checks, row, kind, about))) };
}

async function verdictOf(
  { store, now }: ActivityDeps,
  { provider, maxAgeMs }: PayeeChecks,
  { uid, reference }: PayoutRecord,
  kind: CheckKind,
  about: PayeeAccount | undefined,
): Promise<PayeeCheck> {
  const asked = about && askedIn(kind, about);
  const payee = approvalDigest({ ...asked?.account, kind, ...(asked && partsOf(asked)) });
  const key = { uid, kind, provider: provider.name, payee };
  const known = await store.payeeCheck(key);
  if (known !== undefined && isFresh(known, now(), maxAgeMs)) return checkOf(known);
  const answer = asked === undefined ? NAMELESS : await answerOf(provider, kind, asked);
  const { verdict, otherName = null, caseId = null, why = null } = answer;
  const name = otherName === null ? null : (asked?.name ?? null);
  const answered: KeptCheck = { ...key, verdict, name, otherName, caseId, why, askedAt: now() };
  await store.notePayeeCheck(answered, reference);
  return checkOf(answered);
}

/** A verdict dated in the future, by a clock that was ahead, has no known age. */
const isFresh = ({ verdict, askedAt }: KeptCheck, now: number, maxAgeMs: number): boolean =>
  verdict !== 'not-available' && askedAt > now - maxAgeMs && askedAt <= now + CLOCK_AHEAD_MS;

/** How far the clock of another worker may be ahead of ours. */
const CLOCK_AHEAD_MS = 60_000;

type Answer = (Verification | Screening) & { otherName?: string; why?: string };

const NAMELESS: Answer = { verdict: 'not-available', why: 'the details of the payee hold no name' };

async function answerOf(provider: CheckProvider, kind: CheckKind, about: Asked): Promise<Answer> {
  try {
    return await (kind === 'screening' ? provider.screen(about) : provider.verifyPayee(about as PayeeAccount));
  } catch (error) {
    if (!(error instanceof CheckFailure)) throw error;
    return { verdict: 'not-available', why: error.message };
  }
}

type Asked = Party & Partial<PayeeAccount>;

/** A screening list is searched by party, not by account. */
function askedIn(kind: CheckKind, about: PayeeAccount): Asked {
  if (kind === 'verification') return about;
  const { name, type, country } = about;
  return { name, type, country };
}

const partsOf = ({ name, type, country, currency }: Asked) => ({
  'payee.name': name,
  'payee.type': type,
  'payee.country': country,
  'payee.currency': currency,
});

const OF_AN_ACCOUNT: ReadonlySet<string> = new Set(ACCOUNT_FIELDS);

function aboutPayee({ instruction }: PayoutRecord, atBank: Beneficiary | undefined): PayeeAccount | undefined {
  // A payee given by its details is compared with the bank's record at every reading, and the bank may add details of its own.
  const isNamedById = instruction.beneficiary_id !== undefined;
  const items: Record<string, string> = isNamedById ? (atBank?.items ?? {}) : beneficiaryFields(instruction);
  const name = payeeName(items);
  if (name === undefined) return undefined;
  const account = Object.entries(items).filter(([field, value]) => OF_AN_ACCOUNT.has(field) && value !== '');
  return {
    name,
    type: isNamedById ? atBank?.beneficiary_type : instruction.beneficiary_type,
    country: payeeCountry(items),
    currency: instruction.currency,
    account: Object.fromEntries(account),
  };
}
