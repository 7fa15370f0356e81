import { EXCHANGES } from '../../domain/agreed-cost.ts';
import { CARD_EXAMPLE } from '../../domain/card-number.ts';
import {
  canary,
  command,
  EVIDENCE,
  exitCodes,
  group,
  KEY,
  MAKER,
  option,
  rowNumbers,
  SIGNED,
  storableText,
  TIMEOUT,
} from '../command.ts';

const MESSAGE_FILES = [
  option('--mapping <file>', 'mapping file for bank messages (JSON)'),
  option('--payees <file>', 'payee directory for bank messages (CSV)'),
] as const;
const YES = option('--yes', 'skip the confirmation', { default: false });
const DETACH = option('--detach', 'start and return; needs a stack that stays up (payouts dev)', { default: false });
const PAYING = [
  YES,
  option('--dry-run', 'stop after the plan', { default: false }),
  DETACH,
  option('--plan <hash>', 'pay only if the plan still has this hash'),
  option('--canary <rows>', 'pay this many rows first, and the rest once all of them are completed', { parse: canary }),
  option('--exchange <how>', 'one exchange for each currency buys for all rows, or each row makes its own', {
    choices: EXCHANGES,
  }),
  option('--allow-look-alikes', 'do not hold rows that look like a recent payout', { default: false }),
  TIMEOUT,
  MAKER,
  KEY,
] as const;

export const validate = command('validate <file>', 'show all findings of a file; sends nothing', {
  examples: [
    ['payouts validate payroll.csv', 'all findings with their lines'],
    ['payouts validate payroll.csv --json', 'the findings as one document'],
  ],
  options: [
    ...MESSAGE_FILES,
    option('--offline', 'do not ask the bank whether it knows accounts and beneficiaries', { default: false }),
  ],
  action: async () => (await import('../validate-rows.ts')).validate,
});

export const run = command('run <file>', 'validate, plan, confirm, start, follow, report', {
  examples: [
    ['payouts run payroll.csv', 'validate, show the plan, confirm, pay, follow, report'],
    ['payouts run payroll.csv --dry-run', 'stop after the plan'],
    ['payouts run invoices.xml --mapping mapping.json --payees payees.csv', 'a bank message'],
    ['payouts run payroll.csv --canary 3', 'three rows first, the rest once these are completed'],
    ['payouts run payroll.csv --yes --by alice', "without confirmation, with the maker's name for the approval policy"],
    ['payouts run payroll.csv --exchange per-batch', 'one exchange for each currency buys for all rows'],
    ['payouts run payroll.csv --invalid skip --yes', 'pay only the rows without findings'],
    ['payouts run payroll.csv --yes --detach', 'start and return; needs a stack that stays up'],
  ],
  options: [
    ...MESSAGE_FILES,
    ...PAYING,
    option('--invalid <how>', 'what to do if rows have findings', { choices: ['stop', 'skip'], default: 'stop' }),
  ],
  afterHelp: exitCodes,
  action: async () => (await import('../run.ts')).run,
});

export const retry = command(
  'retry <id>',
  'pay again the rows of a batch that are proven unpaid, under new references',
  {
    examples: [
      ['payouts retry ID', 'all rows of the batch that are proven unpaid'],
      ['payouts retry ID --rows 3,7-9 --yes', 'only these rows, without confirmation'],
    ],
    options: [...PAYING, option('--rows <list>', 'only these data rows, e.g. 3,7-9', { parse: rowNumbers })],
    action: async () => (await import('../run.ts')).retry,
  },
);

export const watch = command('watch <id>', 'follow a batch to its end', {
  examples: [
    ['payouts watch ID', 'follow a batch to its end'],
    ['payouts watch ID --timeout 10m', 'for ten minutes'],
  ],
  options: [TIMEOUT],
  afterHelp: exitCodes,
  action: async () => (await import('../inspect.ts')).watch,
});

const IDENTITY = [
  option('--id <id>', 'your own document number; together with the uid it is the permanent identity', {
    required: true,
  }),
  option('--uid <uid>', "the bank's user id of both accounts", { required: true }),
] as const;
const MOVING = [
  option('--note <text>', 'passed to the bank', { parse: storableText }),
  option('--reason <text>', 'passed to the bank', { parse: storableText }),
  option('--execute-on <date>', 'earliest day to send it, e.g. 2026-03-31'),
  option('--expires-at <time>', "end of the bank's audit, e.g. 2026-03-31T17:00:00Z"),
  option('--fee-cap <amount>', "highest acceptable fee, in the fee's own currency; above it the payout is held"),
  MAKER,
  KEY,
  YES,
  DETACH,
  TIMEOUT,
] as const;

export const transfer = command('transfer', 'move money between two accounts of one user and one currency', {
  examples: [
    [
      'payouts transfer --id T-1 --uid u-1001 --from acc-u1001-usd --to acc-u1001-usd-2 --amount 250.00',
      'show the fee, confirm, move, follow',
    ],
    [
      'payouts transfer --id T-2 --uid u-1001 --from A --to B --amount 10.00 --execute-on 2026-03-31 --yes --detach',
      'on that day',
    ],
  ],
  options: [
    ...IDENTITY,
    option('--from <account>', 'the paying account', { required: true }),
    option('--to <account>', 'the receiving account', { required: true }),
    option('--amount <amount>', 'the amount, in the currency of the accounts', { required: true }),
    ...MOVING,
  ],
  first: ['transfer'],
  action: async () => (await import('../move-actions.ts')).move,
});

