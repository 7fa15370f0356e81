import { type BusinessCalendar, dueDate, isOpen, KNOWN_BY_RULE } from '../domain/business-days.ts';
import { PAYMENT_SYSTEMS } from '../domain/payment-systems.ts';
import { Problem } from '../domain/problem.ts';
import { DAY_MS, isoDate } from '../domain/time.ts';
import { table } from './output.ts';
import type { Session } from './session.ts';

/** `payouts calendar [CURRENCY] [--year Y]`: which days and times count, and by what. Reads settings alone. */
export function calendar(session: Session, currency: string | undefined, { year }: { year?: number }): void {
  const today = isoDate(Date.now());
  const set = session.config.settings.calendar;
  const used =
    set === undefined ? 'No calendar is set (PAYOUTS_HOLIDAYS): rows are sent on these days too, with a warning.' : '';
  const known = set ?? KNOWN_BY_RULE;
  if (currency === undefined) {
    overview(session, known, today, used);
    return;
  }
  if (!/^[A-Z]{3}$/.test(currency))
    throw new Problem('usage', 'not-a-currency', `"${currency}" is no currency code.`, { hint: 'Write it as EUR.' });
  const system = PAYMENT_SYSTEMS[currency];
  const days = closedWeekdays(known, currency, year ?? Number(today.slice(0, 4)));
  const cutOffs = known.cutOffs.filter((it) => it.currency === currency);
  const document = {
    currency,
    system: system?.name ?? null,
    source: system?.source ?? null,
    isSet: used === '',
    days,
    cutOffs,
  };
  const lines = [
    `${currency}: ${system === undefined ? 'no payment system is known by rule' : `${system.name} (${system.source})`}`,
    days.length === 0
      ? 'no weekday is closed'
      : table(
          ['closed', 'weekday', 'by'],
          days.map(({ date, weekday, by }) => [date, weekday, by]),
        ),
    ...cutOffs.map(
      ({ payment_type: type, at, zone }) => `cut-off ${at} ${zone}${type === undefined ? '' : ` for ${type}`}`,
    ),
    ...(used === '' ? [] : [used]),
  ];
  session.output.result(document, lines.join('\n'));
}

function overview(session: Session, known: BusinessCalendar, today: string, used: string): void {
  const named = [...Object.keys(known.holidays), ...known.cutOffs.map(({ currency }) => currency)];
  const currencies = [...new Set([...Object.keys(PAYMENT_SYSTEMS), ...named])].filter((it) => it !== '*').sort();
  const rows = currencies.map((currency) => {
    const cutOffs = known.cutOffs.filter((it) => it.currency === currency);
    return {
      currency,
      system: known.paymentSystems ? (PAYMENT_SYSTEMS[currency]?.name ?? null) : null,
      businessDay: dueDate(today, currency, known),
      cutOffs: cutOffs.map(
        ({ payment_type: type, at, zone }) => `${type === undefined ? '' : `${type} `}${at} ${zone}`,
      ),
    };
  });
  const text = table(
    ['currency', 'payment systems', 'business day', 'cut-off'],
    rows.map(({ currency, system, businessDay, cutOffs }) => [currency, system ?? '', businessDay, cutOffs.join(', ')]),
  );
  session.output.result({ isSet: used === '', currencies: rows }, used === '' ? text : `${text}\n${used}`);
}

const WEEKDAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' });

function closedWeekdays(known: BusinessCalendar, currency: string, year: number) {
  const found: { date: string; weekday: string; by: string }[] = [];
  for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += DAY_MS) {
    const date = isoDate(at);
    const isWeekend = !isOpen(date, currency, { ...known, paymentSystems: false, holidays: {}, open: {} });
    if (isWeekend || isOpen(date, currency, known)) continue;
    const isBySystem = !isOpen(date, currency, { ...known, holidays: {} });
    const by = isBySystem ? (PAYMENT_SYSTEMS[currency]?.name ?? '') : 'PAYOUTS_HOLIDAYS';
    found.push({ date, weekday: WEEKDAY.format(at), by });
  }
  return found;
}
