import { expect, it } from 'vitest';
import { type AdvisedPayment, adviceOf } from '../../../src/reports/advice/advice.ts';
import { claimRow } from '../../store/samples.ts';

const settling = (documents: { number: string; date?: string; amount?: string }[]): AdvisedPayment => {
  const { instruction } = claimRow(1, 'INV-1', {});
  const original = { settles: { references: [], documents } } as never;
  const row = { reference: 'reference', documentId: 'INV-1', instruction, original };
  return { about: 'paid', row, amount: '12345.60', currency: 'EUR', at: Date.parse('2026-03-02T09:00:00Z') };
};

it.each([
  ['de', 'RE-7, 1. März 2026, 12.345,60 EUR'],
  ['en', 'RE-7, March 1, 2026, 12,345.60 EUR'],
] as const)('an advice in %s writes date and amount of a document as those of the payment', (language, text) => {
  const documents = [
    { number: 'RE-7', date: '2026-03-01', amount: '12345.60 EUR' },
    { number: 'RE-8', date: '2026-99-01' },
  ];
  const { payments } = adviceOf([settling(documents)], language, {
    payer: 'Example GmbH',
    templates: {},
    timeZone: 'America/New_York',
  });
  const shown = (payments[0] ?? []).filter(([label]) => label === 'Beleg' || label === 'Document');
  expect(shown.map(([, value]) => value)).toEqual([text, 'RE-8, 2026-99-01']);
});
