/**
 * A process that holds the stack of PAYOUTS_HOME with its real parts, as `payouts dev` does, but replaces a server that has not
 * answered for some seconds. Informs its parent when it is up, and ends on the message `close`.
 */
import { once } from 'node:events';
import { embeddedParts } from '../../src/cli/embedded-parts.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { openStack } from '../../src/platform/embedded/open-stack.ts';

const config = loadConfig(process.env);
const keepLimits = { everyMs: 500, unansweredMax: 10 };
const stack = await openStack(config, { ...embeddedParts(config), mode: 'serve', keepLimits });
process.send?.('up');
await once(process, 'message');
await stack.close();
process.disconnect();
