import { execFileSync } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BuildRunKind } from '../../../src/kinds/shipwright.ts';
import {
  type ClusterFixture,
  DeployedZone,
  startSecretServer,
  startClusterFixture,
  commitAll,
  eventually,
} from './cluster-fixture.ts';

const serverScript = (body: string): string =>
  `import { createServer } from 'node:http'; createServer((_, response) => response.end(${body})).listen(process.env.PORT);`;

async function getBuildFailure(fixture: ClusterFixture, files: Record<string, string>): Promise<string> {
  const { conditions, failureDetails, output } = await fixture.waitForBuild(
    await fixture.createBuildRun(await fixture.createRepo(files)),
  );
  expect(conditions).toMatchObject([{ type: 'Succeeded', status: 'False', reason: 'Failed' }]);
  expect(output).toBeUndefined();
  return failureDetails?.message ?? '';
}

it('builds one image per commit, with the same digest for the same commit', async () => {
  const fixture = await startClusterFixture();
  const source = await fixture.createSampleRepo();
  const [first, again] = [await fixture.buildImage(source), await fixture.buildImage(source)];
  await writeFile(join(source.url, 'greeting.js'), "export const greeting = () => 'Hi';");
  const other = await fixture.buildImage({ url: source.url, revision: await commitAll(source.url, 'hi') });
  expect(first).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect(await fixture.cluster.listImageDigests()).toEqual([first, other].toSorted());
});

it('removes the image of a deleted build that no zone uses', async () => {
  const fixture = await startClusterFixture();
  const source = await fixture.createSampleRepo();
  const name = await fixture.createBuildRun(source);
  await fixture.waitForBuild(name);
  const digests = await fixture.cluster.listImageDigests();
  expect(await Promise.all(digests.map(fixture.cluster.isImageDeleted))).toEqual([false]);
  await fixture.store.delete(BuildRunKind, { namespace: 'org-acme', name });
  await eventually(async () => expect(await fixture.cluster.listImageDigests()).toEqual([]));
  expect(await Promise.all(digests.map(fixture.cluster.isImageDeleted))).toEqual([true]);
});

it('builds the requested commit, not the head of its branch', async () => {
  const fixture = await startClusterFixture();
  const source = await fixture.createSampleRepo();
  const digest = await fixture.buildImage(source);
  await writeFile(join(source.url, 'package.json'), 'not JSON');
  await commitAll(source.url, 'broken');
  expect(await fixture.buildImage(source)).toBe(digest);
});

it('builds every file as its commit has it, also those that an archive of the repo leaves out or changes', async () => {
  const fixture = await startClusterFixture();
  const attributes = 'Procfile export-ignore\nassets export-ignore\nversion.txt export-subst\n';
  const app = serverScript("readFileSync('version.txt', 'utf8') + readFileSync('assets/page.txt', 'utf8')");
  const source = await fixture.createRepo({
    '.gitattributes': attributes,
    Procfile: 'web: node app.mjs',
    'app.mjs': `import { readFileSync } from 'node:fs'; ${app}`,
    'version.txt': '$Format:%H$ ',
    'assets/page.txt': 'page',
  });
  const zone = new DeployedZone(fixture);
  await zone.deploy(await fixture.buildImage(source));
  expect((await zone.request()).body).toBe('$Format:%H$ page');
});

it('reports the status with the fields of Shipwright', async () => {
  const fixture = await startClusterFixture();
  const status = await fixture.waitForBuild(await fixture.createBuildRun(await fixture.createSampleRepo()));
  expect(status).toEqual({
    conditions: [expect.objectContaining({ type: 'Succeeded', status: 'True', reason: 'Succeeded' })],
    output: { digest: expect.stringMatching(/^sha256:/), size: expect.any(Number) },
    startTime: expect.any(String),
    completionTime: expect.any(String),
  });
});

it('fails a source without a start command and names the missing files', async () => {
  const fixture = await startClusterFixture();
  expect(await getBuildFailure(fixture, { 'package.json': '{"name":"hello"}' })).toBe(
    'No start command found: add a Procfile with a web: line, a package.json start script, a go.mod, or an index.html.',
  );
});

it('fails with the output of a failing build script and removes the build folder', async () => {
  const fixture = await startClusterFixture();
  const scripts = { start: 'node server.js', build: 'echo "no such luck"; exit 3' };
  const message = await getBuildFailure(fixture, { 'package.json': JSON.stringify({ scripts }) });
  expect(message).toContain('status 3');
  expect(message).toContain('no such luck');
  expect(await readdir(join(fixture.folder, 'cluster', 'building'))).toEqual([]);
});

it('removes what a build script leaves at paths that are too long, and starts again afterwards', async () => {
  const fixture = await startClusterFixture();
  const nest = "for (let i = 0; i < 600; i += 1) { fs.mkdirSync('dddddddddd'); process.chdir('dddddddddd'); }";
  const scripts = { start: 'node server.js', build: 'node nest.cjs' };
  const files = { 'package.json': JSON.stringify({ scripts }), 'nest.cjs': `const fs = require('node:fs'); ${nest}` };
  expect(await getBuildFailure(fixture, files)).toContain('ENAMETOOLONG');
  expect(await readdir(join(fixture.folder, 'cluster', 'building'))).toEqual([]);
  await fixture.cluster.close();
  await fixture.start();
  expect(await fixture.buildImage(await fixture.createSampleRepo())).toMatch(/^sha256:/);
});

