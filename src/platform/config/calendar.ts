import { z } from 'zod';
import { type BusinessCalendar, WEEKDAYS } from '../../domain/business-days.ts';
import { midnightOf } from '../../domain/calendar-date.ts';
import { readJsonFile } from './json-file.ts';

const calendar = z.strictObject({
  weekend: z
    .array(z.enum(WEEKDAYS))
    .refine((days) => new Set(days).size < WEEKDAYS.length, { error: 'leaves no business day' })
    .default(['SAT', 'SUN']),
  holidays: z.record(
    z.string().regex(/^(\*|[A-Z]{3})$/, { error: 'is neither * nor a currency code' }),
    z.array(
      z.string().refine((text) => midnightOf(text) !== undefined, { error: 'is not a valid date such as 2026-12-25' }),
    ),
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
