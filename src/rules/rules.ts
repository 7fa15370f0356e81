/**
 * Every rule that a finding can name, sorted: what it means, then what to do. Shown by `payouts explain RULE`. A new rule
 * needs its line here; `test/rules/rules.test.ts` lists those that lack one.
 */
export const RULES: Readonly<Record<string, string>> = {
  'account-not-found':
    'The bank does not know the account of this row. Copy the id as `payouts accounts UID` shows it.',
  'addenda-mismatch':
    'An addenda record (type 7) and its entry (type 6) do not belong together. Put it behind its entry, with its trace number.',
  'address-lines-only':
    "The payee's address stands in lines without town and country, which CBPR+ and SEPA take no more. Write TwnNm and Ctry beside at most two AdrLine, or give address_city and address_country in the payee directory.",
  'agreed-rate':
    'The bank takes no exchange rate agreed elsewhere. Pay from an account in the currency of the amount, or leave the rate out.',
  'already-taken': 'This payout was claimed before, as it is. Leave the row out, or run with `--invalid skip`.',
  'ambiguous-payee': 'Two entries of the payee directory fit this payee. Tell them apart by bank, currency or uid.',
  'amount-not-a-string':
    'An amount in JSON stands outside quotes, where other programs read it as a float. Write it in quotes: "1250.00".',
  'bad-amount': 'The field of the amount is not digits filled with zeros. Write cents, with zeros in front.',
  'bad-beneficiary-type': 'A payee is a person or a company. Write `personal` or `business`.',
  'bad-bsb': 'Not a bank-state-branch number. Write 123-456.',
  'bad-card-payment':
    'The value is no merchant_request_id of a card payment. Copy it from `payouts card list`, or leave it blank.',
  'bad-charge-type': 'The bank offers one way to bear charges. Write `SHA` or leave the value blank.',
  'bad-column-name':
    'A column or field name has letters, digits, "_", "-" and ".", and starts with a letter. Rename or delete it.',
  'bad-date': 'Not a date of the calendar. Write year, month, day: 2026-03-31.',
  'bad-encoding': 'The bytes of the file are not in the encoding that it declares. Save it as UTF-8, and declare that.',
  'bad-fraction': 'Not a fraction from 0 to 1. One per cent is 0.01.',
  'bad-id': 'An id holds a character that ids cannot have, or blanks around it. Copy it exactly, without "/".',
  'bad-indicator': 'The indicator of an ABA record is none of its letters. Leave it blank.',
  'bad-priority': 'A row has one of two priorities. Write `high` or `normal`, or leave the value blank.',
  'bad-record': 'A record stands where its type cannot stand. Put the records into the order of the format.',
  'bad-reference': 'Not a reference. Copy it from the report of the earlier batch.',
  'bad-routing-number': 'The nine digits of a routing number check each other, and these do not. Correct them.',
  'bad-time': 'Not an instant with its time zone. Write 2026-03-31T17:00:00Z.',
  'bad-trace-number': 'Not a trace number. Write fifteen digits.',
  'bad-value': 'A value of the message is not of the kind that its element has. Correct it as the finding says.',
  'batch-mismatch': 'The end of a batch does not say what its head says. Correct one of the two.',
  'beneficiary-named-twice':
    'The row has a beneficiary_id and the fields of a new payee; they could be two people. Blank one of the two.',
  'beneficiary-not-found':
    'The bank does not know the beneficiary of this row. Copy the id as `payouts beneficiaries UID` shows it.',
  'blank-row': 'A warning: the line has delimiters and no values, and is left out. Delete such rows in the sheet.',
  'broken-quote': 'A quoted value is not ended, or goes on behind its quote. Double the quotes inside values: "".',
  'cell-error': 'A formula of the sheet ends in an error such as #REF!. Correct it, or type the value.',
  'closed-day':
    'A warning: the date is no business day. It is moved by the calendar (PAYOUTS_HOLIDAYS), or kept where none is set.',
  'conflicting-fields': 'The fields address_city and address_suburb are one with two names. Blank one of them.',
  'control-character':
    'The value holds a character that cannot be seen or that reverses the text around it. Type it again as plain text.',
  country: 'A country is two capital letters (ISO 3166 alpha-2). Write DE, not Germany.',
  'date-in-the-past': 'A warning: the date to pay on is past. The payout is sent at once.',
  'debit-entry':
    'A debit takes money, and only credits are paid. Leave it out; in an ABA file the debit of the paying account that balances the credits may stay.',
  'debtor-currency': 'The message and the mapping file name two currencies of one account. Correct one of them.',
  'doctype-refused': 'The XML file has a DOCTYPE, which can declare entities that blow up its reader. Delete it.',
  'duplicate-column': 'A column or field appears twice; which of them counts is not known. Keep one.',
  'duplicate-id':
    'The same uid and id stand on an earlier row, and one id is one payout. Give this row an id of its own or delete it.',
  'duplicate-payment-id': 'Two payment blocks of the message have one id. Give each an id of its own.',
  'empty-element': 'An element of the message is empty. Fill it in or leave it out.',
  'equivalent-amount':
    'The amount is in the currency of the debtor, and payouts are asked for in the currency that the payee gets. Write InstdAmt.',
  'file-too-large': 'The file is larger than what is read. Split it.',
  'formula-without-value':
    'The workbook holds a formula and not what it comes to. Open it in Excel and save it, or paste the values.',
  'hidden-row':
    'The row is hidden in the sheet, so that whoever agrees to it does not see it. Show it or delete it; look for filters.',
  'iban-check-digits':
    'A warning: the check digits of the IBAN do not fit the rest of it. Compare it with the invoice.',
  'id-reused':
    'This id was claimed before with other contents, and an id stands for one payout for ever. Use a new id for a new payout, or put the contents back.',
  'lone-carriage-return': 'Lines end with a carriage return alone. Save the file with LF or CRLF line ends.',
  'lost-digits':
    'Excel keeps 15 digits of a number, and this cell may have lost some. Format the column as Text and type the value again; round an amount in the sheet.',
  'lost-leading-zeros':
    'A warning: the code has fewer digits than such codes have, as when Excel drops leading zeros. Format the column as Text and type it again.',
  'message-id-reused':
    'A file with this message id was taken before, and a message id is used once. Give a new file a message id of its own.',
  'missing-column': 'The header line lacks a column that every row needs. Add it.',
  'missing-element': 'The message lacks an element that the standard asks for at this place. Add it.',
  'more-findings': 'The file has more findings than are listed. Mend those that are listed and give it again.',
  'nested-value': 'A value in JSON is an object or an array. Write one string for each field.',
  'no-beneficiary-type':
    'The message does not say whether the payee is a person or a company. Say it in the payee directory, or beneficiaryType in the mapping file.',
  'no-header':
    'The first line of a CSV file or a sheet names the columns, in small letters. Write one, as `payouts template` prints it.',
  'no-payment-type':
    "The message does not say by which network the payee's bank is reached. Add a rule to paymentTypes of the mapping file, or the payee to the payee directory.",
  'no-payouts': 'The JSON object has no key "payouts" with an array. Write {"payouts": [...]} or the array alone.',
  'no-rows': 'The file holds no payout. Write a header line and one line, or one object, for each.',
  'not-a-decimal': 'Not a plain number. Write digits, with a point before the decimals: no sign, no blanks, 1250.00.',
  'not-a-string': 'A value in JSON stands outside quotes. Write it in quotes: other programs change numbers.',
  'not-a-transfer':
    'Only credit transfers are paid, not cheques or advised transfers. Hand those to a bank that makes them.',
  'not-a-workbook':
    'The file is no workbook that can be read, or a damaged one. Save it in Excel as .xlsx or as CSV UTF-8.',
  'not-an-object': 'An entry of the JSON array is no payout. Write an object of fields.',
  'not-ascii': 'The format allows plain letters, digits and signs only. Write the text without accents.',
  'not-carried': "A warning: the bank's API has no field for this part of the message. The payment is made without it.",
  'not-json': 'The file is not valid JSON from this place on. Mend it there; what follows was not checked.',
  'not-pain001': 'The file is another message than a customer credit transfer initiation. Hand over pain.001.',
  'not-positive': 'The amount is zero. Delete the row or correct the amount.',
  'not-utf8':
    'The file has another encoding, Windows-1252 perhaps, which Excel writes as "CSV (Comma delimited)". Save it as "CSV UTF-8 (Comma delimited)" or as .xlsx.',
  'not-well-formed':
    'The XML cannot be read from this place on; the file may be cut off. Write it again; nothing of it was taken.',
  'nul-character': 'The file holds NUL characters. Save it as plain UTF-8 text.',
  'old-workbook':
    'An old workbook (.xls), or one under a password, is not read. Save it without password as .xlsx or CSV UTF-8.',
  'payment-type-not-offered':
    'The bank has no such payment type for the currency and the beneficiary type. Use one that the finding lists.',
  'prenote-entry': 'A prenote tests an account and moves no money; the bank cannot send it. Leave it out.',
  'record-after-total': 'Records follow the totals that end the file. Delete them, or correct the totals.',
  'record-too-large': 'One record is larger than any payout. Look for a missing quote or line end.',
  regex: "The value does not match the bank's own rule for the field. `payouts explain FIELD` shows the rule.",
  required: 'A value is missing that this row needs. Fill it in.',
  'retry-exchanged':
    'Money was exchanged for the earlier payout and stays exchanged. Name the account in the payout currency as account_id.',
  'retry-not-proven':
    'The earlier payout may still be paid, or was. Wait for its end, or decide it with `payouts resolve`.',
  'retry-unknown': 'No payout of this uid and id has the reference in retry_of. Copy it from the report, or delete it.',
  'return-entry': 'A return or a notification of change comes from a bank and is no payout. Leave it out.',
  'routing-check-digit':
    'A warning: the last digit of the routing number does not fit the others. Compare it with the invoice.',
  'same-account': 'A transfer or an exchange names one account twice. Name the account that receives.',
  'scientific-notation':
    'A warning: a number as Excel shortens it (1.2E+15), whose last digits are gone. Format the column as Text and type it again.',
  'several-sheets':
    'More than one visible sheet of the workbook holds values, and which of them is paid is not known. Delete or hide the others.',
  'stray-quote':
    'A quote stands inside a value that does not begin with one. Put the value in quotes and double it: "".',
  'surrounding-blanks':
    'Blanks stand before or behind the value, where nobody sees them. Delete them; in Excel =TRIM(A2) does.',
  'too-deep': 'The elements of the file are nested deeper than any message. Write it again as the standard has it.',
  'too-large': 'The amount has more than 18 digits before the point. Correct it.',
  'too-long': 'The value has more characters than allowed. Shorten it.',
  'too-many-address-lines':
    'A hybrid address has town, country and at most two lines. Write street, number and post code as elements of their own.',
  'too-many-columns': 'A file has more columns than any list of payouts. Look whether rows and columns were exchanged.',
  'too-many-decimals':
    'The amount has more decimals than its currency (JPY none, EUR two, KWD three). Round it; nothing is rounded for you.',
  'too-many-rows': 'The file holds more rows than are read. Split it.',
  'truncated-file': 'The file ends before its totals. Hand it over whole; nothing of it was taken.',
  'unbalanced-debit':
    'The debit of the paying account is another sum than the credits. It may have been changed by hand: write it again.',
  'unexpected-attribute': 'The standard has no such attribute at this element. Delete it.',
  'unexpected-element':
    'The standard has no such element at this place, or not once more. Move or delete it; the order of elements counts.',
  'unexpected-key': 'The JSON object has another key than "payouts". Delete it.',
  'unexpected-text': 'Text stands between elements where the standard has none. Delete it.',
  'unknown-addenda':
    'Addenda of this type, or so many, are not read. Leave one record of type 05 with the remittance text.',
  'unknown-column':
    'Neither a column of ours nor a field that the bank asks for in this file. Rename or delete it; `payouts explain` lists ours.',
  'unknown-currency': 'Not a currency code of ISO 4217. Write three capital letters such as EUR.',
  'unknown-field': 'The bank does not ask for this field under the payment type of the row. Blank it.',
  'unknown-transaction-code': 'Not a code of a credit. Use one that the finding lists.',
  'unmapped-account':
    "The mapping file does not say which account of the bank the debtor's account is. Add it to accounts.",
  'unmapped-clearing-system':
    "The mapping file has no payment type and field for the clearing system of the payee's bank. Add it to clearingFields or paymentTypes.",
  'unsupported-entry-class': 'NACHA files are read with entries of the classes PPD and CCD. Leave the batch out.',
  'unsupported-version': 'This version of the message is not read. Hand over one that the finding lists.',
  'withholding-tax': 'The bank withholds no tax with a payout. Write zeros, and report the tax another way.',
  'wrong-batch-count':
    'The file says another number of batches than it has. It may have been changed by hand: write it again.',
  'wrong-block-count':
    'The file says another number of blocks than it has. It may have been changed by hand: write it again.',
  'wrong-control-sum':
    'The amounts add up to another sum than the file says. It may have been changed by hand or cut off: write it again.',
  'wrong-entry-hash':
    'The routing numbers add up to another hash than the file says. It may have been changed by hand: write it again.',
  'wrong-field-count':
    'The line has more or fewer values than the header line. Put values that hold the delimiter in quotes.',
  'wrong-record-length':
    'A record has more or fewer characters than the format. Write every record at its full length.',
  'wrong-transaction-count':
    'The file says another number of transactions than it has. It may have been changed by hand or cut off: write it again.',
};
