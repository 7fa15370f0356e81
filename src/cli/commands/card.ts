import { CARD_EXAMPLE } from '../../domain/card-number.ts';
import { command, group, option } from '../command.ts';
import { KEY, SIGNED, storableText, TIMEOUT } from '../options.ts';

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
  action: async () => (await import('../card-payments.ts')).showCard,
});

const list = command('list', 'list the card payments that need people, then the newest', {
  examples: [['payouts card list', 'list the card payments that need people, then the newest']],
  action: async () => (await import('../card-payments.ts')).listCards,
});

const retrieve = command('retrieve <id>', 'show a payment as the acquirer has it now; possible card data is masked', {
  examples: [['payouts card retrieve PAYMENT-ID', "the acquirer's own record"]],
  action: async () => (await import('../card-payments.ts')).retrieveCard,
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
    option('--evidence <text>', 'the evidence for the decision', { parse: storableText, required: true }),
    option('--payment-id <id>', 'the payment to adopt'),
  ],
  action: async () => (await import('../card-actions.ts')).resolveCard,
});

export const card = group('card', 'card payments; an ID is a merchant_request_id, payment or workflow id', {
  examples: [
    ['payouts card create --amount 49.90 --currency EUR', 'a payment with its checkout page; needs a running stack'],
    ['payouts card show ID', 'its state'],
  ],
  commands: [create, show, list, retrieve, cancel, amount, resolve],
});
