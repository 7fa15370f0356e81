import type { FastifyRequest } from 'fastify';

/** Texts for people name commands. A program that calls the gateway reads the request that does the same. */
export type Words = (text: string) => string;

const ID = '([\\w~./-]*[\\w~-])';
const HANDED_OVER = 'POST /v1/batches';

/** Commands with their arguments, the longer ones first. `$1`: the id in the command. */
const REQUESTS: readonly (readonly [command: string, request: string])[] = [
  [`audit show ${ID}`, 'GET /v1/audit?id=$1'],
  ['audit verify', 'GET /v1/audit/export'],
  [`events replay(?: --from ${ID})?(?: --to \\w+)?`, 'POST /v1/events/replay'],
  ['events', 'GET /v1/events/subscriptions'],
  ['switch list', 'GET /v1/switches'],
  ['switch on [A-Za-z]+(?: KEY)?', 'POST /v1/switches'],
  ['incidents(?: --open)?', 'GET /v1/incidents?open=true'],
  [`acknowledge ${ID}`, 'POST /v1/incidents/$1/acknowledgement'],
  [`match ${ID} ${ID}`, 'POST /v1/entries/$1/match'],
  ['statement FILE', 'POST /v1/statements'],
  ['statement', 'GET /v1/discrepancies'],
  ['calendar', 'docs/operations.md'],
  ['card list', 'GET /v1/card-payments'],
  [`card show ${ID}`, 'GET /v1/card-payments/$1'],
  [`card resolve ${ID} --action ([a-z-]+)`, 'POST /v1/card-payments/$1/resolve ($2)'],
  [`resolve ${ID} --action ([a-z-]+)`, 'POST /v1/payouts/$1/resolve ($2)'],
  ['resolve', 'POST /v1/payouts/REFERENCE/resolve'],
  [`(approve|reject) ${ID}(?: --kind [\\w-]+)?`, 'POST /v1/payouts/$2/decisions ($1)'],
  ['approve, reject or cancel', 'POST /v1/payouts/REFERENCE/decisions'],
  ['(cancel|resume) (BATCH)', 'POST /v1/batches/$2/$1'],
  [`(resume) ${ID}`, 'POST /v1/batches/$2/$1'],
  [`recheck ${ID}`, 'POST /v1/payouts/$1/recheck'],
  [`cancel ${ID}`, 'POST /v1/payouts/$1/cancel'],
  [`retry ${ID}(?: --rows [\\w,-]+)?`, 'POST /v1/batches/$1/retry'],
  [`report ${ID}`, 'GET /v1/batches/$1'],
  [`status ${ID}`, 'GET /v1/find?id=$1'],
  ['status', 'GET /v1/find'],
  ['list', 'GET /v1/batches'],
  [`orders ${ID} ${ID}`, 'GET /v1/orders?uid=$1&currency=$2'],
  [`accounts ${ID}`, 'GET /v1/accounts?uid=$1'],
  [`beneficiaries ${ID}`, 'GET /v1/beneficiaries?uid=$1'],
  ['doctor(?: --accept \\w+)?', 'GET /readyz'],
  ['explain(?: [\\w-]+)?', 'docs/input.md'],
  ['template(?: [\\w-]+)?(?: --from FILE)?', 'docs/input.md'],
];

const COMMANDS = REQUESTS.map(([command, request]): [RegExp, string] => [
  new RegExp(`(\`?)payouts ${command}\\b\`?`, 'g'),
  request,
]);

/** What is an option of the command, and a parameter of a request. */
const OPTIONS: readonly (readonly [RegExp, string])[] = [
  [
    /In its folder, `payouts template mapping --from .*? --payees payees\.csv`\./g,
    'Hand it over with the command, which completes it by a mapping file and a payee file.',
  ],
  [/(?:--key FILE, or PAYOUTS_SIGNING_KEY_FILE\. Over HTTP, use)/g, 'use'],
  [/\bSign with the key of a maker: use a maker's token\./g, "Use a maker's token."],
  [/Add --by NAME; over HTTP by=NAME/g, 'Add by=NAME'],
  [/\b[Rr]un (?:it )?again\b/g, 'send it again'],
  [/\brun the same command again\b/g, 'send the same request again'],
  [/`?--invalid (skip|stop)`?/g, 'invalid=$1'],
  [
    /\bCheck it again with --dry-run, and run with the hash\b/g,
    'Check it again with dry_run=true, and send it with plan=, the hash',
  ],
  [/ \(--payees FILE\)/g, ''],
  [/payouts resolve signs it with --key/g, 'POST /v1/payouts/REFERENCE/resolve takes it with `signed`'],
  [/payouts policy init FILE makes one; set PAYOUTS_POLICY to the file\./g, 'Who runs the gateway can set one.'],
  [/ with --currency\b/g, ' as currency'],
  // A setting of the gateway, which its callers cannot change.
  [/ \((?:PAYOUTS|TEMPORAL)_[A-Z_]+\)/g, ''],
  [/\b[Rr]un with\b/g, `${HANDED_OVER} with`],
];

/** The text in the words of HTTP. */
export const overHttp: Words = (text) => {
  let said = text;
  for (const [option, parameter] of OPTIONS) said = said.replace(option, parameter);
  for (const [command, request] of COMMANDS) {
    // Groups are counted from the quote that may stand before the command, and after it again.
    said = said.replace(command, (_found, quote: string, ...groups: unknown[]) => {
      const [first = '', second = ''] = groups.filter((it) => typeof it === 'string').slice(0, -1) as string[];
      return quote + request.replace('$1', first).replace('$2', second) + quote;
    });
  }
  return said;
};

/** Set by the command when it asks a gateway: its people read its own words. */
export const CHANNEL_HEADER = 'payouts-channel';

/** For the command, and for pages, which put links and buttons in place of commands. */
export const asTheyAre: Words = (text) => text;

export const wordsFor = ({ headers }: FastifyRequest): Words =>
  headers[CHANNEL_HEADER] === 'command' ? asTheyAre : overHttp;