export const exchange = command('exchange', 'buy another currency from one account of a user into another', {
  examples: [
    [
      'payouts exchange --id X-1 --uid u-1001 --sell acc-u1001-eur --buy acc-u1001-usd --amount 1000.00 --currency USD',
      'show the quote, confirm, buy, follow',
    ],
    [
      'payouts exchange --id X-2 --uid u-1001 --sell A --buy B --amount 5000 --currency JPY --max-slippage 0.002 --yes',
      'held for approval above 0.2 per cent',
    ],
  ],
  options: [
    ...IDENTITY,
    option('--sell <account>', 'the paying account', { required: true }),
    option('--buy <account>', 'the receiving account', { required: true }),
    option('--amount <amount>', 'the amount to buy', { required: true }),
    option('--currency <code>', 'the currency to buy, that of the receiving account', { required: true }),
    option('--max-slippage <fraction>', 'how much worse the rate may get without approval: 0.01 is one per cent'),
    ...MOVING,
  ],
  first: ['exchange'],
  action: async () => (await import('../move-actions.ts')).move,
});

const create = command('create', 'create a card payment through the gateway', {
  examples: [
    ['payouts card create --amount 49.90 --currency EUR', 'the cardholder enters the card'],
    [
      'payouts card create --amount 49.90 --currency EUR --id ORDER-7 --card-from card.json --wait',
      'and follow it to its end',
    ],
  ],
  options: [
    option('--amount <decimal>', 'e.g. 49.90', { required: true }),
    option('--currency <code>', 'e.g. EUR', { required: true }),
    option('--id <id>', 'merchant_request_id; the same one never takes money twice (default: a new one)'),
    option('--type <type>', 'whether to capture the money', { choices: ['AUTH', 'DEBIT'], default: 'DEBIT' }),
    option('--no-3ds', '3-D Secure only if the acquirer asks for it'),
    option(
      '--return-url <url>',
      'where the cardholder comes back to: an HTTPS address on a host of PAYOUTS_CARD_RETURN_HOSTS, or on this machine (default on the sandbox: its checkout page)',
    ),
    option('--card-from <file>', 'the card as JSON, - for stdin (default: the cardholder enters it)'),
    option('--by <name>', 'your name', { parse: storableText }),
    KEY,
    option('--gateway <url>', 'address of the gateway (default: PAYOUTS_GATEWAY_URL, else that of the running stack)'),
    option('--wait', 'follow the payment to its end', { default: false }),
    TIMEOUT,
  ],
  afterHelp: `
A card for --card-from (cvv and holder_name may be left out):
  ${CARD_EXAMPLE}`,
  action: async () => (await import('../card-actions.ts')).createCard,
});

const show = command('show <id>', 'show the state of a card payment and its events', {
  examples: [['payouts card show ORDER-7', 'a payment and its events']],
  action: async () => (await import('../card-actions.ts')).showCard,
});

const list = command('list', 'list the card payments that need people, then the newest', {
  examples: [['payouts card list', 'list the card payments that need people, then the newest']],
  action: async () => (await import('../card-actions.ts')).listCards,
});

const retrieve = command('retrieve <id>', 'show a payment as the acquirer has it now; possible card data is masked', {
  examples: [['payouts card retrieve PAYMENT-ID', "the acquirer's own record"]],
  action: async () => (await import('../card-actions.ts')).retrieveCard,
});

const cancel = command('cancel <id>', 'cancel a card payment before anything that takes money is sent', {
  examples: [["payouts card cancel ORDER-7 --by alice --remark 'order withdrawn'", 'before it is sent']],
  options: [...SIGNED, option('--remark <text>', 'why', { parse: storableText })],
  action: async () => (await import('../card-actions.ts')).cancelCard,
});

const amount = command('amount <id> <amount>', 'change the amount before anything that takes money is sent', {
  examples: [['payouts card amount ORDER-7 39.90 --by alice', 'before it is sent']],
  options: SIGNED,
  action: async () => (await import('../card-actions.ts')).changeCardAmount,
});

const resolve = command('resolve <id>', 'resolve a card payment that needs an operator', {
  examples: [
    ["payouts card resolve ORDER-7 --action keep-looking --evidence 'asked the acquirer'", 'check again now'],
    [
      "payouts card resolve ORDER-7 --action adopt-payment --payment-id PAYMENT-ID --evidence 'statement of 12 May'",
      'follow this payment',
    ],
  ],
  options: [
    ...SIGNED,
    option('--action <action>', 'the action to take', {
      choices: ['keep-looking', 'adopt-payment', 'close-as-not-paid', 'confirm-end'],
      required: true,
    }),
    EVIDENCE,
    option('--payment-id <id>', 'the payment to adopt'),
  ],
  action: async () => (await import('../card-actions.ts')).resolveCard,
});

export const card = group(
  'card',
  'take and follow card payments; an ID is a merchant_request_id, payment or workflow id',
  {
    examples: [
      ['payouts card create --amount 49.90 --currency EUR', 'a payment with its checkout page; needs a running stack'],
      ['payouts card show ID', 'its state'],
    ],
    commands: [create, show, list, retrieve, cancel, amount, resolve],
  },
);
