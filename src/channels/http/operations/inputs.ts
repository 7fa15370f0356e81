import { z } from 'zod';
import { hasControls } from '../schemas.ts';

// Of a query everything is text; a command in place gives the values themselves.

/** An id or a part of one. PostgreSQL allows no NUL in texts. */
export const pathId = z
  .string()
  .min(1)
  .max(1_000)
  .refine((text) => !hasControls(text), 'must not contain control characters');

export const flag = z.union([z.boolean(), z.stringbool()]).default(false);

/** Comma-separated. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((given) => (typeof given === 'string' ? given.split(',') : given), z.array(item));

export const wholeNumber = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

/** Absent is not the same as false. */
export const optionalFlag = z.union([z.boolean(), z.stringbool()]).optional();

export const shortText = pathId.max(200);
