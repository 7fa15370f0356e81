// The script of the checkout page (checkout-page.ts). The client secret is kept only for this tab, since the page is left for the
// challenge and loaded again.
(() => {
  const POLL_MS = 1000;
  const ENDS = ['succeeded', 'failed', 'cancelled'];
  const SAYS = {
    received: 'The payment is being prepared.',
    'awaiting-card': 'Please enter a card.',
    'setting-up': 'The card is being checked.',
    'awaiting-fingerprint': 'The card is being checked.',
    submitting: 'The payment is being made.',
    resolving: 'The outcome is being looked up. Please do not pay again.',
    'awaiting-cardholder': 'Your bank asks you to confirm the payment.',
    resuming: 'Your confirmation is being passed on.',
    processing: 'The payment is being processed.',
    'needs-operator': 'The payment is being checked. Please do not pay again.',
    succeeded: 'Paid. Thank you.',
    failed: 'The payment failed. Nothing was taken.',
    cancelled: 'The payment was cancelled. Nothing was taken.',
  };
  /** Why a card is needed again, or why there was no payment. */
  const BECAUSE = {
    'card-lost': 'Please enter the card again: it was not kept.',
    'card-declined': 'Your card was declined. Nothing was taken.',
    'refused-by-acquirer': 'Your card could not be used. Nothing was taken.',
    'card-not-given': 'No card was entered in time. Nothing was taken.',
    'challenge-abandoned': 'The payment was not confirmed in time. Nothing was taken.',
  };

  /** Counts cards given or refused: answers to earlier requests are outdated. */
  let given = 0;
  /** Why the last card was refused. */
  let refusal;

  const element = (id) => document.getElementById(id);
  const form = element('card');

  const payment = opened();
  if (payment === undefined) {
    show('unavailable', 'This address does not name a payment.');
    return;
  }
  const api = `${payment.gateway}/v1/card-payments/${encodeURIComponent(payment.id)}`;

  /** This tab's payment: from the URL, or stored when the page was first opened. */
  function opened() {
    const fragment = new URLSearchParams(location.hash.slice(1));
    const id = fragment.get('id') ?? new URLSearchParams(location.search).get('card_payment');
    if (!id) return undefined;
    if (fragment.has('secret')) {
      const given = {
        id,
        gateway: (fragment.get('gateway') ?? '').replace(/\/+$/, ''),
        secret: fragment.get('secret'),
      };
      const known = stored(id);
      const same = known?.secret === given.secret && known?.gateway === given.gateway;
      keep({ ...(same ? known : {}), ...given });
    }
    // Removes the secret from address bar and history; a reload still finds the payment.
    history.replaceState(null, '', `${location.pathname}?${new URLSearchParams({ card_payment: id })}`);
    return stored(id);
  }

  function stored(id) {
    const text = sessionStorage.getItem(`card-payment/${id}`);
    return text === null ? undefined : JSON.parse(text);
  }

  function keep(changed) {
    sessionStorage.setItem(`card-payment/${changed.id}`, JSON.stringify(changed));
  }

  function note(change) {
    Object.assign(payment, change);
    keep(payment);
  }

  function show(state, text, reason = '') {
    const status = element('status');
    status.dataset.state = state;
    status.dataset.reason = reason;
    if (status.textContent !== text) status.textContent = text;
  }

  async function call(method, path, body) {
    const response = await fetch(api + path, {
      method,
      headers: {
        authorization: `Bearer ${payment.secret}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const document = await response.json().catch(() => ({}));
    return { ok: response.ok, status: response.status, document };
  }

  async function poll() {
    try {
      const before = given;
      const { ok, status, document } = await call('GET', '');
      if ([401, 403, 404].includes(status)) {
        show('unavailable', 'The shop does not know this payment.');
        return;
      }
      if (!ok) show('waiting', 'The shop answers with an error. Trying again.');
      else if (before === given) {
        await follow(document.card_payment);
        if (ENDS.includes(document.card_payment.state)) return;
      }
    } catch {
      show('waiting', 'The shop cannot be reached. Trying again.');
    }
    setTimeout(poll, POLL_MS);
  }

  /** What the page does in each state. */
  async function follow(it) {
    element('amount').textContent = `${it.amount} ${it.currency}`;
    const asksForCard = it.state === 'awaiting-card';
    show(it.state, (asksForCard && refusal) || saysOf(it), it.reason?.code);
    showForm(asksForCard);
    element('again').hidden = !it.can_pay_again;
    element('action').hidden = true;
    if (it.data_collection_info?.url) collectFingerprint(it.data_collection_info.url);
    if (it.next_action?.verify_url) await challenge(it.next_action.verify_url);
  }

  function saysOf({ state, reason }) {
    const hasReason = state === 'awaiting-card' || state === 'failed';
    return (hasReason && BECAUSE[reason?.code]) || SAYS[state] || 'The payment is being processed.';
  }

  function showForm(isShown) {
    if (form.hidden !== isShown) return;
    form.hidden = !isShown;
    element('test-cards').hidden = !isShown;
    if (isShown) form.elements.namedItem('number').focus();
  }

  function collectFingerprint(url) {
    if (payment.fingerprint === url) return;
    note({ fingerprint: url });
    const frame = document.createElement('iframe');
    frame.title = 'Device check';
    frame.tabIndex = -1;
    // Collected or not, the payment continues after a while.
    frame.addEventListener('load', () => void call('POST', '/fingerprint').catch(() => {}));
    frame.src = url;
    document.body.append(frame);
  }

  /** Goes to the bank once; after the return, reports it once, and offers the link again. */
  async function challenge(url) {
    if (!/^https?:$/.test(new URL(url).protocol)) return;
    if (payment.challenge !== url) {
      note({ challenge: url, returned: false });
      location.assign(url);
      return;
    }
    element('continue').href = url;
    element('action').hidden = false;
    if (payment.returned) return;
    const { ok } = await call('POST', '/returned');
    if (ok) note({ returned: true });
  }

  async function pay(event) {
    event.preventDefault();
    const field = (name) => form.elements.namedItem(name).value.trim();
    const [month, year] = field('expiry').split('/');
    const body = {
      card: present({
        number: field('number').replaceAll(' ', ''),
        expiry_month: month,
        expiry_year: `20${year}`,
        cvv: field('cvv'),
        holder_name: field('name'),
      }),
      billing: present({
        email: field('email'),
        postcode: field('postcode'),
        country: field('country').toUpperCase(),
      }),
      device_info: {
        language: navigator.language,
        screen_width: screen.width,
        screen_height: screen.height,
        user_agent: navigator.userAgent,
      },
      return_url: `${location.origin}${location.pathname}?${new URLSearchParams({ card_payment: payment.id })}`,
    };
    // Not even this page keeps the card.
    form.reset();
    element('pay').disabled = true;
    given += 1;
    refusal = undefined;
    try {
      const { ok, document } = await call('POST', '/card', body);
      given += 1;
      if (ok) {
        show('submitting', SAYS['setting-up']);
        showForm(false);
      } else {
        const why = (document.findings ?? []).map(({ message }) => message);
        refusal = ['The card was not accepted.', ...(why.length > 0 ? why : [document.error?.message])].join(' ');
        show('awaiting-card', refusal);
      }
    } catch {
      show('waiting', 'The shop cannot be reached. Please enter the card again.');
    } finally {
      element('pay').disabled = false;
    }
  }

  /** A payment that took nothing has ended: another card is another payment, which this tab's secret opens too. */
  async function payAgain() {
    element('pay-again').disabled = true;
    try {
      const { ok, document } = await call('POST', '/again');
      if (!ok) {
        element('again').hidden = true;
        show('failed', document.error?.message ?? 'The shop answers with an error.');
        return;
      }
      const id = document.card_payment.merchant_request_id;
      keep({ id, gateway: payment.gateway, secret: payment.secret });
      location.assign(`${location.pathname}?${new URLSearchParams({ card_payment: id })}`);
    } catch {
      show('waiting', 'The shop cannot be reached. Please try again.');
    } finally {
      element('pay-again').disabled = false;
    }
  }

  const present = (members) => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''));

  form.addEventListener('submit', (event) => void pay(event));
  element('pay-again').addEventListener('click', () => void payAgain());
  element('test-cards').addEventListener('click', ({ target }) => {
    const number = target.dataset?.number;
    if (number === undefined) return;
    const year = String((new Date().getFullYear() + 3) % 100).padStart(2, '0');
    const values = { number, expiry: `12/${year}`, cvv: '123', name: 'Sample Shopper', email: 'shopper@example.com' };
    for (const [name, value] of Object.entries({ ...values, postcode: '1000', country: 'DE' })) {
      form.elements.namedItem(name).value = value;
    }
    element('pay').focus();
  });
  void poll();
})();
