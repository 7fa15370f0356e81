import { EXCHANGES } from '../../domain/agreed-cost.ts';
import { key } from './key.ts';
import {
  amountsByCurrency,
  count,
  currency,
  date,
  duration,
  folders,
  jsonTexts,
  oneOf,
  pathText,
  text,
} from './values.ts';

export const INTAKE_KEYS = {
  PAYOUTS_FOLDERS: key(
    folders,
    '',
    'paths of the drop folders that a worker processes for schedules, comma-separated; a scan of another folder is refused',
  ),
  PAYOUTS_FOLDER_MAKER: key(text, null, 'person of the policy who counts as the maker of files from drop folders'),
  PAYOUTS_NEXUS_MAKERS: key(
    jsonTexts,
    '{}',
    'JSON {"endpoint":"maker"}: Nexus endpoints through which workflows of other namespaces submit payouts, each with the name of the maker whom it counts as; {}: none, and workers serve none',
  ),
  PAYOUTS_LOOK_ALIKE_DAYS: key(
    count(0, 365),
    '3',
    'a payout with the same payee, amount and currency as one of the last so many days is held for a decision; 0: never',
  ),
  PAYOUTS_UNDO: key(
    duration,
    null,
    'how long nothing of a file is sent after it was confirmed, so that it can be taken back, such as 30s; never scaled; absent: 10s on the pages, 0 elsewhere',
  ),
  PAYOUTS_BASE_CURRENCY: key(
    currency,
    null,
    'currency, such as EUR, in which the plan also adds up everything that leaves the accounts, by the rates that the bank quotes',
  ),
  PAYOUTS_EXCHANGE: key(
    oneOf(...EXCHANGES),
    'per-row',
    'whether each payout that sells another currency makes an exchange of its own (per-row), or one exchange for each account, currency and day buys for all of a batch (per-batch), unless the file is handed over with the other',
  ),
  PAYOUTS_BANK_AUDITS_FROM: key(
    amountsByCurrency,
    '{}',
    'JSON {"USD":"10000"}: amounts from which the bank audits an order, so that the plan can show how many will be; {}: not shown (api-gaps)',
  ),
  PAYOUTS_MESSAGE_MAPPING: key(
    pathText,
    null,
    'JSON mapping file: debtor accounts and payment types for bank messages',
  ),
  PAYOUTS_PAYEE_DIRECTORY: key(pathText, null, 'CSV payee directory: what bank messages lack about payees'),
  PAYOUTS_STRUCTURED_ADDRESSES_FROM: key(
    date,
    '2026-11-14',
    'from this day on, payments in bank messages need a structured or hybrid address: CBPR+ and SEPA refuse free lines only',
  ),
} as const;
