import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { shellWord } from '../../src/cli/output.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { PORT_NAMES, type Ports } from './home.ts';
import { ClusterError } from './part.ts';
import { gatewayUrl, isOfSandbox, personEnv } from './product.ts';
import { NAMESPACE, temporalAddress, uiUrl } from './temporal.ts';

const USAGE = `usage: npm run cluster [-- --home FOLDER] [--port NAME=PORT]...
Runs PostgreSQL, Temporal, the sandbox, two workers and a gateway as processes of this machine, until Ctrl-C.
With PAYOUTS_API_URL another bank takes the place of the sandbox.
--home   folder of data, logs and secrets, default .cluster; the next start continues with it
--port   port below 32768 for NAME: ${PORT_NAMES.slice(0, 5).join(', ')};
         otherwise a free one is chosen at the first start and kept`;

const say = (line: string): void => void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

function options(): { home: string; ports: Ports } {
  try {
    const { values } = parseArgs({
      options: {
        home: { type: 'string', default: '.cluster' },
        port: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    return { home: values.home, ports: Object.fromEntries(values.port.map(portOf)) };
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}

function portOf(given: string): [string, number] {
  const [name = '', text = ''] = given.split('=');
  const port = Number(text);
  if (!(PORT_NAMES as readonly string[]).includes(name))
    throw new RangeError(`--port ${given}: unknown name "${name}"`);
  if (!Number.isInteger(port) || port < 1 || port > 32_767)
    throw new RangeError(`--port ${given}: a port is a number from 1 to 32767`);
  return [name, port];
}

const exportsOf = (env: Readonly<Record<string, string>>): string =>
  Object.entries(env)
    .map(([key, value]) => `export ${key}='${value.replaceAll("'", `'\\''`)}'\n`)
    .join('');

/** Files of the home that direct commands to the cluster. */
const PERSON = 'env.sh';
const OPERATOR = 'operator.sh';

/** What a person does next: every line can be pasted. */
function directions({ home, env }: Cluster): string {
  const isTrial = isOfSandbox(home, env);
  const hasPolicy = env.PAYOUTS_POLICY !== undefined;
  return [
    '',
    `Temporal   ${temporalAddress(home)}, namespace ${NAMESPACE}; Web UI ${uiUrl(home)}`,
    `gateway    ${gatewayUrl(home)}`,
    `bank       ${env.PAYOUTS_API_URL ?? `of ${env.PAYOUTS_API_URL_FILE}`}${isTrial ? ' (the sandbox)' : ''}`,
    `logs       ${home.file('logs')}`,
    '',
    'To pay a file, in another terminal:',
    '',
    `  . ${shellWord(home.file(PERSON))}`,
    ...(hasPolicy ? ['  export PAYOUTS_SIGNING_KEY_FILE=alice.pem    # the private key of a maker of the policy'] : []),
    // Of the users and payees that only the sandbox has.
    `  npx payouts ${isTrial ? 'run examples/payouts.csv --yes' : 'template > payouts.csv'}`,
    '',
    `It goes through the gateway and holds no ${hasPolicy ? 'other secret' : 'secret'}. To operate the cluster (doctor, audit, restore) with those of a worker:`,
    '',
    `  . ${shellWord(home.file(OPERATOR))}`,
    '  npx payouts doctor',
    '',
    'Up until Ctrl-C; the next start continues with the same data.',
  ].join('\n');
}

const { home, ports } = options();
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());
try {
  const cluster = await startCluster({ home, ports, env: process.env, signal: ending.signal, say });
  writeFileSync(cluster.home.file(PERSON), exportsOf(personEnv(cluster.home)), { mode: 0o600 });
  writeFileSync(cluster.home.file(OPERATOR), `unset PAYOUTS_GATEWAY_URL\n${exportsOf(cluster.env)}`, { mode: 0o600 });
  console.log(directions(cluster));
  if (!ending.signal.aborted) await once(ending.signal, 'abort');
  say('shutting down');
  await cluster.stop();
} catch (error) {
  if (!(error instanceof ClusterError)) throw error;
  console.error(`cluster: ${error.message}${error.fix === undefined ? '' : `\nFix: ${error.fix}`}`);
  process.exit(1);
}
