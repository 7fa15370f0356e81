import type { OriginalTransaction } from '../domain/bank-message.ts';

/**
 * One credit transfer of a bank message of any format, by ISO 20022 names, before our accounts and the bank's fields are known.
 * Values are as written, trimmed, and absent if the message does not have them.
 */
export interface CreditTransfer {
  /** Data row, from 1: position among all transfers of the message. */
  row: number;
  line: number;
  /** XPath of its element; absent outside XML. */
  path?: string;
  /** The document id: the end-to-end id, or another one by the mapping. */
  id: string;
  debtorAccount: string;
  debtorCurrency?: string;
  amount: string;
  currency: string;
  /** ISO 8601 date. */
  requestedExecution?: string;
  /** From version .09 on a message may have several levels. */
  service: { levels?: readonly string[]; localInstrument?: string };
  creditor: Creditor;
  remittance?: string;
  /** A structured reference, which the remittance includes. */
  reference?: string;
  /** E-mail address to which the payee asks to be advised. */
  adviceTo?: string;
  /** Code or text of the purpose. */
  purpose?: string;
  original: OriginalTransaction;
}

export interface Creditor {
  name?: string;
  /** Known if the message implies it: a private identification means a person, an organisation's a business. */
  type?: 'personal' | 'business';
  iban?: string;
  /** Account number other than an IBAN. */
  account?: string;
  bic?: string;
  clearing?: { system: string; member: string };
  /** ISO 3166 alpha-2, of the creditor's bank. */
  bankCountry?: string;
  mobile?: string;
  address?: {
    country?: string;
    state?: string;
    city?: string;
    /** With its building number. */
    street?: string;
    postcode?: string;
    /** Address lines: what the sender did not put into separate elements. */
    lines?: readonly string[];
  };
}
