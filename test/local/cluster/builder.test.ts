import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type World, ZoneOf, aSecretPort, aWorld, commit, eventually } from './a-cluster.ts';

const serves = (body: string): string =>
  `import { createServer } from 'node:http'; createServer((_, response) => response.end(${body})).listen(process.env.PORT);`;

async function failureOf(world: World, files: Record<string, string>): Promise<string> {
  const { conditions, failureDetails, output } = await world.ended(
    await world.createBuildRun(await world.source(files)),
  );
  expect(conditions).toMatchObject([{ type: 'Succeeded', status: 'False', reason: 'Failed' }]);
  expect(output).toBeUndefined();
  return failureDetails?.message ?? '';
}

it('builds the same commit into the same image, and another into another', async () => {
  const world = await aWorld();
  const source = await world.sample();
  const [first, again] = [await world.build(source), await world.build(source)];
  await writeFile(join(source.url, 'greeting.js'), "export const greeting = () => 'Hi';");
  const other = await world.build({ url: source.url, revision: await commit(source.url, 'hi') });
  expect(first).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect(await world.cluster.imageDigests()).toEqual([first, other].toSorted());
});

it('builds the commit that is asked for, not the head of its branch', async () => {
  const world = await aWorld();
  const source = await world.sample();
  const digest = await world.build(source);
  await writeFile(join(source.url, 'package.json'), 'not JSON');
  await commit(source.url, 'broken');
  expect(await world.build(source)).toBe(digest);
});

it('reports a build in the field names of Shipwright', async () => {
  const world = await aWorld();
  const status = await world.ended(await world.createBuildRun(await world.sample()));
  expect(status).toEqual({
    conditions: [expect.objectContaining({ type: 'Succeeded', status: 'True', reason: 'Succeeded' })],
    output: { digest: expect.stringMatching(/^sha256:/), size: expect.any(Number) },
    startTime: expect.any(String),
    completionTime: expect.any(String),
  });
});

it('a source that does not say how it starts fails with what to add', async () => {
  const world = await aWorld();
  expect(await failureOf(world, { 'package.json': '{"name":"hello"}' })).toBe(
    'Nothing says how to start this app: add a Procfile with a web: line, a package.json start script, or an index.html.',
  );
});

it('a build script that fails fails the build with its last words, and leaves nothing behind', async () => {
  const world = await aWorld();
  const scripts = { start: 'node server.js', build: 'echo "no such luck"; exit 3' };
  const message = await failureOf(world, { 'package.json': JSON.stringify({ scripts }) });
  expect(message).toContain('status 3');
  expect(message).toContain('no such luck');
  expect(await readdir(join(world.folder, 'cluster', 'building'))).toEqual([]);
});

it('packages that are not locked fail the build with what to do', async () => {
  const world = await aWorld();
  const manifest = { scripts: { start: 'node server.js' }, dependencies: { anything: '1.0.0' } };
  expect(await failureOf(world, { 'package.json': JSON.stringify(manifest) })).toContain(
    'run npm install and commit it',
  );
});

it('packages that cannot be installed fail the build with the words of npm', async () => {
  const world = await aWorld();
  const manifest = { name: 'hello', scripts: { start: 'node server.js' }, dependencies: { words: 'file:words' } };
  const lock = { name: 'hello', lockfileVersion: 3, requires: true, packages: { '': { name: 'hello' } } };
  const message = await failureOf(world, {
    'package.json': JSON.stringify(manifest),
    'package-lock.json': JSON.stringify(lock),
  });
  expect(message).toMatch(/^Installing the packages failed \(ended with status 1\):/);
  expect(message).toContain('in sync');
});

it('a commit that the repo does not have fails the build', async () => {
  const world = await aWorld();
  const source = { ...(await world.sample()), revision: '0'.repeat(40) };
  const { failureDetails } = await world.ended(await world.createBuildRun(source));
  expect(failureDetails).toMatchObject({ reason: 'SourceFailed', message: expect.stringContaining('not our ref') });
});

it('an app runs with the packages that it was locked to', async () => {
  const world = await aWorld();
  const words = { name: 'words', version: '1.0.0' };
  const root = { name: 'hello', dependencies: { words: 'file:words' } };
  const packages = { '': root, 'node_modules/words': { resolved: 'words', link: true }, words: { version: '1.0.0' } };
  const digest = await world.build(
    await world.source({
      'package.json': JSON.stringify({ ...root, scripts: { start: 'node app.mjs' } }),
      'package-lock.json': JSON.stringify({ name: 'hello', lockfileVersion: 3, requires: true, packages }),
      'words/package.json': JSON.stringify({ ...words, main: 'index.js' }),
      'words/index.js': "module.exports = 'from a package';",
      'app.mjs': `import words from 'words'; ${serves('words')}`,
    }),
  );
  const zone = new ZoneOf(world);
  await zone.deploy(digest);
  expect((await zone.ask()).body).toBe('from a package');
});

