import { z } from 'zod';
import { visible } from '../../../domain/finding.ts';
import { Problem } from '../../../domain/problem.ts';
import { type Period, periodIn } from '../../../domain/statements/period.ts';
import { dayIn } from '../../../domain/time.ts';
import {
  closePeriod,
  documentHead,
  type PeriodDocumentHead,
  type PeriodReport,
  periodCsv,
  periodReport,
} from '../../../reports/statements/period-report.ts';
import { storableText } from '../documents.ts';
import { operation, type Place, shortText } from '../operation.ts';
import type { CallerAccess } from '../route-access.ts';
import { nameOf } from './decision-operations.ts';
import { maySeeBooks, READING_BOOKS } from './statement-operations.ts';

const TAG = 'statements';
/** A document is of all accounts. */
const WHOLE: CallerAccess = { roles: ['operator', 'auditor'], scope: 'whole' };
const LISTED = 500;

const period = shortText.describe('2026-03-31, 2026-03, 2026-03-01..2026-03-15, today or yesterday');

/** Throws a `Problem` for a text that is no period. */
function periodNamed({ settings, now }: Place, text: string): Period {
  const named = periodIn(text, dayIn(now(), settings.timeZone));
  if (named !== undefined) return named;
  throw new Problem('usage', 'no-period', `"${visible(text)}" is neither a day, a month nor two days.`, {
    hint: 'Write 2026-03-31, 2026-03, 2026-03-01..2026-03-15, today or yesterday.',
  });
}

/** As far as the caller may see it. */
async function reported(place: Place, text: string): Promise<PeriodReport> {
  const { store, settings, caller } = place;
  const found = await periodReport(store, { period: periodNamed(place, text), timeZone: settings.timeZone });
  const accounts = found.accounts.filter((it) => maySeeBooks(caller, it));
  const seen = new Set(accounts.map(({ accountId }) => accountId));
  return { ...found, accounts, missing: found.missing.filter(({ accountId }) => seen.has(accountId)) };
}

export const PERIOD = operation({
  method: 'GET',
  path: '/v1/periods/:period',
  tag: TAG,
  summary: 'What the bank booked on each account in a period, from opening to closing balance',
  access: READING_BOOKS,
  input: z.strictObject({ period }),
  answer: z.looseObject({ accounts: z.array(z.looseObject({ accountId: z.string() })) }),
  run: (place, { period: text }) => reported(place, text),
});

export const PERIOD_CSV = operation({
  method: 'GET',
  path: '/v1/periods/:period/csv',
  tag: TAG,
  summary: 'The same as a table',
  access: READING_BOOKS,
  input: z.strictObject({ period }),
  answer: z.string(),
  type: 'text/csv; charset=utf-8',
  async run(place, { period: text }): Promise<AsyncIterable<string>> {
    return pieces(periodCsv(await reported(place, text)));
  },
});

export const CLOSE_PERIOD = operation({
  method: 'POST',
  path: '/v1/periods/:period/close',
  tag: TAG,
  summary: 'Close a period: its report is kept as a document, whose digest the audit log signs',
  description:
    'A later booking reopens it. Closed again, it gets a new document that names the one before by its digest.',
  access: { roles: ['operator'], scope: 'whole' },
  input: z.strictObject({ period, by: storableText.optional() }),
  answer: z.looseObject({ document: z.looseObject({ digest: z.string() }), isNew: z.boolean() }),
  run: async (place, { period: text, by: given }) =>
    closePeriod(place.store, {
      ...{ period: periodNamed(place, text), timeZone: place.settings.timeZone },
      ...{ by: nameOf(place, given, undefined), now: place.now() },
    }),
});

export const PERIODS = operation({
  method: 'GET',
  path: '/v1/periods',
  tag: TAG,
  summary: 'The closed periods, the last one first, with every version',
  access: WHOLE,
  input: z.strictObject({}),
  answer: z.looseObject({ documents: z.array(z.looseObject({ digest: z.string() })) }),
  run: async ({ store }): Promise<{ documents: PeriodDocumentHead[] }> => ({
    documents: (await store.periodDocuments({ limit: LISTED })).map(documentHead),
  }),
});

export const PERIOD_DOCUMENT = operation({
  method: 'GET',
  path: '/v1/period-documents/:digest',
  tag: TAG,
  summary: 'The document of a closed period; its SHA-256 is its digest',
  access: WHOLE,
  input: z.strictObject({
    digest: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in small letters'),
  }),
  answer: z.string(),
  type: 'application/json; charset=utf-8',
  async run({ store }, { digest }): Promise<AsyncIterable<string>> {
    const found = await store.periodDocument(digest);
    if (found !== undefined) return pieces(found.text);
    throw new Problem('not-found', 'unknown-id', 'There is no document of a closed period with this digest.', {
      hint: 'The list of closed periods has the digests.',
    });
  },
});

async function* pieces(text: string): AsyncGenerator<string> {
  yield text;
}
