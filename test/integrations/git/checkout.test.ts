import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCheckout, type Checkout } from '../../../src/integrations/git/checkout.ts';
import { startCodehost, type Codehost } from '../../../src/emulators/codehost/start-codehost.ts';
import { runGit } from '../../support/run-git.ts';

const main = 'refs/heads/main';
const at = '2026-01-02T03:04:05Z';
let folder: string;
let host: Codehost;
let authorization: string;
let repos = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'checkout-'));
  host = await startCodehost({ dataDir: join(folder, 'codehost'), port: 0 });
  authorization = `Basic ${Buffer.from(`owner:${host.userToken}`).toString('base64')}`;
});
afterAll(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

/** Creates a repo on a code host that requires the authorization, and a checkout of its main branch. */
async function cloned(
  credentials = authorization,
): Promise<{ checkout: Checkout; tip: string; name: string; work: string }> {
  repos += 1;
  const name = `acme/repo-${repos}`;
  const source = await mkdtemp(join(folder, 'source-'));
  await writeFile(join(source, 'a.txt'), 'one\ntwo\nthree\n');
  await host.seedRepository(name, source);
  const work = await mkdtemp(join(folder, 'work-'));
  const checkout = await openCheckout({ folder: work, getRemote: async () => remote(name, credentials) });
  const tip = (await checkout.resolveRemoteRefs([main]))[main] ?? '';
  await checkout.fetch([tip]);
  await checkout.reset(tip);
  return { checkout, tip, name, work };
}

const remote = (name: string, credentials = authorization) => ({
  url: `${host.url}/${name}.git`,
  authorization: credentials,
});

async function commitFile({ workingTree, ...checkout }: Checkout, parent: string, text: string): Promise<string> {
  await writeFile(join(workingTree, 'a.txt'), text);
  await checkout.stage();
  return await checkout.commit({
    message: 'Change a\n\nService-Turn: implement/1\n',
    parents: [parent],
    commitDate: at,
  });
}

it('clones, commits and pushes over HTTP without writing the authorization to disk', async () => {
  const { checkout, tip, work, name } = await cloned();
  const commit = await commitFile(checkout, tip, 'one\n');
  // The same turn makes the same commit when it is repeated, so the date is not the time of the commit.
  const dates = await runGit(join(work, 'git'), 'show', '--no-patch', '--format=%aI %cI', commit);
  expect(dates.trim().split(' ').map(Date.parse)).toEqual([Date.parse(at), Date.parse(at)]);
  expect(await checkout.push(commit, 'refs/heads/service/x', undefined)).toBe('pushed');
  const other = await openCheckout({
    folder: await mkdtemp(join(folder, 'work-')),
    getRemote: async () => remote(name),
  });
  expect(await other.resolveRemoteRefs([main, 'refs/heads/service/x', 'refs/heads/none'])).toEqual({
    [main]: tip,
    'refs/heads/service/x': commit,
  });
  await other.fetch([tip, commit]);
  await other.reset(commit);
  expect(await readFile(join(other.workingTree, 'a.txt'), 'utf8')).toBe('one\n');
  expect(await other.listTrailers('Service-Turn', tip, commit)).toEqual(['implement/1']);
  const entries = (await readdir(work, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const texts = entries.map(async (entry) => await readFile(join(entry.parentPath, entry.name), 'utf8'));
  expect((await Promise.all(texts)).join('\n')).not.toContain(authorization.slice(6));
});

it('reports the error of git without the authorization', async () => {
  const wrong = `Basic ${Buffer.from('owner:wrong-secret').toString('base64')}`;
  const refused = await cloned(wrong).catch((error: unknown) => error);
  expect(String(refused)).toMatch(/git ls-remote failed/);
  expect(String(refused)).not.toContain(wrong.slice(6));
});

it('does not overwrite commits of others', async () => {
  const { checkout, tip } = await cloned();
  const mine = await commitFile(checkout, tip, 'mine\n');
  await checkout.reset(tip);
  const theirs = await commitFile(checkout, tip, 'theirs\n');
  expect(await checkout.push(theirs, main, tip)).toBe('pushed');
  expect(await checkout.push(mine, main, tip)).toBe('moved');
  expect(await checkout.push(mine, main, undefined)).toBe('moved');
  expect(await checkout.resolveRemoteRefs([main])).toEqual({ [main]: theirs });
  await checkout.deleteRemoteRef('refs/heads/none', mine);
});

/** Starts a server that shows the refs of the code host, and answers each push with the status. */
async function startRefusing(status: number): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.method === 'POST') return void request.resume().on('end', () => response.writeHead(status).end());
    void fetch(`${host.url}${request.url}`, { headers: { authorization } }).then(async (answer) => {
      const type = answer.headers.get('content-type') ?? '';
      response.writeHead(answer.status, { 'content-type': type }).end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

it.each([403, 413, 502])('does not take a commit for pushed when the code host answers with %d', async (status) => {
  const { checkout, tip, name, work } = await cloned();
  const commit = await commitFile(checkout, tip, 'mine\n');
  const server = await startRefusing(status);
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}.git`;
    const failing = await openCheckout({ folder: work, getRemote: async () => ({ url, authorization }) });
    await expect(failing.push(commit, main, tip)).rejects.toThrow(
      new RegExp(`^git push failed: .*HTTP ${status}`, 's'),
    );
  } finally {
    server.close();
  }
  expect(await checkout.resolveRemoteRefs([main])).toEqual({ [main]: tip });
  expect(await checkout.push(commit, main, tip)).toBe('pushed');
});

it('creates the same commit from the same content, parents and time', async () => {
  const first = await cloned();
  const sha = await commitFile(first.checkout, first.tip, 'same\n');
  await first.checkout.reset(first.tip);
  expect(await commitFile(first.checkout, first.tip, 'same\n')).toBe(sha);
});

it('applies patches with all kinds of changes, and rejects one that conflicts', async () => {
  const { checkout, tip } = await cloned();
  const binary = Buffer.from([0, 1, 2, 250]);
  await writeFile(join(checkout.workingTree, 'b.bin'), binary);
  await writeFile(join(checkout.workingTree, 'ü "x"\n.txt'), 'strange name');
  await writeFile(join(checkout.workingTree, 'a.txt'), 'changed\n');
  const { patch } = await checkout.stage();
  await checkout.reset(tip);
  expect((await checkout.stage()).patch).toBeUndefined();
  expect(await checkout.applyPatch(patch ?? Buffer.of())).toBe(true);
  expect(await readFile(join(checkout.workingTree, 'b.bin'))).toEqual(binary);
  expect(await checkout.listFiles(undefined)).toEqual(['a.txt', 'b.bin', 'ü "x"\n.txt']);
  await checkout.reset(tip);
  await checkout.reset(await commitFile(checkout, tip, 'other\n'));
  expect(await checkout.applyPatch(patch ?? Buffer.of())).toBe(false);
});

it('merges and returns the conflicting files', async () => {
  const { checkout, tip } = await cloned();
  const ours = await commitFile(checkout, tip, 'ONE\ntwo\nthree\n');
  await checkout.reset(tip);
  const fits = await commitFile(checkout, tip, 'one\ntwo\nTHREE\n');
  await checkout.reset(tip);
  const conflicts = await commitFile(checkout, tip, 'uno\ntwo\nthree\n');
  await checkout.reset(ours);
  expect(await checkout.merge(conflicts, 'main')).toEqual(['a.txt']);
  expect(await readFile(join(checkout.workingTree, 'a.txt'), 'utf8')).toMatch(
    /<<<<<<< HEAD\nONE\n=======\nuno\n>>>>>>> refs\/heads\/main/,
  );
  await checkout.reset(ours);
  expect(await checkout.merge(fits, 'main')).toEqual([]);
  const merged = await checkout.commit({ message: 'Merge main', parents: [ours, fits], commitDate: at });
  expect(await checkout.listParents(merged)).toEqual([ours, fits]);
  expect(await checkout.isAncestor(fits, merged)).toBe(true);
  expect(await checkout.isAncestor(conflicts, merged)).toBe(false);
  expect((await checkout.diff(tip, merged)).patch).toContain('+THREE');
});

it('runs no hook, filter or helper of a repository', async () => {
  const { checkout, tip } = await cloned();
  const marker = join(folder, 'was-run');
  await writeFile(join(checkout.workingTree, '.gitattributes'), '* filter=evil diff=evil merge=evil\n');
  await writeFile(
    join(checkout.workingTree, '.gitmodules'),
    `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% ${marker}\n`,
  );
  await writeFile(join(checkout.workingTree, '.lfsconfig'), `[lfs]\n\turl = ext::touch ${marker}\n`);
  const commit = await commitFile(checkout, tip, 'x\n');
  await checkout.push(commit, 'refs/heads/evil', undefined);
  await checkout.reset(tip);
  await checkout.reset(commit);
  await checkout.searchFiles('x', undefined);
  await expect(
    openCheckout({
      folder: await mkdtemp(join(folder, 'work-')),
      getRemote: async () => ({ url: `ext::sh -c touch% ${marker}` }),
    }).then(async (ext) => await ext.resolveRemoteRefs([main])),
  ).rejects.toThrow('not allowed');
  expect(() => execFileSync('ls', [marker], { stdio: 'pipe' })).toThrow('No such file');
});

it('requests the right to change CI files only for a push that changes them', async () => {
  const { tip, name, work } = await cloned();
  const uses: boolean[] = [];
  const getRemote = async ({ changesCiFiles }: { changesCiFiles: boolean }) => {
    uses.push(changesCiFiles);
    return remote(name);
  };
  const checkout = await openCheckout({ folder: work, getRemote });
  await checkout.fetch([tip]);
  const plain = await commitFile(checkout, tip, 'plain\n');
  await checkout.push(plain, 'refs/heads/service/x', undefined);
  await mkdir(join(checkout.workingTree, '.github/workflows'), { recursive: true });
  await writeFile(join(checkout.workingTree, '.github/workflows/ci.yml'), 'on: push\n');
  const ci = await commitFile(checkout, plain, 'ci\n');
  expect(await checkout.push(ci, 'refs/heads/service/x', plain)).toBe('pushed');
  await checkout.reset(ci);
  const after = await commitFile(checkout, ci, 'after\n');
  await checkout.push(after, 'refs/heads/service/x', ci);
  expect(uses).toEqual([false, false, true, false]);
});

it('limits the memory that the files of a checkout can take', async () => {
  const { checkout, tip } = await cloned();
  for (const path of ['one', 'one/two', 'one/two/three']) {
    const ignoreFile = join(checkout.workingTree, path, '.gitignore');
    await mkdir(join(checkout.workingTree, path));
    await writeFile(ignoreFile, '');
    // The file takes no space on the disk, and git reads it as a whole.
    await truncate(ignoreFile, 1024 ** 3);
  }
  await expect(checkout.listFiles(undefined)).rejects.toThrow('Out of memory');
  await rm(join(checkout.workingTree, 'one'), { recursive: true });
  await checkout.reset(tip);
  expect(await checkout.listFiles(undefined)).toEqual(['a.txt']);
});
