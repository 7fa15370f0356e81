import {
  ended,
  forApprover,
  forApproverToRecheck,
  forCompliance,
  forMaker,
  forNobody,
  forOperator,
  forOutside,
  ofAccount,
  type Remedy,
  STAYS,
  signalled,
  toResolve,
} from '../remedy.ts';

const resolve = (action: string): string => toResolve('resolve', action);
const REJECT = '`payouts reject ID` ends it unpaid';
const RETRY = '`payouts retry ID` if it still has to be paid';
const CHECK = '`payouts recheck ID` tries again at once';
const ANEW = '`payouts cancel ID` and then `payouts retry ID` pay under a new reference';
const CLARIFY = `If the id is right, clarify with the bank; then ${CHECK}. If it is wrong, \`payouts reject ID\` and submit the row under a new document id.`;
const ASKS_AGAIN = 'The provider is asked again at least once an hour; the payout continues when the answer allows it.';

/** Reasons of a payout that waits for someone, is held, or ended unpaid. */
export const PAYOUT_REASONS = {
  // waiting
  'beneficiary-pending': forNobody(
    'the beneficiary is being created at the bank',
    'Nothing.',
    'It continues when the bank shows the payee.',
  ),
  'bank-unreachable': forNobody(
    'the bank does not answer; trying again',
    'If this lasts, `payouts doctor` shows what works and what does not.',
    'The bank is tried again, at growing intervals.',
  ),
  'not-yet-due': forNobody(
    'waiting for its execution date',
    '`payouts cancel ID` withdraws it.',
    'It is sent on its date.',
    'date',
  ),
  'insufficient-funds': forOutside(
    'the account does not hold enough money',
    `Put money on the account; then ${CHECK}. Or \`payouts cancel ID\`.`,
    'It continues when the money is there, and fails when the waiting time is over.',
    'funds',
  ),
  'awaiting-exchange': forNobody(
    'waiting for the exchange of its batch, which buys the money for it',
    '`payouts status BATCH` lists the exchange, and what it waits for. `payouts cancel ID` withdraws the payout.',
    'It continues when the exchange is completed. If that buys nothing, people are asked.',
  ),
  'approval-required': forApprover(
    'waiting for internal approval',
    `\`payouts approve ID\` approves it, ${REJECT}. The maker may not decide.`,
    'It ends unpaid if nobody approves it in time.',
    'approval',
  ),
  'bank-approval-required': forApprover(
    "its order waits for a decision in the bank's audit",
    '`payouts approve ID` or `payouts reject ID`: the decision is passed to the bank. When the audit has expired, only `payouts cancel ID` still has the order rejected.',
    'A decision taken at the bank counts too. The bank ends the order when its audit expires.',
    'bank-audit',
  ),
  'outcome-unknown': forNobody(
    'it is not known whether the bank has its order: an answer was lost, or the store was restored; searching for the order before anything else is sent',
    'Nothing, and do not pay it another way: it may already be paid.',
    'If the bank shows the order, it is followed. If by the time above two searches have proven that there is none, it is sent again under the same reference, or waits for an operator where that is not allowed.',
    'absence',
  ),
  // held
  'fee-above-cap': forApprover(
    'the quoted fee is above the cap',
    `\`payouts approve ID\` accepts the fee, ${REJECT}.`,
    'It checks again, and continues when the fee is within the cap.',
  ),
  'slippage-above-cap': forApprover(
    'the exchange rate moved by more than the cap',
    `\`payouts approve ID\` accepts the rate, ${REJECT}.`,
    'Until the exchange is booked it checks again, and continues when the rate is within the cap.',
  ),
  'exchange-not-made': forApprover(
    'the exchange of its batch bought nothing for it',
    `\`payouts approve ID\` pays it from the account in its currency, with what is there, and exchanges nothing. ${REJECT}; then \`payouts retry BATCH\` plans a new exchange.`,
    STAYS,
  ),
  'exchange-quote-unclear': forApproverToRecheck(
    'the exchange quote does not buy the requested amount',
    `Ask the bank about its quote. Then ${CHECK}; ${REJECT}.`,
  ),
  'account-frozen': ofAccount(
    forApproverToRecheck(
      'the bank reports the account as frozen',
      `Have the bank unfreeze the account. Then ${CHECK}. If it still refuses, ${ANEW}. ${REJECT}.`,
    ),
  ),
  'account-not-found': ofAccount(forApproverToRecheck('the bank does not know the account', CLARIFY)),
  'beneficiary-changed': forApproverToRecheck(
    'the beneficiary at the bank differs from the instruction',
    `Compare the payee at the bank with the instruction, and correct it at the bank. Then ${CHECK}, and accepts no change. ${REJECT}.`,
  ),
  'beneficiary-not-found': forApproverToRecheck('the bank does not know the beneficiary', CLARIFY),
  'beneficiary-conflict': forApproverToRecheck(
    'the bank has this beneficiary with other details',
    `Correct the payee at the bank; then ${CHECK}. Or \`payouts reject ID\` and submit a new row with the beneficiary_id.`,
  ),
  'refusal-contradicted': forApproverToRecheck(
    'the bank keeps refusing it although what it shows agrees with it',
    `Ask the bank why. If it repeats its first answer for a reference, ${ANEW}. Otherwise ${CHECK}; it sends the same reference again. ${REJECT}.`,
  ),
  'balance-from-cache': forApproverToRecheck(
    'the bank keeps refusing it for lack of money, and only a cache shows what the account has',
    `Read the balance at the bank itself, and have the bank answer without its cache. If money is missing, put it on the account; then ${CHECK}, which sends the same reference again. ${REJECT}.`,
  ),
  'no-payout-account': forApproverToRecheck(
    'the user has no account in the payout currency',
    `Have the bank open an account in that currency; then ${CHECK}. ${REJECT}.`,
  ),
  'switched-off': signalled(
    forApproverToRecheck(
      'an operator has switched this off or paused its batch; continues when that is undone',
      `\`payouts switch list\` shows who switched what off and why. If only its batch is paused, \`payouts resume BATCH\` continues it. ${CHECK}, and lifts no switch. ${REJECT}.`,
      'It continues when the switch is on again, or the batch is resumed.',
    ),
  ),
  'look-alike': forApprover(
    'same payee, amount and currency as an earlier payout',
    'Compare it with the earlier payout: `payouts approve ID` pays this one too, `payouts reject ID` does not.',
  ),
  'look-alike-order': forApprover(
    'the bank shows an order of the same amount from the same account that was not sent from here',
    'The bank does not show whom that order pays. Ask who sent it: `payouts approve ID` pays this one too, `payouts reject ID` does not.',
  ),
  'payee-close-match': forApprover(
    "the account is held under a name that is close to the payee's",
    `Compare the two names that \`payouts status ID\` shows: \`payouts approve ID\` pays the account anyway; ${REJECT}, so that you can submit it with the right name.`,
  ),
  'payee-no-match': forApprover(
    'the account is not held under the name of the payee',
    `Confirm the account with the payee through another channel than the one the row came by: \`payouts approve ID\` pays it anyway, ${REJECT}.`,
  ),
  'payee-not-verified': forApprover(
    'whether the account is held under the name of the payee could not be verified',
    `Verify the account another way: \`payouts approve ID\` pays it without a verification, ${REJECT}.`,
    ASKS_AGAIN,
  ),
  'screening-hit': forCompliance(
    'the screening found the payee on a list',
    `Review the case at the screening provider: \`payouts approve ID\` clears it for this payout, ${REJECT}.`,
    STAYS,
  ),
  'screening-not-available': forCompliance(
    'the payee could not be screened',
    `\`payouts approve ID\` pays it without a screening, ${REJECT}.`,
    ASKS_AGAIN,
  ),
  'limit-reached': forApproverToRecheck(
    'a limit of the policy would be exceeded; continues when the limit allows it',
    `Wait, or have the policy changed; ${CHECK}. ${REJECT}.`,
    'It continues when the limit of 24 hours allows it.',
  ),
  'maker-not-allowed': forApproverToRecheck(
    'the policy does not allow its maker to submit it; continues when it does',
    `Give its maker the role \`maker\` again in the policy file, or reject it and have somebody else submit it. ${CHECK}; ${REJECT}.`,
    'It continues when the policy allows it.',
  ),
  'card-payment-open': signalled(
    forNobody(
      'waiting for the card payment it depends on',
      '`payouts card list` shows the state of the card payment.',
      'It continues when the card payment has succeeded, and ends unpaid if the card payment took no money.',
    ),
  ),
  'card-payment-not-captured': forApprover(
    'the card payment it depends on has only reserved the money',
    `Capture the money at the acquirer first; then \`payouts approve ID\` pays it. ${REJECT}.`,
  ),
  'card-payment-too-small': forApprover(
    'the card payment it depends on does not cover it',
    `Compare it with the card payment that \`payouts card list\` shows: \`payouts approve ID\` pays it anyway, ${REJECT}.`,
  ),
  'card-payment-contradicted': signalled(
    forApprover(
      'the acquirer has contradicted the end of the card payment it depends on',
      'Ask the acquirer which is true. `payouts card resolve PAYMENT --action confirm-end` confirms the stored end, `payouts reject ID` ends the payout unpaid.',
    ),
  ),
  'earlier-generation-open': signalled(
    forApproverToRecheck(
      'an earlier attempt to pay this document may have moved money',
      `If the earlier one was paid, \`payouts reject ID\` ends this one unpaid. If not, \`payouts incidents --open\` shows what has to be cleared first. ${CHECK}.`,
    ),
  ),
  'list-proves-nothing': signalled(
    forApproverToRecheck(
      'whether the bank already has an order for this document is unknown, because its list of orders is not reliable',
      `Nothing was sent. Ask the bank about its list; ${CHECK}. ${REJECT}.`,
      'The list is read again, at growing intervals; it continues when the list proves that there is no order.',
    ),
  ),
  'list-too-soon': signalled({
    ...forNobody(
      'the bank has just refused its order, and its list may not show yet whether it has one',
      `Nothing, for some minutes. ${REJECT}.`,
      'The list is read again when it has to show the order, within minutes; then it continues, or says what stops it.',
    ),
    approvalOnlyChecks: true,
  }),
  // ended unpaid
  'invalid-instruction': forMaker(
    'the instruction breaks a rule of the bank or of this product',
    'Correct the row and submit it under a new document id.',
  ),
  'id-reused': forMaker(
    'this id was used before with different contents',
    'Give the new payout a new document id; the earlier payout is not affected.',
  ),
  unsupported: ended('the bank does not support this payment', 'Pay it another way; nothing was paid.'),
  'refused-by-bank': forMaker(
    'the bank refused the request as invalid',
    'Ask the bank what it refused, correct the row and submit it under a new document id.',
  ),
  'account-not-own': forMaker(
    'an account belongs to another user than the uid of the instruction',
    'Under a new document id, use accounts of its uid, as `payouts accounts UID` shows them. To pay another user, name that user as a payee in a file.',
  ),
  'account-currency': forMaker(
    'the currency of an account is not the requested one',
    'Under a new document id, use accounts that `payouts accounts UID` shows: of one currency for a transfer, of two for an exchange.',
  ),
  'funds-patience-over': forMaker(
    'the account did not receive enough money within the waiting time',
    `Put money on the account; ${RETRY}.`,
  ),
  'approval-rejected': ended(
    'an approver rejected the payout',
    'Nothing was paid; `payouts audit show ID` shows the remark.',
  ),
  'approval-expired': forMaker('nobody approved it in time', `Nothing was paid; ${RETRY}.`),
  'bank-rejected': forMaker('the bank order was rejected', `Ask the bank why; ${RETRY}.`),
  'bank-cancelled': forMaker('the bank cancelled the order', `Ask the bank why; ${RETRY}.`),
  'bank-failed': forMaker('the bank reports the order as failed', `Ask the bank why; ${RETRY}.`),
  'exchange-failed': forMaker(
    'the currency exchange ended without moving money',
    `Nothing was exchanged or paid; ${RETRY}.`,
  ),
  'cancelled-by-request': forMaker('cancelled on request', `Nothing was paid; ${RETRY}.`),
  'batch-cancelled': forMaker('the batch was cancelled before this row was sent', `Nothing was paid; ${RETRY}.`),
  'closed-by-operator': ended(
    'an operator closed it as not paid',
    "Nothing was paid, according to the operator's evidence; `payouts audit show ID` shows it.",
  ),
  returned: forMaker(
    'the money came back',
    'Find out why: often the account is closed or its number wrong. Once an operator has acknowledged its incident, `payouts retry ID` pays it again, and a row with its reference in `retry_of` pays it again with other details.',
  ),
  'partly-returned': forMaker(
    'a part of the money came back',
    'Ask the payee whether the rest arrived. Once an operator has acknowledged its incident, a row with its reference in `retry_of` pays again what came back, or less.',
  ),
  'card-payment-unpaid': forMaker(
    'the card payment it depends on took no money',
    'Collect the money another way, then submit the payout under a new document id.',
  ),
  // needs an operator
  'order-not-found': forOperator(
    'no order was found under this reference and the settings forbid sending it again',
    `Ask the bank whether it has the order. If so, ${resolve('keep-looking')} searches again and follows it; if not, ${resolve('close-as-not-paid')} ends it unpaid, or ${resolve('resend')} sends it again, unless the bank is not trusted to recognise a reference or says that it has this one.`,
  ),
  'reference-conflict': forOperator(
    'the bank has another order under this reference',
    `Ask the bank what happened to the order under this reference, and do not pay it another way before you know. Then two people, one after the other: ${resolve('adopt-order')} follows the order as it is, ${resolve('close-as-not-paid')} ends the payout unpaid.`,
  ),
  'duplicate-suspected': forOperator(
    'the bank shows more than one order under this reference',
    `Have the bank recall the surplus order; then ${resolve('adopt-order')} follows the other one.`,
  ),
  'status-unclear': forOperator(
    'the bank shows a status whose meaning is not known',
    `Ask the bank what the status means; ${resolve('close-as-not-paid')} once it confirms that no money moved.`,
  ),
  'status-stuck': forOperator(
    'the order has not moved for longer than the age limit',
    `Ask the bank why the order does not progress; ${resolve('keep-looking')} checks now. If the bank has never had the order, although it accepted it, two people one after the other: ${resolve('close-as-not-paid')}.`,
  ),
  'slower-than-others': forOperator(
    'it is with the bank for longer than every earlier payout of its currency and payment type was',
    'Read its order: `payouts orders UID CURRENCY`. Ask the bank what it waits for.',
    'It ends when the bank shows its order as ended.',
  ),
  'workflow-closed': forOperator(
    'the workflow was closed before the payout ended',
    `${resolve('keep-looking')} starts it again; it searches for its order before it sends anything.`,
    'Its workflow was closed again after each automatic start, so it is not started until somebody follows its batch or reconciles.',
  ),
} satisfies Record<string, Remedy>;

/** For `outcome-unknown` once all searches are over: from then on only people can continue it. */
export const SEARCHED_IN_VAIN: Remedy = forOperator(
  'an answer of the bank was lost, and no search has proved what happened',
  `Ask the bank whether it has the order, and do not pay it another way before you know. ${resolve('keep-looking')} searches again; by two people one after the other, ${resolve('close-as-not-paid')} ends it unpaid, and ${resolve('adopt-order')} follows an order that shows no reference.`,
);
