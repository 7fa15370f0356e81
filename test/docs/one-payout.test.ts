import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HISTORIES } from '../support/record-history.ts';
import { cellsOf, documentText, tableRows } from './markdown.ts';

const text = documentText('docs/one-payout.md');

/** `EVENT_TYPE_TIMER_STARTED` as people and the Temporal UI write it. */
const written = (type: string): string =>
  type
    .replace('EVENT_TYPE_', '')
    .toLowerCase()
    .replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase());

function eventTypes(file: string): string[] {
  const { events } = JSON.parse(readFileSync(join(HISTORIES, file), 'utf8')) as { events: { eventType: string }[] };
  return events.map(({ eventType }) => written(eventType));
}

it('docs/one-payout.md goes through every event of the recorded history', () => {
  const types = eventTypes('payout-plain.json');
  const reported = tableRows(text, 'From the claim to the end').flatMap((row) => {
    const [event = '', says = ''] = cellsOf(row);
    if (event === 'none') return [];
    const [first = Number.NaN, last = first] = event.split(' to ').map(Number);
    const type = /^\w+/.exec(says)?.[0] ?? '';
    return types.slice(first - 1, last).map((of) => (of.startsWith(type) ? of : `${event}: ${of}, not ${type}`));
  });
  expect(reported).toEqual(types);
});

it('docs/one-payout.md says how many events the other histories have', () => {
  const counts = [...text.matchAll(/`(payout-[\w-]+\.json)`, (\d+)\s+events/g)];
  expect(counts.length).toBe(4);
  expect(counts.map(([, file = '']) => [file, eventTypes(file).length])).toEqual(
    counts.map(([, file, count]) => [file, Number(count)]),
  );
});
