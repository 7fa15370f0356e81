import { expect, it } from 'vitest';
import { envelope, payoutData } from '../../src/reports/events/cloud-event.ts';
import { documentText } from './markdown.ts';

it('docs/report.md shows a body as it is sent', () => {
  const [, , shown = ''] = documentText('docs/report.md')
    .split('```json\n')
    .map((part) => part.split('```')[0] ?? '');
  const { data, ...rest } = JSON.parse(shown);
  expect(envelope.parse(rest)).toEqual(rest);
  expect(payoutData.parse(data)).toEqual(data);
});
