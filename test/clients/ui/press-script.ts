/**
 * Runs in each page: lists, fills and presses its controls as `window.hand`. Requests that would change something are
 * kept instead of sent, and the `actions` of all that the page reads are collected.
 */
export const pressScript = `
  addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), true);
  const send = window.fetch;
  const sent = [];
  const actions = [];
  const collect = (value) => {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value) && Array.isArray(value.actions)) {
      const { kind, org, name, product, number, run } = value;
      for (const action of value.actions) actions.push({ ...action, of: { kind, org, name, product, number, run } });
    }
    for (const part of Object.values(value)) collect(part);
  };
  window.fetch = async (url, init) => {
    // The provider of the org does not exist, so that it would list no models.
    if (String(url).endsWith('/models')) return Response.json({ items: [{ model: 'small', isDefault: true }] });
    if ((init?.method ?? 'GET') === 'GET') {
      const response = await send(url, init);
      // The document of the API has examples of actions.
      const isView = !String(url).endsWith('/openapi.json') && response.headers.get('Content-Type')?.includes('json');
      if (response.ok && isView) collect(await response.clone().json());
      return response;
    }
    const body = typeof init.body === 'string' ? { body: init.body } : {};
    sent.push({ method: init.method, url: String(url), headers: init.headers ?? {}, ...body });
    throw new TypeError('Nothing is sent.');
  };
  const off = ':is(:disabled, [aria-disabled=true], [data-disabled])';
  const controls = ':is(button, [role=menuitem]:not(a), [role=switch], input[type=file])';
  const all = (root, selector) => [...root.querySelectorAll(selector)];
  const popup = () => all(document, ':is([role=dialog], [role=alertdialog], [role=menu]):not([data-closed])').at(-1);
  const root = () => popup() ?? document.querySelector('main') ?? document.body;
  const lines = (one) => one.innerText.trim().split('\\n');
  const name = (one) => one.ariaLabel ?? lines(one.labels?.[0] ?? one)[0];
  const toText = (ids) => (ids ?? '').split(' ').map((id) => document.getElementById(id)?.innerText ?? '').join(' ').trim();
  const toShown = (one) => (one.getAttribute('aria-describedby') ?? '').split(' ')
    .map((id) => document.getElementById(id)).filter((text) => text?.checkVisibility()).map((text) => text.innerText);
  /** Everything that says why a control cannot be used must be seen, if need be after a press. */
  const explain = (one) => {
    if (one.matches('button:enabled')) one.click();
    const described = [];
    for (let part = one; part; part = part.parentElement.closest('fieldset')) described.push(...toShown(part));
    document.querySelector(':popover-open')?.hidePopover();
    return [...described, ...(one.value ? [] : lines(one).slice(1))].join(' ').trim();
  };
  const toValue = (field) => {
    const confirmed = /^Type (\\S+) to confirm/.exec(field.labels?.[0]?.innerText ?? '')?.[1];
    const [day, time] = ['2030-01-01', '12:00'];
    const byType = {
      email: 'ada@example.com', url: 'https://example.com', date: day, 'datetime-local': day + 'T' + time,
    };
    return confirmed ?? byType[field.type] ?? '7';
  };
  const set = (field, value) => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, value);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const changed = new Set();
  const textFields = ':is(textarea, input:not([type=search], [type=file], [type=checkbox], [type=radio])):enabled';
  window.hand = {
    sent,
    actions,
    where: () => ({
      pathname: location.pathname,
      popup: popup() && (toText(popup().getAttribute('aria-labelledby')) || lines(popup())[0]),
    }),
    survey: () => ({
      heading: document.querySelector('h1')?.innerText ?? '',
      enabled: all(root(), controls + ':not(' + off + ')').map(name),
      disabled: all(root(), ':is(' + controls + ', input, select, textarea)' + off).map((one) => [name(one), explain(one)]),
      links: all(document, 'a[href^="/"]').map((link) => link.getAttribute('href')),
    }),
    /** Fills empty fields, and changes one of a form that has no empty one. Returns how many have changed. */
    fill: () => {
      for (const form of all(document, 'form')) form.noValidate = true;
      const fields = all(root(), textFields).filter((field) => !field.readOnly);
      const empty = fields.filter((field) => field.value === '');
      for (const field of empty) set(field, toValue(field));
      for (const field of empty) changed.add(field.form);
      const filled = fields.filter((field) => field.form && !changed.has(field.form) && /^text/.test(field.type));
      for (const field of filled) {
        if (changed.has(field.form)) continue;
        changed.add(field.form);
        set(field, field.value + '7');
      }
      return empty.length + filled.length;
    },
    press: (label) => {
      const one = all(root(), controls + ':not(' + off + ')').find((control) => name(control) === label);
      if (one?.type !== 'file') return one?.click();
      const files = new DataTransfer();
      files.items.add(new File(['<svg/>'], 'file.svg', { type: 'image/svg+xml' }));
      one.files = files.files;
      one.dispatchEvent(new Event('change', { bubbles: true }));
    },
    close: () =>
      (document.activeElement ?? document.body).dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Escape', code: 'Escape', bubbles: true }),
      ),
    /** Really sends requests, one after the other, and returns the status of each response. */
    send: async (requests) => {
      const statuses = [];
      for (const { url, ...init } of requests) statuses.push((await send(url, init)).status);
      return statuses;
    },
  };`;