it('a build script makes what the app serves, and reaches nothing of the machine', async () => {
  const world = await aWorld();
  const port = await aSecretPort();
  const build = `import { get } from 'node:http';
import { writeFileSync } from 'node:fs';
get('http://127.0.0.1:${port}', () => writeFileSync('built', 'reached')).on('error', ({ code }) => writeFileSync('built', code));`;
  const app = `import { readFileSync } from 'node:fs'; ${serves("readFileSync('built')")}`;
  const scripts = { build: 'node build.mjs', start: 'node app.mjs' };
  const digest = await world.build(
    await world.source({ 'package.json': JSON.stringify({ scripts }), 'build.mjs': build, 'app.mjs': app }),
  );
  const zone = new ZoneOf(world);
  await zone.deploy(digest);
  expect((await zone.ask()).body).toBe('ECONNREFUSED');
});

it('a folder of files with an index.html is served as it is, and nothing outside of it', async () => {
  const world = await aWorld();
  const source = await world.source({ 'index.html': '<h1>static</h1>', 'style.css': 'h1 {}' });
  await symlink('/etc/passwd', join(source.url, 'passwd'));
  const digest = await world.build({ url: source.url, revision: await commit(source.url, 'link') });
  const zone = new ZoneOf(world);
  await zone.deploy(digest);
  expect(await zone.ask()).toMatchObject({
    status: 200,
    body: '<h1>static</h1>',
    headers: { 'content-type': 'text/html; charset=utf-8' },
  });
  expect(await zone.ask({ path: '/style.css' })).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/css' },
  });
  expect(await zone.ask({ path: '/passwd' })).toMatchObject({ status: 404 });
  expect(await zone.ask({ path: '/..%2f..%2fetc/passwd' })).toMatchObject({ status: 404 });
});

it('a link out of the tree has no build read what it leads to', async () => {
  const world = await aWorld();
  const outside = join(world.folder, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), 'one');
  const { url } = await world.sample();
  await symlink(outside, join(url, 'link'));
  const source = { url, revision: await commit(url, 'link') };
  const digest = await world.build(source);
  await writeFile(join(outside, 'secret'), 'two');
  expect(await world.build(source)).toBe(digest);
});

it('a build that a stop of the process cut off is built by the next', async () => {
  const world = await aWorld();
  const scripts = { start: 'node server.js', build: 'sleep 2' };
  const name = await world.createBuildRun(await world.source({ 'package.json': JSON.stringify({ scripts }) }));
  await eventually(async () => expect(await readdir(join(world.folder, 'cluster', 'building'))).toHaveLength(1));
  const closingAt = Date.now();
  await world.cluster.close();
  expect(Date.now() - closingAt).toBeLessThan(1_500);
  expect((await world.buildRun(name)).conditions).toMatchObject([{ status: 'Unknown', reason: 'Running' }]);
  await world.start();
  expect((await world.ended(name)).output?.digest).toMatch(/^sha256:/);
});

it('a build that is cancelled, or deleted, makes way for the next', async () => {
  const world = await aWorld();
  const scripts = { start: 'node server.js', build: 'sleep 60' };
  const slow = await world.source({ 'package.json': JSON.stringify({ scripts }) });
  const [running, queued, deleted] = [
    await world.createBuildRun(slow),
    await world.createBuildRun(slow),
    await world.createBuildRun(slow),
  ];
  const last = await world.createBuildRun(await world.sample());
  await eventually(async () => expect(await readdir(join(world.folder, 'cluster', 'building'))).toHaveLength(1));
  await world.cancelBuildRun(queued);
  await world.cancelBuildRun(running);
  await world.deleteBuildRun(deleted);
  for (const name of [running, queued]) {
    const { conditions, output } = await world.ended(name);
    expect(conditions).toMatchObject([{ type: 'Succeeded', status: 'False', reason: 'BuildRunCanceled' }]);
    expect(output).toBeUndefined();
  }
  expect((await world.ended(last)).output?.digest).toMatch(/^sha256:/);
});
