import { Option } from 'commander';
import { CARD_EXAMPLE } from '../domain/card-example.ts';
import type { Acts, Add } from './acts.ts';
import { duration, storableText } from './arguments.ts';
import { KEY } from './choices.ts';
import { signed } from './signed-options.ts';

const cards = () => import('./card-payments.ts');
const control = () => import('./card-payments.ts');

const CARD_FILE = `
A card for --card-from (cvv and holder_name may be left out):
  ${CARD_EXAMPLE}`;

/** Card payments. An ID is a merchant_request_id, a payment id or a workflow id. */
export function addCards(command: Add, acts: Acts): void {
  command('create', 'create a card payment through the gateway')
    .requiredOption('--amount <decimal>', 'e.g. 49.90')
    .requiredOption('--currency <code>', 'e.g. EUR')
    .option('--id <id>', 'merchant_request_id; the same one never takes money twice (default: a new one)')
    .addOption(new Option('--type <type>', 'whether to capture the money').choices(['AUTH', 'DEBIT']).default('DEBIT'))
    .option('--no-3ds', '3-D Secure only if the acquirer asks for it')
    .option(
      '--return-url <url>',
      'where the cardholder comes back to: an HTTPS address on a host of PAYOUTS_CARD_RETURN_HOSTS, or on this machine (default on the sandbox: its checkout page)',
    )
    .option('--card-from <file>', 'the card as JSON, - for stdin (default: the cardholder enters it)')
    .option('--by <name>', 'your name', storableText)
    .option('--key <file>', KEY)
    .option('--gateway <url>', 'address of the gateway (default: PAYOUTS_GATEWAY_URL, else that of the running stack)')
    .option('--wait', 'follow the payment to its end', false)
    .option('--timeout <duration>', 'stop following after this long, e.g. 90s or 10m', duration)
    .addHelpText('after', CARD_FILE)
    .action(acts(() => import('./card-payments.ts'), 'createCard'));
  command('show <id>', 'show the state of a card payment and its events').action(acts(cards, 'showCard'));
  command('list', 'list the card payments that need people, then the newest').action(acts(cards, 'listCards'));
  command('retrieve <id>', 'show a payment as the acquirer has it now; possible card data is masked').action(
    acts(cards, 'retrieveCard'),
  );
  signed(command('cancel <id>', 'cancel a card payment before anything that takes money is sent'))
    .option('--remark <text>', 'why', storableText)
    .action(acts(control, 'cancelCard'));
  signed(command('amount <id> <amount>', 'change the amount before anything that takes money is sent')).action(
    acts(control, 'changeCardAmount'),
  );
  signed(command('resolve <id>', 'resolve a card payment that needs an operator'))
    .addOption(
      new Option('--action <action>', 'the action to take')
        .choices(['keep-looking', 'adopt-payment', 'close-as-not-paid', 'confirm-end'])
        .makeOptionMandatory(),
    )
    .requiredOption('--evidence <text>', 'the evidence for the decision', storableText)
    .option('--payment-id <id>', 'the payment to adopt')
    .action(acts(control, 'resolveCard'));
}
