import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { startApi } from '../../support/start-api.ts';
import { creationForms } from './creation-forms.ts';
import { listPointers, type OpenApi } from './list-pointers.ts';
import { findBarriers } from './find-barriers.ts';
import { openForms } from './open-forms.ts';
import { operate } from './settings-fixture.ts';
import { settingsForms, type SettingsForm } from './settings-forms.ts';

const forms = [...settingsForms, ...creationForms];

/** Operations whose body comes from no form of settings: a decision with a note, a single value, or another client. */
const otherOperations: Record<string, string> = {
  signIn: 'The credentials are judged together.',
  createRootUser: 'The setup of an installation, which a test of its own walks.',
  putTeams: 'The former name of putAccessGroups.',
  approveStep: 'A note.',
  rejectStep: 'A note.',
  guideStep: 'An answer.',
  retryStep: 'An answer.',
  approvePromotion: 'A note.',
  rejectPromotion: 'A note.',
  promoteToZone: 'A choice and a note.',
  labelIssue: 'A label.',
  approveDeviceSignIn: 'A role.',
  receiveCodehostDelivery: 'Sent by the code host.',
};

/** Values that no form has a field for: the notice of the form tells what is wrong with them. */
const withoutField: Record<string, RegExp> = {
  putModelPrices: /^\/(prices|unset.*)$|currency$/,
  putAccessGroups: /^\/accessGroups$/,
  replaceProduct: /^\/spec\/(source\/|delivery\/zones(\/0\/(name|cluster))?$)/,
  createProduct: /^\/spec\/delivery/,
  addZone: /^\/(cluster|verify|replicas|cpu|memory|volumes|addresses)/,
  createDomain: /^\/shared$/,
  startRelease: /^\/product$/,
};

type Pointers = ReadonlyMap<string, string[]>;

const readPointers = async (request: (path: string) => Promise<Response>): Promise<Pointers> =>
  listPointers((await (await request('/openapi.json')).json()) as OpenApi);

/** Answers what the page writes with an error at a place of its body, once it is named. */
async function rejectWrites(page: Page): Promise<(pointer: string) => void> {
  let rejected: string | undefined;
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (rejected === undefined || !['PUT', 'POST'].includes(request.method())) return void request.continue();
    const errors = [{ pointer: rejected, detail: toDetail(rejected) }];
    const problem = {
      title: 'Validation failed',
      status: 422,
      reason: 'invalid',
      detail: 'No.',
      instance: 'r',
      errors,
    };
    void request.respond({ status: 422, contentType: 'application/problem+json', body: JSON.stringify(problem) });
  });
  return (pointer) => void (rejected = pointer);
}

const toDetail = (pointer: string): string => `Wrong at ${pointer}.`;

/** Whether the control that has the focus, or the group that it belongs to, is described by a text. */
const isAtFocus = (text: string): string => `(() => {
  const says = (one) => (one?.getAttribute('aria-describedby') ?? '').split(' ')
    .some((id) => document.getElementById(id)?.innerText.includes(${JSON.stringify(text)}));
  return [document.activeElement, document.activeElement?.closest('fieldset')].some(says);
})()`;
const isListed = (text: string): string =>
  `[...document.querySelectorAll('[role=alert] li')].some((one) => one.innerText.endsWith(${JSON.stringify(text)}))`;

/** Rejects each value that a form sends, and returns those whose error is at a field that has the focus. */
async function findFields(
  page: Page,
  { name, edit, send, toPointer = (one) => one }: SettingsForm,
  pointers: string[],
): Promise<string[]> {
  await edit(operate(page), page);
  const enabled = `${send}:not([aria-disabled])`;
  await page.waitForSelector(enabled);
  const reject = await rejectWrites(page);
  const found: string[] = [];
  for (const pointer of pointers) {
    const detail = toDetail(toPointer(pointer));
    reject(toPointer(pointer));
    await page.waitForSelector(enabled);
    await page.$eval(enabled, (button) => (button as unknown as { click: () => void }).click());
    await page.waitForFunction(isListed(detail), { timeout: 60_000 }).catch((error: unknown) => {
      throw new Error(`${name} does not tell the error at ${pointer}.`, { cause: error });
    });
    if (await page.evaluate(isAtFocus(detail))) found.push(pointer);
  }
  return found;
}

describeWithChromium('a rejected form', () => {
  it('is known for each operation with a body', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const known = [...forms.map(({ operation }) => operation), ...Object.keys(otherOperations)];
    expect([...new Set(known)].toSorted()).toEqual([...(await readPointers(request)).keys()].toSorted());
  });

  it('leads to the field of each error, which everybody can perceive', async () => {
    const { request, openForm } = await openForms();
    const pointers = await readPointers(request);
    const found = new Map<string, Set<string>>();
    const barriers: unknown[] = [];
    for (const form of forms) {
      const page = await openForm(form.path);
      const known = found.get(form.operation);
      const untold = (pointers.get(form.operation) ?? []).filter(
        (pointer) => !known || !withoutField[form.operation]?.test(pointer),
      );
      const fields = await findFields(page, form, untold).catch((error: unknown) => {
        throw new Error(`The form "${form.name}" cannot be filled in.`, { cause: error });
      });
      for (const barrier of await findBarriers(page)) barriers.push([form.name, barrier]);
      found.set(form.operation, new Set([...(known ?? []), ...fields]));
      await page.close();
    }
    const wrong = [...found].flatMap(([operation, fields]) =>
      (pointers.get(operation) ?? [])
        .filter((pointer) => fields.has(pointer) === (withoutField[operation]?.test(pointer) ?? false))
        .map((pointer) => `${operation} ${pointer}`),
    );
    expect(wrong).toEqual([]);
    expect(barriers).toEqual([]);
  });
});
