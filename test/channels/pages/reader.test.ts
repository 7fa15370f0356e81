import { expect, it } from 'vitest';
import { dayOf, startOf, timeText } from '../../../src/channels/pages/reader.ts';
import { laterDay } from '../../../src/domain/time.ts';
import { openGateway } from '../http/running-gateway.ts';
import { claimed } from './asking.ts';
import { Visit } from './visiting.ts';

it.each([
  ['UTC', '2026-03-29', '2026-03-29T00:00:00.000Z', '2026-03-30T00:00:00.000Z'],
  // The clocks go forward and back on these days.
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
  ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00.000Z', '2026-01-01T18:15:00.000Z'],
])('a day in %s begins where its calendar says: %s', (zone, day, first, next) => {
  expect(new Date(startOf(day, { zone })).toISOString()).toBe(first);
  expect(new Date(startOf(laterDay(day, 1), { zone })).toISOString()).toBe(next);
  for (const at of [Date.parse(first), Date.parse(next) - 1]) expect(dayOf(at, { zone })).toBe(day);
});

it('a moment is shown with its offset', () => {
  const at = Date.parse('2026-07-01T22:30:05.999Z');
  expect(timeText(at, { zone: 'UTC' })).toBe('2026-07-01 22:30:05 UTC');
  expect(timeText(at, { zone: 'Europe/Berlin' })).toBe('2026-07-02 00:30:05 GMT+2');
});

it('pages show moments in the zone that the reader has chosen, and in UTC without one', async () => {
  const gateway = await openGateway();
  const [row] = await claimed(gateway, [{ id: '1' }], 'alice');
  const submitted = row?.createdAt ?? 0;
  const page = `/payouts/${row?.reference}`;
  const visit = new Visit(gateway.url);
  expect((await visit.send(page)).text).toContain(timeText(submitted, { zone: 'UTC' }));
  expect((await visit.submit('/display', '/display', { zone: 'Asia/Tokyo' })).status).toBe(303);
  const { text } = await visit.send(page);
  expect(text).toContain(timeText(submitted, { zone: 'Asia/Tokyo' }));
  expect(text).toContain('Times in <a href="/display">Asia/Tokyo</a>');
  expect((await visit.submit('/display', '/display', { zone: 'Mars/Base' })).status).toBe(400);
  const forged = await visit.send(page, { headers: { cookie: 'payouts-zone=<script>' } });
  expect(forged.text).toContain('Times in <a href="/display">UTC</a>');
});
