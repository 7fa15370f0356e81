import { z } from 'zod';
import { type BusinessCalendar, WEEKDAYS } from '../domain/business-days.ts';
import { readJsonFile } from './json-file.ts';

const isDate = (text: string): boolean => {
  const at = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
};

const calendar = z.strictObject({
  weekend: z
    .array(z.enum(WEEKDAYS))
    .refine((days) => new Set(days).size < WEEKDAYS.length, { error: 'leaves no business day' })
    .default(['SAT', 'SUN']),
  holidays: z.record(
    z.string().regex(/^(\*|[A-Z]{3})$/, { error: 'is neither * nor a currency code' }),
    z.array(z.string().refine(isDate, { error: 'is not a valid date such as 2026-12-25' })),
  ),
});

/** The calendar in the file named by `PAYOUTS_HOLIDAYS`. Throws a `ConfigError` if it is unusable. */
export const loadCalendar = (path: string): BusinessCalendar =>
  readJsonFile(
    path,
    calendar,
    'PAYOUTS_HOLIDAYS',
    'It is: a JSON file {"weekend":["SAT","SUN"]?,"holidays":{"*":["2026-12-25"]}}.',
  );