it('fails for a commit that names the same files again and again, before it unpacks any of them', async () => {
  const fixture = await startClusterFixture();
  const { url } = await fixture.createRepo({ Procfile: 'web: node app.mjs' });
  const git = (args: string[], input = ''): string => execFileSync('git', args, { cwd: url, input }).toString().trim();
  const nest = (mode: string, object: string): string =>
    git(
      ['mktree'],
      Array.from({ length: 10 }, (_, index) => `${mode} ${object}\t${index}${'d'.repeat(60)}\n`).join(''),
    );
  let tree = nest('100644 blob', git(['hash-object', '-w', '--stdin'], 'x'));
  for (let depth = 0; depth < 9; depth += 1) tree = nest('040000 tree', tree);
  const revision = git(['commit-tree', tree, '-m', 'bomb', '-p', 'HEAD']);
  git(['update-ref', 'HEAD', revision]);
  const { failureDetails } = await fixture.waitForBuild(await fixture.createBuildRun({ url, revision }));
  expect(failureDetails).toEqual({
    reason: 'BuildFailed',
    message: expect.stringMatching(
      /^The files of the commit cannot be listed: .*Remove those that the app does not need/,
    ),
  });
});

it.runIf(process.platform === 'linux')('fails for a file name that is not UTF-8, and names the file', async () => {
  const fixture = await startClusterFixture();
  const { url } = await fixture.createRepo({ 'index.html': 'page' });
  await writeFile(Buffer.concat([Buffer.from(join(url, 'caf')), Buffer.of(0xe9), Buffer.from('.txt')]), 'menu');
  const revision = await commitAll(url, 'menu');
  const { failureDetails } = await fixture.waitForBuild(await fixture.createBuildRun({ url, revision }));
  expect(failureDetails).toEqual({
    reason: 'BuildFailed',
    message: 'The file name "caf\uFFFD.txt" is not UTF-8. Rename the file, then start again.',
  });
});

it('fails for a commit whose files are too large together', async () => {
  const fixture = await startClusterFixture();
  const { url } = await fixture.createRepo({ Procfile: 'web: node app.mjs' });
  const git = (args: string[], input: string | Buffer): string =>
    execFileSync('git', args, { cwd: url, input }).toString().trim();
  const blob = git(['hash-object', '-w', '--stdin'], Buffer.alloc(64 * 1024 ** 2));
  const names = Array.from({ length: 129 }, (_, index) => `100644 blob ${blob}\t${index}\n`);
  const revision = git(['commit-tree', git(['mktree'], names.join('')), '-m', 'large', '-p', 'HEAD'], '');
  git(['update-ref', 'HEAD', revision], '');
  const { failureDetails } = await fixture.waitForBuild(await fixture.createBuildRun({ url, revision }));
  expect(failureDetails).toEqual({
    reason: 'BuildFailed',
    message: 'The files of the commit have more than 8 GiB together. Remove those that the app does not need.',
  });
});

it('fails without a lock file and explains the fix', async () => {
  const fixture = await startClusterFixture();
  const manifest = { scripts: { start: 'node server.js' }, dependencies: { anything: '1.0.0' } };
  expect(await getBuildFailure(fixture, { 'package.json': JSON.stringify(manifest) })).toContain(
    'run npm install and commit the lock file',
  );
});

it('fails with the error of npm when packages cannot be installed', async () => {
  const fixture = await startClusterFixture();
  const manifest = { name: 'hello', scripts: { start: 'node server.js' }, dependencies: { words: 'file:words' } };
  const lock = {
    name: 'hello',
    lockfileVersion: 3,
    requires: true,
    packages: { '': { name: 'hello' }, 'node_modules/words': {} },
  };
  const message = await getBuildFailure(fixture, {
    'package.json': JSON.stringify(manifest),
    'package-lock.json': JSON.stringify(lock),
  });
  expect(message).toMatch(/^Installing the packages failed \(ended with status 1\):/);
  expect(message).toContain('in sync');
});

it('fails for a commit that the repo does not contain', async () => {
  const fixture = await startClusterFixture();
  const source = { ...(await fixture.createSampleRepo()), revision: '0'.repeat(40) };
  const { failureDetails } = await fixture.waitForBuild(await fixture.createBuildRun(source));
  expect(failureDetails).toMatchObject({ reason: 'SourceFailed', message: expect.stringContaining('not our ref') });
});

