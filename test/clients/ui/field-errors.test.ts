import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { isExhaustive, sample, testSeed } from '../../support/sample.ts';
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
  startRestore: 'A typed word.',
  approveDeviceSignIn: 'A role.',
  receiveCodehostDelivery: 'Sent by the code host.',
  receiveAlerts: 'Sent by Alertmanager.',
  putInstallation: 'Its fields are those that checkInstallation has just accepted.',
  putCluster: 'Its fields are those of a new cluster.',
  resolveIncident: 'A text.',
  addIncidentNote: 'A text.',
};

/** Values that no form has a field for: the notice of the form tells what is wrong with them. */
const withoutField: Record<string, RegExp> = {
  putModelPrices: /^\/(prices|unset.*)$|currency$/,
  putAccessGroups: /^\/accessGroups$/,
  replaceProduct: /^\/spec\/(source\/|delivery\/zones(\/0\/(name|cluster))?$)/,
  createProduct: /^\/spec\/(delivery|slos|statusPage)/,
  addZone: /^\/(verify|replicas|cpu|memory|volumes|addresses)/,
  createDomain: /^\/shared$/,
  // Only the type "github" has it.
  createIdentityProvider: /^\/spec\/organizations/,
  replaceIdentityProvider: /^\/spec\/(organizations|type$|issuer$)/,
  startRelease: /^\/product$/,
};

type Pointers = ReadonlyMap<string, string[]>;

const readPointers = async (request: (path: string) => Promise<Response>): Promise<Pointers> =>
  listPointers((await (await request('/openapi.json')).json()) as OpenApi);

/** Answers what the page writes with errors at places of its body, once they are named. */
async function rejectWrites(page: Page): Promise<(pointers: string[]) => void> {
  let rejected: string[] | undefined;
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (rejected === undefined || !['PUT', 'POST'].includes(request.method())) return void request.continue();
    const errors = rejected.map((pointer) => ({ pointer, detail: toDetail(pointer) }));
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
  return (pointers) => void (rejected = pointers);
}

const toDetail = (pointer: string): string => `Wrong at ${pointer}.`;

/** The texts that describe a control or the group that it belongs to, and those of them that describe the focus. */
const findDescribed = (texts: string[]): string => `(() => {
  const says = (one, text) => (one?.getAttribute('aria-describedby') ?? '').split(' ')
    .some((id) => document.getElementById(id)?.textContent.includes(text));
  const controls = [...document.querySelectorAll('[aria-describedby]')];
  const focused = [document.activeElement, document.activeElement?.closest('fieldset')];
  const find = (places) => ${JSON.stringify(texts)}.filter((text) => places.some((one) => says(one, text)));
  return { all: find(controls), focused: find(focused) };
})()`;
const areListed = (texts: string[]): string => `(() => {
  const items = [...document.querySelectorAll('[role=alert] li')].map((one) => one.innerText);
  return ${JSON.stringify(texts)}.every((text) => items.some((item) => item.endsWith(text)));
})()`;

/**
 * Rejects the values that a form sends, and returns those whose error is at a field. A field tells one error of its parts
 * at a time: what should be at a field, but is not when all values are rejected at once, is rejected alone.
 */
async function findFields(
  page: Page,
  { name, operation, edit, send, toPointer = (one) => one }: SettingsForm,
  pointers: string[],
): Promise<string[]> {
  await edit(operate(page), page);
  const enabled = `${send}:not([aria-disabled])`;
  await page.waitForSelector(enabled);
  const reject = await rejectWrites(page);
  const findRejected = async (rejected: string[]): Promise<string[]> => {
    const details = rejected.map((pointer) => toDetail(toPointer(pointer)));
    reject(rejected.map(toPointer));
    await page.waitForSelector(enabled);
    await page.$eval(enabled, (button) => (button as unknown as { click: () => void }).click());
    await page.waitForFunction(areListed(details), { timeout: 60_000 }).catch((error: unknown) => {
      throw new Error(`${name} does not tell the errors at ${rejected.join(', ')}.`, { cause: error });
    });
    const { all, focused } = (await page.evaluate(findDescribed(details))) as Record<'all' | 'focused', string[]>;
    if (all.length > 0 && focused.length === 0) throw new Error(`${name} does not focus any error of ${all.join(' ')}`);
    return rejected.filter((pointer) => all.includes(toDetail(toPointer(pointer))));
  };
  const found = isExhaustive || pointers.length === 0 ? [] : await findRejected(pointers);
  for (const pointer of pointers)
    if (isExhaustive || (!found.includes(pointer) && !withoutField[operation]?.test(pointer)))
      found.push(...(await findRejected([pointer])));
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
    const examined = new Set(sample(forms, 8));
    for (const form of forms) {
      const page = await openForm(form.path);
      const known = found.get(form.operation);
      const untold = (pointers.get(form.operation) ?? []).filter(
        (pointer) => !known || !withoutField[form.operation]?.test(pointer),
      );
      const fields = await findFields(page, form, untold).catch((error: unknown) => {
        throw new Error(`The form "${form.name}" cannot be filled in.`, { cause: error });
      });
      if (examined.has(form)) for (const barrier of await findBarriers(page)) barriers.push([form.name, barrier]);
      found.set(form.operation, new Set([...(known ?? []), ...fields]));
      await page.close();
    }
    const wrong = [...found].flatMap(([operation, fields]) =>
      (pointers.get(operation) ?? [])
        .filter((pointer) => fields.has(pointer) === (withoutField[operation]?.test(pointer) ?? false))
        .map((pointer) => `${operation} ${pointer}`),
    );
    expect(wrong).toEqual([]);
    expect(barriers, `TEST_SEED=${testSeed}`).toEqual([]);
  });
});
