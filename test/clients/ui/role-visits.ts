import type { Page } from 'puppeteer-core';
import { orgRoles, type OrgRole } from '../../../src/rules/access/roles.ts';
import type { Sent, Visit } from './press-controls.ts';
import { toRequest, type UiOperation } from './ui-operations.ts';

export type Person = OrgRole | 'platform-admin';
/** The people who use the pages, in ascending order. */
export const people: Person[] = [...orgRoles, 'platform-admin'];
export type RoleVisit = Visit & { person: Person };

export const toPathname = (path: string): string => path.replace(/[?#].*/, '');
/** These take the role from the person, so they are sent last. */
const endsAccess = ({ url }: Sent): boolean => /\/(access-groups|acme\?confirm=.*)$/.test(url);
const unique = <T>(items: T[]): T[] => [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];

/** Views of a page are told apart by the names of their search parameters: another value shows the same controls. */
const toView = (path: string): string =>
  [toPathname(path), ...[...new URL(path, 'http://ui').searchParams.keys()].toSorted()].join(' ');

/** Visits each page, and each view of it that one of its links opens. */
export async function visitAll(visit: (path: string) => Promise<Visit>, paths: string[]): Promise<Visit[]> {
  const visits: Visit[] = [];
  const seen = new Set(paths.map(toView));
  const open = [...paths];
  for (const path of open) {
    const made = await visit(path);
    visits.push(made);
    const views = made.links.filter((link) => link.startsWith(`${toPathname(path)}?`));
    for (const view of views) {
      if (seen.has(toView(view))) continue;
      seen.add(toView(view));
      open.push(view);
    }
  }
  return visits;
}

/** The reason of a control that no person may use before the form has been changed. */
const unchanged = 'Nothing differs from what is saved.';

/** The words by which a reason names the people who may use a control. */
const naming: Record<Person, RegExp> = {
  viewer: /role "viewer"/,
  member: /role "member"/,
  'org-admin': /role "org-admin"|org admin/,
  'platform-admin': /platform admin/,
};

/** Lists controls that cannot be used and do not say why, or do not name the lowest of the people above who may use them. */
export const listUnexplained = (visits: RoleVisit[]): string[] =>
  visits.flatMap(({ person, path, disabled, enabled }) => {
    const above = people.slice(people.indexOf(person) + 1);
    const findUser = (control: string): Person | undefined =>
      above.find((one) =>
        visits.some((other) => other.person === one && other.path === path && other.enabled.includes(control)),
      );
    return disabled
      .filter(([control, why]) => {
        const user = enabled.includes(control) || why === unchanged ? undefined : findUser(control);
        return why === '' || (user && !naming[user].test(why));
      })
      .map(([control, why]) => `${person} ${path}: "${control}" says "${why}"`);
  });

/** Sends what the pages of a person wanted to send, and each action of what they read; lists what is not as it was said. */
export async function listWrong(page: Page, visits: RoleVisit[], operations: UiOperation[]): Promise<string[]> {
  const requests = visits
    .flatMap(({ path, sent, actions }) => [
      ...unique(actions)
        .filter(({ allowed, reason }) => allowed || reason === 'role-insufficient')
        .map((action) => ({ path, sent: toRequest(operations, action), isRefused: !action.allowed })),
      ...sent.map((one) => ({ path, sent: one, isRefused: false })),
    ])
    .toSorted((one, other) => Number(endsAccess(one.sent)) - Number(endsAccess(other.sent)));
  const expected = [...new Map(requests.map((one) => [JSON.stringify({ ...one, path: '' }), one])).values()];
  const statuses = (await page.evaluate(`hand.send(${JSON.stringify(expected.map(({ sent }) => sent))})`)) as number[];
  return expected.flatMap(({ path, sent: { method, url }, isRefused }, index) =>
    (statuses[index] === 403) === isRefused
      ? []
      : [
          `${visits[0]?.person} ${path}: ${method} ${url} is ${isRefused ? 'said to be refused' : 'offered'}: ${statuses[index]}`,
        ],
  );
}