it('installs the packages of the lock file', async () => {
  const fixture = await startClusterFixture();
  const words = { name: 'words', version: '1.0.0' };
  const root = { name: 'hello', dependencies: { words: 'file:words' } };
  const packages = { '': root, 'node_modules/words': { resolved: 'words', link: true }, words: { version: '1.0.0' } };
  const digest = await fixture.buildImage(
    await fixture.createRepo({
      'package.json': JSON.stringify({ ...root, scripts: { start: 'node app.mjs' } }),
      'package-lock.json': JSON.stringify({ name: 'hello', lockfileVersion: 3, requires: true, packages }),
      'words/package.json': JSON.stringify({ ...words, main: 'index.js' }),
      'words/index.js': "module.exports = 'from a package';",
      'app.mjs': `import words from 'words'; ${serverScript('words')}`,
    }),
  );
  const zone = new DeployedZone(fixture);
  await zone.deploy(digest);
  expect((await zone.request()).body).toBe('from a package');
});

it('runs the build script without access to the network of the machine', async () => {
  const fixture = await startClusterFixture();
  const port = await startSecretServer();
  const build = `import { get } from 'node:http';
import { writeFileSync } from 'node:fs';
get('http://127.0.0.1:${port}', () => writeFileSync('built', 'reached')).on('error', ({ code }) => writeFileSync('built', code));`;
  const app = `import { readFileSync } from 'node:fs'; ${serverScript("readFileSync('built')")}`;
  const scripts = { build: 'node build.mjs', start: 'node app.mjs' };
  const digest = await fixture.buildImage(
    await fixture.createRepo({ 'package.json': JSON.stringify({ scripts }), 'build.mjs': build, 'app.mjs': app }),
  );
  const zone = new DeployedZone(fixture);
  await zone.deploy(digest);
  expect((await zone.request()).body).toBe('ECONNREFUSED');
});

it('serves a folder with an index.html as static files, and no file outside it', async () => {
  const fixture = await startClusterFixture();
  const source = await fixture.createRepo({ 'index.html': '<h1>static</h1>', 'style.css': 'h1 {}' });
  await symlink('/etc/passwd', join(source.url, 'passwd'));
  const digest = await fixture.buildImage({ url: source.url, revision: await commitAll(source.url, 'link') });
  const zone = new DeployedZone(fixture);
  await zone.deploy(digest);
  expect(await zone.request()).toMatchObject({
    status: 200,
    body: '<h1>static</h1>',
    headers: { 'content-type': 'text/html; charset=utf-8' },
  });
  expect(await zone.request({ path: '/style.css' })).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/css' },
  });
  expect(await zone.request({ path: '/passwd' })).toMatchObject({ status: 404 });
  expect(await zone.request({ path: '/..%2f..%2fetc/passwd' })).toMatchObject({ status: 404 });
});

it('does not read the target of a link that leads out of the source tree', async () => {
  const fixture = await startClusterFixture();
  const outside = join(fixture.folder, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), 'one');
  const { url } = await fixture.createSampleRepo();
  await symlink(outside, join(url, 'link'));
  const source = { url, revision: await commitAll(url, 'link') };
  const digest = await fixture.buildImage(source);
  await writeFile(join(outside, 'secret'), 'two');
  expect(await fixture.buildImage(source)).toBe(digest);
});

it('repeats a build that was interrupted by a shutdown', async () => {
  const fixture = await startClusterFixture();
  const scripts = { start: 'node server.js', build: 'until [ -e may-end ]; do sleep 0.05; done' };
  const name = await fixture.createBuildRun(await fixture.createRepo({ 'package.json': JSON.stringify({ scripts }) }));
  const building = join(fixture.folder, 'cluster', 'building');
  const findSource = async (): Promise<string> => {
    const [folder = ''] = await readdir(building);
    const source = join(building, folder, 'rootfs');
    expect(await readdir(source)).toContain('package.json');
    return source;
  };
  await eventually(findSource);
  await fixture.cluster.close();
  expect((await fixture.getBuildRunStatus(name)).conditions).toMatchObject([{ status: 'Unknown', reason: 'Running' }]);
  await fixture.start();
  await writeFile(join(await eventually(findSource), 'may-end'), '');
  expect((await fixture.waitForBuild(name)).output?.digest).toMatch(/^sha256:/);
});

it('stops cancelled and deleted builds, and runs the next one', async () => {
  const fixture = await startClusterFixture();
  const scripts = { start: 'node server.js', build: 'sleep 600' };
  const slow = await fixture.createRepo({ 'package.json': JSON.stringify({ scripts }) });
  const [running, queued, deleted] = [
    await fixture.createBuildRun(slow),
    await fixture.createBuildRun(slow),
    await fixture.createBuildRun(slow),
  ];
  const last = await fixture.createBuildRun(await fixture.createSampleRepo());
  await eventually(async () => expect(await readdir(join(fixture.folder, 'cluster', 'building'))).toHaveLength(1));
  await fixture.cancelBuildRun(queued);
  await fixture.cancelBuildRun(running);
  await fixture.deleteBuildRun(deleted);
  for (const name of [running, queued]) {
    const { conditions, output } = await fixture.waitForBuild(name);
    expect(conditions).toMatchObject([{ type: 'Succeeded', status: 'False', reason: 'BuildRunCanceled' }]);
    expect(output).toBeUndefined();
  }
  expect((await fixture.waitForBuild(last)).output?.digest).toMatch(/^sha256:/);
});
