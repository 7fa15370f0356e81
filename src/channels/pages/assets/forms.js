// Forms are sent once. Those signed with a passkey get what to sign from their own URL, and are sent with the signature.
/* global SimpleWebAuthnBrowser */

async function asked(form, submitter) {
  const body = new URLSearchParams(new FormData(form, submitter));
  // Not `form.action`, which is the field of that name if the form has one.
  const answer = await fetch(form.getAttribute('action'), {
    method: 'POST',
    body,
    headers: { accept: 'application/json' },
  }).catch(() => undefined);
  const document = await answer?.json().catch(() => undefined);
  if (answer?.ok && document) return document;
  const { message = 'The gateway did not answer.', hint = 'Nothing was decided; you can try again.' } =
    document?.error ?? {};
  throw new Error(`${message} ${hint}`);
}

async function sign(form, submitter) {
  const { options, statement } = await asked(form, submitter);
  const { startAuthentication, startRegistration } = SimpleWebAuthnBrowser;
  const start = form.dataset.passkey === 'create' ? startRegistration : startAuthentication;
  const answer = await start({ optionsJSON: options });
  form.elements.signed.value = JSON.stringify(statement === undefined ? answer : { statement, assertion: answer });
  sent.delete(form);
  form.requestSubmit(submitter);
}

function showError(form, error) {
  sent.delete(form);
  const place = form.querySelector('[data-problem]');
  place.textContent =
    error.name === 'NotAllowedError'
      ? 'The passkey was not used. Nothing was decided; you can try again.'
      : error.message;
  place.hidden = false;
}

// The buttons of a form with ticks say how many rows they decide, and what these amount to.

const grouped = (digits) => digits.replace(/\B(?=(?:\d{3})+$)/g, ',');

/** Exact: amounts are texts of decimals, in units of their last place. */
function added(sums, money, sign) {
  const [amount, currency] = money.split(' ');
  const [whole, fraction = ''] = amount.split('.');
  const { units, places } = sums.get(currency) ?? { units: 0n, places: 0 };
  const most = Math.max(places, fraction.length);
  const given = BigInt(whole + fraction.padEnd(most, '0'));
  sums.set(currency, { units: units * 10n ** BigInt(most - places) + sign * given, places: most });
}

function shown([currency, { units, places }]) {
  const digits = String(units).padStart(places + 1, '0');
  const whole = grouped(digits.slice(0, digits.length - places));
  return `${places === 0 ? whole : `${whole}.${digits.slice(-places)}`} ${currency}`;
}

function count(form) {
  for (const button of form.querySelectorAll('button[data-of]')) {
    const sums = new Map();
    for (const money of button.dataset.totals.match(/\S+ \S+/g) ?? []) added(sums, money, 1n);
    let rows = Number(button.dataset.of);
    for (const { checked, dataset } of form.querySelectorAll('[data-tick]')) {
      if (checked || (button.value === 'approve' && dataset.alone !== undefined)) continue;
      rows -= 1;
      added(sums, dataset.tick, -1n);
    }
    const verb = button.value === 'approve' ? 'Approve' : 'Reject';
    const total = [...sums].filter(([, { units }]) => units > 0n).map(shown);
    button.textContent = `${verb} ${grouped(String(rows))} ${rows === 1 ? 'payout' : 'payouts'}${rows === 0 ? '' : `: ${total.join(', ')}`}`;
    button.disabled = rows === 0;
  }
}

document.addEventListener('change', ({ target }) => target.dataset.tick && count(target.form));
for (const form of document.querySelectorAll('form:has([data-tick])')) count(form);

const sent = new Set();

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.method !== 'post') return;
  const question = event.submitter?.dataset.confirm;
  if (question && !confirm(question)) return event.preventDefault();
  // The answer to a second click would be shown in place of the first: that it is done already.
  if (sent.has(form)) return event.preventDefault();
  sent.add(form);
  if (form.dataset.passkey === undefined || form.elements.signed.value !== '') return;
  event.preventDefault();
  sign(form, event.submitter).catch((error) => showError(form, error));
});

// For a page restored from the browser's cache: its signature was already sent.
addEventListener('pageshow', () => {
  sent.clear();
  for (const form of document.querySelectorAll('form[data-passkey]')) form.elements.signed.value = '';
});

// Suggests the zone of the browser to somebody who has not chosen one.
const zones = document.querySelector('select[data-own-zone="yes"]');
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zones && [...zones.options].some(({ value }) => value === own)) zones.value = own;
