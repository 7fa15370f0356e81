import { formatMinor } from '../../domain/money.ts';
import type { Database } from '../database.ts';

const SUMS = ['customers', 'held', 'world', 'fees', 'exchange'] as const;

/** Sums of a currency over the whole bank, as decimal strings. `customers + held + world + fees + exchange = 0`. */
type CurrencyTotals = { currency: string } & Record<(typeof SUMS)[number], string>;

export interface Conservation {
  ok: boolean;
  /** One sentence for each broken law. */
  problems: string[];
  totals: CurrencyTotals[];
}

/** Laws of the books; each query lists what breaks one. */
const LAWS: readonly (readonly [law: string, offenders: string])[] = [
  [
    'a journal entry sums to zero in every currency',
    `SELECT p.entry_id || ' ' || a.currency AS offender FROM postings p JOIN accounts a USING (account_id)
     GROUP BY p.entry_id, a.currency HAVING SUM(p.amount) <> 0`,
  ],
  [
    'a balance is the sum of its postings',
    `SELECT a.account_id AS offender FROM accounts a LEFT JOIN postings p USING (account_id) GROUP BY a.account_id
     HAVING a.available <> SUM(CASE p.part WHEN 'available' THEN p.amount ELSE 0 END)
         OR a.frozen <> SUM(CASE p.part WHEN 'frozen' THEN p.amount ELSE 0 END)`,
  ],
  [
    'all money of a currency sums to zero',
    'SELECT currency AS offender FROM accounts GROUP BY currency HAVING SUM(available + frozen) <> 0',
  ],
  [
    "no customer's balance is negative",
    `SELECT account_id AS offender FROM accounts WHERE kind = 'customer' AND (available < 0 OR frozen < 0)`,
  ],
  [
    'what is frozen is what open orders hold',
    `SELECT a.account_id AS offender FROM accounts a
     LEFT JOIN orders o ON o.account_id = a.account_id AND o.money = 'held' AND o.direct = 'OUT'
     GROUP BY a.account_id HAVING a.frozen <> COALESCE(SUM(o.amount + o.fee), 0)`,
  ],
];

const TOTALS = `SELECT currency,
  SUM(CASE kind WHEN 'customer' THEN available ELSE 0 END) AS customers,
  SUM(frozen) AS held,
  SUM(CASE kind WHEN 'world' THEN available ELSE 0 END) AS world,
  SUM(CASE kind WHEN 'fees' THEN available ELSE 0 END) AS fees,
  SUM(CASE kind WHEN 'exchange' THEN available ELSE 0 END) AS exchange
  FROM accounts GROUP BY currency ORDER BY currency`;

type TotalsRow = { currency: string } & Record<(typeof SUMS)[number], bigint>;

/** Reads the whole journal: for tests and people, too slow for every request. */
export function checkConservation(db: Database): Conservation {
  const problems = LAWS.flatMap(([law, offenders]) =>
    db.all<{ offender: string }>(offenders).map(({ offender }) => `broken: ${law} (${offender})`),
  );
  const totals = db.all<TotalsRow>(TOTALS).map(({ currency, ...sums }) => {
    const shown = SUMS.map((name) => [name, formatMinor(sums[name], currency)]);
    return { currency, ...Object.fromEntries(shown) } as CurrencyTotals;
  });
  return { ok: problems.length === 0, problems, totals };
}
