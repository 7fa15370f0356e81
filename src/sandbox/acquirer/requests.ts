import { z } from 'zod';
import { cardBody } from './card.ts';

/** Bodies of the acquiring endpoints. Except for the names shown in the interface (section 4) they are our defaults. */

const currency = z.string().regex(/^[A-Z]{3}$/);
const amount = z.string().min(1).max(32);
const id = z.string().min(1).max(64);
const webAddress = z.url({ protocol: /^https?$/ }).max(2_048);
const text = z.string().max(255).nullish();
const pixels = z.int().nonnegative().nullish();

/** Only its shape is checked: nothing here depends on it. */
const billing = z
  .object({
    email: text,
    address: z.object({ line1: text, line2: text, city: text, state: text, postcode: text, country: text }).nullish(),
  })
  .nullish();
const deviceInfo = z
  .object({
    ip: text,
    language: text,
    screen_width: pixels,
    screen_height: pixels,
    user_agent: z.string().max(1_024).nullish(),
  })
  .nullish();

export const setUpBody = z.object({ amount, currency, card: cardBody });

/** Read first: with a known id, nothing else matters. */
export const requestIdBody = z.object({ merchant_request_id: id });

const sessionBody = z.object({ reference_id: id });

const intent = { payment_type: z.enum(['AUTH', 'DEBIT']), amount, currency };

export const createBody = z.object({
  merchant_request_id: id,
  ...intent,
  card: cardBody,
  three_ds_info: sessionBody.nullish(),
  return_url: webAddress.nullish(),
  billing,
  device_info: deviceInfo,
});
export type CreateRequest = z.infer<typeof createBody>;

/** A body with `payment_id` resumes (interface section 4, "on resume reference_id with payment_id"). */
export const isResume = (body: Readonly<Record<string, unknown>>): boolean => typeof body.payment_id === 'string';

export const resumeBody = z.object({
  merchant_request_id: id,
  ...intent,
  payment_id: id,
  reference_id: id,
  three_ds_info: sessionBody.nullish(),
});
export type ResumeRequest = z.infer<typeof resumeBody>;
