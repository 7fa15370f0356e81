type Example = readonly [line: string, does: string];

/** Shown before each command's help; the key is the command's words, '' the program. A test parses every line. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  '': [
    ['payouts template > payroll.csv', 'a file to fill in'],
    ['payouts validate payroll.csv', 'show all findings of a file; sends nothing'],
    ['payouts run payroll.csv', 'validate, show the plan, confirm, pay, follow, report'],
    ['payouts run payroll.csv --yes --json', 'the same for scripts'],
    ['payouts watch ID', 'follow a batch again'],
    ['payouts approve ID --by alice', 'approve what is waiting'],
    ['payouts dev', 'keep Temporal, the sandbox bank and a worker running'],
  ],
  demo: [['payouts demo', 'pay the examples at a sandbox bank, on a real Temporal server']],
  dev: [
    ['payouts dev', 'on free ports'],
    ['payouts dev --temporal-port 7233 --ui-port 8233', 'on given ports'],
  ],
  worker: [['payouts worker', 'one more for the running stack or, with the settings of a cluster, for that']],
  sandbox: [['payouts sandbox --port 8080 --file bank.sqlite', 'a sandbox bank with its own books']],
  validate: [
    ['payouts validate payroll.csv', 'all findings with their lines'],
    ['payouts validate payroll.csv --json', 'the findings as one document'],
  ],
  run: [
    ['payouts run payroll.csv', 'validate, show the plan, confirm, pay, follow, report'],
    ['payouts run payroll.csv --dry-run', 'stop after the plan'],
    ['payouts run invoices.xml --mapping mapping.json --payees payees.csv', 'a bank message'],
    ['payouts run payroll.csv --canary 3', 'three rows first, the rest once these are completed'],
    ['payouts run payroll.csv --yes --by alice', "without confirmation, with the maker's name for the approval policy"],
    ['payouts run payroll.csv --invalid skip --yes', 'pay only the rows without findings'],
    ['payouts run payroll.csv --yes --detach', 'start and return; needs a stack that stays up'],
  ],
  retry: [
    ['payouts retry ID', 'all rows of the batch that are proven unpaid'],
    ['payouts retry ID --rows 3,7-9 --yes', 'only these rows, without confirmation'],
  ],
  transfer: [
    [
      'payouts transfer --id T-1 --uid u-1001 --from acc-u1001-usd --to acc-u1001-usd-2 --amount 250.00',
      'show the fee, confirm, move, follow',
    ],
    [
      'payouts transfer --id T-2 --uid u-1001 --from A --to B --amount 10.00 --execute-on 2026-03-31 --yes --detach',
      'on that day',
    ],
  ],
  exchange: [
    [
      'payouts exchange --id X-1 --uid u-1001 --sell acc-u1001-eur --buy acc-u1001-usd --amount 1000.00 --currency USD',
      'show the quote, confirm, buy, follow',
    ],
    [
      'payouts exchange --id X-2 --uid u-1001 --sell A --buy B --amount 5000 --currency JPY --max-slippage 0.002 --yes',
      'held for approval above 0.2 per cent',
    ],
  ],
  watch: [
    ['payouts watch ID', 'follow a batch to its end'],
    ['payouts watch ID --timeout 10m', 'for ten minutes'],
  ],
  gateway: [
    ['payouts gateway --port 8090', 'on this machine, without a token'],
    [
      'PAYOUTS_GATEWAY_TOKEN_FILE=tokens PAYOUTS_GATEWAY_TRUSTED_PROXY=192.0.2.7 payouts gateway --host 0.0.0.0 --port 8090',
      'for other machines, through a proxy that speaks TLS',
    ],
  ],
  intake: [
    ['payouts intake drop', 'pay files dropped into drop/in, until Ctrl-C'],
    ['payouts intake drop --once --by alice', 'only the files that are there now'],
  ],
  schedule: [
    ['payouts schedule create --folder /srv/drop --every 5m', 'the workers process the folder every 5 minutes'],
  ],
  'schedule create': [
    ['payouts schedule create --folder /srv/drop --every 5m', 'named drop'],
    [
      'payouts schedule create --folder /srv/drop --every 1h --name payroll --invalid skip',
      'with a name of your choice',
    ],
  ],
  'schedule list': [['payouts schedule list', 'names, folders, and when they are due']],
  'schedule delete': [['payouts schedule delete drop', 'stop processing the folder']],
  'schedule pause': [['payouts schedule pause drop', 'pause it']],
  'schedule resume': [['payouts schedule resume drop', 'resume it']],
  'schedule trigger': [['payouts schedule trigger drop', 'process the folder now']],
  card: [
    ['payouts card create --amount 49.90 --currency EUR', 'a payment with its checkout page; needs a running stack'],
    ['payouts card show ID', 'its state'],
  ],
  'card create': [
    ['payouts card create --amount 49.90 --currency EUR', 'the cardholder enters the card'],
    [
      'payouts card create --amount 49.90 --currency EUR --id ORDER-7 --card-from card.json --wait',
      'and follow it to its end',
    ],
  ],
  'card show': [['payouts card show ORDER-7', 'a payment and its events']],
  'card list': [['payouts card list', 'list the card payments that need people, then the newest']],
  'card retrieve': [['payouts card retrieve PAYMENT-ID', "the acquirer's own record"]],
  'card cancel': [["payouts card cancel ORDER-7 --by alice --remark 'order withdrawn'", 'before it is sent']],
  'card amount': [['payouts card amount ORDER-7 39.90 --by alice', 'before it is sent']],
  'card resolve': [
    ["payouts card resolve ORDER-7 --action keep-looking --evidence 'asked the acquirer'", 'check again now'],
    [
      "payouts card resolve ORDER-7 --action adopt-payment --payment-id PAYMENT-ID --evidence 'statement of 12 May'",
      'follow this payment',
    ],
  ],
  approve: [['payouts approve ID --by bob --remark checked', 'a payout, or all waiting rows of a batch']],
  reject: [["payouts reject ID --by bob --remark 'wrong payee'", 'a payout, or all waiting rows of a batch']],
  cancel: [["payouts cancel ID --by alice --remark 'invoice withdrawn'", 'a payout, or the rest of a batch']],
  resolve: [
    ["payouts resolve ID --action keep-looking --evidence 'asked the bank'", 'check again now'],
    ["payouts resolve ID --action adopt-order --order ORDER --evidence 'letter of 12 May'", 'follow this order'],
    ["payouts resolve ID --action close-as-not-paid --by bob --evidence 'letter of 12 May'", 'nothing was paid'],
  ],
  acknowledge: [
    ["payouts acknowledge INCIDENT --by alice --reason 'called back, ticket 7'", 'the incident is no longer open'],
  ],
  pause: [['payouts pause ID --by alice', 'send nothing more of a batch']],
  drain: [['payouts drain ID --by alice', 'start no further rows; rows in progress continue']],
  switch: [["payouts switch off everything --reason 'fraud suspected'", 'stop all sending']],
  'switch off': [
    ["payouts switch off everything --reason 'fraud suspected'", 'stop all sending'],
    [
      "payouts switch off currency EUR --reason 'bank holiday' --by alice --yes",
      'everything paid in EUR or bought with EUR',
    ],
    ["payouts switch off payee ben-7 --reason 'details in doubt'", 'one payee'],
  ],
  'switch on': [["payouts switch on currency EUR --reason 'bank is open'", 'waiting payouts continue automatically']],
  policy: [['payouts policy check', 'who may do what']],
  'policy init': [['payouts policy init policy.json', 'asks for the people']],
  'policy check': [
    ['payouts policy check policy.json', 'all problems of a policy file'],
    ['payouts policy check', 'who may do what under the policy in force'],
  ],
  'policy explain': [['payouts policy explain INV-4711', 'who may approve it, and who has']],
  'policy token': [['payouts policy token --days 30', 'for a program that acts for a person over HTTP']],
  'policy key': [['payouts policy key bob.pem', 'make a private key; prints the public one']],
  'switch list': [['payouts switch list', 'what is switched off, since when, by whom and why']],
  resume: [['payouts resume ID --by alice', 'continue a paused or drained batch']],
  status: [
    ['payouts status ID', 'the state of a batch or a payout, and why'],
    ['payouts status INV-4711 --json', 'by document id, as one document'],
  ],
  report: [
    ['payouts report ID', 'write the report files and show the summary'],
    ['payouts report latest --mask', 'a copy to pass on, without payee names and full account numbers'],
    ['payouts report ID --format pain002', 'the current answer to a pain.001, and which one it supersedes'],
    ['payouts report ID --format journal', 'what its orders moved, as a journal for bookkeeping'],
    ['payouts report ID --format camt054', 'the same as a bank advice for other software'],
  ],
  list: [
    ['payouts list', 'the newest batches, and how many rows of each wait for people'],
    ['payouts list --text INV-4711', 'find a payout and its state'],
    ['payouts list --state completed --ended today', 'what went out today, and what it cost'],
    ['payouts list --returned', 'what of it came back'],
    [
      'payouts list --ended 2026-03-01..2026-03-31 --account acc-u1001-usd',
      'how everything of a month has ended on an account',
    ],
    ['payouts list --state held,needs-operator --account acc-u1001-usd', 'what is stuck on an account'],
  ],
  inbox: [
    ['payouts inbox', 'what waits for people, with the command for each kind'],
    ['payouts inbox --mine --by bob', 'what bob can decide'],
    ['payouts inbox --kind look-alike --json', 'one kind, as one document'],
  ],
  incidents: [['payouts incidents --open', 'incidents that nobody has acknowledged, with their ids']],
  reconcile: [['payouts reconcile --days 7', "compare what ended in a week with the bank's orders"]],
  accounts: [
    ['payouts accounts u-1001', 'balances of a user'],
    ['payouts accounts', 'balances of the master institution'],
  ],
  beneficiaries: [
    ['payouts beneficiaries u-1001 --currency EUR', 'names and account numbers are masked'],
    ['payouts beneficiaries u-1001 --json', 'in full'],
  ],
  orders: [['payouts orders u-1001 EUR', "the bank's own list"]],
  reference: [['payouts reference u-1001 INV-4711', 'the reference of a payout, the key of its workflow id']],
  events: [['payouts events', 'the newest events, and their positions']],
  'events list': [
    ['payouts events list --from 1 --json', 'all, as one JSON document'],
    ['payouts events list --kind payout.incident', 'only one kind'],
  ],
  'events status': [['payouts events status', 'show the progress of each subscription, and what delays it']],
  'events replay': [
    ['payouts events replay --from 1204 --to erp', 'send again from this position'],
    ['payouts events replay --from 1 --to erp --by alice --yes', 'send everything again, without confirmation'],
  ],
  'events forget': [['payouts events forget erp', 'it is not configured any more']],
  audit: [
    ['payouts audit verify', 'check that nothing was changed, removed or cut off'],
    ['payouts audit show ID', 'who did what to a batch or a payout'],
  ],
  'audit verify': [
    ['payouts audit verify', 'the log of the store; prints the public key'],
    ['payouts audit verify --checkpoints /mnt/elsewhere/checkpoints', 'against checkpoints kept elsewhere'],
    ['payouts audit verify audit.jsonl --key KEY', 'an export, without the store'],
  ],
  'audit export': [['payouts audit export > audit.jsonl', 'a line of JSON for each entry']],
  'audit rotate-key': [
    ['payouts audit rotate-key next-key.pem', 'run where the present key is; prints the new public key'],
  ],
  'audit show': [
    ['payouts audit show ID', 'a batch with its rows, or a payout'],
    ["payouts audit show 'currency EUR' --json", 'a switch'],
  ],
  migrate: [['payouts migrate', 'make or update the tables of a PostgreSQL store, with the role that owns them']],
  backup: [['payouts backup store-2026-05-12.sqlite', 'copy and check the store; nothing has to be stopped']],
  restore: [
    ['payouts restore store-2026-05-12.sqlite', 'show what it contains, confirm, replace the store'],
    ['payouts restore store-2026-05-12.sqlite --yes --by alice', 'without confirmation'],
    ['payouts restore', 'after pg_restore: record in the restored database that it was restored'],
  ],
  histories: [['payouts histories pull --to open', 'open workflows, one file each']],
  'histories pull': [
    ['payouts histories pull --to open', 'a thousand open workflows at most'],
    ['payouts histories pull --to open --query \'WorkflowType="payout"\' --limit 100', 'a hundred payouts'],
  ],
  replay: [['payouts replay open', 'before a rollout: exit code 0 if all replay, 5 if one does not']],
  doctor: [['payouts doctor', 'what works, and how to fix the rest']],
  template: [
    ['payouts template > payroll.csv', 'a sample row to fill in for each payment type of the bank'],
    ['payouts template --currency USD', 'in one currency'],
    ['payouts template json > payroll.json', 'the same as JSON'],
    ['payouts template pain.001 > invoices.xml', 'a bank message, with the two files that complete it:'],
    ['payouts template mapping > mapping.json', 'which bank account belongs to the debtor account'],
    ['payouts template payees > payees.csv', 'what the message does not say about payees'],
    ['payouts template mapping --from invoices.xml > mapping.json', 'with all accounts of your own message'],
    ['payouts template payees --from invoices.xml > payees.csv', 'with all payees of it; fill in the gaps'],
  ],
  explain: [
    ['payouts explain', 'all columns, findings, states and reason codes'],
    ['payouts explain amount', 'a column'],
    ['payouts explain swift_code --currency USD', 'a payee field of the bank'],
    ['payouts explain too-many-decimals', 'a finding'],
    ['payouts explain outcome-unknown', 'a reason code'],
  ],
  completion: [
    ['source <(payouts completion bash)', 'for this shell; put it into ~/.bashrc for all'],
    ['payouts completion zsh > _payouts', 'save it in a folder of fpath'],
    ['payouts completion fish > payouts.fish', 'to ~/.config/fish/completions'],
    ['payouts completion powershell > payouts.ps1', 'read it in $PROFILE: . ~/payouts.ps1'],
  ],
};
