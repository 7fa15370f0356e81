import { expect, it } from 'vitest';
import { EVENT_KINDS } from '../../src/domain/events-out.ts';
import { envelope, payoutData } from '../../src/reports/events/cloud-event.ts';
import { code, documentText, rowOf, tableRows } from './markdown.ts';

const text = documentText('docs/report.md');

it('docs/report.md has every kind of event', () => {
  const expected = Object.entries(EVENT_KINDS).map(([kind, when]) => rowOf(code(kind), when));
  expect(tableRows(text, 'Kinds')).toEqual(expected);
});

it('docs/report.md shows a body as it is sent', () => {
  const [, , shown = ''] = text.split('```json\n').map((part) => part.split('```')[0] ?? '');
  const { data, ...rest } = JSON.parse(shown);
  expect(envelope.parse(rest)).toEqual(rest);
  expect(payoutData.parse(data)).toEqual(data);
});
