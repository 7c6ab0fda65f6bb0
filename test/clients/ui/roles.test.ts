import { expect, it } from 'vitest';
import { AccessGroupKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { userName } from '../../../src/rules/access/user-name.ts';
import type { Store } from '../../../src/store/store.ts';
import { isExhaustive, sample, testSeed } from '../../support/sample.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { createOrg } from '../../support/start-api.ts';
import { read, signIn } from './open-ui.ts';
import { openPages } from './open-pages.ts';
import { pages } from './pages.ts';
import { createPresser } from './press-controls.ts';
import {
  listUnexplained,
  listWrong,
  people,
  toPathname,
  visitAll,
  type Person,
  type RoleVisit,
} from './role-visits.ts';
import { seedActions } from './seed-actions.ts';
import { credentials } from './ui-fixture.ts';
import { findOperation, listUiOperations, readOperations } from './ui-operations.ts';

/** Pages that a person may not see; no other page links to them. */
const forbidden: Record<Person, string[]> = {
  viewer: [
    '/acme/settings/registries',
    '/acme/settings/cloud-accounts',
    '/acme/settings/audit',
    '/settings/audit',
    '/settings/users',
    '/settings/backups',
    '/settings/clusters',
  ],
  member: [
    '/acme/settings/registries',
    '/acme/settings/cloud-accounts',
    '/acme/settings/audit',
    '/settings/audit',
    '/settings/users',
    '/settings/backups',
    '/settings/clusters',
  ],
  'org-admin': ['/settings/audit', '/settings/users', '/settings/backups', '/settings/clusters'],
  'platform-admin': [],
};

/**
 * Operations whose button needs more than a press, such as a typed name, a chosen Release, a file, a check or an edit.
 * What the views say of them in `actions` is sent all the same.
 */
const unreached = new Set([
  'createCloudAccount',
  'createRootUser',
  'createRestore',
  'putBackupSettings',
  'putImageRegistry',
  'putInstallation',
  'startRestore',
  'signIn',
  'signOut',
  'deleteProduct',
  'promoteToZone',
  'putModelPrices',
  'replaceAgentRole',
  'replaceAgentWorkflow',
  'startRelease',
  'uploadArchive',
]);

const visitMsMax = isExhaustive ? 3_600_000 : 600_000;

/** A platform admin is an org-admin everywhere: in a sample, these pages are enough, because they are different. */
const isOfInstallation = (path: string): boolean => /^\/(settings|setup|api\/docs#)/.test(path);

async function setRole(store: Store, person: Person): Promise<void> {
  const isPlatformAdmin = person === 'platform-admin';
  const user = await store.get(UserKind, { namespace: 'service-system', name: userName(credentials.email) });
  await store.replace(UserKind, { ...user, spec: { ...user.spec, platformAdmin: isPlatformAdmin } });
  const group = await store.get(AccessGroupKind, { namespace: 'org-acme', name: 'team' });
  const role = isPlatformAdmin ? 'viewer' : person;
  await store.replace(AccessGroupKind, { ...group, spec: { ...group.spec, role } });
}

describeWithChromium('the pages as viewer, member, org-admin and platform admin', () => {
  it(
    'enable nothing that the API refuses, and say who may use what is disabled',
    async () => {
      const { url, page, open, store, request, codehost, faults } = await openPages({ platformAdmin: false });
      const all = [...pages.map(([path]) => path), ...(await seedActions({ store, url, codehost }))];
      const paths = sample(all, 6);
      await open('/signin');
      await signIn(page);
      const minted = `fetch('/api/v1/me/tokens', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"label":"script"}',
    }).then(({ status }) => status)`;
      expect(await read(page, minted)).toBe(201);
      // A session elsewhere, which can be ended.
      const headers = { 'Content-Type': 'application/json' };
      await fetch(`${url}/api/v1/auth/sign-in`, { method: 'POST', headers, body: JSON.stringify(credentials) });
      let current = '';
      const refusedReads = new Set<string>();
      page.on('response', (response) => {
        if (response.status() === 403) refusedReads.add(current);
      });
      const visitPage = await createPresser(page, open);
      const visits: RoleVisit[] = [];
      const found: string[] = [];
      for (const person of people) {
        await setRole(store, person);
        refusedReads.clear();
        const made = await visitAll(
          async (path) => await visitPage((current = path)),
          person === 'platform-admin' && !isExhaustive ? paths.filter(isOfInstallation) : paths,
        );
        const closed = made
          .filter(({ heading }) => heading === 'You do not have access to this page')
          .map(({ path }) => path);
        const shown = new Set(made.map(({ path }) => toPathname(path)));
        expect(closed.map(toPathname), person).toEqual(forbidden[person].filter((path) => shown.has(path)));
        for (const path of refusedReads)
          if (!closed.includes(path)) found.push(`${person} ${path} reads what is refused`);
        for (const { path, links } of made)
          for (const link of links)
            if (forbidden[person].includes(toPathname(link)) && !closed.includes(path))
              found.push(`${person} ${path} links to ${link}`);
        visits.push(...made.map((visit) => ({ ...visit, person })));
      }
      expect([...found, ...listUnexplained(visits)], `TEST_SEED=${testSeed}`).toEqual([]);
      // Drafts that the test types are refused, and one of the pages does not exist.
      expect(faults.filter((fault) => !/ (403|404|422) \(/.test(fault))).toEqual([]);

      const operations = await readOperations(request);
      const called = new Set(visits.flatMap(({ sent }) => sent.map((one) => findOperation(operations, one))));
      const uncalled = (await listUiOperations(operations)).filter((id) => !called.has(id) && !unreached.has(id));
      // A sample of the pages calls a part of the operations.
      expect(isExhaustive ? uncalled : []).toEqual([]);

      // The requests of the pages are sent after all visits, because they change what pages show.
      for (const person of people) {
        await setRole(store, person);
        const own = visits.filter((visit) => visit.person === person);
        found.push(...(await listWrong(page, own, operations)));
      }
      expect(found, `TEST_SEED=${testSeed}`).toEqual([]);
    },
    visitMsMax,
  );

  it('are closed to people who are not signed in, and to the admin of another org', async () => {
    const { page, open, follow, store, faults } = await openPages({ platformAdmin: false });
    await open('/signin');
    for (const [path] of pages) {
      if (path.startsWith('/api/docs')) continue;
      await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`);
      const to = "new URL(new URLSearchParams(location.search).get('to') ?? '/', origin).pathname";
      await page.waitForFunction(`location.pathname === '/signin' && ${to} === ${JSON.stringify(toPathname(path))}`);
    }
    const group = await store.get(AccessGroupKind, { namespace: 'org-acme', name: 'team' });
    await store.replace(AccessGroupKind, { ...group, spec: { ...group.spec, members: ['hanne@example.com'] } });
    await createOrg(store, 'other');
    await store.create(AccessGroupKind, {
      metadata: { namespace: 'org-other', name: 'admins' },
      spec: { name: 'admins', role: 'org-admin', members: [credentials.email] },
    });
    await open('/signin');
    await signIn(page);
    for (const [path] of pages) {
      if (!path.startsWith('/acme')) continue;
      await follow(path);
      const main = String(await read(page, "document.querySelector('main').innerText"));
      expect(main, path).toContain('You do not have access to this page');
      expect(main, path).toContain('org-admin of other');
      const buttons =
        "[...document.querySelectorAll('main :is(button, input)')].map((one) => one.ariaLabel ?? one.innerText)";
      expect(await read(page, buttons), path).toEqual(['Sign in as another person', 'Copy the request id']);
    }
    expect(faults.filter((fault) => !fault.includes('403 (Forbidden)'))).toEqual([]);
  });
});
