import { z } from 'zod';

/** Banking answers (interface section 1): `code` 0 means success; `data` may be absent. */
export const envelope = z.object({
  code: z.number().int(),
  msg: z.string().nullish(),
  data: z.unknown().optional(),
});
export type Envelope = z.infer<typeof envelope>;

/** Banking envelope codes (interface section 7). Which condition a code belongs to is not shown. */
export const ENVELOPE_CODES = {
  0: 'Ok',
  2001: 'Internal Server Error',
  2002: 'Bad Request',
  2003: 'Already Existed',
  2004: 'Beneficiary Not Found',
  2005: 'Order Not Found',
  2006: 'Account Not Found',
  2007: 'Account Frozen',
  2008: 'Operation Failed',
  2009: 'Unsupported',
  2010: 'Balance Not Enough',
  2011: 'In Progress',
} as const;
export type EnvelopeCode = keyof typeof ENVELOPE_CODES;

export function isEnvelopeCode(code: number): code is EnvelopeCode {
  return code in ENVELOPE_CODES;
}
