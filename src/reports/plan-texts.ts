import { counted } from '../domain/display.ts';
import { compareDecimals, groupedAmount } from '../domain/money.ts';
import type { AccountOutlook, Costs } from '../files/intake/costs.ts';
import type { Outlook } from '../files/intake/outlook.ts';
import type { Plan } from '../files/intake/plan.ts';

/** Sentences about a plan for whoever confirms it, in the terminal and on the page. */

const money = (amount: string, currency: string): string => `${groupedAmount(amount)} ${currency}`;

/** Of all payouts: quoted, or estimated by those that are. */
export function feesTexts({ fees, feesUnknown }: Costs): string[] {
  const parts = fees.map(({ currency, amount, quoted, estimated }) => {
    const payouts = counted(quoted + estimated, 'payout');
    return estimated === 0
      ? `${money(amount, currency)} for ${payouts}`
      : `about ${money(amount, currency)} for ${payouts} (${groupedAmount(quoted)} quoted, ${groupedAmount(estimated)} estimated)`;
  });
  const known = parts.length === 0 ? [] : [`Fees now: ${parts.join(', ')}.`];
  const payouts = counted(feesUnknown, fees.length === 0 ? 'payout' : 'other payout');
  return feesUnknown === 0
    ? known
    : [
        ...known,
        `Fees of ${payouts} are not known and not included: the bank quotes one once it has the payee, when the payout is sent.`,
      ];
}

export const exchangeTexts = ({ balances }: Costs): string[] =>
  balances.flatMap(({ currency, exchanges }) =>
    exchanges.map(
      ({ buyAmount, buyCurrency, sellAmount, rate }) =>
        `Exchange: ${money(buyAmount, buyCurrency)}, with fees in ${buyCurrency}, for ${money(sellAmount, currency)} at ${rate} now.`,
    ),
  );

/** What lacks on which account, and what happens then. */
export const shortfallTexts = ({ balances }: Costs): string[] =>
  balances
    .filter(isShort)
    .map(
      ({ accountId, currency, after }) =>
        `${accountId} is ${money(after.slice(1), currency)} short: payouts that it does not cover wait for money, and fail if none comes in time.`,
    );

/** Of payouts that are too late for the day on which they are sent. */
export const laterTexts = ({ later }: Outlook): string[] =>
  [...Map.groupBy(later, ({ valueDate, cutOff }) => `${cutOff} ${valueDate}`).values()].map((alike) => {
    const [{ valueDate, cutOff } = { valueDate: '', cutOff: null }] = alike;
    const currencies = alike.map(({ currency }) => currency).join(', ');
    const why =
      cutOff === null ? `No business day for ${currencies}` : `Too late today for ${currencies} (cut-off ${cutOff})`;
    const payouts = alike.reduce((sum, it) => sum + it.payouts, 0);
    return `${why}: ${counted(payouts, 'payout counts', 'payouts count')} for ${valueDate}.`;
  });

const isShort = ({ after }: AccountOutlook): boolean => after.startsWith('-');

/** The bound that is signed, which leaves out the fees. */
export const boundTexts = ({ exchanges }: Plan): string[] =>
  exchanges.map(({ amount, count, currency, sellAtMost, sellCurrency, payingAccountId, once }) => {
    if (once === null && isZero(sellAtMost))
      return `Nothing is sold for ${counted(count, 'payout')} of ${money(amount, currency)}: what is on ${payingAccountId} is used.`;
    if (once === null)
      return `Apart from fees, at most ${money(sellAtMost, sellCurrency)} is sold for ${money(amount, currency)}, paid from ${payingAccountId}.`;
    const day = once.executeOn === null ? '' : ` on ${once.executeOn}`;
    const fees = isZero(once.fees) ? '' : `, ${money(once.fees, currency)} for their fees included`;
    const used = isZero(once.held) ? '' : `; ${money(once.held, currency)} on the account is used`;
    const bought = `buys ${money(amount, currency)} into ${payingAccountId}${fees}${used}`;
    const waiting = count === 1 ? 'The payout waits for it, and its' : 'The payouts wait for it, and their';
    return `One exchange for ${counted(count, 'payout')}${day}, ${once.id}, ${bought}, and sells at most ${money(sellAtMost, sellCurrency)}. ${waiting} approval does not cover it.`;
  });

export const isZero = (amount: string): boolean => compareDecimals(amount, '0') === 0;

