import { expect, test } from 'vitest';
import { acceptedUrl } from '../../src/bank/verify-url.ts';

const ANY = { hosts: undefined, onThisMachine: false };
const HERE = { hosts: undefined, onThisMachine: true };
const LISTED = { hosts: ['acs.example', 'bank.example:8443'], onThisMachine: false };

test.each([
  ['https://acs.example/c?a=1#b', ANY, 'https://acs.example/c?a=1#b'],
  ['HTTPS://ACS.example', LISTED, 'https://acs.example/'],
  ['https://acs.example:9443/', LISTED, 'https://acs.example:9443/'],
  ['https://bank.example:8443/', LISTED, 'https://bank.example:8443/'],
  ['http://127.0.0.1:8080/c', HERE, 'http://127.0.0.1:8080/c'],
  ['http://localhost/c', HERE, 'http://localhost/c'],
  ['http://[::1]:1/', HERE, 'http://[::1]:1/'],
])('%s is taken', (url, rule, taken) => {
  expect(acceptedUrl(url, rule)).toBe(taken);
});

test.each([
  ['http://acs.example/', ANY],
  ['http://127.0.0.1/', ANY],
  ['http://acs.example/', HERE],
  ['http://127.0.0.1.evil.example/', HERE],
  ['https://user@acs.example/', LISTED],
  ['https://:pw@acs.example/', ANY],
  ['https://acs.example.evil.example/', LISTED],
  ['https://sub.acs.example/', LISTED],
  ['https://bank.example/', LISTED],
  ['https://acs.example\\@evil.example/', { ...LISTED, hosts: ['evil.example'] }],
  ['http://127.0.0.1/', { ...HERE, hosts: ['acs.example'] }],
  ['javascript:alert(1)', ANY],
  ['data:text/html,x', ANY],
  ['//acs.example/', ANY],
  ['/c', ANY],
  ['', ANY],
])('%s is refused', (url, rule) => {
  expect(acceptedUrl(url, rule)).toBeNull();
});
