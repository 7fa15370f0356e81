import type { RequiredDetailsEntry } from '../bank/schemas/beneficiaries.ts';
import { OFFER } from '../channels/http/operations/bank.ts';
import { bankOffer } from '../platform/bank-offer.ts';
import type { Session } from './session.ts';
import { withValidationBank } from './validation-bank.ts';

/** What the bank asks for of payees, in one currency or in all that the institution holds. */
export async function offerOf(session: Session, currency: string | undefined): Promise<RequiredDetailsEntry[]> {
  if (session.gateway !== undefined) return (await session.ask(OFFER, { currency })).entries;
  return withValidationBank(session, (bank) => bankOffer(bank, currency));
}
