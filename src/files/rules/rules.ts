/**
 * Every rule that a finding can name, sorted: what it means, then what to do. Shown by `payouts explain RULE`. A new rule needs a
 * line here; `test/files/rules/rules.test.ts` lists missing ones.
 */
export const RULES: Readonly<Record<string, string>> = {
  'account-currency':
    'A statement is in another currency than its account has at the bank. Check the account id of the mapping, or ask the bank for the right statement.',
  'account-not-found': 'The bank does not know the account in this row. Copy the id from `payouts accounts UID`.',
  'account-not-own':
    'The bank has the account under another user, whose money a payout never takes. Correct `uid` or the account; `payouts accounts UID` shows those of a user.',
  'addenda-mismatch':
    "An addenda record (type 7) does not belong to the entry (type 6) before it. Put it after its own entry, with that entry's trace number.",
  'address-lines-only':
    "The payee's address has only free lines, without town and country; CBPR+ and SEPA no longer accept that. Add TwnNm and Ctry and at most two AdrLine, or add address_city and address_country to the payee directory.",
  'agreed-rate':
    'The bank does not accept an agreed exchange rate. Pay from an account in the currency of the amount, or leave the rate out.',
  'already-taken':
    'This payout was already taken with the same contents. Remove the row, or run with `--invalid skip`.',
  'ambiguous-payee': 'Two entries of the payee directory match this payee. Distinguish them by bank, currency or uid.',
  'amount-not-a-string':
    'An amount in JSON is not in quotes, so other programs may read it as a floating-point number. Write it in quotes: "1250.00".',
  'another-spelling':
    'A warning: the id has accents as separate characters, an invisible character or a blank that is no plain space. Another spelling of it would be another payout: write it in the same way everywhere.',
  'at-bank':
    'The bank shows an order for this document that was not sent from this store. Run the file with the home or the store that it was run with before; `payouts orders UID CURRENCY` shows the order. `--invalid skip` pays only the other rows.',
  'bad-amount': 'The amount field does not consist of digits only. Write the amount in cents with leading zeros.',
  'bad-beneficiary-type': 'A payee is either a person or a company. Write `personal` or `business`.',
  'bad-bsb': 'This is not a BSB (bank-state-branch) number. Write it as 123-456.',
  'bad-card-payment':
    'The value is not a valid merchant_request_id. Copy it from `payouts card list`, or leave it empty.',
  'bad-charge-type': 'The bank offers only shared charges. Write `SHA` or leave the value empty.',
  'bad-column-name':
    'A column or field name may contain letters, digits, "_", "-" and ".", and starts with a letter. Rename or delete the column.',
  'bad-date': 'This is not a valid date. Write year, month and day: 2026-03-31.',
  'bad-encoding': 'The file is not in the encoding that it declares. Save it as UTF-8 and declare UTF-8.',
  'bad-field':
    'A field of an MT940 or MT942 statement is not written as its tag asks. Ask the bank, or export the statement as camt.053.',
  'bad-fraction': 'This is not a fraction from 0 to 1. Write one per cent as 0.01.',
  'bad-id': 'The id contains a character that is not allowed, or surrounding spaces. Copy it exactly, without "/".',
  'bad-indicator': 'The indicator of an ABA record is not one of the allowed letters. Leave it blank.',
  'bad-language':
    'An advice is written in English, German, French or Spanish. Write `en`, `de`, `fr` or `es`, or leave it empty.',
  'bad-mail-address':
    'An advice goes to one e-mail address such as accounts@supplier.example. Correct it or leave it empty.',
  'bad-priority': 'There are only two priorities. Write `high` or `normal`, or leave the value empty.',
  'bad-record':
    'A record of this type is not allowed at this place. Put the records into the order that the format requires.',
  'bad-reference': 'This is not a payout reference. Copy it from the report of the earlier batch.',
  'bad-routing-number': 'The check digit of the routing number is wrong. Correct the number.',
  'bad-time': 'This is not a date and time with a time zone. Write 2026-03-31T17:00:00Z.',
  'bad-trace-number': 'This is not a trace number. Write fifteen digits.',
  'bad-value': 'The value does not have the type or format of its element. Correct it as the finding says.',
  'balances-differ':
    'The balances of a statement and its entries do not add up, so an entry is missing or one too many. Ask the bank for the statement again.',
  'bank-code-form':
    'A warning: this is not a code of the kind that the column asks for. An ABA routing number has nine digits, a BSB and a sort code six. Compare it with the invoice.',
  'batch-mismatch': 'The batch control record contradicts the batch header. Correct one of the two.',
  'beneficiary-currency':
    'The bank has the beneficiary in this row for another currency. `payouts beneficiaries UID` shows those for each currency.',
  'beneficiary-named-twice':
    'The row has both a beneficiary_id and the details of a payee, which may be two different people. Clear one of the two.',
  'beneficiary-not-found':
    'The bank does not know the beneficiary in this row. Copy the id from `payouts beneficiaries UID`.',
  'bic-country': 'A warning: the BIC is of a bank in another country than the IBAN. Compare both with the invoice.',
  'bic-form':
    'A warning: this is not a BIC. It has 8 or 11 characters, the fifth and sixth of which are the country of the bank. Ask the payee for it.',
  'blank-row': 'A warning: the line has delimiters but no values, and is ignored. Delete such rows in the sheet.',
  'broken-quote':
    'A quoted value has no closing quote, or text follows its closing quote. Double the quotes inside values: "".',
  'cell-error': 'A formula in the sheet results in an error such as #REF!. Correct it, or type the value.',
  'closed-day':
    'A warning: the date is not a business day (payouts calendar). The calendar (PAYOUTS_HOLIDAYS) moves it; without a calendar it is kept.',
  'conflicting-fields': 'The fields address_city and address_suburb are two names of one field. Clear one of them.',
  'control-character':
    'The value contains an invisible character, or one that changes the direction of text. Type it again as plain text.',
  country: 'A country code has two capital letters (ISO 3166 alpha-2). Write DE, not Germany.',
  'date-far-ahead': 'A warning: the execution date is more than a year ahead, and the payout waits until then.',
  'date-in-the-past': 'A warning: the execution date is in the past. The payout is sent at once.',
  'debit-entry':
    'The entry is a debit, and only credits can be paid. Remove it; a debit of the paying account that balances the credits may stay.',
  'debtor-currency':
    'The message and the mapping file give different currencies for the same account. Correct one of them.',
  'doctype-refused':
    'The XML file has a DOCTYPE, which is refused because entities in it could exhaust the reader. Delete it.',
  'duplicate-column': 'A column or field appears twice, so it is unclear which one counts. Keep only one.',
  'duplicate-id':
    'An earlier row has the same uid and id, and each id is one payout. Give this row an id of its own, or delete it.',
  'duplicate-payment-id': 'Two payment blocks of the message have the same id. Give each an id of its own.',
  'empty-element': 'An element of the message is empty. Fill it in or leave it out.',
  'equivalent-amount':
    "The amount is given in the debtor's currency, but a payout needs the amount the payee receives. Use InstdAmt.",
  'expires-before-sent':
    "A warning: the end of the bank's audit is over before the payout is sent. Give a later expires_at, or leave it empty.",
  'file-too-large': 'The file exceeds the size limit. Split it.',
  'formula-without-value':
    'The workbook contains a formula without its calculated value. Open it in Excel and save it, or paste the values.',
  'garbled-letters':
    'A warning: letters seem to have been changed by a conversion (Ã¼ for ü). Export the file again as UTF-8 and compare.',
  'hidden-column':
    'A warning: a column with values is hidden in the sheet, so nobody sees what it pays. Show it and check it, or delete it.',
  'hidden-row':
    'The row is hidden in the sheet, so the approver of the file does not see it. Unhide or delete it; check for filters.',
  'hidden-sheet':
    'A warning: a hidden sheet of the workbook has values, and nothing of it is paid. Show it and check it, or delete it.',
  'iban-check-digits': 'A warning: the check digits of the IBAN are wrong. Compare the IBAN with the invoice.',
  'iban-country': 'A warning: no country with IBANs has these two letters. Compare the IBAN with the invoice.',
  'iban-length':
    'A warning: the IBAN has more or fewer characters than those of its country. Compare it with the invoice.',
  'iban-structure':
    'A warning: letters and digits of the IBAN are not as in its country, or the check digits of the account in it are wrong. Compare it with the invoice.',
  'id-reused':
    'This id was already used with different contents, and each id is one payout permanently. Use a new id for a new payout, or restore the contents.',
  'line-break':
    'A warning: the text has a line break or a tab, which payment networks do not carry. Write it on one line.',
  'lone-carriage-return': 'Lines end with a carriage return only. Save the file with LF or CRLF line endings.',
  'lost-digits':
    'Excel keeps only 15 digits of a number, so this cell may have lost some. Format the column as Text and type the value again; round an amount in the sheet.',
  'lost-leading-zeros':
    'A warning: the code is too short; Excel may have dropped leading zeros. Format the column as Text and type the code again.',
  'lost-letters':
    'Letters were lost when the file was converted: \ufffd is in their place. Export the file again as UTF-8.',
  'merged-cells':
    'Cells of the sheet are merged over several rows, but a workbook keeps the value only in the first of them. Unmerge them and fill in each row.',
  'message-id-reused':
    'A file with this message id was already taken, and each message id can be used only once. Give a new file a new message id: in ABA another description or reel number, in NACHA another file id modifier.',
  'missing-column': 'The header line lacks a required column. Add it.',
  'missing-element': 'The message lacks an element that the standard requires at this place. Add it.',
  'more-findings': 'The file has more findings than are listed. Correct the listed ones and validate the file again.',
  'nested-value': 'A value in JSON is an object or an array. Write one string per field.',
  'no-beneficiary-type':
    'The message does not say whether the payee is a person or a company. Set it in the payee directory, or set beneficiaryType in the mapping file.',
  'no-header':
    'The first line of a CSV file or sheet must name the columns in lower case. Delete what is above the header line, or add one as in `payouts template`.',
  'no-line-end':
    'A warning: the file ends inside a value, as a file that was cut off does. Compare the value with its source, and see that no row is missing.',
  'no-maker-signature':
    'A warning: rows that no signature of their maker covers ask for an approval even where no rule asks for one, because anyone who can write to the store could have made them. Hand the file over with the command and the key of a maker, or let the policy have the maker as `unsigned`.',
  'no-payment-type':
    "The message does not say through which network the payee's bank is reached. Add a rule to paymentTypes in the mapping file, or add the payee to the payee directory.",
  'no-payouts': 'The JSON object has no array under "payouts". Write {"payouts": [...]} or just the array.',
  'no-rows':
    'The file contains no payouts. Write a header line and one line per payout, or one JSON object per payout.',
  'not-a-decimal':
    'This is not a plain number. Write digits and a decimal point, without sign, spaces or separators: 1250.00.',
  'not-a-statement':
    'The file is no account statement that is read here. Give a camt.052, camt.053 or camt.054, or an MT940 or MT942.',
  'not-a-string': 'A value in JSON is not in quotes. Write it in quotes, because other programs change numbers.',
  'not-a-transfer': 'Only credit transfers can be paid, not cheques. Use another bank service for those.',
  'not-a-workbook': 'The file is not a readable workbook, or it is damaged. Save it in Excel as .xlsx or as CSV UTF-8.',
  'not-an-iban':
    'A warning: an IBAN begins with the two letters of a country and two digits. Copy it without other text; account numbers that are no IBAN belong into account_no.',
  'not-an-object': 'An entry of the JSON array is not an object. Write each payout as an object.',
  'not-ascii':
    'A character is neither ASCII nor UTF-8, or shows nothing. Write the text without accents, or export the file again.',
  'not-carried': "A warning: the bank's API has no field for this part of the message. The payment is made without it.",
  'not-json': 'The file is not valid JSON from this place on. Correct it there; the rest was not checked.',
  'not-pain001': 'The file is not a customer credit transfer initiation. Use a pain.001 file.',
  'not-positive': 'The amount is zero. Delete the row or correct the amount.',
  'not-utf8':
    'The file is not in UTF-8; it may be Windows-1252, which Excel writes as "CSV (Comma delimited)". Save it as "CSV UTF-8 (Comma delimited)" or as .xlsx.',
  'not-well-formed':
    'The XML cannot be read from this place on; the file may be truncated. Export it again; nothing of it was taken.',
  'nul-character': 'The file contains NUL characters. Save it as plain UTF-8 text.',
  'offset-debit':
    'A warning: a debit that is the sum of the credits of its batch or company balances them. It is not carried out; the payouts are paid from the account of the mapping file.',
  'old-workbook':
    'Old workbooks (.xls) and password-protected ones cannot be read. Save the file without a password as .xlsx or CSV UTF-8.',
  'other-kind-of-file':
    'The file is not what its name or its use says, for example a PDF, an archive or a web page. Hand over the file of payouts itself.',
  'other-user': 'A warning: the bank has the beneficiary under another user than the row. Check `uid` and the id.',
  'outside-scope':
    'The account of the statement is outside your scope in the policy. Somebody whose scope has it can take the statement.',
  'payment-type-not-offered':
    'The bank does not offer this payment type for the currency and beneficiary type. Use one that the finding lists.',
  'phone-form': 'A warning: this is not a telephone number with its country code. Write it as +41791234567.',
  'postcode-form': 'A warning: this is not a postcode of the country in the address. Compare it with the invoice.',
  'prenote-entry': 'A prenote tests an account and moves no money; the bank cannot send it. Remove it.',
  'record-after-total': 'Records follow the totals at the end of the file. Delete them, or correct the totals.',
  'record-too-large': 'A record is larger than any payout can be. Check for a missing quote or line ending.',
  'reference-account':
    'A warning: the reference and the account do not go together. A QR reference needs a QR-IBAN, and a QR-IBAN takes no other reference. Copy both from the invoice.',
  'reference-check-digits':
    'A warning: the check digits of the payment reference (RF, QR reference, Belgian, Estonian, Finnish or Norwegian) are wrong. Copy it from the invoice again.',
  'reference-missing':
    'A warning: the account is a QR-IBAN, which is paid only with the QR reference of the invoice. Write its 27 digits as the note, without other text.',
  regex: "The value does not match the bank's pattern for this field. `payouts explain FIELD` shows the pattern.",
  required: 'A required value is missing. Fill it in.',
  'retry-exchanged':
    'Money was already exchanged for the earlier payout, and the exchange is not undone. Use the account in the payout currency as account_id.',
  'retry-not-proven':
    'The earlier payout was paid, or may still be. Wait until it ends, or resolve it with `payouts resolve`.',
  'retry-unknown':
    'No payout with this uid and id has the reference in retry_of. Copy it from the report, or delete it.',
  'return-entry': 'Returns and notifications of change come from a bank and are not payouts. Remove the entry.',
  'routing-check-digit':
    'A warning: the check digit of the routing number is wrong. Compare the number with the invoice.',
  'same-account': 'Both accounts of the transfer or exchange are the same. Name the receiving account.',
  'scientific-notation':
    'A warning: Excel has shortened the number (1.2E+15) and lost its last digits. Format the column as Text and type the number again.',
  'several-messages':
    'The envelope has more than one message. Write each message into a file of its own; nothing of this file was taken.',
  'several-sheets':
    'More than one visible sheet of the workbook contains values, so it is unclear which one to pay. Delete or hide the others.',
  'spreadsheet-text':
    'A warning: the value begins with = or an apostrophe, as a spreadsheet keeps zeros, so it is another id than the plain one. Export the plain value.',
  'statement-changed':
    'Another statement of the same account, number and days was taken before. Ask the bank which of the two is right.',
  'stray-quote':
    'A value contains a quote but does not begin with one. Put the value in quotes and double the quote: "".',
  'struck-through':
    'A warning: a value of the row is struck through in the sheet, but the row is paid like any other. Delete what is not to be paid, or remove the line.',
  'surrounding-blanks':
    'The value has spaces before or after it, which are easy to overlook. Delete them; in Excel, =TRIM(A2) does that.',
  'too-deep':
    'The elements of the file are nested more deeply than the standard allows. Export it again according to the standard.',
  'too-large': 'The amount has more than 18 digits before the point. Correct it.',
  'too-long': 'The value is too long. Shorten it.',
  'too-many-address-lines':
    'A hybrid address has town, country and at most two lines. Put street, number and post code into elements of their own.',
  'too-many-columns':
    'The file has more columns than any list of payouts. Check whether rows and columns were swapped.',
  'too-many-decimals':
    'The amount has more decimals than its currency allows (JPY none, EUR two, KWD three). Round it; amounts are never rounded for you.',
  'too-many-rows': 'The file has too many rows. Split it.',
  'truncated-file':
    'The file ends before its totals, or inside an amount. Use the complete file; nothing of this one was taken.',
  'unbalanced-debit':
    'The debit of the paying account does not equal the sum of the credits. The file may have been edited: export it again.',
  'unexpected-attribute': 'The standard does not allow this attribute on this element. Delete it.',
  'unexpected-element':
    'The standard does not allow this element here, or not again. Move or delete it; the order of elements matters.',
  'unexpected-key': 'The JSON object has a key other than "payouts". Delete it.',
  'unexpected-text': 'There is text between elements where the standard allows none. Delete it.',
  'unknown-addenda':
    'This type or number of addenda is not supported. Keep one record of type 05 with the remittance text.',
  'unknown-column':
    'The name is neither a column of this product nor a field that the bank asks for in this file. Rename or delete it; `payouts explain` lists the columns.',
  'unknown-currency': 'This is not an ISO 4217 currency code. Write three capital letters such as EUR.',
  'unknown-field': 'The bank does not use this field for the payment type of the row. Clear it.',
  'unknown-transaction-code': 'This is not a transaction code of a credit. Use one that the finding lists.',
  'unmapped-account': "The mapping file does not map the debtor's account to a bank account. Add it to accounts.",
  'unmapped-clearing-system':
    "The mapping file has no payment type and field for the clearing system of the payee's bank. Add it to clearingFields or paymentTypes.",
  'unsupported-entry-class':
    'Only NACHA entries of the classes PPD and CCD are paid. Export the payees as one of these, or send the batch to the bank another way; `--invalid skip` pays the other batches.',
  'unsupported-version': 'This message version is not supported. Use one that the finding lists.',
  'withholding-tax': 'The bank does not withhold tax with a payout. Write zeros, and report the tax another way.',
  'wrong-batch-count':
    'The stated number of batches does not match the file. It may have been edited: export it again.',
  'wrong-block-count': 'The stated number of blocks does not match the file. It may have been edited: export it again.',
  'wrong-control-sum':
    'The amounts do not add up to the stated total. The file may have been edited or truncated: export it again.',
  'wrong-entry-hash':
    'The routing numbers do not add up to the stated hash. The file may have been edited: export it again.',
  'wrong-field-count':
    'The line has more or fewer values than the header line. Put values that contain the delimiter in quotes.',
  'wrong-record-length':
    'A record is longer than the format requires, or lacks more than its final blanks. Export the file again.',
  'wrong-transaction-count':
    'The stated number of transactions does not match the file. It may have been edited or truncated: export it again.',
};