/** What one exchange for many payouts saves. */
export const comparedTexts = ({ compared }: Costs): string[] =>
  compared.map(({ id, sellCurrency, payouts, quoted, once, each, feeCurrency, saved }) => {
    const cost = ({ sold, fees }: typeof once): string =>
      isZero(fees) ? money(sold, sellCurrency) : `${money(sold, sellCurrency)} and ${money(fees, feeCurrency)} in fees`;
    if (saved === null)
      return `${id} sells ${cost(once)} now; what ${counted(payouts, 'exchange')} would cost is not quoted.`;
    const about = quoted < payouts ? 'about ' : '';
    const by = quoted < payouts ? ` (${groupedAmount(quoted)} quoted, the others estimated)` : '';
    const exchanges = payouts === 1 ? 'an exchange of its own' : `${groupedAmount(payouts)} exchanges`;
    const difference = saved.startsWith('-')
      ? `costs ${about}${money(saved.slice(1), sellCurrency)} more`
      : isZero(saved)
        ? 'saves nothing'
        : `saves ${about}${money(saved, sellCurrency)}`;
    return `${id} sells ${cost(once)} now, ${exchanges} would sell ${about}${cost(each)}${by}: one exchange ${difference}.`;
  });

export function baseTexts({ inBase }: Costs): string[] {
  if (inBase === null) return [];
  const { amount, currency, without } = inBase;
  const rest = without.length === 0 ? '' : `, without ${without.join(' and ')}, for which the bank quotes no rate`;
  return [`In all about ${money(amount, currency)}, fees included, at the rates that the bank quotes now${rest}.`];
}

/** What lacks, or comes later, in a plan with its outlook. */
export const warningTexts = (outlook: Outlook): string[] => [...laterTexts(outlook), ...shortfallTexts(outlook)];

/** What a plan costs by its outlook. */
export const costTexts = (plan: Plan & Costs): string[] =>
  [feesTexts, exchangeTexts, boundTexts, comparedTexts, baseTexts].flatMap((texts) => texts(plan));

const IDS_MAX = 10;
const GROUPS_MAX = 5;

type Elsewhere = NonNullable<Plan['elsewhere']>;

/** `allowed`: how somebody declines that rows are held. */
export function elsewhereTexts({ elsewhere }: Plan, allowed = ''): string[] {
  if (elsewhere === null) return [];
  const { count, totals, from, to, alike, isHeld, listed, maybe } = elsewhere;
  const days = [...new Set([from, to].flatMap((at) => at?.slice(0, 10) ?? []))].join(' to ');
  const made = days === '' ? '' : `, made ${days}`;
  const sums = totals.map(({ amount, currency }) => money(amount, currency)).join(', ');
  const ids = listed.flatMap(({ id, orderId }) => (id === null ? [] : [`${id} (${orderId})`])).slice(0, IDS_MAX);
  const have = `${counted(alike, 'row has', 'rows have')} the account and amount of one of them`;
  const names = `${ids.join(', ')}${alike > ids.length ? ' and others' : ''}`;
  return [
    `The bank shows ${counted(count, 'payment')} from these accounts (${sums}${made}) that this store has not sent.`,
    ...(alike === 0
      ? []
      : [
          isHeld
            ? `${have} and ${alike === 1 ? 'is' : 'are'} held until somebody approves${allowed}: ${names}.`
            : `${have}, and ${alike === 1 ? 'is' : 'are'} paid all the same: ${names}.`,
        ]),
    ...maybe.slice(0, GROUPS_MAX).map(maybeText),
  ];
}

function maybeText({ accountId, amount, currency, payments, rows, ids }: Elsewhere['maybe'][number]): string {
  const some = ids.slice(0, IDS_MAX);
  const names = `${some.join(', ')}${rows > some.length ? ' and others' : ''}`;
  const made = `${counted(payments, 'payment')} of ${money(amount, currency)} from ${accountId}`;
  return `${made} may have paid ${groupedAmount(payments)} of ${counted(rows, 'row')} with that account and amount: ${names}. None of these rows is held for it.`;
}

/** `2 rows are alike: INV-9001, INV-9002 (same payee, 640.00 EUR).` */
export function alikesTexts({ alikes: { count, held, groups } }: Plan): string[] {
  if (count === 0) return [];
  const texts = groups.slice(0, GROUPS_MAX).map(({ rows, amount, currency, count: alike }) => {
    const ids = rows.slice(0, IDS_MAX).map(({ id }) => id);
    const all = `${ids.join(', ')}${alike > ids.length ? ' and others' : ''}`;
    return `${counted(alike, 'row')} are alike: ${all} (same payee, ${money(amount, currency)}).`;
  });
  return [
    ...texts,
    ...(groups.length > GROUPS_MAX ? [`In all ${counted(count, 'row')} of this file are like another row of it.`] : []),
    held > 0
      ? `${counted(held, 'of them is', 'of them are')} held until somebody approves: the policy says so.`
      : 'Each of them is paid unless you take it out of the file.',
  ];
}
