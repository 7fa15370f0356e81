import { Secret } from '../../../src/platform/config/key.ts';
import { createLog } from '../../../src/platform/log.ts';
import { startSender } from '../../../src/reports/events/event-sender.ts';
import { openStore } from '../../../src/store/open.ts';
import { NAME, SECRETS, SETTINGS } from './sending.ts';

/** A sender in a process of its own, to be killed: `node sender-child.ts STORE-URL RECEIVER-URL`. */
const [storeUrl = '', url = ''] = process.argv.slice(2);
const deps = {
  store: await openStore(storeUrl),
  settings: SETTINGS,
  pages: undefined,
  log: createLog('silent'),
  now: Date.now,
  draw: Math.random,
  owner: `${process.pid}`,
};
startSender(
  deps,
  [{ name: NAME, to: { kind: 'webhook', url, secrets: new Secret(SECRETS), privateNetwork: false } }],
  undefined,
);
