import type { OriginalTransaction } from '../domain/bank-message.ts';

/**
 * One credit transfer of a bank message, whatever the format (ISO 20022 names): what a message can say, before our accounts
 * and the bank's fields are known. All values as written, trimmed; absent where the message says nothing.
 */
export interface CreditTransfer {
  /** Data row from 1: its position among all transfers of the message. */
  row: number;
  /** Line where it starts. */
  line: number;
  /** XPath of its element; absent outside XML. */
  path?: string;
  /** The document id it is known by: end-to-end id, or what the mapping says. */
  id: string;
  debtorAccount: string;
  debtorCurrency?: string;
  amount: string;
  currency: string;
  /** ISO 8601 date. */
  requestedExecution?: string;
  service: { level?: string; localInstrument?: string };
  creditor: Creditor;
  /** Remittance information. */
  remittance?: string;
  /** Code or words of the purpose. */
  purpose?: string;
  original: OriginalTransaction;
}

export interface Creditor {
  name?: string;
  /** Known where the message says it: a private identification is a person, an organisation's a business. */
  type?: 'personal' | 'business';
  iban?: string;
  /** Account number that is no IBAN. */
  account?: string;
  bic?: string;
  clearing?: { system: string; member: string };
  /** ISO 3166 alpha-2, of the creditor's bank. */
  bankCountry?: string;
  /** Mobile phone number. */
  mobile?: string;
  address?: {
    country?: string;
    state?: string;
    city?: string;
    /** With its building number. */
    street?: string;
    postcode?: string;
    /** What the sender did not put into elements. */
    lines?: readonly string[];
  };
}
