import type { CreditTransfer } from '../credit-transfer.ts';
import type { MessageMapping, PaymentTypeRule } from './mapping.ts';

type PaymentTypeChoice = { paymentType: string } | { rule: string; message: string };

/** Clearing systems that correspond to a payment type of the interface, in their own currency. */
const DOMESTIC: Readonly<Record<string, { currency: string; paymentType: string }>> = {
  AUBSB: { currency: 'AUD', paymentType: 'bsb' },
  USABA: { currency: 'USD', paymentType: 'local' },
};

/**
 * How a payee is paid. The mapping's own rules come first; then, the most certain first:
 *
 * | the message has | payment type |
 * |---|---|
 * | clearing code AUBSB in AUD | `bsb` |
 * | clearing code USABA in USD | `local` |
 * | another clearing code that the mapping gives a field | `local` |
 * | service level SEPA, EUR and an IBAN | `local` |
 * | IBAN and BIC, or one of the two and no clearing code | `swift` |
 *
 * Nothing else is guessed: SEPA must be requested by name and is never replaced by the more expensive network; if the bank has no
 * `local` for it, the row is refused before money moves.
 */
export function paymentTypeOf(transfer: CreditTransfer, mapping: MessageMapping): PaymentTypeChoice {
  const { creditor, currency, service } = transfer;
  const { clearing, iban, bic } = creditor;
  const own = mapping.paymentTypes.find((rule) => fits(rule, transfer));
  if (own !== undefined) return own;
  const domestic = clearing === undefined ? undefined : DOMESTIC[clearing.system];
  if (domestic?.currency === currency) return domestic;
  const mapped = clearing !== undefined && mapping.clearingFields.has(clearing.system);
  if (mapped && domestic === undefined) return { paymentType: 'local' };
  if (service.levels?.includes('SEPA') && currency === 'EUR' && iban !== undefined) return { paymentType: 'local' };
  if (iban !== undefined && bic !== undefined) return { paymentType: 'swift' };
  if (clearing !== undefined) return UNMAPPED_CLEARING;
  return iban !== undefined || bic !== undefined ? { paymentType: 'swift' } : NO_PAYMENT_TYPE;
}

function fits(rule: PaymentTypeRule, { service, currency, creditor }: CreditTransfer): boolean {
  const pairs = [
    [rule.serviceLevel, service.levels?.find((level) => level === rule.serviceLevel)],
    [rule.localInstrument, service.localInstrument],
    [rule.currency, currency],
    [rule.clearingSystem, creditor.clearing?.system],
  ];
  return pairs.every(([wanted, actual]) => wanted === undefined || wanted === actual);
}

const UNMAPPED_CLEARING = {
  rule: 'unmapped-clearing-system',
  message:
    "no payment type and field are known for the clearing system of the payee's bank in this currency; add it to clearingFields or paymentTypes in the mapping file",
};
const NO_PAYMENT_TYPE = {
  rule: 'no-payment-type',
  message:
    "the message has neither IBAN nor BIC nor a clearing code of the payee's bank; add a rule to paymentTypes in the mapping file, or add the payee to the payee directory",
};
