import { z } from 'zod';
import { present } from '../../domain/iterate.ts';
import { currencyCode, identifier, optionalText, optionalTimestamp, pageOf } from './wire.ts';

/** Field descriptor of a required-details entry (interface section 2). An empty `regex` means no rule. */
const fieldDescriptor = z.object({
  field: z.string().min(1),
  required: z.union([z.boolean(), z.literal('true').transform(() => true), z.literal('false').transform(() => false)]),
  regex: optionalText.transform((regex) => regex ?? ''),
  data_type: optionalText.transform((type) => type ?? 'text'),
});
export type FieldDescriptor = z.infer<typeof fieldDescriptor>;

const requiredDetailsEntry = z.object({
  currency: currencyCode,
  beneficiary_type: z.string(),
  payment_type: z.string(),
  fields: z.array(fieldDescriptor),
});
export type RequiredDetailsEntry = z.infer<typeof requiredDetailsEntry>;

export const requiredDetails = z.array(requiredDetailsEntry);

/** A detail that is no text is kept as its JSON: it equals no detail of a file, and a change of it is seen. */
const detail = z.union([optionalText, z.unknown().transform((value) => JSON.stringify(value))]);

/** Beneficiary (interface section 2). Values of `items` are read as text; unknown keys are kept. */
export const beneficiary = z.object({
  id: identifier,
  created_at: optionalTimestamp.catch(undefined),
  uid: identifier,
  currency: currencyCode,
  payment_type: z.string(),
  beneficiary_type: z.string(),
  items: z
    .record(z.string(), detail)
    .nullish()
    .transform((items) => present(items ?? {})),
});
export type Beneficiary = z.infer<typeof beneficiary>;

export const beneficiaryPage = pageOf(beneficiary);

export const addedBeneficiary = z.object({ beneficiary_id: identifier });
