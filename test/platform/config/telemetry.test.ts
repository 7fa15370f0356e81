import { expect, it } from 'vitest';
import { loadConfig } from '../../../src/platform/config.ts';

it('metrics are nowhere unless somebody says where', () => {
  expect(loadConfig({}).metrics).toEqual({ worker: undefined, gateway: undefined, temporal: undefined });
});

it.each([
  ['9464', { host: '127.0.0.1', port: 9464 }],
  ['0.0.0.0:9464', { host: '0.0.0.0', port: 9464 }],
  ['[::1]:9464', { host: '::1', port: 9464 }],
])('%s is an address', (given, address) => {
  expect(loadConfig({ PAYOUTS_METRICS_ADDRESS: given }).metrics.worker).toEqual(address);
});

it.each([
  '',
  ':9464',
  'localhost:9464',
  '[127.0.0.1]:9464',
  '300.0.0.1:9464',
  '70000',
  'http://127.0.0.1:9464',
  '::1:9464',
  '127.0.0.1',
])('%j is none', (given) => {
  const read = () => loadConfig({ PAYOUTS_METRICS_ADDRESS: given }).metrics.worker;
  // A blank counts as absent.
  if (given === '') expect(read()).toBeUndefined();
  else expect(read).toThrow(expect.objectContaining({ key: 'PAYOUTS_METRICS_ADDRESS' }));
});
