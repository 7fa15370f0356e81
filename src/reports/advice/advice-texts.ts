import type { AdviceLanguage } from '../../domain/instruction.ts';
import type { AdviceTemplate } from '../../platform/config/events.ts';

/** Words of an advice in a language. */
export interface AdviceWords {
  paid: AdviceTemplate;
  returned: AdviceTemplate;
  amount: string;
  date: string;
  /** The payer's number of the payment. */
  number: string;
  purpose: string;
  reference: string;
  document: string;
  total: string;
  reason: string;
}

export const ADVICE_TEXTS: Readonly<Record<AdviceLanguage, AdviceWords>> = {
  en: {
    paid: {
      subject: 'Payment advice from {payer}: {total}',
      opening: '{payer} has paid you the following. Your bank will credit it to your account.',
      closing: 'This mail was sent automatically.',
    },
    returned: {
      subject: 'Payment from {payer} returned: {total}',
      opening:
        'A payment of which you were advised has come back to {payer}. Please check the details of your account.',
      closing: 'This mail was sent automatically.',
    },
    amount: 'Amount',
    date: 'Date',
    number: 'Payment number',
    purpose: 'Purpose',
    reference: 'Your reference',
    document: 'Document',
    total: 'Total',
    reason: 'Reason code of the bank',
  },
  de: {
    paid: {
      subject: 'Zahlungsavis von {payer}: {total}',
      opening: '{payer} hat Ihnen Folgendes gezahlt. Ihre Bank schreibt es Ihrem Konto gut.',
      closing: 'Diese E-Mail wurde automatisch versandt.',
    },
    returned: {
      subject: 'Zahlung von {payer} zurückgekommen: {total}',
      opening:
        'Eine Zahlung, die Ihnen angekündigt wurde, ist an {payer} zurückgekommen. Bitte prüfen Sie Ihre Kontodaten.',
      closing: 'Diese E-Mail wurde automatisch versandt.',
    },
    amount: 'Betrag',
    date: 'Datum',
    number: 'Zahlungsnummer',
    purpose: 'Verwendungszweck',
    reference: 'Ihre Referenz',
    document: 'Beleg',
    total: 'Summe',
    reason: 'Rückgabegrund der Bank',
  },
  fr: {
    paid: {
      subject: 'Avis de paiement de {payer} : {total}',
      opening: '{payer} vous a versé les montants suivants. Votre banque en créditera votre compte.',
      closing: 'Ce message a été envoyé automatiquement.',
    },
    returned: {
      subject: 'Paiement de {payer} retourné : {total}',
      opening:
        'Un paiement qui vous avait été annoncé a été retourné à {payer}. Veuillez vérifier vos coordonnées bancaires.',
      closing: 'Ce message a été envoyé automatiquement.',
    },
    amount: 'Montant',
    date: 'Date',
    number: 'Numéro de paiement',
    purpose: 'Motif',
    reference: 'Votre référence',
    document: 'Document',
    total: 'Total',
    reason: 'Code motif de la banque',
  },
  es: {
    paid: {
      subject: 'Aviso de pago de {payer}: {total}',
      opening: '{payer} le ha pagado lo siguiente. Su banco lo abonará en su cuenta.',
      closing: 'Este mensaje se ha enviado automáticamente.',
    },
    returned: {
      subject: 'Pago de {payer} devuelto: {total}',
      opening: 'Un pago del que se le avisó ha sido devuelto a {payer}. Por favor, compruebe los datos de su cuenta.',
      closing: 'Este mensaje se ha enviado automáticamente.',
    },
    amount: 'Importe',
    date: 'Fecha',
    number: 'Número de pago',
    purpose: 'Concepto',
    reference: 'Su referencia',
    document: 'Documento',
    total: 'Total',
    reason: 'Código de motivo del banco',
  },
};

/** Countries, ISO 3166 alpha-2, most of whose businesses read one of these languages. */
const COUNTRIES: Readonly<Record<Exclude<AdviceLanguage, 'en'>, readonly string[]>> = {
  de: ['DE', 'AT', 'LI'],
  fr: ['FR', 'MC', 'LU', 'SN', 'CI'],
  es: ['ES', 'AR', 'CL', 'CO', 'CR', 'DO', 'EC', 'GT', 'HN', 'MX', 'NI', 'PA', 'PE', 'PY', 'SV', 'UY', 'VE'],
};
const ENGLISH = ['GB', 'IE', 'US', 'AU', 'NZ', 'SG'];

/** The language of a country; undefined where there are several, or another. */
export function languageIn(country: string | undefined): AdviceLanguage | undefined {
  if (country === undefined) return undefined;
  if (ENGLISH.includes(country)) return 'en';
  return (Object.keys(COUNTRIES) as (keyof typeof COUNTRIES)[]).find((it) => COUNTRIES[it].includes(country));
}
